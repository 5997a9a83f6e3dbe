//! Who worded a lesson, and who spoke of it before: how far the words and reports of one principal reach.
//!
//! Nobody's own words about their own lesson are evidence, and neither is the same voice repeated: an agent's key could
//! otherwise have its lesson praised into everybody's files, or a person's taken out by runs that never were. What
//! hardwon itself observed in a run is no word of anybody.

use hardwon_core::{Actor, Lesson, TenantId, TrustClass};
use hardwon_store::{Read, journal::JournalEntryKind, paging::read_history};
use jiff::{SignedDuration, Timestamp};

use crate::{PraiseRefusal, Principal};

/// How long one word or reported run of a principal stands for all of theirs.
const ONE_WORD_LASTS: SignedDuration = SignedDuration::from_hours(24);

/// What the journal says of a lesson's author, and of one principal's words about it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct LessonVoices {
    /// Who wrote its words.
    author: Option<Actor>,
    /// When the principal last spoke of it or reported a run with it.
    last_word: Option<Timestamp>,
}

impl LessonVoices {
    /// Reads the history of a lesson.
    pub(crate) fn load(
        reader: &dyn Read,
        tenant: &TenantId,
        lesson: &Lesson,
        speaker: &Actor,
    ) -> hardwon_store::Result<Self> {
        let mut voices = Self::default();
        for entry in read_history(reader, tenant, lesson.id) {
            let body = entry?.body;
            match body.kind {
                JournalEntryKind::Add | JournalEntryKind::Revise => {
                    voices.author = Some(body.actor);
                }
                JournalEntryKind::Credit if body.actor == *speaker => {
                    voices.last_word = Some(body.at);
                }
                _ => {}
            }
        }
        Ok(voices)
    }

    /// Returns why a word of the principal does not count; `None` if it does. A person may take back what they said; what is
    /// more trusted than the speaker is moved once a day.
    pub(crate) fn refuse_word(
        &self,
        speaker: &Principal,
        lesson: &Lesson,
        is_good: bool,
        now: Timestamp,
    ) -> Option<PraiseRefusal> {
        let is_person = speaker.trust.class == TrustClass::Person;
        let is_own = self.author.as_ref() == Some(&speaker.actor)
            && lesson.trust.class == speaker.trust.class;
        if is_own && (is_good || !is_person) {
            Some(PraiseRefusal::Own)
        } else if is_beyond(speaker, lesson) && self.has_spoken(now) {
            Some(PraiseRefusal::SaidToday)
        } else {
            None
        }
    }

    /// Returns whether the principal spoke of the lesson within a day.
    pub(crate) fn has_spoken(&self, now: Timestamp) -> bool {
        self.last_word
            .is_some_and(|at| now.duration_since(at) < ONE_WORD_LASTS)
    }
}

/// Returns whether a principal's reports of runs reach a lesson only within bounds: it is more trusted than they are.
pub(crate) fn is_beyond(reporter: &Principal, lesson: &Lesson) -> bool {
    reporter.actor != Actor::rules() && !reporter.trust.is_at_least(lesson.trust)
}
