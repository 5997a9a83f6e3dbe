//! `hardwon export`: lessons to a folder of files.

use std::{collections::BTreeMap, process::ExitCode};

use hardwon_engine::files::Exported;
use serde::Serialize;

use crate::{
    args::{ExportFolderArgs, Global},
    config::Settings,
    dto::SkippedDto,
    error::Failure,
    open, output,
};

pub(super) fn run(global: &Global, args: &ExportFolderArgs) -> Result<ExitCode, Failure> {
    let settings = Settings::load(global)?;
    let engine = open::settled(&settings)?;
    let exported = engine
        .acting_as(settings.person())
        .export(&args.folder, args.all)?;
    if args.json {
        output::json(&Dto::from(&exported))?;
    } else {
        output::print(&told(&exported, args, &settings))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn told(exported: &Exported, args: &ExportFolderArgs, settings: &Settings) -> String {
    let project = settings.scope.project.as_ref();
    let whose = project.map_or("everywhere", |project| project.display_name());
    let mut text = format!(
        "wrote {} to {} ({})\n",
        output::count(exported.written.len() as u64, "lesson"),
        output::visible(&args.folder.display().to_string()),
        output::one_line(whose),
    );
    let mut rest = |number: usize, what: &str| {
        if number > 0 {
            text.push_str(&format!("  {number} {what}\n"));
        }
    };
    rest(exported.unchanged, "unchanged");
    rest(exported.archived.len(), "moved to _archive/");
    for (why, number) in &exported.left_out {
        rest(*number, &format!("left out: {why}"));
    }
    for skipped in &exported.skipped {
        let name = output::one_line(&skipped.name);
        text.push_str(&format!("  skipped    {name}: {}\n", skipped.why));
    }
    if exported.left_out.contains_key("pending") {
        text.push_str("next: `hardwon review-queue`\n");
    }
    text
}

/// What an export did, as JSON shows it.
#[derive(Debug, Serialize)]
struct Dto<'a> {
    written: Vec<&'a str>,
    unchanged: usize,
    archived: Vec<&'a str>,
    left_out: &'a BTreeMap<&'static str, usize>,
    skipped: Vec<SkippedDto<'a>>,
}

impl<'a> From<&'a Exported> for Dto<'a> {
    fn from(exported: &'a Exported) -> Self {
        Self {
            written: exported.written.iter().map(|it| it.as_str()).collect(),
            unchanged: exported.unchanged,
            archived: exported.archived.iter().map(|it| it.as_str()).collect(),
            left_out: &exported.left_out,
            skipped: exported.skipped.iter().map(SkippedDto::from).collect(),
        }
    }
}
