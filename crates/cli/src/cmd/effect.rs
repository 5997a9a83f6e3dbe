//! `hardwon effect`: what lessons changed, as far as anybody knows.
//!
//! Shares are of runs that were judged. What is called measured is the difference between runs
//! that were shown a lesson and runs that it was held back from by chance; without enough of those
//! there is none.

mod picture;

use std::{fs, process::ExitCode};

use hardwon_core::credit::{AtMoment, Effect, Period};
use hardwon_engine::{Effects, Standing};
use hardwon_store::Moment;
use serde::Serialize;

use super::story;
use crate::{
    args::{EffectArgs, Global},
    config::Settings,
    error::Failure,
    open, output,
};

/// Periods that the time is cut into.
const PERIODS: usize = 24;
/// Columns that a lesson's first words get in the table.
const WORDS: usize = 40;

pub(super) fn run(global: &Global, args: &EffectArgs) -> Result<ExitCode, Failure> {
    let settings = Settings::load(global)?;
    let engine = open::settled(&settings)?;
    let only = args
        .id
        .as_deref()
        .map(|id| super::lesson::find(&engine, &settings, id));
    let only = only.transpose()?;
    // One that is named may live elsewhere.
    let scope = only
        .as_ref()
        .map_or(&settings.scope, |lesson| &lesson.scope);
    let effects = engine.effects(scope, only.as_ref().map(|lesson| lesson.id))?;
    let periods = effects.summary.periods(PERIODS);
    if let Some(path) = &args.svg {
        fs::write(path, picture::draw(&periods))
            .map_err(|error| Failure::fault(format!("writing {}: {error}", path.display())))?;
    }
    if args.json {
        output::json(&dto(&effects, &periods))?;
    } else {
        output::print(&table(&effects))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn table(effects: &Effects) -> String {
    let runs = output::count(effects.summary.runs, "run");
    if effects.lessons.is_empty() {
        return format!("{runs} judged, and no lesson was shown yet\n");
    }
    let mut rows = vec![row(HEAD, "utility", "measured", "")];
    rows.extend(effects.lessons.iter().map(line));
    if effects.lessons.len() > 1 {
        rows.push(total(effects));
    }
    let mut tables = vec![rows.join("\n")];
    tables.extend(by_moment(effects));
    format!("{runs} judged\n\n{}\n\n{LEGEND}\n", tables.join("\n\n"))
}

/// Writes what came of showing lessons at each moment; none where nothing is known of any.
fn by_moment(effects: &Effects) -> Option<String> {
    let moments = &effects.summary.moments;
    let line = |(moment, at): (&Moment, &AtMoment)| {
        let numbers = [
            at.shown,
            at.held,
            at.followed,
            at.not_followed,
            at.in_vain,
            at.good,
            at.bad,
        ];
        moment_row(
            story::describe_moment(*moment),
            &numbers
                .map(|number| number.to_string())
                .each_ref()
                .map(String::as_str),
            [at.trial, at.timing].map(|it| measured(it.effect())),
        )
    };
    let head = ["shown", "held", "used", "unused", "in vain", "good", "bad"];
    let measured = ["measured", "over later"].map(str::to_owned);
    let rows = [moment_row("moment", &head, measured)].into_iter();
    let rows: Vec<String> = rows.chain(moments.iter().map(line)).collect();
    (!moments.is_empty()).then(|| rows.join("\n"))
}

fn moment_row(name: &str, cells: &[&str; 7], [measured, later]: [String; 2]) -> String {
    let cells = cells.map(|cell| format!("{cell:>8}")).concat();
    format!("{name:<20}{cells}  {measured:<17} {later}")
}

const HEAD: [&str; 9] = [
    "lesson", "shown", "held", "used", "well", "badly", "helped", "wrong", "tokens",
];

const LEGEND: &str = "held      runs that it was held back from by chance
used      how often it was followed, as far as can be told, and unused: not followed
in vain   how often it was followed, and its trouble came all the same
good      runs that were shown one at this moment and went well, followed or not, and bad
well      runs with it that went well, and badly: those that it bears on, as far as can be told
helped    outcomes that speak for it by themselves, and wrong: against it
utility   how often a task goes well with it that goes well every second time without, by all of
          this, with a margin of 95 %
measured  points that showing it changed, where chance decided, with a margin of 95 %
over later: what showing it at this moment changed over leaving it to later moments of the session";

/// The numbers of a row, each with what it counts in [`HEAD`].
fn numbers(standing: &Standing) -> [u64; 8] {
    let counts = &standing.lesson.counts;
    [
        counts.shown,
        standing.outcomes.held,
        standing.outcomes.followed,
        counts.well,
        counts.badly,
        counts.helped,
        counts.harmed,
        standing.tokens,
    ]
}

fn line(standing: &Standing) -> String {
    let (low, high) = standing.utility_between;
    let utility = format!(
        "{} % ({}–{})",
        points(standing.utility),
        points(low),
        points(high)
    );
    let id = standing.lesson.id.to_string();
    let measured = measured(standing.effect);
    cells(
        &id,
        numbers(standing),
        &utility,
        &measured,
        &words(standing),
    )
}

fn total(effects: &Effects) -> String {
    let mut sums = [0; 8];
    for standing in &effects.lessons {
        for (sum, number) in sums.iter_mut().zip(numbers(standing)) {
            *sum += number;
        }
    }
    let measured = measured(effects.summary.trial.effect());
    cells("all", sums, "", &measured, "")
}

fn cells(name: &str, numbers: [u64; 8], utility: &str, measured: &str, words: &str) -> String {
    let numbers = numbers.map(|number| number.to_string());
    let [a, b, c, d, e, f, g, h] = numbers.each_ref().map(String::as_str);
    row([name, a, b, c, d, e, f, g, h], utility, measured, words)
}

fn row(cells: [&str; 9], utility: &str, measured: &str, words: &str) -> String {
    let [name, numbers @ ..] = cells;
    let numbers = numbers.map(|number| format!("{number:>7}")).concat();
    let line = format!("{name:<7}{numbers}  {utility:<14} {measured:<17} {words}");
    line.trim_end().to_owned()
}

/// Writes an effect in points: `+18 (-4 to +39)`.
fn measured(effect: Option<Effect>) -> String {
    effect.map_or_else(
        || "–".to_owned(),
        |it| {
            let [at, low, high] = [it.difference, it.low, it.high].map(points);
            format!("{at:+} ({low:+} to {high:+})")
        },
    )
}

/// Returns a share in whole points, and no zero with a sign.
fn points(share: f64) -> i64 {
    let text = format!("{:.0}", share * 100.0);
    text.parse().unwrap_or(0)
}

/// Returns what a lesson is about in a few words, and its state unless it is active.
fn words(standing: &Standing) -> String {
    let lesson = &standing.lesson;
    let signature = lesson.content.signature.as_str();
    let text = match signature.is_empty() {
        true => lesson.content.title.as_str(),
        false => signature,
    };
    let text = output::one_line(text);
    let cut: String = text.chars().take(WORDS).collect();
    let more = if cut.len() < text.len() { "…" } else { "" };
    match lesson.status.name() {
        "active" if lesson.is_caution() => format!("{cut}{more} (caution)"),
        "active" => format!("{cut}{more}"),
        state => format!("{cut}{more} ({state})"),
    }
}

/// What credit has found out, as JSON shows it.
#[derive(Debug, Serialize)]
struct Dto<'a> {
    runs: u64,
    effect: Option<EffectDto>,
    /// By the moment at which lessons were shown, the latest judgements only.
    moments: Vec<MomentDto>,
    lessons: Vec<LessonDto<'a>>,
    periods: Vec<PeriodDto>,
}

/// A measured effect, as JSON shows it: shares, not points.
#[derive(Debug, Serialize)]
struct EffectDto {
    difference: f64,
    low: f64,
    high: f64,
}

/// How one lesson stands, as JSON shows it.
#[derive(Debug, Serialize)]
struct LessonDto<'a> {
    id: i64,
    signature: &'a str,
    title: &'a str,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
    caution: bool,
    shown: u64,
    held: u64,
    followed: u64,
    well: u64,
    badly: u64,
    helped: u64,
    wrong: u64,
    /// Judged runs, by whether they were shown it and how they went.
    outcomes: OutcomesDto,
    utility: f64,
    utility_low: f64,
    utility_high: f64,
    effect: Option<EffectDto>,
    tokens: u64,
}

