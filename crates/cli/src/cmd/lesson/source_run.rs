//! The run behind a lesson, as `lesson show` prints it.

use hardwon_clients::archive::{SourceRun, SourceStep};
use hardwon_core::Lesson;

use crate::{input, output, time};

/// Columns that a step gets.
const STEP_COLUMNS: usize = 100;

/// Says which run taught a lesson, and what happened in it; nothing where no transcript is there.
pub(super) fn describe_run(lesson: &Lesson) -> String {
    let Some(run) = SourceRun::find(lesson, &input::locate_sessions()) else {
        return String::new();
    };
    let place = output::to_one_line(&run.path.display().to_string());
    let lines: String = run.steps.iter().map(render_step).collect();
    let client = run.client.map(|client| format!(" of {client}"));
    let day = run
        .began
        .map(|began| format!(", {}", time::format_date(began)));
    let (client, day) = (client.unwrap_or_default(), day.unwrap_or_default());
    format!("\nrun {}{client}{day}, {place}\n{lines}", run.run)
}

fn render_step(step: &SourceStep) -> String {
    let cut = |words: &str| output::cut_line(words, STEP_COLUMNS);
    let mut line = format!("  {:<7} {}\n", step.mark, cut(&step.words));
    if !step.error.is_empty() {
        line += &format!("  {:<7} {}\n", "", cut(&step.error));
    }
    line
}
