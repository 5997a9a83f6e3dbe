//! Effects as a picture: a line for each lesson, with its interval as a bar round a zero line, as SVG.
//!
//! Places are in percent of the width and letters in pixels, so that the picture fits any screen and stays readable.
//! It holds our own words and numbers only; the titles of lessons are in the table below it.

use std::fmt::{self, Write as _};

use askama::filters::HtmlSafe;
use hardwon_core::{id::LessonId, lesson::EffectEstimate};

use super::text::{format_count, format_points, pluralize};

/// The height of a lesson's row, and of the axis below them.
const ROW_HEIGHT: usize = 46;
const AXIS_HEIGHT: usize = 24;
/// Where the scale begins and ends, in percent of the width, so that its letters have room.
const LEFT: f64 = 6.0;
const RIGHT: f64 = 94.0;

/// What the picture shows of a lesson.
#[derive(Debug, Clone)]
pub(super) struct PlotRow {
    pub(super) id: LessonId,
    pub(super) shown: u64,
    pub(super) controls: u64,
    /// Its effect, if there is enough to tell one.
    pub(super) effect: Option<EffectEstimate>,
    pub(super) verdict: String,
}

/// A picture as SVG; empty where there is nothing to draw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ForestPlot(String);

impl fmt::Display for ForestPlot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl HtmlSafe for ForestPlot {}

impl ForestPlot {
    pub(super) fn draw(rows: &[PlotRow]) -> Self {
        if rows.is_empty() {
            return Self(String::new());
        }
        let height = rows.len() * ROW_HEIGHT + AXIS_HEIGHT;
        let scale = Scale::new(rows);
        let mut svg = format!(
            "<svg class=\"plot\" width=\"100%\" height=\"{height}\" role=\"img\" aria-labelledby=\"plot-title plot-desc\">\n\
             <title id=\"plot-title\">Effect of each lesson on success</title>\n\
             <desc id=\"plot-desc\">{}</desc>\n",
            describe(rows)
        );
        draw_axis(&mut svg, &scale, rows.len() * ROW_HEIGHT);
        for (place, row) in rows.iter().enumerate() {
            draw_row(&mut svg, &scale, place * ROW_HEIGHT, row);
        }
        svg.push_str("</svg>");
        Self(svg)
    }
}

/// What a share is in the picture: the scale goes as far on either side of zero.
struct Scale {
    farthest: f64,
}

impl Scale {
    fn new(rows: &[PlotRow]) -> Self {
        let ends = rows.iter().filter_map(|row| row.effect);
        let ends = ends.flat_map(|end| [end.low.abs(), end.high.abs()]);
        let farthest = ends.fold(0.0, f64::max);
        let steps = [0.25, 0.5, 1.0];
        let fitting = steps.into_iter().find(|step| farthest <= *step);
        Self {
            farthest: fitting.unwrap_or(1.0),
        }
    }

    /// Returns where a share is, in percent of the width.
    fn place(&self, share: f64) -> f64 {
        let part = (share.clamp(-self.farthest, self.farthest) / self.farthest + 1.0) / 2.0;
        round_to_tenths(LEFT + part * (RIGHT - LEFT))
    }
}

fn round_to_tenths(length: f64) -> f64 {
    (length * 10.0).round() / 10.0
}

/// Says in words what the picture shows.
fn describe(rows: &[PlotRow]) -> String {
    let count = rows.iter().filter(|row| row.effect.is_some()).count() as u64;
    let all = pluralize(rows.len() as u64, "lesson");
    format!(
        "{all}, the most shown first; of {} there is an effect to tell. The same numbers are in the table below.",
        format_count(count)
    )
}

fn draw_axis(svg: &mut String, scale: &Scale, bottom: usize) {
    for part in [-1.0, -0.5, 0.0, 0.5, 1.0] {
        let share = part * scale.farthest;
        let x = scale.place(share);
        let class = if part == 0.0 { "zero" } else { "grid" };
        let label = match part {
            0.0 => "0".to_owned(),
            _ => format_points(share),
        };
        put(
            svg,
            format_args!(
                "<line class=\"{class}\" x1=\"{x}%\" x2=\"{x}%\" y1=\"0\" y2=\"{bottom}\"/>\
             <text class=\"tick\" x=\"{x}%\" y=\"{}\" text-anchor=\"middle\">{label}</text>\n",
                bottom + 17
            ),
        );
    }
}