#[derive(Debug, Serialize)]
struct OutcomesDto {
    shown_good: u64,
    shown_bad: u64,
    held_good: u64,
    held_bad: u64,
}

/// What came of showing lessons at one moment, as JSON shows it.
#[derive(Debug, Serialize)]
struct MomentDto {
    moment: &'static str,
    shown: u64,
    held: u64,
    followed: u64,
    not_followed: u64,
    in_vain: u64,
    good: u64,
    bad: u64,
    effect: Option<EffectDto>,
    /// Over leaving them to later moments of the session.
    effect_over_later: Option<EffectDto>,
}

impl From<(&Moment, &AtMoment)> for MomentDto {
    fn from((moment, at): (&Moment, &AtMoment)) -> Self {
        Self {
            moment: moment.name(),
            shown: at.shown,
            held: at.held,
            followed: at.followed,
            not_followed: at.not_followed,
            in_vain: at.in_vain,
            good: at.good,
            bad: at.bad,
            effect: at.trial.effect().map(EffectDto::from),
            effect_over_later: at.timing.effect().map(EffectDto::from),
        }
    }
}

/// A stretch of time, as JSON shows it.
#[derive(Debug, Serialize)]
struct PeriodDto {
    from: String,
    to: String,
    runs: u64,
    failed: u64,
}

