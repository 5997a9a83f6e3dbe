//! `hardwon effect`: what lessons changed, as far as anybody knows.
//!
//! Shares are of runs that were judged. What is called measured is the difference between runs
//! that were shown a lesson and runs that it was held back from by chance; without enough of those
//! there is none.

use std::process::ExitCode;

use hardwon_api::v1::effects::EffectsDto;
use hardwon_core::{
    credit::{EffectTrials, MomentStats, OccasionTally},
    lesson::EffectEstimate,
};
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
    let columns = ["utility", "effect"].map(str::to_owned);
    let head = TABLE_HEADER.map(str::to_owned);
    let mut rows = vec![render_row("lesson", &head, &columns, "")];
    rows.extend(effects.lessons.iter().map(render_lesson));
    if effects.lessons.len() > 1 {
        rows.push(render_total(effects));
    }
    let moments = render_moments(effects);
    let legend = match moments {
        Some(_) => format!("{LEGEND}{MOMENTS_LEGEND}"),
        None => LEGEND.to_owned(),
    };
    let lead = match describe_measures(&effects.summary.trials) {
        Some(measures) => format!("{lead}\n{measures}"),
        None => lead,
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
            "{runs} judged; whether showing lessons helps cannot be said before some occasions went without one, \
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
        "In {runs} judged, showing lessons changed how occasions went by {at:+} points ({low:+} to {high:+}): {verdict}."
    )
}

/// Says what showing lessons changed in each measure that is known; `None` if none is.
fn describe_measures(trials: &EffectTrials) -> Option<String> {
    let points = |what: &str, effect: Option<EffectEstimate>| {
        let is_known = effect.is_some();
        is_known.then(|| format!("{what} {} points", render_effect(effect)))
    };
    let calls = trials.calls.estimate_effect().map(|estimate_effect| {
        let (at, low, high) = (
            estimate_effect.difference,
            estimate_effect.low,
            estimate_effect.high,
        );
        format!("calls until past {at:+.1} ({low:+.1} to {high:+.1})")
    });
    let parts = [
        points("failures met again", trials.estimate_met_again()),
        calls,
        points("success of runs", trials.success.estimate_effect()),
    ];
    let measures: Vec<String> = parts.into_iter().flatten().collect();
    (!measures.is_empty()).then(|| format!("That is: {}.", measures.join(", ")))
}

/// Writes what came of showing lessons at each moment; none where nothing is known of any.
fn render_moments(effects: &EffectsReport) -> Option<String> {
    let moments = &effects.summary.moments;
    let line = |(moment, at): (&Moment, &MomentStats)| {
        render_row(
            recall_story::describe_moment(*moment),
            &count_cells(at.shown, at.controls, at.occasions),
            &[at.trial, at.timing].map(|trial| render_effect(trial.estimate_effect())),
            "",
        )
    };
    let columns = ["effect", "over later"].map(str::to_owned);
    let head = render_row("moment", &TABLE_HEADER.map(str::to_owned), &columns, "");
    let rows: Vec<String> = [head].into_iter().chain(moments.iter().map(line)).collect();
    (!moments.is_empty()).then(|| rows.join("\n"))
}

/// What the numbers of a row count: the last five are what became of the occasions.
const TABLE_HEADER: [&str; 7] = [
    "shown",
    "held",
    "followed",
    "avoided",
    "repeated",
    "in vain",
    "not needed",
];

const LEGEND: &str = "\
held       runs that it fitted but was left out of at random, to compare with
followed   its advice was followed, as far as calls show; in vain: and its failure came all the same
avoided    its moment came, and then neither its failure nor the call that it warns of
repeated   one of them came, without its advice; not needed: its moment never came
utility    estimated success rate with it of tasks that succeed 50 % of the time without it, with a
           95 % credible interval; – until something is known
effect     on the share of occasions that went well, against the control group, in percentage
           points, with a 95 % interval; of a lesson drawn towards none while little is known
";

const MOMENTS_LEGEND: &str = "\
over later effect of showing lessons at this moment instead of later in the session
";

/// Returns the numbers of a row, each with what it counts in [`TABLE_HEADER`].
fn count_cells(shown: u64, controls: u64, occasions: OccasionTally) -> [String; 7] {
    let [a, b, c, d, e] = occasions.counts();
    [shown, controls, a, b, c, d, e].map(|number| number.to_string())
}

fn render_lesson(standing: &LessonStanding) -> String {
    let (counts, outcomes) = (&standing.lesson.counts, &standing.outcomes);
    // Without any of these it is what is believed of every lesson at first.
    let is_known = counts.went_well + counts.went_badly + counts.helped + counts.harmed > 0;
    let (low, high) = standing.utility_interval;
    let utility = if is_known {
        format!(
            "{} % ({}–{})",
            to_percentage_points(standing.utility),
            to_percentage_points(low),
            to_percentage_points(high)
        )
    } else {
        "–".to_owned()
    };
    render_row(
        &standing.lesson.id.to_string(),
        &count_cells(counts.shown, outcomes.controls, outcomes.occasions),
        &[utility, render_effect(standing.effect)],
        &describe_lesson(standing),
    )
}

fn render_total(effects: &EffectsReport) -> String {
    let mut sums = [0; 7];
    for standing in &effects.lessons {
        let outcomes = &standing.outcomes;
        let counts = outcomes.occasions.counts().into_iter();
        let numbers = [standing.lesson.counts.shown, outcomes.controls];
        for (sum, number) in sums.iter_mut().zip(numbers.into_iter().chain(counts)) {
            *sum += number;
        }
    }
    let effect = render_effect(effects.summary.trial.estimate_effect());
    let numbers = sums.map(|sum| sum.to_string());
    render_row("all", &numbers, &[String::new(), effect], "")
}

fn render_row(
    name: &str,
    numbers: &[String; 7],
    [first, second]: &[String; 2],
    words: &str,
) -> String {
    let [shown, held, rest @ ..] = numbers;
    let rest = rest
        .each_ref()
        .map(|number| format!("{number:>11}"))
        .concat();
    let line = format!("{name:<20}{shown:>7}{held:>6}{rest}  {first:<14} {second:<17} {words}");
    line.trim_end().to_owned()
}

/// Writes an effect in points: `+18 (-4 to +39)`.
fn render_effect(effect: Option<EffectEstimate>) -> String {
    effect.map_or_else(
        || "–".to_owned(),
        |effect| {
            let [at, low, high] =
                [effect.difference, effect.low, effect.high].map(to_percentage_points);
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
    let text = if signature.is_empty() {
        lesson.content.title.as_str()
    } else {
        signature
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
