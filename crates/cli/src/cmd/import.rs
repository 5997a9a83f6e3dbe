//! `hardwon import`: files to lessons; LESSON.md files here, what other programs keep in [`memories`].

mod memories;

use std::process::ExitCode;

use hardwon_api::v1::{
    files::{ImportDto, outcome_word},
    learn::NoteCounts,
};
use hardwon_clients::memories::recognise_memories;
use hardwon_core::lesson_md::Severity;
use hardwon_engine::{NoteOutcome, files::ImportReport};

use super::lint;
use crate::{
    args::{GlobalArgs, ImportArgs, ImportFormat},
    config::Settings,
    error::{CliError, ExitReason},
    open, output,
};

pub(super) fn run(global: &GlobalArgs, args: &ImportArgs) -> Result<ExitCode, CliError> {
    let settings = Settings::load(global)?;
    if !args.path.exists() {
        let path = output::replace_controls(&args.path.display().to_string());
        return Err(CliError::bad_input(format!(
            "importing {path}: no such file or folder"
        )));
    }
    let format = match args.from {
        ImportFormat::Memories(format) => Some(format),
        ImportFormat::Lessons => None,
        ImportFormat::Recognise => recognise_memories(&args.path),
    };
    if let Some(format) = format {
        return memories::import_memories(&settings, args, format);
    }
    let engine = if args.dry_run {
        open::open_reader(&settings)?
    } else {
        open::open_writer(&settings)?
    };
    let imported = engine
        .acting_as(settings.person())
        .import_lessons(&args.path, args.dry_run)?;
    if imported.files.is_empty() && imported.findings.is_empty() {
        return Err(CliError::negative("there are no LESSON.md files there")
            .with_hint("a lesson's file is called after its slug, as in use-tabs.md; --from names another form"));
    }
    if args.json {
        output::print_json(&ImportDto::from_report(&imported, args.dry_run))?;
    } else {
        output::print(&render_summary(&imported, args.dry_run))?;
    }
    let is_error = |it: &Severity| *it == Severity::Error;
    let has_errors = imported
        .findings
        .iter()
        .any(|(_, it)| is_error(&it.severity));
    let has_refused = imported.files.iter().any(|it| it.outcome.id().is_none());
    Ok(ExitReason::Negative.exit_code_if(has_errors || has_refused))
}

fn render_summary(imported: &ImportReport, dry_run: bool) -> String {
    let mut text = String::new();
    let counts: NoteCounts = imported.files.iter().map(|it| &it.outcome).collect();
    for taken in &imported.files {
        let file = output::to_one_line(&taken.file);
        text.push_str(&format!(
            "  {:<10} {file}: {}\n",
            outcome_word(&taken.outcome),
            describe_noted(&taken.outcome, dry_run)
        ));
    }
    for (file, finding) in &imported.findings {
        if finding.severity != Severity::Note {
            text.push_str(&format!("  {}\n", lint::render_finding(file, finding)));
        }
    }
    for skipped in &imported.skipped {
        let name = output::to_one_line(&skipped.name);
        text.push_str(&format!("  skipped    {name}: {}\n", skipped.reason));
    }
    let would = if dry_run { "would be " } else { "" };
    text.push_str(&format!(
        "{}: {} {would}recorded, {} known, {} to review, {} refused\n",
        output::pluralize(imported.files.len() as u64, "file"),
        output::pluralize(counts.learned, "lesson"),
        counts.seen_again,
        counts.for_review,
        counts.refused,
    ));
    if counts.for_review > 0 && !dry_run {
        text.push_str("next: `hardwon review-queue`, then `hardwon lesson approve ID`\n");
    }
    text
}

fn describe_noted(noted: &NoteOutcome, dry_run: bool) -> String {
    match noted {
        NoteOutcome::Refused(why) => output::to_one_line(why),
        NoteOutcome::Recorded(lesson)
        | NoteOutcome::Pending(lesson)
        | NoteOutcome::AlreadyKnown(lesson) => {
            let title = output::to_one_line(lesson.content.title.as_str());
            // A number that will not be the lesson's own would only mislead.
            if dry_run {
                title
            } else {
                format!("{} {title}", lesson.id)
            }
        }
    }
}
