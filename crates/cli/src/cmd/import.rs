//! `hardwon import`: files to lessons; LESSON.md files here, what else is Markdown in [`memories`].

mod memories;

use std::{
    collections::{BTreeMap, BTreeSet},
    process::ExitCode,
};

use hardwon_api::v1::{
    files::{ImportDto, outcome_word},
    learn::NoteCounts,
};
use hardwon_clients::memories::{find_other_form, holds_memories};
use hardwon_engine::{ImportReport, NoteOutcome, Principal, Severity};

use super::lint;
use crate::{CliError, ExitReason, GlobalArgs, Result, Settings, args::ImportArgs, open, output};

/// What is read instead of what is not.
const READ_FORMS: &str = "read are LESSON.md files, called after their slugs as in use-tabs.md, AGENTS.md, CLAUDE.md, \
    GEMINI.md, MEMORY.md, copilot-instructions.md, .cursor/rules and docs/solutions; --markdown reads any Markdown";

pub(super) fn run(global: &GlobalArgs, args: &ImportArgs) -> Result<ExitCode> {
    let settings = Settings::load(global)?;
    let path = output::replace_controls(&args.path.display().to_string());
    if !args.path.exists() {
        return Err(bad_input!("importing {path}: no such file or folder"));
    }
    if let Some(why) = find_other_form(&args.path) {
        return Err(bad_input!("importing {path}: {why}").with_hint(READ_FORMS));
    }
    let (imported, unit) = if args.markdown || holds_memories(&args.path) {
        let report = memories::import_memories(&settings, &args.path, args.dry_run)?;
        (report, "item")
    } else {
        (import_lessons(&settings, args)?, "file")
    };
    if imported.files.is_empty() && imported.findings.is_empty() && imported.skipped.is_empty() {
        return Err(CliError::negative("there is nothing to import there").with_hint(READ_FORMS));
    }
    output::print_answer(
        args.json,
        &ImportDto::from_report(&imported, args.dry_run),
        || render_summary(&imported, unit, &settings, args.dry_run),
    )?;
    let findings = imported.findings.iter();
    let mut severities = findings.map(|(_, finding)| finding.severity);
    let has_errors = severities.any(|severity| severity == Severity::Error);
    let has_refused = imported
        .files
        .iter()
        .any(|file| file.outcome.id().is_none());
    Ok(ExitReason::Negative.exit_code_if(has_errors || has_refused))
}

fn import_lessons(settings: &Settings, args: &ImportArgs) -> Result<ImportReport> {
    let engine = open::open_or_preview(settings, args.dry_run, open::open_reader)?;
    let person = Principal {
        trust: settings.caller().trust,
        ..settings.person()
    };
    let desk = engine.acting_as(person);
    Ok(desk.import_lessons(&args.path, args.dry_run)?)
}

fn render_summary(
    imported: &ImportReport,
    unit: &str,
    settings: &Settings,
    dry_run: bool,
) -> String {
    let mut text = String::new();
    let counts: NoteCounts = imported.files.iter().map(|file| &file.outcome).collect();
    for taken in &imported.files {
        let file = output::to_one_line(&taken.file);
        text += &format!(
            "  {:<10} {file}: {}\n",
            outcome_word(&taken.outcome),
            describe_noted(&taken.outcome, dry_run)
        );
    }
    for (file, finding) in &imported.findings {
        if finding.severity != Severity::Note {
            text += &format!("  {}\n", lint::render_finding(file, finding));
        }
    }
    for skipped in &imported.skipped {
        let name = output::to_one_line(&skipped.name);
        text += &format!("  skipped    {name}: {}\n", skipped.reason);
    }
    for (project, count) in count_elsewhere(imported, settings) {
        let count = output::pluralize(count, "lesson");
        text += &format!("  {count} of {}\n", output::to_one_line(project));
    }
    let unread = count_unread(imported);
    let would = if dry_run { "would be " } else { "" };
    text += &format!(
        "{}: {} {would}recorded, {} known, {} to review, {} refused\n",
        output::pluralize(imported.files.len() as u64 + unread, unit),
        output::pluralize(counts.learned, "lesson"),
        counts.seen_again,
        counts.for_review,
        counts.refused + unread,
    );
    if counts.for_review > 0 && !dry_run {
        text += "next: `hardwon review-queue`, then `hardwon lesson approve ID`\n";
    }
    text
}

/// Counts the files in which no lesson could be read.
fn count_unread(imported: &ImportReport) -> u64 {
    let is_taken = |file: &str| imported.files.iter().any(|taken| taken.file == file);
    let findings = imported.findings.iter();
    let errors = findings.filter(|(_, finding)| finding.severity == Severity::Error);
    let files: BTreeSet<&String> = errors.map(|(file, _)| file).collect();
    files.into_iter().filter(|file| !is_taken(file)).count() as u64
}

/// Counts the lessons that belong to another project than the one that is worked in, by project.
fn count_elsewhere<'a>(imported: &'a ImportReport, settings: &Settings) -> BTreeMap<&'a str, u64> {
    let mut counts = BTreeMap::new();
    for file in &imported.files {
        let lesson = file.outcome.lesson();
        let project = lesson.ok().and_then(|lesson| lesson.scope.project.as_ref());
        let elsewhere = project.filter(|_| project != settings.scope.project.as_ref());
        if let Some(project) = elsewhere {
            *counts.entry(project.display_name()).or_default() += 1;
        }
    }
    counts
}

fn describe_noted(noted: &NoteOutcome, dry_run: bool) -> String {
    let lesson = match noted.lesson() {
        Ok(lesson) => lesson,
        Err(why) => return output::to_one_line(why),
    };
    let title = output::to_one_line(lesson.content.title.as_str());
    // A number that will not be the lesson's own would only mislead.
    if dry_run {
        title
    } else {
        format!("{} {title}", lesson.id)
    }
}
