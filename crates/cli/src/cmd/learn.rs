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
    Error, FileRead, Learned, Lesson, Noted, Principal, Scope, transcript::RunInfo,
};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use crate::{
    args::{CaptureRule, Global, LearnArgs},
    config::{self, Settings},
    dto::LessonDto,
    error::{Failure, Kind},
    open, output,
    session_place::Places,
    sync,
};

pub(super) fn run(global: &Global, args: &LearnArgs) -> Result<ExitCode, Failure> {
    learn(global, args, Detail::EachLesson)
}

/// Reasons why nothing was learned that are named.
const REASONS: usize = 3;

/// How much is said while learning goes on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Detail {
    /// Where the sessions are, and each lesson.
    #[default]
    EachLesson,
    /// What it comes to in the end.
    Summary,
}

/// Learns from sessions, and says what came of it.
pub(super) fn learn(
    global: &Global,
    args: &LearnArgs,
    detail: Detail,
) -> Result<ExitCode, Failure> {
    let mut settings = Settings::load(global)?;
    if let Some(rule) = args.capture {
        settings.every_run = rule == CaptureRule::EveryRun;
    }
    let quiet = args.json || detail == Detail::Summary;
    let paths = sessions(&args.paths, "learn", quiet)?;
    let engine = if args.dry_run {
        open::rehearsal(&settings)?
    } else {
        open::writer(&settings)?
    };
    let mut tally = Tally {
        detail,
        here: settings.scope.clone(),
        ..Tally::default()
    };
    let bar = progress_bar(&paths);
    let places = Places::new(&settings);
    let scope = places.scope(&settings);
    let desk = engine.acting_as(Principal::person(scope));
    let mut library = desk.library()?;
    for source in archive::sources(paths) {
        match source {
            ArchiveEntry::File(path) => {
                let place = |run: &RunInfo| places.project_of(run, &path);
                let read =
                    library.read::<ClientTranscript>(&path, &place, &mut |bytes| bar.inc(bytes));
                bar.suspend(|| match read {
                    Ok(done) => tally.add_all(done, args),
                    Err(error @ Error::Read { .. }) => {
                        tally.unreadable(&error.to_string());
                        Ok(())
                    }
                    // What goes wrong with the store goes wrong for every file.
                    Err(error) => Err(error.into()),
                })?;
            }
            ArchiveEntry::Unreadable(path, error) => {
                bar.suspend(|| tally.unreadable(&format!("reading {}: {error}", path.display())));
            }
        }
    }
    let last = library.finish()?;
    bar.finish_and_clear();
    tally.add_all(last, args)?;
    tally.print(args)?;
    if settings.sync && !args.dry_run {
        let here = std::env::current_dir()?;
        let said = sync::sync_after_learning(&engine, &settings, &here).unwrap_or_else(Some);
        said.iter().for_each(|said| output::note(said));
    }
    Ok(Kind::Input.exit_code_if(!tally.unreadable.is_empty()))
}

/// Returns the paths that are named; else looks where the agents on this machine keep their sessions,
/// and says what it found.
pub(super) fn sessions(
    named: &[PathBuf],
    command: &str,
    quiet: bool,
) -> Result<Vec<PathBuf>, Failure> {
    if !named.is_empty() {
        return Ok(named.to_vec());
    }
    let home = config::home().ok_or_else(|| {
        Failure::input("there is no home folder to look for sessions in")
            .hint(format!("name the transcripts: hardwon {command} PATH…"))
    })?;
    let found = archive::locate(&home, &|name| env::var_os(name));
    if found.is_empty() {
        let hint = format!("name transcripts: hardwon {command} PATH…, or try `hardwon demo`");
        return Err(Failure::nothing("no agent keeps sessions on this machine").hint(hint));
    }
    for place in &found {
        if !quiet {
            output::line(&format!("{}: {}", place.client, place.path.display()))?;
        }
    }
    Ok(found.into_iter().map(|place| place.path).collect())
}

/// Shows how far the reading is, to a person only.
pub(super) fn progress_bar(paths: &[PathBuf]) -> ProgressBar {
    if !output::is_watched() {
        return ProgressBar::hidden();
    }
    let sizes = archive::sources(paths.to_vec()).map(|source| match source {
        ArchiveEntry::File(path) => archive::size_of(&path),
        ArchiveEntry::Unreadable(..) => 0,
    });
    let style = ProgressStyle::with_template("{bar:30} {bytes}/{total_bytes} {eta}");
    ProgressBar::new(sizes.sum()).with_style(style.expect("the template is well-formed"))
}

/// What came of all files.
#[derive(Default)]
struct Tally {
    detail: Detail,
    /// Where it is asked.
    here: Scope,
    /// Whether something was learned that is not seen from there.
    is_elsewhere: bool,
    files: u64,
    unchanged: u64,
    others: u64,
    runs: u64,
    broken: u64,
    new: u64,
    known: u64,
    waiting: u64,
    refused: u64,
    witnessed: u64,
    asks: u64,
    skipped: BTreeMap<Skip, u64>,
    unreadable: Vec<String>,
}

impl Tally {
    fn unreadable(&mut self, what: &str) {
        output::note(what);
        self.unreadable.push(what.to_owned());
    }