fn dto<'a>(effects: &'a Effects, periods: &[Period]) -> Dto<'a> {
    let period = |it: &Period| PeriodDto {
        from: it.from.to_string(),
        to: it.to.to_string(),
        runs: it.runs,
        failed: it.failed,
    };
    Dto {
        runs: effects.summary.runs,
        effect: effects.summary.trial.effect().map(EffectDto::from),
        moments: effects
            .summary
            .moments
            .iter()
            .map(MomentDto::from)
            .collect(),
        lessons: effects.lessons.iter().map(LessonDto::from).collect(),
        periods: periods.iter().map(period).collect(),
    }
}

impl From<Effect> for EffectDto {
    fn from(effect: Effect) -> Self {
        Self {
            difference: thousandths(effect.difference),
            low: thousandths(effect.low),
            high: thousandths(effect.high),
        }
    }
}

/// Rounds a share; more digits would say more than is known.
fn thousandths(share: f64) -> f64 {
    (share * 1000.0).round() / 1000.0
}

impl<'a> From<&'a Standing> for LessonDto<'a> {
    fn from(it: &'a Standing) -> Self {
        let (lesson, outcomes) = (&it.lesson, &it.outcomes);
        Self {
            id: lesson.id.0,
            signature: lesson.content.signature.as_str(),
            title: lesson.content.title.as_str(),
            status: lesson.status.name(),
            why: hardwon_engine::why(&lesson.status),
            caution: lesson.is_caution(),
            shown: lesson.counts.shown,
            held: outcomes.held,
            followed: outcomes.followed,
            well: lesson.counts.well,
            badly: lesson.counts.badly,
            helped: lesson.counts.helped,
            wrong: lesson.counts.harmed,
            outcomes: OutcomesDto {
                shown_good: outcomes.shown_good,
                shown_bad: outcomes.shown_bad,
                held_good: outcomes.held_good,
                held_bad: outcomes.held_bad,
            },
            utility: thousandths(it.utility),
            utility_low: thousandths(it.utility_between.0),
            utility_high: thousandths(it.utility_between.1),
            effect: it.effect.map(EffectDto::from),
            tokens: it.tokens,
        }
    }
}
