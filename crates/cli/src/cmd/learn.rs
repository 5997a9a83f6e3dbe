//! `hardwon learn`: reads transcripts, prints what was learned and why the rest was not.

use std::{
    borrow::Cow,
    cmp::Reverse,
    collections::BTreeMap,
    env,
    path::{Path, PathBuf},
    process::ExitCode,
};

use hardwon_clients::archive::{self, ArchiveEntry, ClientTranscript};
use hardwon_core::capture::Skip;
use hardwon_engine::{
    Error, FileRead, LearnOutcome, Lesson, NoteOutcome, Principal, Scope, transcript::RunInfo,
};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use crate::{
    args::{CaptureRule, GlobalArgs, LearnArgs},
    config::{self, Settings},
    dto::LessonDto,
    error::{CliError, ExitReason},
    open, output,
    session_place::ProjectResolver,
    sync,
};

pub(super) fn run(global: &GlobalArgs, args: &LearnArgs) -> Result<ExitCode, CliError> {
    learn_sessions(global, args, LearnDetail::EachLesson)
}

/// Reasons why nothing was learned that are named.
const NAMED_REASONS: usize = 3;

/// How much is said while learning goes on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum LearnDetail {
    /// Where the sessions are, and each lesson.
    #[default]
    EachLesson,
    /// What it comes to in the end.
    Summary,
}

/// Learns from sessions, and says what came of it.
pub(super) fn learn_sessions(
    global: &GlobalArgs,
    args: &LearnArgs,
    detail: LearnDetail,
) -> Result<ExitCode, CliError> {
    let mut settings = Settings::load(global)?;
    if let Some(rule) = args.capture {
        settings.captures_every_run = rule == CaptureRule::EveryRun;
    }
    let quiet = args.json || detail == LearnDetail::Summary;
    let paths = session_paths(&args.paths, "learn", quiet)?;
    let engine = if args.dry_run {
        open::open_copy(&settings)?
    } else {
        open::open_writer(&settings)?
    };
    let mut tally = LearnTotals {
        detail,
        scope: settings.scope.clone(),
        ..LearnTotals::default()
    };
    let bar = progress_bar(&paths);
    let places = ProjectResolver::new(&settings);
    let scope = places.base_scope(&settings);
    let desk = engine.acting_as(Principal::person(scope));
    let mut library = desk.open_library()?;
    for source in archive::list_entries(paths) {
        match source {
            ArchiveEntry::File(path) => {
                let place = |run: &RunInfo| places.resolve_project(run, &path);
                let read =
                    library.read_transcript::<ClientTranscript>(&path, &place, &mut |bytes| {
                        bar.inc(bytes);
                    });
                bar.suspend(|| match read {
                    Ok(done) => tally.add_files(done, args),
                    Err(error @ Error::ReadTranscript { .. }) => {
                        tally.add_unreadable(&error.to_string());
                        Ok(())
                    }
                    // What goes wrong with the store goes wrong for every file.
                    Err(error) => Err(error.into()),
                })?;
            }
            ArchiveEntry::Unreadable(path, error) => {
                bar.suspend(|| {
                    tally.add_unreadable(&format!("reading {}: {error}", path.display()));
                });
            }
        }
    }
    let last = library.finish()?;
    bar.finish_and_clear();
    tally.add_files(last, args)?;
    tally.print_summary(args)?;
    if settings.sync && !args.dry_run {
        let here = std::env::current_dir()?;
        let said = sync::sync_after_learning(&engine, &settings, &here).unwrap_or_else(Some);
        said.iter().for_each(|said| output::print_note(said));
    }
    Ok(ExitReason::BadInput.exit_code_if(!tally.unreadable.is_empty()))
}

/// Returns the paths that are named; else looks where the agents on this machine keep their sessions,
/// and says what it found.
pub(super) fn session_paths(
    named: &[PathBuf],
    command: &str,
    quiet: bool,
) -> Result<Vec<PathBuf>, CliError> {
    if !named.is_empty() {
        return Ok(named.to_vec());
    }
    let home = config::home_folder().ok_or_else(|| {
        CliError::bad_input("there is no home folder to look for sessions in")
            .with_hint(format!("name the transcripts: hardwon {command} PATH…"))
    })?;
    let found = archive::locate_sessions(&home, &|name| env::var_os(name));
    if found.is_empty() {
        let hint = format!("name transcripts: hardwon {command} PATH…, or try `hardwon demo`");
        return Err(CliError::negative("no agent keeps sessions on this machine").with_hint(hint));
    }
    for place in &found {
        if !quiet {
            output::print_line(&format!("{}: {}", place.client, place.path.display()))?;
        }
    }
    Ok(found.into_iter().map(|place| place.path).collect())
}

