//! `hardwon stats`: what is in the store, by project.

use hardwon_api::v1::stats::{PauseDto, ScopeDto, StatsDto};
use hardwon_core::Scope;
use hardwon_store::Census;

use crate::{Result, Settings, args::GlobalArgs, cmd::pause, open, output};

pub(super) fn run(global: &GlobalArgs, json: bool) -> Result<()> {
    let settings = Settings::load(global)?;
    let engine = open::open_flushed(&settings)?;
    let desk = engine.acting_as(settings.person());
    let mut rows = desk.census()?;
    rows.retain(|(scope, _)| settings.is_requested(scope));
    let entries = desk.count_entries()?;
    let active_pause = pause::active_pause(&settings);
    let answer = StatsDto {
        database: &open::lessons_file(&settings).to_string_lossy(),
        journal_entries: entries,
        paused: active_pause.map(|pause| PauseDto {
            everywhere: pause.everywhere,
            until: pause.until.map(|end| end.to_string()),
        }),
        scopes: rows.iter().map(ScopeDto::from).collect(),
    };
    output::print_answer(json, &answer, || {
        pause::note_pause(&settings);
        render_table(&settings, entries, &rows)
    })
}

fn render_table(settings: &Settings, entries: u64, rows: &[(Scope, Census)]) -> String {
    let mut text = format!(
        "{}, {} in the journal\n",
        open::lessons_file(settings).display(),
        output::pluralize(entries, "change"),
    );
    let mut row = |name: &str, cells: [&str; 5]| {
        text.push('\n');
        for cell in cells {
            text += &format!("{cell:>7} ");
        }
        // Last, so that a long path breaks no column.
        text += &format!(" {name}");
    };
    row("project", ["active", "pending", "shown", "helped", "wrong"]);
    for (scope, census) in rows {
        let counts = [
            census.active,
            census.pending,
            census.shown,
            census.helped,
            census.harmed,
        ];
        let cells = counts.map(|count| count.to_string());
        row(
            &scope_name(settings, scope),
            cells.each_ref().map(String::as_str),
        );
    }
    text.push('\n');
    text
}

/// Names a scope by its project, and by its agent where that is another one than ours.
fn scope_name(settings: &Settings, scope: &Scope) -> String {
    let project = scope.project.as_ref();
    let project = project.map_or("(everywhere)", |project| project.display_name());
    if scope.agent == settings.scope.agent {
        output::to_one_line(project)
    } else {
        output::to_one_line(&format!("{}: {project}", scope.agent))
    }
}
