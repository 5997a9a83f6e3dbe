//! The life of one lesson on a line of time: learned, shown, followed or not, left out, edited, merged.
//!
//! It is put together from the lesson's evidence, the judgements of runs and the journal, as far as the principal may read
//! them. What happened alike between two changes of it is one event. What runs are not judged yet is not told.

use std::collections::BTreeMap;

use hardwon_core::{
    CleanText, Evidence, EvidenceKind, Lesson, LessonId, LessonJudgement, RecallId, RunId, Status,
    TrustClass,
};
use hardwon_store::{
    JournalComment, JournalEntry, Recall, RecallListing, journal::JournalEntryKind,
    paging::read_judgements,
};
use jiff::Timestamp;

use super::{CreditSummary, measure_standing, worth::describe_occasions};
use crate::{Desk, LessonStanding, OutcomeCounts, Result, Rights};

/// A lesson with its record and its life.
#[derive(Debug, Clone, PartialEq)]
pub struct LessonLife {
    /// The lesson and its record.
    pub standing: LessonStanding,
    /// What happened to it, the oldest first.
    pub events: Vec<LifeEvent>,
}

impl LessonLife {
    /// Says when and in which client the run was that taught it, as its transcript has it, where no recall of it tells.
    #[must_use]
    pub fn with_source(mut self, began: Option<Timestamp>, client: Option<&str>) -> Self {
        const RUN: &str = "from a run";
        let events = self.events.iter_mut();
        let mut origins = events.filter(|event| event.deed == "learned" && event.recall.is_none());
        if let Some(origin) = origins.next()
            && let Some(rest) = origin.words.strip_prefix(RUN)
        {
            let client = client.map_or_else(String::new, |client| format!(" of {client}"));
            origin.words = format!("{RUN}{client}{rest}");
            origin.at = began.unwrap_or(origin.at);
            origin.until = origin.at;
        }
        self.events.sort_by_key(|event| event.at);
        self
    }
}

/// One thing that happened to a lesson; or what happened alike, time and again, until it was changed.
#[derive(Debug, Clone, PartialEq)]
pub struct LifeEvent {
    /// When, or when first.
    pub at: Timestamp,
    /// When last; the same if it happened once.
    pub until: Timestamp,
    /// What happened, in one or two words: `learned`, `shown`, `edited`.
    pub deed: &'static str,
    /// The particulars, which may hold words from outside; may be empty.
    pub words: String,
    /// The recall that tells more.
    pub recall: Option<RecallId>,
}

impl LifeEvent {
    /// Returns the particulars, with the day on which it happened last if that is another.
    pub fn words_with_span(&self, format_day: impl Fn(Timestamp) -> String) -> String {
        let last_day = format_day(self.until);
        if last_day == format_day(self.at) {
            self.words.clone()
        } else {
            format!("until {last_day}, {}", self.words)
        }
    }
}

/// What runs between two changes of a lesson show of it, with it or without.
#[derive(Default)]
struct LifeStretch {
    /// When first and last.
    span: Option<(Timestamp, Timestamp)>,
    counts: OutcomeCounts,
    recall: Option<RecallId>,
}

