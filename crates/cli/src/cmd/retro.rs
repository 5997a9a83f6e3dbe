//! `hardwon retro`: reads a report about work that is over, and learns what it teaches.

use std::process::ExitCode;

use hardwon_api::v1::{
    learn::{NoteCounts, ReportDto},
    lesson::LessonDto,
};
use hardwon_clients::report::{self, Report, ReportKind};
use hardwon_core::{RawText, named_enum};
use hardwon_engine::{LearnOutcome, Lesson};

use crate::{ExitReason, GlobalArgs, Result, Settings, args::RetroArgs, input, open, output};

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

/// Most bytes of a report.
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
    let too_long = format!(
        "the report is longer than {} MB",
        REPORT_BYTES / (1024 * 1024)
    );
    let text = input::read_file(&args.file, REPORT_BYTES, &too_long)?;
    report::read_report(args.from, &text).map_err(|error| {
        let name = input::name_file(&args.file);
        let message = hardwon_redact::quote_error(&error.to_string());
        let kind = args.from.name();
        bad_input!("reading {name} as a report of kind {kind}: {message}")
            .with_hint("docs/retro.md says what each kind looks like")
    })
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
    }
}
