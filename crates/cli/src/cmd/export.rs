//! `hardwon export`: lessons to a folder of LESSON.md files.

use hardwon_engine::ExportReport;

use crate::{GlobalArgs, Result, Settings, args::ExportFolderArgs, open, output};

pub(super) fn run(global: &GlobalArgs, args: &ExportFolderArgs) -> Result<()> {
    let settings = Settings::load(global)?;
    let engine = open::open_flushed(&settings)?;
    let report = engine
        .acting_as(settings.person())
        .export_lessons(&args.folder, args.all)?;
    output::print_answer(args.json, &report, || {
        render_summary(&report, args, &settings)
    })
}

fn render_summary(exported: &ExportReport, args: &ExportFolderArgs, settings: &Settings) -> String {
    let owner = settings.scope.display_project().unwrap_or("everywhere");
    let mut text = format!(
        "wrote {} to {} ({})\n",
        output::pluralize(exported.written.len() as u64, "lesson"),
        output::replace_controls(&args.folder.display().to_string()),
        output::to_one_line(owner),
    );
    let mut rest = |number: usize, what: &str| {
        if number > 0 {
            text += &format!("  {number} {what}\n");
        }
    };
    rest(exported.unchanged, "unchanged");
    rest(exported.archived.len(), "moved to _archive/");
    rest(exported.removed.len(), "deleted");
    for (why, number) in &exported.omitted {
        rest(*number, &format!("left out: {why}"));
    }
    for skipped in &exported.skipped {
        let name = output::to_one_line(&skipped.name);
        text += &format!("  skipped    {name}: {}\n", skipped.reason);
    }
    if exported.omitted.contains_key("pending") {
        text += "next: `hardwon review-queue`\n";
    }
    text
}