impl Desk<'_> {
    /// Tells the life of a lesson.
    pub fn tell_life(&self, id: LessonId) -> Result<LessonLife> {
        let lesson = self.lesson(id)?;
        let mut events = self.tell_changes(&lesson)?;
        events.extend(self.tell_evidence(&lesson)?);
        let (again, mut events): (Vec<_>, Vec<_>) = events.into_iter().partition(is_learned_again);
        let times = events.iter().map(|event| event.at);
        let mut changes: Vec<Timestamp> = times.filter(|at| *at > lesson.created).collect();
        changes.sort_unstable();
        let stretch_at = |at: Timestamp| changes.partition_point(|change| *change <= at);
        let (summary, runs) = self.tell_runs(id, stretch_at)?;
        events.extend(runs);
        let mut stretches: BTreeMap<usize, Vec<LifeEvent>> = BTreeMap::new();
        for event in again {
            let stretch = stretches.entry(stretch_at(event.at)).or_default();
            stretch.push(event);
        }
        events.extend(stretches.into_values().filter_map(fold_again));
        events.sort_by_key(|event| event.at);
        let standing = measure_standing(lesson, &summary, self.policy.format);
        Ok(LessonLife { standing, events })
    }

    /// Tells the changes of a lesson, and what it took in, to whoever may read them.
    fn tell_changes(&self, lesson: &Lesson) -> Result<Vec<LifeEvent>> {
        if self.principal.check_right(Rights::Curate).is_err() {
            return Ok(Vec::new());
        }
        let history = self.history(lesson.id)?;
        let mut events: Vec<LifeEvent> = history.iter().filter_map(tell_change).collect();
        let line = self.lineage(lesson)?;
        let intakes = line.iter().filter_map(|link| {
            let is_taken_in = link.lesson.status == Status::Superseded { by: lesson.id };
            let mut event = tell_change(link.retired_by.as_ref().filter(|_| is_taken_in)?)?;
            event.words = name_in_place(&event.words, "into ", "took in ", &link.lesson);
            Some(event)
        });
        events.extend(intakes);
        if let Status::Superseded { by } = lesson.status
            && let Some(other) = self.lesson_if_visible(by)?
        {
            for event in &mut events {
                event.words = name_in_place(&event.words, "into ", "into ", &other);
            }
        }
        Ok(events)
    }

    /// Tells what runs show of a lesson, in all and in each stretch of its life.
    fn tell_runs(
        &self,
        id: LessonId,
        stretch_at: impl Fn(Timestamp) -> usize,
    ) -> Result<(CreditSummary, Vec<LifeEvent>)> {
        let (mut summary, mut stretches) = (CreditSummary::default(), BTreeMap::new());
        let reader = self.snapshot()?;
        for row in read_judgements(&*reader, self.tenant()) {
            let (_, judged) = row?;
            let mut judgement = judged.judgement;
            judgement.lessons.retain(|part| part.lesson == id);
            summary.add_judgement(judged.run.is_some(), judged.at, &judgement);
            for part in judgement.recalled_lessons() {
                let key = (stretch_at(judged.at), part.is_control);
                let stretch: &mut LifeStretch = stretches.entry(key).or_default();
                stretch.add(judged.at, part);
            }
        }
        let stretches = stretches.into_iter();
        let events = stretches.filter_map(|((_, is_control), stretch)| stretch.tell(is_control));
        Ok((summary, events.collect()))
    }

    /// Says where a lesson comes from, and which runs met it again.
    fn tell_evidence(&self, lesson: &Lesson) -> Result<Vec<LifeEvent>> {
        let mut others = lesson.evidence.iter();
        let mut origin = LifeEvent {
            at: lesson.created,
            until: lesson.created,
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
                    until: recall.at,
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
    pub(super) fn find_recall_of(&self, evidence: &Evidence) -> Result<Option<(RecallId, Recall)>> {
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

/// Returns whether a run met the lesson again.
fn is_learned_again(event: &LifeEvent) -> bool {
    event.deed == JournalEntryKind::Reinforce.words()
}

/// Folds the runs of one stretch that met a lesson again into the last one, with their number. Evidence says more of them than
/// the journal, and only the newest is kept.
fn fold_again(events: Vec<LifeEvent>) -> Option<LifeEvent> {
    let times = || events.iter().map(|event| event.at);
    let (at, until) = (times().min()?, times().max()?);
    let (known, noted): (Vec<_>, Vec<_>) =
        (events.into_iter()).partition(|event| event.recall.is_some());
    let count = known.len().max(noted.len());
    let told = if known.is_empty() { noted } else { known };
    let last = told.iter().max_by_key(|event| event.at)?;
    let words = match count {
        1 => last.words.clone(),
        _ => format!("{count} times, last {}", last.words),
    };
    Some(LifeEvent {
        at,
        until,
        words,
        ..last.clone()
    })
}

impl LifeStretch {
    /// Counts one more.
    fn add(&mut self, at: Timestamp, part: &LessonJudgement) {
        let (from, until) = self.span.unwrap_or((at, at));
        self.span = Some((from.min(at), until.max(at)));
        self.recall = self.recall.max(part.recall);
        self.counts.count(part);
    }

    fn tell(self, is_control: bool) -> Option<LifeEvent> {
        let (at, until) = self.span?;
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
        Some(LifeEvent {
            at,
            until,
            deed: if is_control { "left out" } else { "shown" },
            words: format!("{}{followed}", describe_occasions(runs, occasions)),
            recall: self.recall,
        })
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

/// Puts a lesson's words where some words name a lesson by its number after this.
fn name_in_place(words: &str, before: &str, instead: &str, lesson: &Lesson) -> String {
    let rest = words.strip_prefix(before);
    let rest = rest.map(|rest| rest.trim_start_matches(|c: char| c == '#' || c.is_ascii_digit()));
    let (id, title) = (lesson.id, &lesson.content.title);
    rest.map_or_else(
        || words.to_owned(),
        |rest| format!("{instead}{id} ({title}){rest}"),
    )
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
    let (way, comment) = match entry.body.kind {
        // Which run that was is no name that anybody knows.
        JournalEntryKind::Reinforce => ("", ""),
        JournalEntryKind::Move => ("to ", comment),
        _ => match comment.strip_prefix("superseded by ") {
            Some(other) => ("into ", other),
            None => ("", comment),
        },
    };
    let separator = if comment.is_empty() { "" } else { ", " };
    Some(LifeEvent {
        at: entry.body.at,
        until: entry.body.at,
        deed,
        words: format!("{way}{comment}{separator}by {}", entry.body.actor.0),
        recall: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What runs met again alike is told once, with the number and the span.
    #[test]
    fn runs_that_met_it_again_are_one_event() {
        let event = |day: i64, words: &str, recall: Option<i64>| LifeEvent {
            at: Timestamp::from_second(day * 86_400).unwrap(),
            until: Timestamp::from_second(day * 86_400).unwrap(),
            deed: "learned again",
            words: words.to_owned(),
            recall: recall.map(RecallId),
        };
        let told = |events: &[LifeEvent]| {
            let folded = fold_again(events.to_vec()).unwrap();
            let day = |at: Timestamp| at.strftime("%F").to_string();
            (
                format!("{} {}", day(folded.at), folded.words_with_span(day)),
                folded.recall.map_or(0, |recall| recall.0),
            )
        };
        let run = |day| event(day, "from a run of codex: failed once", Some(day));
        let (noted, other) = (event(9, "by rules", None), event(3, "from a run", Some(3)));
        for (events, expected, recall) in [
            (
                vec![run(1)],
                "1970-01-02 from a run of codex: failed once",
                1,
            ),
            (
                vec![run(2), noted.clone(), run(1), noted.clone(), noted.clone()],
                "1970-01-02 until 1970-01-10, 3 times, last from a run of codex: failed once",
                2,
            ),
            (
                vec![run(1), other.clone(), run(2)],
                "1970-01-02 until 1970-01-04, 3 times, last from a run",
                3,
            ),
            (vec![noted], "1970-01-10 by rules", 0),
        ] {
            assert_eq!(told(&events), (expected.to_owned(), recall));
        }
    }
}