    fn add_all(
        &mut self,
        files: Vec<(PathBuf, FileRead)>,
        args: &LearnArgs,
    ) -> Result<(), Failure> {
        let mut lines = String::new();
        for (path, read) in files {
            self.add(&path, read, args, &mut lines)?;
        }
        output::print(&lines)
    }

    fn add(
        &mut self,
        path: &Path,
        read: FileRead,
        args: &LearnArgs,
        lines: &mut String,
    ) -> Result<(), Failure> {
        match read {
            FileRead::NotATranscript if args.paths.iter().any(|named| named == path) => {
                self.unreadable(&format!(
                    "{}: not a transcript in a known format; `hardwon learn --help` lists them",
                    path.display()
                ));
            }
            FileRead::NotATranscript => self.others += 1,
            FileRead::Unchanged => self.unchanged += 1,
            FileRead::Read { runs, broken, .. } => {
                self.files += 1;
                self.broken += broken;
                if broken > 0 && self.detail == Detail::EachLesson {
                    let lines = output::count(broken, "broken line");
                    output::note(&format!("{}: {lines} skipped", path.display()));
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
        learned: Learned,
        args: &LearnArgs,
        named: &mut bool,
        lines: &mut String,
    ) -> Result<(), Failure> {
        let mut line = |line: &str| {
            lines.push_str(line);
            lines.push('\n');
        };
        self.witnessed += u64::from(learned.witnessed);
        self.asks += u64::from(learned.asks);
        for (skip, count) in learned.skipped {
            *self.skipped.entry(skip).or_default() += u64::from(count);
        }
        for noted in &learned.noted {
            let (how, lesson) = match noted {
                Noted::Recorded(lesson) => (self.count(|it| &mut it.new, "learned"), lesson),
                Noted::Known(lesson) => (self.count(|it| &mut it.known, "seen again"), lesson),
                Noted::Waiting(lesson) => (self.count(|it| &mut it.waiting, "for review"), lesson),
                Noted::Refused(_) => {
                    self.refused += 1;
                    continue;
                }
            };
            self.is_elsewhere |= !lesson.scope.is_visible_from(&self.here);
            if args.json {
                line(&output::to_json(&LessonLine {
                    file: path.to_string_lossy(),
                    became: how,
                    lesson: LessonDto::from(&**lesson),
                })?);
                continue;
            }
            if self.detail == Detail::Summary {
                continue;
            }
            if !std::mem::replace(named, true) {
                line(&output::visible(&path.display().to_string()));
            }
            line(&format!("  {how:<10} {}", shown(lesson, args.dry_run)));
        }
        Ok(())
    }

    fn count(&mut self, which: fn(&mut Self) -> &mut u64, how: &'static str) -> &'static str {
        *which(self) += 1;
        how
    }

    fn print(&self, args: &LearnArgs) -> Result<(), Failure> {
        if args.json {
            return output::json(&Summary::of(self, args.dry_run));
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
            output::count(self.runs, "run"),
            output::count(self.files, "transcript"),
            output::count(self.new, "lesson"),
            self.known,
            self.waiting,
        );
        let mut text = format!("{}\n", output::bold(&sum));
        let rows = [
            (
                self.unchanged,
                "transcript",
                "already read, and unchanged since",
            ),
            (self.others, "file", "of no known format"),
            (
                self.unreadable.len() as u64,
                "file",
                "that could not be read, named above",
            ),
            (self.broken, "broken line", "skipped"),
            (
                self.witnessed,
                "failure",
                "seen once; each becomes a lesson when another run meets it too",
            ),
            (self.refused, "candidate lesson", "rejected by the guard"),
            (
                self.asks,
                "run",
                "queued for the model: `hardwon queue drain` asks it",
            ),
        ];
        for (number, thing, what) in rows.into_iter().filter(|row| row.0 > 0) {
            text.push_str(&format!("  {} {what}\n", output::count(number, thing)));
        }
        text
    }

    fn next_step(&self) -> &'static str {
        match (self.waiting > 0, self.new > 0, self.is_elsewhere) {
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
    let others: u64 = reasons.iter().skip(REASONS).map(|it| it.1).sum();
    let mut text = format!("nothing to learn {}:\n", output::count(total, "time"));
    for (skip, count) in reasons.iter().take(REASONS) {
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
struct LessonLine<'a> {
    file: Cow<'a, str>,
    became: &'static str,
    lesson: LessonDto<'a>,
}

/// What came of all files, as JSON shows it.
#[derive(Debug, Serialize)]
struct Summary<'a> {
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

impl<'a> Summary<'a> {
    fn of(tally: &'a Tally, dry_run: bool) -> Self {
        let skipped = tally.skipped.iter();
        Self {
            files: tally.files,
            unchanged: tally.unchanged,
            not_transcripts: tally.others,
            unreadable: &tally.unreadable,
            runs: tally.runs,
            broken_lines: tally.broken,
            learned: tally.new,
            seen_again: tally.known,
            for_review: tally.waiting,
            refused: tally.refused,
            witnessed: tally.witnessed,
            asks: tally.asks,
            skipped: skipped.map(|(skip, count)| (skip.name(), *count)).collect(),
            dry_run,
        }
    }
}

fn is_none(count: &u64) -> bool {
    *count == 0
}

fn shown(lesson: &Lesson, dry_run: bool) -> String {
    // A number that will not be the lesson's own would only mislead.
    if dry_run {
        super::lesson::said(lesson)
    } else {
        super::lesson::row(lesson)
    }
}
