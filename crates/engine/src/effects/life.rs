//! The life of one lesson on a line of time: learned, shown, followed or not, left out, edited, merged.
//!
//! It is put together from the lesson's evidence, the judgements of runs and the journal, as far as the principal may read
//! them. The outcomes of one day are one event. What runs are not judged yet is not told.

use std::collections::BTreeMap;

use hardwon_core::{
    CleanText, Evidence, EvidenceKind, Lesson, LessonId, LessonJudgement, RecallId, RunId,
    TrustClass, queue::day_number,
};
use hardwon_store::{
    JournalComment, JournalEntry, Recall, RecallListing, journal::JournalEntryKind,
    paging::read_judgements,
};
use jiff::Timestamp;

use super::{CreditSummary, measure_standing, worth::describe_occasions};
use crate::{Desk, Result, access::Rights};
use crate::{LessonStanding, OutcomeCounts};

/// A lesson with its record and its life.
#[derive(Debug, Clone, PartialEq)]
pub struct LessonLife {
    /// The lesson and its record.
    pub standing: LessonStanding,
    /// What happened to it, the oldest first.
    pub events: Vec<LifeEvent>,
}

/// One thing that happened to a lesson.
#[derive(Debug, Clone, PartialEq)]
pub struct LifeEvent {
    /// When, or when first on this day.
    pub at: Timestamp,
    /// What happened, in one or two words: `learned`, `shown`, `edited`.
    pub deed: &'static str,
    /// The particulars, which may hold words from outside; may be empty.
    pub words: String,
    /// The recall that tells more.
    pub recall: Option<RecallId>,
}

/// What runs of one day show of a lesson, with it or without.
#[derive(Default)]
struct LifeDay {
    at: Timestamp,
    counts: OutcomeCounts,
    recall: Option<RecallId>,
}

impl Desk<'_> {
    /// Tells the life of a lesson.
    pub fn tell_life(&self, id: LessonId) -> Result<LessonLife> {
        let lesson = self.lesson(id)?;
        let (mut summary, mut days) = (CreditSummary::default(), BTreeMap::new());
        let reader = self.snapshot()?;
        for row in read_judgements(&*reader, self.tenant()) {
            let (_, judged) = row?;
            let mut judgement = judged.judgement;
            judgement.lessons.retain(|part| part.lesson == id);
            summary.add_judgement(judged.run.is_some(), judged.at, &judgement);
            for part in judgement.recalled_lessons() {
                let day = (day_number(judged.at), part.is_control);
                let day: &mut LifeDay = days.entry(day).or_default();
                day.add(judged.at, part);
            }
        }
        drop(reader);
        let mut events = self.tell_evidence(&lesson)?;
        let days = days.into_iter();
        events.extend(days.map(|((_, is_control), day)| day.tell(is_control)));
        if self.principal.check_right(Rights::Curate).is_ok() {
            events.extend(self.history(id)?.iter().filter_map(tell_change));
        }
        events.sort_by_key(|event| event.at);
        // Of a day on which runs met it again, those are told that are known, or that it was so.
        let is_again = |event: &LifeEvent| event.deed == JournalEntryKind::Reinforce.words();
        let is_known = |event: &&LifeEvent| is_again(event) && event.recall.is_some();
        let mut told_days: Vec<i64> = events
            .iter()
            .filter(is_known)
            .map(|event| day_number(event.at))
            .collect();
        events.retain(|event| {
            let day = day_number(event.at);
            let is_told = !is_known(&event) && is_again(event) && told_days.contains(&day);
            told_days.extend(is_again(event).then_some(day));
            !is_told
        });
        let standing = measure_standing(lesson, &summary, self.policy.format);
        Ok(LessonLife { standing, events })
    }

    /// Says where a lesson comes from, and which runs met it again.
    fn tell_evidence(&self, lesson: &Lesson) -> Result<Vec<LifeEvent>> {
        let mut others = lesson.evidence.iter();
        let mut origin = LifeEvent {
            at: lesson.created,
            deed: match lesson.trust.class {
                TrustClass::Person | TrustClass::Agent => "written",
                TrustClass::Derived | TrustClass::Distilled => "learned",
                TrustClass::Imported => "imported",
            },
            words: String::new(),
            recall: None,
        };
        if let Some(first) = others.next() {
            let recall = self.find_recall_of(first)?;
            origin.words = describe_evidence(first, recall.as_ref());
            origin.recall = recall.map(|(id, _)| id);
        }
        let mut events = Vec::new();
        let mut unknown_count = 0;
        for evidence in others {
            let recall = self.find_recall_of(evidence)?;
            let words = describe_evidence(evidence, recall.as_ref());
            match recall {
                Some((id, recall)) => events.push(LifeEvent {
                    at: recall.at,
                    deed: JournalEntryKind::Reinforce.words(),
                    words,
                    recall: Some(id),
                }),
                None => unknown_count += 1,
            }
        }
        if unknown_count > 0 {
            let more = format!("; {unknown_count} more, of which no more is known");
            origin.words.push_str(&more);
        }
        events.insert(0, origin);
        Ok(events)
    }

    /// Finds the last recall in the run that evidence refers to, if it does to one and there was any.
    fn find_recall_of(&self, evidence: &Evidence) -> Result<Option<(RecallId, Recall)>> {
        let run = RunId::parse(evidence.reference.as_str()).ok();
        let Some(run) = run.filter(|_| evidence.kind == EvidenceKind::Run) else {
            return Ok(None);
        };
        let listing = RecallListing {
            limit: 1,
            ..RecallListing::of_run(run)
        };
        Ok(self.recalls(&listing)?.pop())
    }
}

