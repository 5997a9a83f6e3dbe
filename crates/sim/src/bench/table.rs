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
    /// None for what is compared with nothing.
    floor: Option<Sample>,
    ours: Sample,
    limit: Limit,
}

impl Row {
    /// One figure that is compared with nothing.
    pub(crate) fn alone(what: String, figure: f64, limit: Limit) -> Self {
        Self {
            what,
            lessons: 0,
            floor: None,
            ours: Sample::of(&[figure]),
            limit,
        }
    }

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
            floor: Some(Sample::of(floor)),
            ours: Sample::of(ours),
            limit,
        }
    }

    fn ratio(&self) -> f64 {
        self.floor
            .map_or(f64::NAN, |floor| self.ours.median / floor.median)
    }

    fn verdict(&self) -> (String, &'static str) {
        let ratio = self.ratio();
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
            let (budget, holds) = row.verdict();
            let (what, lessons, ours) = (&row.what, row.lessons, row.ours);
            let (floor, ratio) = match row.floor {
                Some(floor) => (floor.to_string(), format!("{:.2}", row.ratio())),
                None => Default::default(),
            };
            writeln!(
                f,
                "| {what} | {lessons} | {floor} | {ours} | {ratio} | {budget} | {holds} |"
            )?;
        }
        Ok(())
    }
}
