//! What lessons changed: how often each was shown and held back first, then the measured effect with its interval.
//!
//! Nothing is called an effect before there are enough runs to compare.

use askama::Template;
use axum::{Router, extract::Query};
use hardwon_core::lesson::{EffectEstimate, TrialVerdict};
use hardwon_engine::{EffectsReport, LessonStanding};

use super::{
    error::render,
    forest::{ForestPlot, PlotRow},
    frame::{Frame, PlaceChoices, PlaceQuery, View},
    text::{VisibleText, describe_status, format_count, format_effect, format_points, pluralize},
    view::show,
    visitor::Visitor,
};
use crate::{error::Result, state::SharedState};

/// Lessons of the picture and the table, the most shown first.
const MAX_ROWS: usize = 40;

#[derive(Template)]
#[template(path = "effects.html")]
struct EffectsView {
    frame: Frame,
    places: PlaceChoices,
    runs: String,
    lead: String,
    plot: ForestPlot,
    rows: Vec<EffectRow>,
    left_out: usize,
}

struct EffectRow {
    id: i64,
    title: VisibleText,
    status: &'static str,
    shown: String,
    controls: String,
    /// What became of its occasions, in the order of the words.
    occasions: [String; 5],
    effect: String,
    verdict: String,
}

pub(super) fn routes() -> Router<SharedState> {
    Router::new().route("/effects", show(show_effects))
}

fn show_effects(visitor: &Visitor, Query(place): Query<PlaceQuery>) -> Result<String> {
    let scope = place.parse()?;
    let desk = visitor.desk(&scope)?;
    let report = desk.measure_effects_within(&place.within(&desk))?;
    let lessons = &report.lessons[..report.lessons.len().min(MAX_ROWS)];
    render(&EffectsView {
        frame: Frame::gather(visitor, &desk, View::Effects, None)?,
        places: place.choices(&desk)?,
        runs: pluralize(report.summary.runs, "run"),
        lead: describe_report(&report),
        plot: ForestPlot::draw(&lessons.iter().map(make_plot_row).collect::<Vec<_>>()),
        rows: lessons.iter().map(EffectRow::from).collect(),
        left_out: report.lessons.len() - lessons.len(),
    })
}

/// Answers in a sentence whether showing lessons helps.
fn describe_report(report: &EffectsReport) -> String {
    let trial = &report.summary.trial;
    match (trial.judge_effect(), trial.estimate_effect()) {
        (TrialVerdict::TooEarly { .. }, _) | (_, None) => {
            format!(
                "All lessons together: {}.",
                describe_verdict(trial.judge_effect())
            )
        }
        (_, Some(effect)) => {
            let [at, low, high] = [effect.difference, effect.low, effect.high].map(format_points);
            let verdict = describe_verdict(trial.judge_effect());
            format!(
                "All lessons together change how occasions go by {at} points ({low} to {high}): {verdict}."
            )
        }
    }
}

/// Says what a trial tells so far, in words.
fn describe_verdict(verdict: TrialVerdict) -> String {
    match verdict {
        TrialVerdict::TooEarly { controls, needed } => format!(
            "no telling yet, {} of about {} occasions without",
            format_count(controls),
            format_count(needed)
        ),
        TrialVerdict::Helps => "helps".to_owned(),
        TrialVerdict::Harms => "does harm".to_owned(),
        TrialVerdict::NoneSeen => "no difference seen".to_owned(),
    }
}

/// Returns the effect of a trial that is far enough to tell one.
fn find_effect(verdict: TrialVerdict, effect: Option<EffectEstimate>) -> Option<EffectEstimate> {
    effect.filter(|_| !matches!(verdict, TrialVerdict::TooEarly { .. }))
}

fn make_plot_row(standing: &LessonStanding) -> PlotRow {
    let counts = &standing.lesson.counts;
    PlotRow {
        id: standing.lesson.id,
        shown: counts.shown,
        controls: standing.outcomes.controls,
        effect: find_effect(standing.verdict(), standing.effect),
        verdict: describe_verdict(standing.verdict()),
    }
}

impl From<&LessonStanding> for EffectRow {
    fn from(standing: &LessonStanding) -> Self {
        let lesson = &standing.lesson;
        let counts = &lesson.counts;
        Self {
            id: lesson.id.0,
            title: VisibleText::line(lesson.content.title.as_str()),
            status: match lesson.status.name() {
                "active" => "",
                other => describe_status(other),
            },
            shown: format_count(counts.shown),
            controls: format_count(standing.outcomes.controls),
            occasions: standing.outcomes.occasions.counts().map(format_count),
            effect: find_effect(standing.verdict(), standing.effect)
                .map_or("–".to_owned(), format_effect),
            verdict: describe_verdict(standing.verdict()),
        }
    }
}
