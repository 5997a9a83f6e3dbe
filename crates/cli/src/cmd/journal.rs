//! `hardwon journal`: verify the chain of changes, or print it.

use std::{collections::HashMap, process::ExitCode};

use hardwon_core::{id::LessonId, journal::JournalEntry};
use hardwon_engine::Desk;
use serde::Serialize;

use crate::{
    args::{Global, JournalCommand, VerifyArgs},
    config::Settings,
    error::{Failure, Kind},
    open, output,
};

pub(super) fn run(global: &Global, command: &JournalCommand) -> Result<ExitCode, Failure> {
    let settings = Settings::load(global)?;
    match command {
        JournalCommand::Verify(args) => {
            super::refuse_narrowing(global, "the journal is one chain, which holds or does not")?;
            verify(&settings, args)
        }
        JournalCommand::Export(_) => export(&settings),
    }
}

fn verify(settings: &Settings, args: &VerifyArgs) -> Result<ExitCode, Failure> {
    let engine = open::reader(settings)?;
    let audit = engine.acting_as(settings.person()).audit()?;
    let mut troubles: Vec<String> = audit.broken.iter().map(ToString::to_string).collect();
    troubles.extend(audit.discrepancies.iter().map(ToString::to_string));
    if args.json {
        output::json(&VerdictDto {
            sound: audit.is_sound(),
            entries: audit.head.sequence,
            lessons: audit.lessons,
            head: audit.head.hash.to_string(),
            troubles: &troubles,
        })?;
    } else {
        for trouble in &troubles {
            output::line(trouble)?;
        }
        let verdict = if audit.is_sound() {
            "the journal verifies"
        } else {
            "the journal does not verify"
        };
        output::line(&format!(
            "{verdict}: {}, {}, head {}",
            output::count(audit.head.sequence, "change"),
            output::count(audit.lessons, "lesson"),
            audit.head.hash
        ))?;
    }
    Ok(Kind::Nothing.exit_code_if(!audit.is_sound()))
}

fn export(settings: &Settings) -> Result<ExitCode, Failure> {
    let engine = open::reader(settings)?;
    let desk = engine.acting_as(settings.person());
    let mut after = 0;
    let pages = std::iter::from_fn(|| match desk.journal(after) {
        Ok(page) => {
            after = page.last()?.sequence;
            Some(page.into_iter().map(Ok).collect::<Vec<_>>())
        }
        Err(error) => Some(vec![Err(Failure::from(error))]),
    });
    let mut whose = Whose::default();
    let entries = pages.flatten().filter_map(|entry| match entry {
        Ok(entry) => match whose.asks_for(&desk, settings, entry.body.lesson) {
            Ok(is_asked_for) => is_asked_for.then_some(Ok(entry)),
            Err(error) => Some(Err(error)),
        },
        error => Some(error),
    });
    output::lines(entries.map(|entry| output::to_json(&EntryDto::from(&entry?))))?;
    Ok(ExitCode::SUCCESS)
}

/// Which lessons are asked for, as far as that was looked up.
#[derive(Default)]
struct Whose(HashMap<LessonId, bool>);

impl Whose {
    /// Returns whether a lesson is of the agent and project that are named. Of one that was erased
    /// nobody knows whose it was.
    fn asks_for(
        &mut self,
        desk: &Desk<'_>,
        settings: &Settings,
        id: LessonId,
    ) -> Result<bool, Failure> {
        if !settings.is_agent && !settings.names_project {
            return Ok(true);
        }
        if let Some(known) = self.0.get(&id) {
            return Ok(*known);
        }
        let lesson = super::story::seen(desk.lesson(id))?;
        let is_asked_for = lesson.is_some_and(|it| settings.asks_for(&it.scope));
        Ok(*self.0.entry(id).or_insert(is_asked_for))
    }
}

/// A journal entry as JSON shows it.
#[derive(Debug, Serialize)]
struct EntryDto<'a> {
    sequence: u64,
    at: String,
    kind: &'static str,
    lesson: i64,
    actor: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    remark: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    remark_hash: Option<String>,
    content: String,
    previous: String,
    hash: String,
}

impl<'a> From<&'a JournalEntry> for EntryDto<'a> {
    fn from(entry: &'a JournalEntry) -> Self {
        let remark = entry.body.comment.as_ref();
        Self {
            sequence: entry.sequence,
            at: entry.body.at.to_string(),
            kind: entry.body.kind.name(),
            lesson: entry.body.lesson.0,
            actor: entry.body.actor.0.as_str(),
            remark: remark.and_then(|it| it.text()).map(|it| it.as_str()),
            remark_hash: remark.map(|it| it.digest().to_string()),
            content: entry.body.content.to_string(),
            previous: entry.previous.to_string(),
            hash: entry.hash.to_string(),
        }
    }
}

/// What a verification found, as JSON shows it.
#[derive(Debug, Serialize)]
struct VerdictDto<'a> {
    sound: bool,
    entries: u64,
    lessons: u64,
    head: String,
    troubles: &'a [String],
}
