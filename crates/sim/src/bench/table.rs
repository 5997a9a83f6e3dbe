//! The table of figures: name, number of lessons, floor, ours, ratio, budget, and whether it is met.

use std::fmt;

/// The limit of a figure.
#[derive(Debug, Clone, Copy)]
pub(crate) enum BudgetLimit {
    /// None: it is for information.
    None,
    /// The highest ratio of medians.
    Ratio(f64),
    /// The highest median of ours.
    Value(f64),
}

/// One measurement, in milliseconds unless its name says otherwise.
#[derive(Debug)]
pub(crate) struct FigureRow {
    what: String,
    lessons: u32,
    /// The floor's figures; `None` for a row without a floor.
    floor: Option<FigureSummary>,
    ours: FigureSummary,
    limit: BudgetLimit,
}

impl FigureRow {
    /// Makes a row of one figure without a floor.
    pub(crate) fn single_figure(what: String, figure: f64, limit: BudgetLimit) -> Self {
        Self {
            what,
            lessons: 0,
            floor: None,
            ours: FigureSummary::from_figures(&[figure]),
            limit,
        }
    }

    pub(crate) fn new(
        what: String,
        lessons: u32,
        floor: &[f64],
        ours: &[f64],
        limit: BudgetLimit,
    ) -> Self {
        Self {
            what,
            lessons,
            floor: Some(FigureSummary::from_figures(floor)),
            ours: FigureSummary::from_figures(ours),
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
            BudgetLimit::None => (String::new(), ""),
            BudgetLimit::Ratio(most) => (format!("{most:.2} x"), said(ratio <= most)),
            BudgetLimit::Value(most) => (format!("{most:.0}"), said(self.ours.median <= most)),
        }
    }
}

/// The minimum and the median of figures.
#[derive(Debug, Clone, Copy)]
struct FigureSummary {
    least: f64,
    median: f64,
}

impl FigureSummary {
    fn from_figures(figures: &[f64]) -> Self {
        let mut sorted = figures.to_vec();
        sorted.sort_by(f64::total_cmp);
        Self {
            least: sorted.first().copied().unwrap_or(f64::NAN),
            median: sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN),
        }
    }
}

impl fmt::Display for FigureSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = if self.median < 100.0 { 3 } else { 0 };
        write!(f, "{:.digits$} / {:.digits$}", self.least, self.median)
    }
}

/// All rows.
#[derive(Debug, Default)]
pub(crate) struct FigureTable(Vec<FigureRow>);

impl FigureTable {
    pub(crate) fn add(&mut self, row: FigureRow) {
        self.0.push(row);
    }
}

impl fmt::Display for FigureTable {
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