fn draw_row(svg: &mut String, scale: &Scale, top: usize, row: &PlotRow) {
    let (id, shown, controls) = (row.id, format_count(row.shown), format_count(row.controls));
    put(
        svg,
        format_args!(
            "<text class=\"name\" x=\"0\" y=\"{y}\">{id}<tspan class=\"exposure\" dx=\"8\">shown {shown}, held back {controls}</tspan></text>\n",
            y = top + 15
        ),
    );
    let middle = top + 30;
    let Some(effect) = row.effect else {
        put(
            svg,
            format_args!(
                "<text class=\"untold\" x=\"50%\" y=\"{}\" text-anchor=\"middle\">{}</text>\n",
                middle + 4,
                row.verdict
            ),
        );
        return;
    };
    let class = match (effect.low > 0.0, effect.high < 0.0) {
        (true, _) => "helps",
        (_, true) => "harms",
        _ => "neither",
    };
    let [low, at, high] =
        [effect.low, effect.difference, effect.high].map(|value| scale.place(value));
    put(
        svg,
        format_args!(
            "<line class=\"interval {class}\" x1=\"{low}%\" x2=\"{high}%\" y1=\"{middle}\" y2=\"{middle}\"/>\
             <circle class=\"point {class}\" cx=\"{at}%\" cy=\"{middle}\" r=\"5\"/>"
        ),
    );
    draw_verdict(svg, class, top, row, effect);
}

/// Writes what the effect means where there is room: beside a bar that leaves half of the line free, else above it.
fn draw_verdict(svg: &mut String, class: &str, top: usize, row: &PlotRow, effect: EffectEstimate) {
    let interval = format!(
        ": {} to {}",
        format_points(effect.low),
        format_points(effect.high)
    );
    let (x, y, anchor, interval) = match class {
        "helps" => ("0", top + 34, "start", &*interval),
        "harms" => ("100%", top + 34, "end", &*interval),
        _ => ("100%", top + 15, "end", ""),
    };
    put(
        svg,
        format_args!(
            "<text class=\"verdict\" x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\">{}{interval}</text>\n",
            row.verdict
        ),
    );
}

fn put(svg: &mut String, what: fmt::Arguments<'_>) {
    svg.write_fmt(what).expect("a text can grow");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(effect: Option<(f64, f64, f64)>) -> PlotRow {
        PlotRow {
            id: LessonId(7),
            shown: 40,
            controls: 5,
            effect: effect.map(|(low, difference, high)| EffectEstimate {
                difference,
                low,
                high,
            }),
            verdict: "helps".to_owned(),
        }
    }

    #[test]
    fn a_picture_is_whole_whatever_it_shows() {
        assert_eq!(ForestPlot::draw(&[]).to_string(), "");
        for rows in [
            vec![row(None)],
            vec![row(None), row(Some((-0.9, -0.4, 0.1)))],
        ] {
            let svg = ForestPlot::draw(&rows).to_string();
            assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>"), "{svg}");
            assert_eq!(svg.matches("<text").count(), svg.matches("</text>").count());
            let told = rows.iter().filter(|it| it.effect.is_some()).count();
            assert_eq!(svg.matches("<circle").count(), told);
            assert!(!svg.contains("style=") && !svg.contains("NaN"), "{svg}");
        }
    }

    #[test]
    fn zero_is_in_the_middle_and_the_scale_fits() {
        for (effect, expected) in [
            ((0.02, 0.1, 0.2), ["53.5%", "85.2%"]),
            ((0.02, 0.1, 0.3), ["51.8%", "76.4%"]),
            ((-1.0, -0.5, 0.3), ["6%", "63.2%"]),
        ] {
            let svg = ForestPlot::draw(&[row(Some(effect))]).to_string();
            assert!(svg.contains("class=\"zero\" x1=\"50%\""), "{svg}");
            let interval = svg.split("class=\"interval").nth(1).unwrap();
            let mut places = interval.split('"').filter(|it| it.ends_with('%'));
            assert_eq!([places.next().unwrap(), places.next().unwrap()], expected);
        }
    }
}
