//! Fewer words for the long entries of general memories: a model's, or those that a plan gives back.
//!
//! What the rules make of a long entry leaves out sentences, so that is only shown. Words of a model keep every command
//! and name, which is checked when they come and again when the plan is applied, so they can take the entry's place.

use std::ops::Range;

use hardwon_core::{
    id::LessonId,
    lesson::{Draft, Lesson},
    limits,
    text::{CleanText, RawText},
};
use hardwon_engine::{Desk, ShorterWords, model::ModelUse, sweep::ModelPart};
use hardwon_gates::{
    json::place::ShorterEntryRequest,
    place::{AuditVerdict, replace_words},
};

use super::audit_plan::{AuditPlan, AuditStep};
use crate::{config::Settings, error::CliError, open};

/// Where fewer words come from.
pub enum EntryWords<'a> {
    /// From nowhere: long entries are for a person.
    Unsought,
    /// From a model.
    Asked(ModelUse<'a>),
    /// From a plan, which a model found.
    Given(&'a [ShorterEntryRequest]),
}

/// A long entry that other words can stand for.
pub(super) struct LongEntry {
    /// Its row in the plan.
    row: usize,
    /// Its bytes in its file; `None` for a lesson.
    range: Option<Range<usize>>,
    /// It, as a draft of a lesson: so the guard can look at it.
    draft: Draft,
}

impl LongEntry {
    pub(super) fn from_lesson(row: usize, lesson: &Lesson) -> Self {
        Self {
            row,
            range: None,
            draft: lesson.to_draft(),
        }
    }

    /// Takes an entry of a file, if it is shown as it is: what has a secret in it would lose that.
    pub(super) fn from_item(
        row: usize,
        draft: Draft,
        said: &CleanText,
        range: Range<usize>,
    ) -> Option<Self> {
        let is_whole = draft.content.text.expose() == said.as_str();
        is_whole.then_some(Self {
            row,
            range: Some(range),
            draft,
        })
    }
}

/// Puts fewer words into the plan for the entries that have some.
pub(super) fn shorten_entries(
    settings: &Settings,
    plan: &mut AuditPlan,
    long: &[LongEntry],
    words: &EntryWords<'_>,
) -> Result<ModelPart, CliError> {
    match words {
        EntryWords::Asked(with) if !long.is_empty() => {
            // What is asked costs, which is noted.
            let engine = open::open_writer(settings)?;
            ask_for_words(&engine.acting_as(settings.person()), plan, long, with)
        }
        EntryWords::Given(entries) if !long.is_empty() => {
            let engine = open::open_reader(settings)?;
            take_given(&engine.acting_as(settings.person()), plan, long, entries);
            Ok(ModelPart::NotAsked)
        }
        _ => Ok(ModelPart::NotAsked),
    }
}

fn ask_for_words(
    desk: &Desk<'_>,
    plan: &mut AuditPlan,
    long: &[LongEntry],
    with: &ModelUse<'_>,
) -> Result<ModelPart, CliError> {
    let mut question_count = 0;
    for entry in long {
        if !can_be_replaced(plan, entry) {
            continue;
        }
        if question_count == limits::AUDIT_QUESTIONS {
            break;
        }
        question_count += 1;
        match desk.shorten_entry(&entry.draft, with)? {
            ShorterWords::Found(words) => put_words(plan, entry, &words),
            ShorterWords::Refused(why) => {
                let reason = format!("the model's words were refused: {why}");
                plan.rows[entry.row].step = AuditStep::ByHand(reason);
            }
            ShorterWords::Away(why) => return Ok(ModelPart::Away(why)),
        }
    }
    Ok(match question_count {
        0 => ModelPart::NotAsked,
        question_count => ModelPart::Asked(question_count),
    })
}

/// Takes the words of a plan that may stand for the entries as they are now.
fn take_given(
    desk: &Desk<'_>,
    plan: &mut AuditPlan,
    long: &[LongEntry],
    given: &[ShorterEntryRequest],
) {
    for entry in long {
        let row = &plan.rows[entry.row];
        let file = row
            .file
            .map(|file| plan.files[file].path.display().to_string());
        let number = Some(row.number);
        let is_it = |it: &&ShorterEntryRequest| match &file {
            Some(_) => it.file == file && it.line == number,
            None => it.file.is_none() && it.lesson == number,
        };
        let words = given.iter().filter(|shorter| shorter.shortens).find(is_it);
        let words = words.and_then(|word| word.shorter.as_deref());
        let words = words.map(|word| desk.admit_shorter(&entry.draft, RawText::from(word)));
        if let Some(Ok(words)) = words {
            put_words(plan, entry, &words);
        }
    }
}

fn put_words(plan: &mut AuditPlan, entry: &LongEntry, words: &CleanText) {
    let Some(step) = find_step(plan, entry, words) else {
        return;
    };
    let row = &mut plan.rows[entry.row];
    row.verdict = AuditVerdict::Condense {
        to: words.to_string(),
    };
    row.step = step;
}

/// Returns whether words could take the place of an entry at all.
fn can_be_replaced(plan: &AuditPlan, entry: &LongEntry) -> bool {
    find_step(plan, entry, &CleanText::from_stored("words".to_owned())).is_some()
}

fn find_step(plan: &AuditPlan, entry: &LongEntry, words: &CleanText) -> Option<AuditStep> {
    let row = &plan.rows[entry.row];
    match (row.file, &entry.range) {
        (Some(file), Some(range)) => {
            let before = plan.files[file].text.get(range.clone())?;
            let after = replace_words(before, words)?;
            Some(AuditStep::ShortenEntry(range.clone(), after))
        }
        _ => Some(AuditStep::ShortenLesson(
            LessonId(row.number),
            words.clone(),
        )),
    }
}