impl LifeDay {
    /// Counts one more; judgements come newest first.
    fn add(&mut self, at: Timestamp, part: &LessonJudgement) {
        self.at = at;
        self.counts.count(part);
        self.recall = self.recall.or(part.recall);
    }

    fn tell(self, is_control: bool) -> LifeEvent {
        let counts = &self.counts;
        let (runs, occasions) = if is_control {
            (counts.controls, counts.compared.left_out)
        } else {
            (counts.shown, counts.compared.shown)
        };
        let followed = match counts.occasions.followed + counts.occasions.in_vain {
            0 => String::new(),
            followed => format!(", its advice was followed in {followed}"),
        };
        LifeEvent {
            at: self.at,
            deed: if is_control { "left out" } else { "shown" },
            words: format!("{}{followed}", describe_occasions(runs, occasions)),
            recall: self.recall,
        }
    }
}

fn describe_evidence(evidence: &Evidence, recall: Option<&(RecallId, Recall)>) -> String {
    let client = recall.and_then(|(_, recall)| recall.client.as_ref());
    let client = client.map_or_else(String::new, |client| format!(" of {client}"));
    let heading = match evidence.kind {
        EvidenceKind::Run => format!("from a run{client}"),
        // What it says after the deed: "written by hand".
        _ => evidence
            .reference
            .as_str()
            .trim_start_matches("written ")
            .to_owned(),
    };
    match &evidence.note {
        Some(note) => format!("{heading}: {note}"),
        None => heading,
    }
}

/// Tells of a change that a person would ask about; outcomes and its first words are told otherwise.
fn tell_change(entry: &JournalEntry) -> Option<LifeEvent> {
    let comment = entry.body.comment.as_ref().and_then(JournalComment::text);
    let comment = comment.map_or("", CleanText::as_str);
    let deed = match entry.body.kind {
        JournalEntryKind::Add | JournalEntryKind::Credit | JournalEntryKind::Erase => return None,
        JournalEntryKind::Status if comment.starts_with("superseded") => "merged",
        kind => kind.words(),
    };
    // Which run that was is no name that anybody knows.
    let comment = if entry.body.kind == JournalEntryKind::Reinforce {
        ""
    } else {
        comment
    };
    let separator = if comment.is_empty() { "" } else { ", " };
    Some(LifeEvent {
        at: entry.body.at,
        deed,
        words: format!("{comment}{separator}by {}", entry.body.actor.0),
        recall: None,
    })
}
