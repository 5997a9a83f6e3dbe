//! `hardwon retro`: reads a report about work that is over, and learns what it teaches.

use std::{env, path::Path, process::ExitCode};

use hardwon_api::v1::{
    learn::{NoteCounts, ReportDto},
    lesson::LessonDto,
};
use hardwon_clients::report::{self, Report, ReportKind};
use hardwon_core::{RawText, named_enum};
use hardwon_engine::{LearnOutcome, Lesson};
use hardwon_repo::Repository;

use crate::{
    ExitReason, Result, Settings,
    args::{GlobalArgs, RetroArgs},
    input, open, output,
};

use super::lesson;

named_enum! {
    /// What came of a report.
    ReportOutcome {
        /// There are lessons.
        Learned = "learned",
        /// The same was learned from before.
        Known = "known",
        /// There was no struggle, or no advice in it.
        Nothing = "nothing",
    }
}

/// Most bytes of all reports together: a log of CI may be long.
const REPORT_BYTES: u64 = 64 * 1024 * 1024;

pub(super) fn run(global: &GlobalArgs, args: &RetroArgs) -> Result<ExitCode> {
    let settings = Settings::load(global)?;
    let mut report = read_report(args)?;
    report.task = report.task.or_else(|| args.task.clone().map(RawText::from));
    let run = report.run_id();
    if report.signals.is_empty() {
        return print_outcome(args, run.as_str(), ReportOutcome::Nothing, None);
    }
    let engine = open::open_or_preview(&settings, args.dry_run, open::open_copy)?;
    let desk = engine.acting_as(settings.caller());
    let trace = report.into_trace(desk.principal().scope.clone());
    let Some(learned) = desk.learn_from_report(&trace)? else {
        return print_outcome(args, run.as_str(), ReportOutcome::Known, None);
    };
    let outcomes = &learned.note_outcomes;
    let became = match outcomes.iter().find_map(lesson::find_noted) {
        Some(_) => ReportOutcome::Learned,
        None => ReportOutcome::Nothing,
    };
    print_outcome(args, run.as_str(), became, Some(&learned))
}

fn read_report(args: &RetroArgs) -> Result<Report> {
    let mut left = REPORT_BYTES;
    let texts = args.files.iter().map(|file| read_file(file, &mut left));
    let texts: Vec<String> = texts.collect::<Result<_, _>>()?;
    report::read_reports(args.from, &texts, &find_files).map_err(|error| {
        let names = args.files.iter().map(|file| input::name_file(file));
        let names = names.collect::<Vec<_>>().join(", ");
        let message = hardwon_redact::quote_error(&error.to_string());
        let kind = args.from.name();
        bad_input!("reading {names} as a report of kind {kind}: {message}")
            .with_hint("docs/retro.md says what each kind looks like")
    })
}

/// Reads a report, as long as all of them leave room.
fn read_file(file: &Path, left: &mut u64) -> Result<String> {
    let most = REPORT_BYTES / (1024 * 1024);
    let too_long = format!("the reports are longer than {most} MB");
    let text = input::read_file(file, *left, &too_long)?;
    *left = left.saturating_sub(text.len() as u64);
    Ok(text)
}

/// Returns the files that a commit of the repository here changed; none if it is not known here.
fn find_files(commit: &str) -> Vec<String> {
    let is_id = commit.len() >= 7 && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
    let changes = || {
        let repository = Repository::find(&env::current_dir().ok()?).ok()?;
        repository.list_range(&format!("{commit}~1..{commit}")).ok()
    };
    let sets = is_id.then(changes).flatten().unwrap_or_default();
    let changes = sets.iter().flat_map(|set| &set.changes);
    let paths = changes.map(|change| change.path.display().to_string());
    paths.collect()
}

fn print_outcome(
    args: &RetroArgs,
    run: &str,
    became: ReportOutcome,
    learned: Option<&LearnOutcome>,
) -> Result<ExitCode> {
    let outcomes = learned.map_or(&[][..], |learned| &learned.note_outcomes);
    let lessons: Vec<(&str, &Lesson)> = outcomes.iter().filter_map(lesson::find_noted).collect();
    let answer = ReportDto {
        kind: args.from.name(),
        run,
        became: became.name(),
        noted: outcomes.iter().collect::<NoteCounts>(),
        lessons: (lessons.iter())
            .map(|lesson| LessonDto::from(lesson.1))
            .collect(),
        dry_run: args.dry_run,
    };
    output::print_answer(args.json, &answer, || {
        let text = render_outcome(args, became, learned.is_some(), &lessons);
        output::replace_controls(&text)
    })?;
    Ok(ExitReason::Negative.exit_code_if(became == ReportOutcome::Nothing))
}

fn render_outcome(
    args: &RetroArgs,
    became: ReportOutcome,
    has_signals: bool,
    lessons: &[(&str, &Lesson)],
) -> String {
    match became {
        ReportOutcome::Known => {
            return "learned from this report before: nothing changed\n".to_owned();
        }
        ReportOutcome::Nothing => {
            let reason = if has_signals {
                "it tells of a struggle, but neither what it was about (--task) nor what helped"
            } else {
                describe_gate(args.from)
            };
            return format!("nothing to learn: {reason}\n");
        }
        ReportOutcome::Learned => {}
    }
    let row = |(how, lesson): &(&str, &Lesson)| {
        let lesson = lesson::render_learned(lesson, args.dry_run);
        format!("{how:<10} {lesson}\n")
    };
    let mut text: String = lessons.iter().map(row).collect();
    if lessons.iter().any(|lesson| lesson.0 == "for review") && !args.dry_run {
        text += "next: `hardwon review-queue`; others may have written words of this report\n";
    }
    text
}

/// Says what a report of this kind must show.
fn describe_gate(kind: ReportKind) -> &'static str {
    match kind {
        ReportKind::Heal => "one attempt was enough",
        ReportKind::Debug => "the journal names no cause",
        ReportKind::Review => "the review fixed and flagged nothing",
        ReportKind::Ci => {
            "no run that failed is followed by one that passed, or what failed is not known: give its log too"
        }
        ReportKind::Junit => {
            "no test failed and then passed, or failed twice: give the reports of several runs in their order"
        }
    }
}
