//! Repeat failures over time, as a picture: one bar a period, as SVG.
//!
//! A bar is as high as the share of runs in which the trouble of a lesson came again or which
//! failed although there was a lesson; the number below it says how many runs that is of. Colours
//! follow the reader's choice of light or dark, and all that is told by them is told by words too.

use std::fmt::Write as _;

use hardwon_core::credit::Period;
use jiff::Timestamp;

/// The picture's size, and the plot's edges in it.
const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 360.0;
const LEFT: f64 = 56.0;
const RIGHT: f64 = 744.0;
const TOP: f64 = 72.0;
const BOTTOM: f64 = 288.0;
/// The widest that a bar gets, so that few periods do not look like a wall.
const MAX_BAR_WIDTH: f64 = 56.0;
/// A time shorter than this, in hours, is told to the minute.
const SHORT_HOURS: i64 = 72;

const STYLE: &str = "
  svg { color-scheme: light dark; }
  text { font: 12px system-ui, sans-serif; fill: #333; }
  .title { font-size: 17px; font-weight: 600; fill: #111; }
  .paper { fill: #fff; }
  .grid { stroke: #ddd; stroke-width: 1; }
  .bar { fill: #b3541e; }
  @media (prefers-color-scheme: dark) {
    text { fill: #bbb; }
    .title { fill: #eee; }
    .paper { fill: #161616; }
    .grid { stroke: #383838; }
    .bar { fill: #e08a4f; }
  }
";

/// Draws the periods, the earliest on the left.
pub(super) fn draw_chart(periods: &[Period]) -> String {
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         width=\"{WIDTH}\" height=\"{HEIGHT}\" role=\"img\">\n\
         <title>Repeat failures over time</title>\n<desc>{}</desc>\n<style>{STYLE}</style>\n\
         <rect class=\"paper\" width=\"{WIDTH}\" height=\"{HEIGHT}\"/>\n",
        describe_chart(periods)
    );
    write_text(
        &mut svg,
        "title",
        "start",
        LEFT,
        28.0,
        "Repeat failures over time",
    );
    write_text(
        &mut svg,
        "note",
        "start",
        LEFT,
        50.0,
        &describe_chart(periods),
    );
    draw_grid(&mut svg);
    for (place, period) in periods.iter().enumerate() {
        draw_bar(&mut svg, periods.len(), place, period);
    }
    draw_dates(&mut svg, periods);
    svg.push_str("</svg>\n");
    svg
}

/// Says in words what the picture shows.
fn describe_chart(periods: &[Period]) -> String {
    let runs: u64 = periods.iter().map(|it| it.runs).sum();
    let failed: u64 = periods.iter().map(|it| it.failed).sum();
    if runs == 0 {
        return "No run with a matching lesson has been judged yet.".to_owned();
    }
    format!("Share of runs that failed or repeated a lesson's failure: {failed} of {runs} in all.")
}

/// Draws a line for each quarter, with its share.
fn draw_grid(svg: &mut String) {
    for quarter in 0..=4_u8 {
        let share = f64::from(quarter) / 4.0;
        let y = share_height(share);
        let line =
            format!("<line class=\"grid\" x1=\"{LEFT}\" x2=\"{RIGHT}\" y1=\"{y}\" y2=\"{y}\"/>\n");
        svg.push_str(&line);
        let label = format!("{} %", u32::from(quarter) * 25);
        write_text(svg, "share", "end", LEFT - 8.0, y + 4.0, &label);
    }
}

/// Returns where a share is, from the top.
fn share_height(share: f64) -> f64 {
    round_to_tenths(BOTTOM - share * (BOTTOM - TOP))
}

/// Returns the middle of a period's place, and how wide a place is.
fn bar_position(count: usize, place: usize) -> (f64, f64) {
    let step = (RIGHT - LEFT) / count.max(1) as f64;
    (LEFT + step * (place as f64 + 0.5), step)
}

fn draw_bar(svg: &mut String, count: usize, place: usize, period: &Period) {
    let (middle, step) = bar_position(count, place);
    if period.runs > 0 {
        let share = period.failed as f64 / period.runs as f64;
        let (width, top) = ((step * 0.72).min(MAX_BAR_WIDTH), share_height(share));
        let (x, tall) = (
            round_to_tenths(middle - width / 2.0),
            round_to_tenths(BOTTOM - top),
        );
        let told = format!(
            "{} of {} runs from {}",
            period.failed,
            period.runs,
            format_day(period.from)
        );
        writeln!(
            svg,
            "<rect class=\"bar\" x=\"{x}\" y=\"{top}\" width=\"{}\" height=\"{tall}\" rx=\"2\"><title>{told}</title></rect>",
            round_to_tenths(width),
        )
        .expect("a text can grow");
    }
    write_text(
        svg,
        "runs",
        "middle",
        round_to_tenths(middle),
        BOTTOM + 18.0,
        &period.runs.to_string(),
    );
}

/// Writes the first, the middle and the last day below the plot, and what the numbers are.
fn draw_dates(svg: &mut String, periods: &[Period]) {
    let y = BOTTOM + 40.0;
    if let (Some(first), Some(last)) = (periods.first(), periods.last()) {
        let hours = (last.to.as_second() - first.from.as_second()) / 3600;
        let moment = |at: Timestamp| {
            if hours < SHORT_HOURS {
                format_minute(at)
            } else {
                format_day(at)
            }
        };
        write_text(svg, "day", "start", LEFT, y, &moment(first.from));
        if periods.len() > 2 {
            let middle = &periods[periods.len() / 2];
            write_text(
                svg,
                "day",
                "middle",
                (LEFT + RIGHT) / 2.0,
                y,
                &moment(middle.from),
            );
        }
        if periods.len() > 1 {
            write_text(svg, "day", "end", RIGHT, y, &moment(last.to));
        }
        write_text(svg, "what", "end", LEFT - 8.0, BOTTOM + 18.0, "runs");
    }
}

fn format_minute(at: Timestamp) -> String {
    at.strftime("%Y-%m-%d %H:%M UTC").to_string()
}

fn format_day(at: Timestamp) -> String {
    at.strftime("%Y-%m-%d").to_string()
}

/// Writes words at a place. All are our own, and none needs escaping.
fn write_text(svg: &mut String, class: &str, anchor: &str, x: f64, y: f64, words: &str) {
    writeln!(
        svg,
        "<text class=\"{class}\" x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\">{words}</text>"
    )
    .expect("a text can grow");
}

/// Rounds to tenths, so that the file stays small and the same everywhere.
fn round_to_tenths(length: f64) -> f64 {
    (length * 10.0).round() / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn period(day: i64, runs: u64, failed: u64) -> Period {
        let at = |day: i64| Timestamp::from_second(1_800_000_000 + day * 86_400).unwrap();
        Period {
            from: at(day),
            to: at(day + 1),
            runs,
            failed,
        }
    }

    #[test]
    fn a_picture_is_whole_whatever_it_shows() {
        for periods in [
            vec![],
            vec![period(0, 3, 1)],
            vec![period(0, 0, 0), period(1, 5, 5)],
            (0..24).map(|it| period(it, 1000, 10)).collect(),
        ] {
            let svg = draw_chart(&periods);
            assert_eq!(svg.matches("<text").count(), svg.matches("</text>").count());
            assert_eq!(
                svg.matches("<rect class=\"bar\"").count(),
                svg.matches("</rect>").count()
            );
            assert!(
                svg.starts_with("<svg ") && svg.ends_with("</svg>\n"),
                "{svg}"
            );
            let bars = periods.iter().filter(|it| it.runs > 0).count();
            assert_eq!(svg.matches("class=\"bar\"").count(), bars);
        }
    }

    #[test]
    fn the_height_of_a_bar_is_its_share() {
        let svg = draw_chart(&[period(0, 4, 1), period(1, 2, 2)]);
        let heights: Vec<&str> = svg
            .lines()
            .filter(|line| line.starts_with("<rect class=\"bar\""))
            .filter_map(|line| line.split("height=\"").nth(1)?.split('"').next())
            .collect();
        assert_eq!(heights, ["54", "216"]);
    }
}
