//! One table of figures: what, how many lessons, floor, ours, ratio, budget, and whether it holds.

use std::fmt;

/// What a figure is held against.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Limit {
    /// It is for information.
    None,
    /// The most that the ratio of medians may be.
    Ratio(f64),
    /// The most that our own median may be.
    Value(f64),
}

/// One measurement, in milliseconds unless its name says otherwise.
#[derive(Debug)]
pub(crate) struct Row {
    what: String,
    lessons: u32,
    floor: Sample,
    ours: Sample,
    limit: Limit,
}

impl Row {
    pub(crate) fn new(
        what: String,
        lessons: u32,
        floor: &[f64],
        ours: &[f64],
        limit: Limit,
    ) -> Self {
        Self {
            what,
            lessons,
            floor: Sample::of(floor),
            ours: Sample::of(ours),
            limit,
        }
    }

    fn verdict(&self) -> (String, &'static str) {
        let ratio = self.ours.median / self.floor.median;
        let said = |holds| if holds { "yes" } else { "NO" };
        match self.limit {
            Limit::None => (String::new(), ""),
            Limit::Ratio(most) => (format!("{most:.2} x"), said(ratio <= most)),
            Limit::Value(most) => (format!("{most:.0}"), said(self.ours.median <= most)),
        }
    }
}

/// The least and the middle of some figures.
#[derive(Debug, Clone, Copy)]
struct Sample {
    least: f64,
    median: f64,
}

impl Sample {
    fn of(figures: &[f64]) -> Self {
        let mut sorted = figures.to_vec();
        sorted.sort_by(f64::total_cmp);
        Self {
            least: sorted.first().copied().unwrap_or(f64::NAN),
            median: sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN),
        }
    }
}

impl fmt::Display for Sample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = if self.median < 100.0 { 3 } else { 0 };
        write!(f, "{:.digits$} / {:.digits$}", self.least, self.median)
    }
}

/// All rows.
#[derive(Debug, Default)]
pub(crate) struct Table(Vec<Row>);

impl Table {
    pub(crate) fn add(&mut self, row: Row) {
        self.0.push(row);
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "| what | lessons | floor min / median | ours min / median | ratio | budget | holds |"
        )?;
        writeln!(f, "|---|---:|---:|---:|---:|---:|---|")?;
        for row in &self.0 {
            let ratio = row.ours.median / row.floor.median;
            let (budget, holds) = row.verdict();
            let (what, lessons, floor, ours) = (&row.what, row.lessons, row.floor, row.ours);
            writeln!(
                f,
                "| {what} | {lessons} | {floor} | {ours} | {ratio:.2} | {budget} | {holds} |"
            )?;
        }
        Ok(())
    }
}
