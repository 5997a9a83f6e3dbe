//! `hardwon journal`: verify the chain of changes, or print it.

use std::{collections::HashMap, process::ExitCode};

use hardwon_api::v1::journal::{ChainedEntryDto, VerificationDto};
use hardwon_core::LessonId;
use hardwon_engine::Desk;

use crate::{
    CliError, ExitReason, GlobalArgs, Result, Settings, args::JournalCommand, open, output,
};

pub(super) fn run(global: &GlobalArgs, command: &JournalCommand) -> Result<ExitCode> {
    let settings = Settings::load(global)?;
    match command {
        JournalCommand::Verify { json } => {
            super::refuse_scope_options(
                global,
                "the journal is one chain, which holds or does not",
            )?;
            verify_journal(&settings, *json)
        }
        JournalCommand::Export => export_entries(&settings),
    }
}

fn verify_journal(settings: &Settings, json: bool) -> Result<ExitCode> {
    let engine = open::open_reader(settings)?;
    let audit = engine.acting_as(settings.person()).audit_journal()?;
    let verification = VerificationDto::from(&audit);
    output::print_answer(json, &verification, || {
        let verdict = if audit.is_sound() {
            "the journal verifies"
        } else {
            "the journal does not verify"
        };
        let troubles = verification.troubles.iter();
        let troubles: String = troubles.map(|trouble| format!("{trouble}\n")).collect();
        format!(
            "{troubles}{verdict}: {}, {}, head {}",
            output::pluralize(audit.head.sequence, "change"),
            output::pluralize(audit.lessons, "lesson"),
            audit.head.hash
        )
    })?;
    Ok(ExitReason::Negative.exit_code_if(!audit.is_sound()))
}

fn export_entries(settings: &Settings) -> Result<ExitCode> {
    let engine = open::open_reader(settings)?;
    let desk = engine.acting_as(settings.person());
    let mut after = 0;
    let pages = std::iter::from_fn(|| match desk.journal(after) {
        Ok(page) => {
            after = page.last()?.sequence;
            Some(page.into_iter().map(Ok).collect::<Vec<_>>())
        }
        Err(error) => Some(vec![Err(CliError::from(error))]),
    });
    let mut filter = RequestedLessons::default();
    let entries = pages.flatten().filter_map(|entry| match entry {
        Ok(entry) => match filter.is_requested(&desk, settings, entry.body.lesson) {
            Ok(is_asked_for) => is_asked_for.then_some(Ok(entry)),
            Err(error) => Some(Err(error)),
        },
        error => Some(error),
    });
    output::print_lines(entries.map(|entry| output::to_json(&ChainedEntryDto::from(&entry?))))?;
    Ok(ExitCode::SUCCESS)
}

/// Which lessons are asked for, as far as that was looked up.
#[derive(Default)]
struct RequestedLessons(HashMap<LessonId, bool>);

impl RequestedLessons {
    /// Returns whether a lesson is of the agent and project that are named. Of one that was erased
    /// nobody knows whose it was.
    fn is_requested(&mut self, desk: &Desk<'_>, settings: &Settings, id: LessonId) -> Result<bool> {
        if !settings.is_agent_named && !settings.is_project_named {
            return Ok(true);
        }
        if let Some(known) = self.0.get(&id) {
            return Ok(*known);
        }
        let lesson = desk.lesson_if_visible(id)?;
        let is_asked_for = lesson.is_some_and(|lesson| settings.is_requested(&lesson.scope));
        Ok(*self.0.entry(id).or_insert(is_asked_for))
    }
}
