//! Which words of praise count.
//!
//! What is said of a lesson is evidence only if it could be otherwise: not from whoever wrote it, not of a lesson that nobody
//! was shown, and once in a run. Blame is not held to this: it counts as far as its trust reaches, and makes nobody believe a lesson.

use hardwon_core::{
    access::Principal,
    digest::{hash_parts, to_hex},
    id::RunId,
    journal::JournalEntryKind,
    lesson::{FailureKey, Lesson, TrustClass},
    named_enum,
    recall::Recall,
};
use hardwon_store::{RecallListing, Sighting, Write};
use jiff::Timestamp;

use crate::Desk;

named_enum! {
    /// Why a word of praise does not count.
    PraiseRefusal {
        /// Whoever says it wrote the lesson.
        Own = "nobody praises a lesson of their own",
        /// It was not shown.
        NotShown = "it was not shown, so it cannot have helped",
        /// The same was said in the same run.
        SaidBefore = "that was counted before: once in a run",
        /// Content from outside may have said it.
        Tainted = "what is said after reading content from outside does not count",
    }
}

/// The name under which words are remembered that were said outside of any run.
const NO_RUN: &str = "said-outside-of-a-run";

impl Desk<'_> {
    /// Decides inside a transaction whether praise of a lesson counts, and remembers that it was said.
    pub(crate) fn refuse_praise(
        &self,
        tx: &mut dyn Write,
        lesson: &Lesson,
        run: Option<&RunId>,
        at: Timestamp,
    ) -> hardwon_store::Result<Option<PraiseRefusal>> {
        let who = &self.principal;
        if who.trust.tainted {
            return Ok(Some(PraiseRefusal::Tainted));
        }
        let recalls = match run {
            Some(run) => Some(list_recalls(tx, lesson, run)?),
            None => None,
        };
        let recalls = recalls.as_deref();
        if is_author(tx, who, lesson)? && is_of_run(lesson, recalls) {
            return Ok(Some(PraiseRefusal::Own));
        }
        if !was_shown(lesson, recalls) {
            return Ok(Some(PraiseRefusal::NotShown));
        }
        let is_first = note_word(tx, who, lesson, run, at)?;
        Ok((!is_first).then_some(PraiseRefusal::SaidBefore))
    }
}

/// Returns whether the principal wrote a lesson: the first entry of its history names its author. What came out of a file
/// is its author's, whoever brought it.
fn is_author(tx: &dyn Write, who: &Principal, lesson: &Lesson) -> hardwon_store::Result<bool> {
    let is_written = matches!(lesson.trust.class, TrustClass::Person | TrustClass::Agent);
    let tenant = &lesson.scope.tenant;
    let history = tx.reader().lesson_history(tenant, lesson.id, 0, 1)?;
    let is_by_them = history.first().is_some_and(|entry| {
        entry.body.kind == JournalEntryKind::Add && entry.body.actor == who.actor
    });
    Ok(is_written && is_by_them)
}

/// Lists the recalls of the run in which a lesson is praised.
fn list_recalls(
    tx: &dyn Write,
    lesson: &Lesson,
    run: &RunId,
) -> hardwon_store::Result<Vec<Recall>> {
    let listing = RecallListing {
        run: Some(run.clone()),
        ..RecallListing::default()
    };
    let recalls = tx.reader().recalls(&lesson.scope.tenant, &listing)?;
    Ok(recalls.into_iter().map(|(_, recall)| recall).collect())
}

/// Returns whether a lesson may have been written in the run in which it is praised: an agent of one name is somebody else
/// in another run. A person is the same in all, and where no run is known nobody can be told apart.
fn is_of_run(lesson: &Lesson, recalls: Option<&[Recall]>) -> bool {
    let began = recalls.and_then(|recalls| recalls.iter().map(|recall| recall.at).min());
    let is_persons = lesson.trust.class == TrustClass::Person;
    is_persons || began.is_none_or(|began| lesson.created >= began)
}

/// Returns whether a lesson was shown: in the run in which it is praised, or at all where none is known.
fn was_shown(lesson: &Lesson, recalls: Option<&[Recall]>) -> bool {
    match recalls {
        Some(recalls) => {
            let mut shown = recalls.iter().flat_map(Recall::shown_lessons);
            shown.any(|id| id == lesson.id)
        }
        None => lesson.counts.shown > 0,
    }
}

/// Remembers that the principal praised a lesson in a run, and returns whether it is the first time.
fn note_word(
    tx: &mut dyn Write,
    who: &Principal,
    lesson: &Lesson,
    run: Option<&RunId>,
    at: Timestamp,
) -> hardwon_store::Result<bool> {
    let number = lesson.id.0.to_string();
    let parts = ["praise", who.actor.0.as_str(), &number].map(str::as_bytes);
    let key = FailureKey::new(to_hex(&hash_parts(parts)));
    let nowhere = || RunId::parse(NO_RUN).expect("it is a name");
    let run = run.cloned().unwrap_or_else(nowhere);
    let before = tx.reader().candidate_lesson(&lesson.scope, &key)?;
    if before.is_some_and(|before| before.runs.contains(&run)) {
        return Ok(false);
    }
    tx.record_sighting(&Sighting {
        scope: lesson.scope.clone(),
        failure: key,
        run,
        at,
        lesson: None,
    })?;
    Ok(true)
}