/// Shows how far the reading is, to a person only.
pub(super) fn progress_bar(paths: &[PathBuf]) -> ProgressBar {
    if !output::is_watched() {
        return ProgressBar::hidden();
    }
    let sizes = archive::list_entries(paths.to_vec()).map(|source| match source {
        ArchiveEntry::File(path) => archive::entry_size(&path),
        ArchiveEntry::Unreadable(..) => 0,
    });
    let style = ProgressStyle::with_template("{bar:30} {bytes}/{total_bytes} {eta}");
    ProgressBar::new(sizes.sum()).with_style(style.expect("the template is well-formed"))
}

/// What came of all files.
#[derive(Default)]
struct LearnTotals {
    detail: LearnDetail,
    /// Where it is asked.
    scope: Scope,
    /// Whether something was learned that is not seen from there.
    is_elsewhere: bool,
    files: u64,
    unchanged: u64,
    not_transcripts: u64,
    runs: u64,
    broken: u64,
    new: u64,
    known: u64,
    pending: u64,
    refused: u64,
    candidates: u64,
    queued_runs: u64,
    skipped: BTreeMap<Skip, u64>,
    unreadable: Vec<String>,
}

impl LearnTotals {
    fn add_unreadable(&mut self, what: &str) {
        output::print_note(what);
        self.unreadable.push(what.to_owned());
    }

    fn add_files(
        &mut self,
        files: Vec<(PathBuf, FileRead)>,
        args: &LearnArgs,
    ) -> Result<(), CliError> {
        let mut lines = String::new();
        for (path, read) in files {
            self.add_file(&path, read, args, &mut lines)?;
        }
        output::print(&lines)
    }

    fn add_file(
        &mut self,
        path: &Path,
        read: FileRead,
        args: &LearnArgs,
        lines: &mut String,
    ) -> Result<(), CliError> {
        match read {
            FileRead::NotATranscript if args.paths.iter().any(|named| named == path) => {
                self.add_unreadable(&format!(
                    "{}: not a transcript in a known format; `hardwon learn --help` lists them",
                    path.display()
                ));
            }
            FileRead::NotATranscript => self.not_transcripts += 1,
            FileRead::Unchanged => self.unchanged += 1,
            FileRead::Read {
                runs,
                unreadable: broken,
                ..
            } => {
                self.files += 1;
                self.broken += broken;
                if broken > 0 && self.detail == LearnDetail::EachLesson {
                    let lines = output::pluralize(broken, "broken line");
                    output::print_note(&format!("{}: {lines} skipped", path.display()));
                }
                let mut named = false;
                for (_, learned) in runs {
                    self.runs += 1;
                    self.add_run(path, learned, args, &mut named, lines)?;
                }
            }
        }
        Ok(())
    }

    fn add_run(
        &mut self,
        path: &Path,
        learned: LearnOutcome,
        args: &LearnArgs,
        named: &mut bool,
        lines: &mut String,
    ) -> Result<(), CliError> {
        let mut line = |line: &str| {
            lines.push_str(line);
            lines.push('\n');
        };
        self.candidates += u64::from(learned.candidate_lessons);
        self.queued_runs += u64::from(learned.has_inquiry);
        for (skip, count) in learned.skipped {
            *self.skipped.entry(skip).or_default() += u64::from(count);
        }
        for noted in &learned.note_outcomes {
            let (how, lesson) = match noted {
                NoteOutcome::Recorded(lesson) => {
                    (self.increment(|it| &mut it.new, "learned"), lesson)
                }
                NoteOutcome::AlreadyKnown(lesson) => {
                    (self.increment(|it| &mut it.known, "seen again"), lesson)
                }
                NoteOutcome::Pending(lesson) => {
                    (self.increment(|it| &mut it.pending, "for review"), lesson)
                }
                NoteOutcome::Refused(_) => {
                    self.refused += 1;
                    continue;
                }
            };
            self.is_elsewhere |= !lesson.scope.is_visible_from(&self.scope);
            if args.json {
                line(&output::to_json(&LearnedLessonDto {
                    file: path.to_string_lossy(),
                    became: how,
                    lesson: LessonDto::from(&**lesson),
                })?);
                continue;
            }
            if self.detail == LearnDetail::Summary {
                continue;
            }
            if !std::mem::replace(named, true) {
                line(&output::replace_controls(&path.display().to_string()));
            }
            line(&format!(
                "  {how:<10} {}",
                render_lesson(lesson, args.dry_run)
            ));
        }
        Ok(())
    }

