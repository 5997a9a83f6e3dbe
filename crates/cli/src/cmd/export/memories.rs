//! Writing lessons as another program keeps such things: a file each, in a folder that may hold others.
//!
//! Only files that say that they are ours are written over. In Claude Code's `MEMORY.md` lines are added, and none changes.

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
    process::ExitCode,
};

use hardwon_api::v1::files::{MemoryExportDto, PassedOverDto};
use hardwon_clients::memories::export::{
    ExportFormat, is_own_file, render_contents_line, render_file,
};
use hardwon_core::lesson::{Lesson, Slug};
use hardwon_engine::regular_file;
use hardwon_repo::replace_whole;

use crate::{
    args::ExportFolderArgs,
    config::Settings,
    error::{CliError, ExitReason},
    open, output,
};

/// The table of contents of Claude Code's memory.
const CONTENTS_FILE: &str = "MEMORY.md";

/// What became of files.
#[derive(Default)]
struct MemoryExport {
    written: Vec<String>,
    unchanged: usize,
    kept: Vec<String>,
    tainted: usize,
}

pub(super) fn export_memories(
    settings: &Settings,
    args: &ExportFolderArgs,
    format: ExportFormat,
) -> Result<ExitCode, CliError> {
    let engine = open::open_reader(settings)?;
    let mut lessons = engine
        .acting_as(settings.person())
        .find_placeable()?
        .lessons;
    let all = lessons.len();
    // Others read the folder, and content from outside had a part in these.
    lessons.retain(|it| !it.trust.tainted);
    let mut export = MemoryExport {
        tainted: all - lessons.len(),
        ..MemoryExport::default()
    };
    fs::create_dir_all(&args.folder).map_err(|error| writing_error(&args.folder, &error))?;
    let mut contents = Vec::new();
    for (name, lesson) in name_files(&lessons, format) {
        let file = format!("{name}.{}", format.extension());
        export.write_file(
            &args.folder,
            &file,
            &render_file(format, name.as_str(), lesson),
        )?;
        contents.push((file, lesson));
    }
    if format == ExportFormat::Claude {
        export.add_contents(&args.folder, &contents)?;
    }
    match args.json {
        true => output::print_json(&export.to_dto(format))?,
        false => output::print(&export.render(format, &args.folder))?,
    }
    Ok(ExitReason::Negative.exit_code_if(!export.kept.is_empty()))
}

/// Gives each lesson a name of its own, which every system can have.
fn name_files(lessons: &[Lesson], format: ExportFormat) -> Vec<(Slug, &Lesson)> {
    let mut taken = BTreeSet::new();
    if format == ExportFormat::Claude {
        // Where a system does not tell capitals apart, that is the table of contents.
        let stem = CONTENTS_FILE.trim_end_matches(".md").to_lowercase();
        taken.extend(Slug::parse(&stem));
    }
    let named = lessons.iter().map(|lesson| {
        let slug = lesson.slug.avoid_device_name();
        let numbered = (2..).map(|number| slug.with_number(number));
        let mut names = std::iter::once(slug.clone()).chain(numbered);
        let name = names.find(|it| taken.insert(it.clone()));
        (name.expect("there are more numbers than lessons"), lesson)
    });
    named.collect()
}

impl MemoryExport {
    fn write_file(&mut self, folder: &Path, name: &str, text: &str) -> Result<(), CliError> {
        let path = folder.join(name);
        match read_there(&path)? {
            Some(there) if there == text => self.unchanged += 1,
            Some(there) if !is_own_file(&there) => self.kept.push(name.to_owned()),
            _ => {
                replace_whole(&path, text.as_bytes())
                    .map_err(|error| writing_error(&path, &error))?;
                self.written.push(name.to_owned());
            }
        }
        Ok(())
    }

    /// Adds lines to the table of contents for the files that it does not lead to yet.
    fn add_contents(&mut self, folder: &Path, files: &[(String, &Lesson)]) -> Result<(), CliError> {
        let path = folder.join(CONTENTS_FILE);
        let there = read_there(&path)?.unwrap_or_default();
        let is_new = |file: &str| {
            !there.contains(&format!("]({file})")) && !self.kept.iter().any(|it| it == file)
        };
        let lines: String = files
            .iter()
            .filter(|(file, _)| is_new(file))
            .map(|(file, lesson)| render_contents_line(file, lesson))
            .collect();
        if lines.is_empty() {
            return Ok(());
        }
        let gap = if there.is_empty() || there.ends_with('\n') {
            ""
        } else {
            "\n"
        };
        let text = format!("{there}{gap}{lines}");
        replace_whole(&path, text.as_bytes()).map_err(|error| writing_error(&path, &error))?;
        self.written.push(CONTENTS_FILE.to_owned());
        Ok(())
    }

    fn render(&self, format: ExportFormat, folder: &Path) -> String {
        let mut text = format!(
            "wrote {} to {} as `{}`\n",
            output::pluralize(self.written.len() as u64, "file"),
            output::replace_controls(&folder.display().to_string()),
            format.name()
        );
        if self.unchanged > 0 {
            text.push_str(&format!("  {} unchanged\n", self.unchanged));
        }
        if self.tainted > 0 {
            text.push_str(&format!("  {} left out: tainted\n", self.tainted));
        }
        for name in &self.kept {
            let name = output::to_one_line(name);
            text.push_str(&format!("  kept       {name}: {NOT_OURS}\n"));
        }
        text
    }

    fn to_dto(&self, format: ExportFormat) -> MemoryExportDto<'_> {
        let kept = self.kept.iter().map(|file| PassedOverDto {
            file,
            why: NOT_OURS,
            is_trouble: true,
        });
        MemoryExportDto {
            format: format.name(),
            written: self.written.iter().map(String::as_str).collect(),
            unchanged: self.unchanged,
            tainted: self.tainted,
            kept: kept.collect(),
        }
    }
}

const NOT_OURS: &str = "it is there already, and not of hardwon's making";

/// Reads a file that is to be written; a link is not followed.
fn read_there(path: &PathBuf) -> Result<Option<String>, CliError> {
    let reading =
        |error: io::Error| CliError::bad_input(format!("reading {}: {error}", path.display()));
    match fs::symlink_metadata(path) {
        Ok(about) if about.is_symlink() => Err(reading(io::Error::other("a link is not followed"))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        _ => regular_file::read_to_string(path)
            .map(Some)
            .map_err(reading),
    }
}

fn writing_error(path: &Path, error: &io::Error) -> CliError {
    CliError::bad_input(format!("writing {}: {error}", path.display()))
}
