//! `hardwon learn`: reads transcripts, prints what was learned and why the rest was not.

mod highlights;
mod sending;

use std::{
    cmp::Reverse,
    collections::BTreeMap,
    env,
    io::{self, IsTerminal as _},
    path::{Path, PathBuf},
    process::ExitCode,
};

use hardwon_api::v1::{
    learn::{LearnSummaryDto, LearnedLessonDto},
    lesson::LessonDto,
};
use hardwon_clients::archive::{self, ClientTranscript};
use hardwon_core::{OutsideWords, Skip, Trust};
use hardwon_engine::{
    Error, FileRead, FileSessions, LearnOutcome, Principal, RunInfo, Scope, Sessions as _,
    WatchedSession,
};
use indicatif::{ProgressBar, ProgressStyle};

use self::highlights::Highlights;
use crate::{
    CliError, ExitReason, GlobalArgs, ProjectResolver, Result, Settings, args::LearnArgs, config,
    input, open, output,
};

pub(super) fn run(global: &GlobalArgs, args: &LearnArgs) -> Result<ExitCode> {
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
    /// What it comes to in the end, with the lessons that came up most often.
    Summary,
}

/// Learns from sessions, and says what came of it.
pub(super) fn learn_sessions(
    global: &GlobalArgs,
    args: &LearnArgs,
    detail: LearnDetail,
) -> Result<ExitCode> {
    let mut settings = Settings::load(global)?;
    if let Some(rule) = args.capture {
        settings.policy.capture.mode = rule;
    }
    let quiet = args.json || detail == LearnDetail::Summary;
    let paths = session_paths(&args.paths, "learn", quiet)?;
    if let Some(server) = settings.server.as_ref().filter(|_| !args.dry_run) {
        return sending::run(&settings, server, paths, args);
    }
    let engine = open::open_or_preview(&settings, args.dry_run, open::open_copy)?;
    let mut tally = LearnTotals {
        detail,
        scope: settings.scope.clone(),
        ..LearnTotals::default()
    };
    let (files, unreadable) = input::list_files(paths);
    unreadable
        .iter()
        .for_each(|trouble| tally.add_unreadable(trouble));
    let bar = progress_bar(&files);
    let places = ProjectResolver::new(&settings);
    let scope = places.base_scope(&settings);
    let desk = engine.acting_as(reader_of(&settings, scope, &args.paths));
    let mut library = desk.open_library()?;
    if let Some(watched) = watched_by_hooks(&settings) {
        library = library.with_watched(watched);
    }
    for path in files {
        let place = |run: &RunInfo| places.resolve_project(run, &path);
        let read = library.read_transcript::<ClientTranscript>(&path, &place, &mut |bytes| {
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
    let last = library.finish()?;
    bar.finish_and_clear();
    tally.add_files(last, args)?;
    tally.print_summary(args)?;
    Ok(ExitReason::BadInput.exit_code_if(!tally.summary.unreadable.is_empty()))
}

/// Returns the principal who learns. What an agent names beside the sessions that clients keep may be a page's.
fn reader_of(settings: &Settings, scope: Scope, named: &[PathBuf]) -> Principal {
    let person = Principal::person(scope);
    let places = input::locate_sessions();
    let is_kept = |path: &PathBuf| places.iter().any(|place| path.starts_with(&place.path));
    let is_foreign = !named.iter().all(is_kept);
    let is_tainted = is_foreign && settings.caller().trust.tainted;
    Principal {
        trust: Trust::new(person.trust.class, is_tainted),
        ..person
    }
}

/// Returns what hooks saw of the sessions here, any of which may be among the transcripts; `None` if they saw nothing.
fn watched_by_hooks(settings: &Settings) -> Option<WatchedSession> {
    let sessions = FileSessions::new(&config::state_folder().ok()?);
    let words = sessions.words_around(&settings.scope).without_unknown();
    (!words.is_empty()).then(|| WatchedSession {
        words,
        // A transcript may be of a session that no hook saw.
        passed_on: OutsideWords::unknown(),
        is_unattended: false,
    })
}

/// Returns the paths that are named; else looks where the agents on this machine keep their sessions,
/// and says what it found.
pub(super) fn session_paths(named: &[PathBuf], command: &str, quiet: bool) -> Result<Vec<PathBuf>> {
    if !named.is_empty() {
        return Ok(named.to_vec());
    }
    let home = config::home_folder().ok_or_else(|| {
        CliError::bad_input("there is no home folder to look for sessions in")
            .with_hint(format!("name the transcripts: hardwon {command} PATH…"))
    })?;
    let places = archive::locate_sessions(&home, &|name| env::var_os(name));
    if places.is_empty() {
        let hint = format!("name transcripts: hardwon {command} PATH…, or try `hardwon demo`");
        return Err(CliError::negative("no agent keeps sessions on this machine").with_hint(hint));
    }
    for place in &places {
        if !quiet {
            print_line!("{}: {}", place.client, place.path.display())?;
        }
    }
    Ok(places.into_iter().map(|place| place.path).collect())
}

/// Makes a bar that shows how much of files was read, if somebody watches.
pub(super) fn progress_bar(files: &[PathBuf]) -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:30} {bytes}/{total_bytes} {eta}");
    let bytes = files.iter().map(|file| archive::entry_size(file)).sum();
    output::show_bar(Some(bytes)).with_style(style.expect("the template is well-formed"))
}

/// What came of all files.
#[derive(Default)]
struct LearnTotals {
    detail: LearnDetail,
    /// Where it is asked.
    scope: Scope,
    /// Whether something was learned that is not seen from there.
    is_elsewhere: bool,
    summary: LearnSummaryDto,
    highlights: Highlights,
    skipped: BTreeMap<Skip, u64>,
}

impl LearnTotals {
    fn add_unreadable(&mut self, what: &str) {
        output::print_note(what);
        self.summary.unreadable.push(what.to_owned());
    }

    fn add_files(&mut self, files: Vec<(PathBuf, FileRead)>, args: &LearnArgs) -> Result<()> {
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
    ) -> Result<()> {
        match read {
            FileRead::NotATranscript if args.paths.iter().any(|named| named == path) => {
                self.add_unreadable(&describe_unknown(path));
            }
            FileRead::NotATranscript => self.summary.not_transcripts += 1,
            FileRead::Unchanged => self.summary.unchanged += 1,
            FileRead::Read {
                runs,
                unreadable: broken,
                ..
            } => {
                self.summary.files += 1;
                self.summary.broken_lines += broken;
                if broken > 0 && self.detail == LearnDetail::EachLesson {
                    let lines = output::pluralize(broken, "broken line");
                    print_note!("{}: {lines} skipped", path.display());
                }
                let mut has_heading = false;
                for (_, learned) in runs {
                    self.summary.runs += 1;
                    self.add_run(path, learned, args, &mut has_heading, lines)?;
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
    ) -> Result<()> {
        let mut line = |line: &str| {
            *lines += line;
            lines.push('\n');
        };
        self.summary.witnessed += u64::from(learned.candidate_lessons);
        self.summary.asks += u64::from(learned.has_inquiry);
        for (skip, count) in learned.skipped {
            *self.skipped.entry(skip).or_default() += u64::from(count);
        }
        for noted in &learned.note_outcomes {
            self.summary.noted.add(noted);
            let Some((how, lesson)) = super::lesson::find_noted(noted) else {
                continue;
            };
            self.is_elsewhere |= !lesson.scope.is_visible_from(&self.scope);
            if args.json {
                line(&output::to_json(&LearnedLessonDto {
                    file: path.to_string_lossy(),
                    became: how,
                    lesson: LessonDto::from(lesson),
                })?);
                continue;
            }
            if self.detail == LearnDetail::Summary {
                self.highlights.add(lesson);
                continue;
            }
            if !std::mem::replace(named, true) {
                line(&output::replace_controls(&path.display().to_string()));
            }
            line(&format!(
                "  {how:<10} {}",
                super::lesson::render_learned(lesson, args.dry_run)
            ));
        }
        Ok(())
    }

    fn print_summary(&mut self, args: &LearnArgs) -> Result<()> {
        if args.json {
            let counts = self.skipped.iter();
            let skips = counts.map(|(skip, count)| (skip.name(), *count));
            self.summary.skipped = skips.collect();
            self.summary.dry_run = args.dry_run;
            return output::print_json(&self.summary);
        }
        let mut text = self.describe_learned(args.dry_run);
        if !args.dry_run {
            text += self.next_step();
        }
        if self.detail == LearnDetail::EachLesson {
            text += &describe_skipped(&self.skipped);
        }
        output::print(&text)
    }

    /// Says what was learned, and what could not be learned from.
    fn describe_learned(&self, dry_run: bool) -> String {
        let would = if dry_run { "would be " } else { "" };
        let summary = &self.summary;
        let sum = format!(
            "{} in {}: {} {would}learned, {} seen again, {} to review",
            output::pluralize(summary.runs, "run"),
            output::pluralize(summary.files, "transcript"),
            output::pluralize(summary.noted.learned, "lesson"),
            summary.noted.seen_again,
            summary.noted.for_review,
        );
        let mut text = format!("{}\n", output::bold(&sum));
        let unreadable = summary.unreadable.len() as u64;
        #[rustfmt::skip]
        let rows = [
            (summary.unchanged, "transcript", "already read, and unchanged since"),
            (summary.not_transcripts, "file", "of no known format"),
            (unreadable, "file", "that could not be read, named above"),
            (summary.broken_lines, "broken line", "skipped"),
            (summary.witnessed, "failure", "seen once; each becomes a lesson when another run meets it too"),
            (summary.noted.refused, "candidate lesson", "rejected by the guard"),
            (summary.noted.logged, "lesson", "written to learned.log and not kept, as `learning` is `log`"),
            (summary.asks, "run", "queued for the model: `hardwon queue drain` asks it"),
        ];
        for (number, thing, what) in rows.into_iter().filter(|row| row.0 > 0) {
            text += &format!("  {} {what}\n", output::pluralize(number, thing));
        }
        text + &self.highlights.render()
    }

    fn next_step(&self) -> &'static str {
        let outcomes = &self.summary.noted;
        match (
            outcomes.for_review > 0,
            outcomes.learned > 0,
            self.is_elsewhere,
        ) {
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

/// Says of a file that somebody named that it is no transcript.
fn describe_unknown(path: &Path) -> String {
    let path = path.display();
    format!("{path}: not a transcript in a known format; `hardwon learn --help` lists them")
}

/// Says how often there was nothing to learn, and why, what happened most often first.
fn describe_skipped(skipped: &BTreeMap<Skip, u64>) -> String {
    let total: u64 = skipped.values().sum();
    if total == 0 {
        return String::new();
    }
    let mut reasons: Vec<(Skip, u64)> = skipped.iter().map(|(it, count)| (*it, *count)).collect();
    reasons.sort_by_key(|(_, count)| Reverse(*count));
    let others: u64 = reasons
        .iter()
        .skip(NAMED_REASONS)
        .map(|reason| reason.1)
        .sum();
    let mut text = format!("nothing to learn {}:\n", output::pluralize(total, "time"));
    for (skip, count) in reasons.iter().take(NAMED_REASONS) {
        text += &format!("  {count:>4}  {}\n", skip.text());
    }
    if others > 0 {
        text += &format!("  {others:>4}  for other reasons, which --json lists\n");
    }
    text
}