    fn increment(&mut self, which: fn(&mut Self) -> &mut u64, how: &'static str) -> &'static str {
        *which(self) += 1;
        how
    }

    fn print_summary(&self, args: &LearnArgs) -> Result<(), CliError> {
        if args.json {
            return output::print_json(&LearnSummaryDto::from_totals(self, args.dry_run));
        }
        let mut text = self.describe_learned(args.dry_run);
        if !args.dry_run {
            text.push_str(self.next_step());
        }
        text.push_str(&describe_skipped(&self.skipped));
        output::print(&text)
    }

    /// Says what was learned, and what could not be learned from.
    fn describe_learned(&self, dry_run: bool) -> String {
        let would = if dry_run { "would be " } else { "" };
        let sum = format!(
            "{} in {}: {} {would}learned, {} seen again, {} to review",
            output::pluralize(self.runs, "run"),
            output::pluralize(self.files, "transcript"),
            output::pluralize(self.new, "lesson"),
            self.known,
            self.pending,
        );
        let mut text = format!("{}\n", output::bold(&sum));
        let rows = [
            (
                self.unchanged,
                "transcript",
                "already read, and unchanged since",
            ),
            (self.not_transcripts, "file", "of no known format"),
            (
                self.unreadable.len() as u64,
                "file",
                "that could not be read, named above",
            ),
            (self.broken, "broken line", "skipped"),
            (
                self.candidates,
                "failure",
                "seen once; each becomes a lesson when another run meets it too",
            ),
            (self.refused, "candidate lesson", "rejected by the guard"),
            (
                self.queued_runs,
                "run",
                "queued for the model: `hardwon queue drain` asks it",
            ),
        ];
        for (number, thing, what) in rows.into_iter().filter(|row| row.0 > 0) {
            text.push_str(&format!("  {} {what}\n", output::pluralize(number, thing)));
        }
        text
    }

    fn next_step(&self) -> &'static str {
        match (self.pending > 0, self.new > 0, self.is_elsewhere) {
            (true, ..) => "next: `hardwon review-queue`\n",
            (false, true, true) => {
                "next: `hardwon lesson list --all-projects`; each lesson is shown in its own project\n"
            }
            (false, true, false) => {
                "next: `hardwon lesson list`, or `hardwon recall \"<a task>\"`\n"
            }
            (false, false, _) => "",
        }
    }
}

/// Says how often there was nothing to learn, and why, what happened most often first.
fn describe_skipped(skipped: &BTreeMap<Skip, u64>) -> String {
    let total: u64 = skipped.values().sum();
    if total == 0 {
        return String::new();
    }
    let mut reasons: Vec<(Skip, u64)> = skipped.iter().map(|(it, count)| (*it, *count)).collect();
    reasons.sort_by_key(|(_, count)| Reverse(*count));
    let others: u64 = reasons.iter().skip(NAMED_REASONS).map(|it| it.1).sum();
    let mut text = format!("nothing to learn {}:\n", output::pluralize(total, "time"));
    for (skip, count) in reasons.iter().take(NAMED_REASONS) {
        text.push_str(&format!("  {count:>4}  {}\n", skip.text()));
    }
    if others > 0 {
        text.push_str(&format!(
            "  {others:>4}  for other reasons, which --json lists\n"
        ));
    }
    text
}

/// A lesson and where it came from, as JSON shows it.
#[derive(Debug, Serialize)]
struct LearnedLessonDto<'a> {
    file: Cow<'a, str>,
    became: &'static str,
    lesson: LessonDto<'a>,
}

/// What came of all files, as JSON shows it.
#[derive(Debug, Serialize)]
struct LearnSummaryDto<'a> {
    files: u64,
    unchanged: u64,
    not_transcripts: u64,
    unreadable: &'a [String],
    runs: u64,
    broken_lines: u64,
    learned: u64,
    seen_again: u64,
    for_review: u64,
    refused: u64,
    witnessed: u64,
    /// Runs that a model is to be asked about.
    #[serde(skip_serializing_if = "is_none")]
    asks: u64,
    skipped: BTreeMap<&'static str, u64>,
    dry_run: bool,
}

impl<'a> LearnSummaryDto<'a> {
    fn from_totals(tally: &'a LearnTotals, dry_run: bool) -> Self {
        let skipped = tally.skipped.iter();
        Self {
            files: tally.files,
            unchanged: tally.unchanged,
            not_transcripts: tally.not_transcripts,
            unreadable: &tally.unreadable,
            runs: tally.runs,
            broken_lines: tally.broken,
            learned: tally.new,
            seen_again: tally.known,
            for_review: tally.pending,
            refused: tally.refused,
            witnessed: tally.candidates,
            asks: tally.queued_runs,
            skipped: skipped.map(|(skip, count)| (skip.name(), *count)).collect(),
            dry_run,
        }
    }
}

fn is_none(count: &u64) -> bool {
    *count == 0
}

fn render_lesson(lesson: &Lesson, dry_run: bool) -> String {
    // A number that will not be the lesson's own would only mislead.
    if dry_run {
        super::lesson::render_text(lesson)
    } else {
        super::lesson::render_row(lesson)
    }
}
