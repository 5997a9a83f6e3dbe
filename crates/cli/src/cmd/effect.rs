//! `hardwon effect`: what lessons changed, as far as anybody knows.
//!
//! Shares are of runs that were judged. What is called measured is the difference between runs
//! that were shown a lesson and runs that it was held back from by chance; without enough of those
//! there is none.

use std::process::ExitCode;

use hardwon_api::v1::effects::EffectsDto;
use hardwon_core::{credit::MomentStats, lesson::EffectEstimate};
use hardwon_engine::{EffectsReport, LessonStanding, Principal};
use hardwon_store::Moment;

use super::recall_story;
use crate::{
    args::{EffectArgs, GlobalArgs},
    config::Settings,
    error::CliError,
    open, output,
};

/// Periods that the time is cut into.
const PERIOD_COUNT: usize = 24;
/// Columns that a lesson's first words get in the table.
const LESSON_COLUMNS: usize = 40;

pub(super) fn run(global: &GlobalArgs, args: &EffectArgs) -> Result<ExitCode, CliError> {
    let settings = Settings::load(global)?;
    let engine = open::open_flushed(&settings)?;
    let desk = engine.acting_as(settings.person());
    let only = args.id.as_deref();
    let only = only
        .map(|id| super::lesson::find_lesson(&desk, &settings, id))
        .transpose()?;
    // One that is named may live elsewhere.
    let scope = only
        .as_ref()
        .map_or(&settings.scope, |lesson| &lesson.scope);
    let there = engine.acting_as(Principal::person(scope.clone()));
    let effects = there.measure_effects(only.as_ref().map(|lesson| lesson.id))?;
    if args.json {
        let periods = effects.summary.split_into_periods(PERIOD_COUNT);
        output::print_json(&EffectsDto::from_report(&effects, &periods))?;
    } else {
        output::print(&render_table(&effects))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn render_table(effects: &EffectsReport) -> String {
    let lead = output::bold(&describe_effect(effects));
    if effects.lessons.is_empty() {
        return format!("{lead}\n");
    }
    let mut rows = vec![render_row(TABLE_HEADER, "utility", "effect", "")];
    rows.extend(effects.lessons.iter().map(render_lesson));
    if effects.lessons.len() > 1 {
        rows.push(render_total(effects));
    }
    let moments = render_moments(effects);
    let legend = match moments {
        Some(_) => format!("{LEGEND}{MOMENTS_LEGEND}"),
        None => LEGEND.to_owned(),
    };
    let mut parts = vec![lead, rows.join("\n")];
    parts.extend(moments);
    parts.push(output::dim(&legend));
    parts.join("\n\n")
}

/// Answers in a sentence whether showing lessons helped.
fn describe_effect(effects: &EffectsReport) -> String {
    let runs = output::pluralize(effects.summary.runs, "run");
    if effects.lessons.is_empty() {
        return format!("{runs} judged, and no lesson was shown yet.");
    }
    let Some(effect) = effects.summary.trial.estimate_effect() else {
        return format!(
            "{runs} judged; whether showing lessons helps cannot be said before more runs went without one, \
             as controls."
        );
    };
    let verdict = match () {
        () if effect.low > 0.0 => "it helps",
        () if effect.high < 0.0 => "it does harm",
        () => "not sure yet",
    };
    let [at, low, high] = [effect.difference, effect.low, effect.high].map(to_percentage_points);
    format!(
        "In {runs} judged, showing lessons changed success by {at:+} points ({low:+} to {high:+}): {verdict}."
    )
}

/// Writes what came of showing lessons at each moment; none where nothing is known of any.
fn render_moments(effects: &EffectsReport) -> Option<String> {
    let moments = &effects.summary.moments;
    let line = |(moment, at): (&Moment, &MomentStats)| {
        let numbers = [
            at.shown,
            at.controls,
            at.followed,
            at.good,
            at.bad,
            at.not_followed,
            at.contradicted,
        ];
        render_moment_row(
            recall_story::describe_moment(*moment),
            &numbers
                .map(|number| number.to_string())
                .each_ref()
                .map(String::as_str),
            [at.trial, at.timing].map(|it| render_effect(it.estimate_effect())),
        )
    };
    let head = [
        "shown", "control", "followed", "well", "badly", "ignored", "failed",
    ];
    let measured = ["effect", "over later"].map(str::to_owned);
    let rows = [render_moment_row("moment", &head, measured)].into_iter();
    let rows: Vec<String> = rows.chain(moments.iter().map(line)).collect();
    (!moments.is_empty()).then(|| rows.join("\n"))
}

fn render_moment_row(name: &str, cells: &[&str; 7], [measured, later]: [String; 2]) -> String {
    let cells = cells.map(|cell| format!("{cell:>9}")).concat();
    format!("{name:<20}{cells}  {measured:<17} {later}")
}

const TABLE_HEADER: [&str; 9] = [
    "lesson", "shown", "control", "followed", "well", "badly", "helped", "wrong", "tokens",
];

const LEGEND: &str = "\
control    runs that it fitted but was left out of at random, to compare with
followed   runs in which its advice was followed, as far as calls show
well       of a lesson: runs that it was relevant to and that went well; badly: that did not
helped     direct evidence for it (feedback, a failure overcome); wrong: against it
utility    estimated success rate with it of tasks that succeed 50 % of the time without it, with a
           95 % credible interval; – until something is known
effect     on success, against the control group, in percentage points, with a 95 % interval
";

const MOMENTS_LEGEND: &str = "\
well       of a moment: all runs that were shown a lesson then and went well; badly: that did not
ignored    the advice was not followed
failed     the advice was followed, but the failure it is about happened anyway
over later effect of showing lessons at this moment instead of later in the session
";

/// The numbers of a row, each with what it counts in [`HEAD`].
fn row_numbers(standing: &LessonStanding) -> [u64; 8] {
    let counts = &standing.lesson.counts;
    [
        counts.shown,
        standing.outcomes.controls,
        standing.outcomes.followed,
        counts.went_well,
        counts.went_badly,
        counts.helped,
        counts.harmed,
        standing.tokens,
    ]
}

fn render_lesson(standing: &LessonStanding) -> String {
    let counts = &standing.lesson.counts;
    // Without any of these it is what is believed of every lesson at first.
    let is_known = counts.went_well + counts.went_badly + counts.helped + counts.harmed > 0;
    let (low, high) = standing.utility_interval;
    let utility = match is_known {
        true => format!(
            "{} % ({}–{})",
            to_percentage_points(standing.utility),
            to_percentage_points(low),
            to_percentage_points(high)
        ),
        false => "–".to_owned(),
    };
    let id = standing.lesson.id.to_string();
    let measured = render_effect(standing.effect);
    render_cells(
        &id,
        row_numbers(standing),
        &utility,
        &measured,
        &describe_lesson(standing),
    )
}

fn render_total(effects: &EffectsReport) -> String {
    let mut sums = [0; 8];
    for standing in &effects.lessons {
        for (sum, number) in sums.iter_mut().zip(row_numbers(standing)) {
            *sum += number;
        }
    }
    let measured = render_effect(effects.summary.trial.estimate_effect());
    render_cells("all", sums, "", &measured, "")
}

fn render_cells(
    name: &str,
    numbers: [u64; 8],
    utility: &str,
    measured: &str,
    words: &str,
) -> String {
    let numbers = numbers.map(|number| number.to_string());
    let [a, b, c, d, e, f, g, h] = numbers.each_ref().map(String::as_str);
    render_row([name, a, b, c, d, e, f, g, h], utility, measured, words)
}

fn render_row(cells: [&str; 9], utility: &str, measured: &str, words: &str) -> String {
    let [name, numbers @ ..] = cells;
    let numbers = numbers.map(|number| format!("{number:>9}")).concat();
    let line = format!("{name:<7}{numbers}  {utility:<14} {measured:<17} {words}");
    line.trim_end().to_owned()
}

/// Writes an effect in points: `+18 (-4 to +39)`.
fn render_effect(effect: Option<EffectEstimate>) -> String {
    effect.map_or_else(
        || "–".to_owned(),
        |it| {
            let [at, low, high] = [it.difference, it.low, it.high].map(to_percentage_points);
            format!("{at:+} ({low:+} to {high:+})")
        },
    )
}

/// Returns a share in whole points, and no zero with a sign.
fn to_percentage_points(share: f64) -> i64 {
    let text = format!("{:.0}", share * 100.0);
    text.parse().unwrap_or(0)
}

/// Returns what a lesson is about in a few words, and its state unless it is active.
fn describe_lesson(standing: &LessonStanding) -> String {
    let lesson = &standing.lesson;
    let signature = lesson.content.signature.as_str();
    let text = match signature.is_empty() {
        true => lesson.content.title.as_str(),
        false => signature,
    };
    let text = output::to_one_line(text);
    let cut: String = text.chars().take(LESSON_COLUMNS).collect();
    let more = if cut.len() < text.len() { "…" } else { "" };
    match lesson.status.name() {
        "active" if lesson.is_caution() => format!("{cut}{more} (caution)"),
        "active" => format!("{cut}{more}"),
        state => format!("{cut}{more} ({state})"),
    }
}
