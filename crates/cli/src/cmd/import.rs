//! `hardwon import`: files to lessons.

use std::process::ExitCode;

use hardwon_core::lesson_md::Severity;
use hardwon_engine::{Noted, files::Imported};
use serde::Serialize;

use super::lint;
use crate::{
    args::{Global, ImportArgs},
    config::Settings,
    dto::{FindingDto, LessonDto, SkippedDto},
    error::{Failure, Kind},
    open, output,
};

pub(super) fn run(global: &Global, args: &ImportArgs) -> Result<ExitCode, Failure> {
    let settings = Settings::load(global)?;
    if !args.path.exists() {
        let path = output::visible(&args.path.display().to_string());
        return Err(Failure::input(format!(
            "importing {path}: no such file or folder"
        )));
    }
    let engine = if args.dry_run {
        open::reader(&settings)?
    } else {
        open::writer(&settings)?
    };
    let imported = engine
        .acting_as(settings.person())
        .import(&args.path, args.dry_run)?;
    if imported.taken.is_empty() && imported.findings.is_empty() {
        return Err(Failure::nothing("there are no LESSON.md files there")
            .hint("a lesson's file is called after its slug, as in use-tabs.md"));
    }
    if args.json {
        output::json(&Dto::of(&imported, args.dry_run))?;
    } else {
        output::print(&told(&imported, args.dry_run))?;
    }
    let is_error = |it: &Severity| *it == Severity::Error;
    let has_errors = imported
        .findings
        .iter()
        .any(|(_, it)| is_error(&it.severity));
    let has_refused = imported.taken.iter().any(|it| it.noted.id().is_none());
    Ok(Kind::Nothing.exit_code_if(has_errors || has_refused))
}

fn told(imported: &Imported, dry_run: bool) -> String {
    let mut text = String::new();
    let (mut new, mut known, mut waiting, mut refused) = (0_u64, 0_u64, 0_u64, 0_u64);
    for taken in &imported.taken {
        let count = match &taken.noted {
            Noted::Recorded(_) => &mut new,
            Noted::Known(_) => &mut known,
            Noted::Waiting(_) => &mut waiting,
            Noted::Refused(_) => &mut refused,
        };
        *count += 1;
        let file = output::one_line(&taken.file);
        text.push_str(&format!(
            "  {:<10} {file}: {}\n",
            output::noted_word(&taken.noted),
            what(&taken.noted, dry_run)
        ));
    }
    for (file, finding) in &imported.findings {
        if finding.severity != Severity::Note {
            text.push_str(&format!("  {}\n", lint::line(file, finding)));
        }
    }
    for skipped in &imported.skipped {
        let name = output::one_line(&skipped.name);
        text.push_str(&format!("  skipped    {name}: {}\n", skipped.why));
    }
    let would = if dry_run { "would be " } else { "" };
    text.push_str(&format!(
        "{}: {} {would}recorded, {known} known, {waiting} to review, {refused} refused\n",
        output::count(imported.taken.len() as u64, "file"),
        output::count(new, "lesson"),
    ));
    if waiting > 0 && !dry_run {
        text.push_str("next: `hardwon review-queue`, then `hardwon lesson approve ID`\n");
    }
    text
}

fn what(noted: &Noted, dry_run: bool) -> String {
    match noted {
        Noted::Refused(why) => output::one_line(why),
        Noted::Recorded(lesson) | Noted::Waiting(lesson) | Noted::Known(lesson) => {
            let title = output::one_line(lesson.content.title.as_str());
            // A number that will not be the lesson's own would only mislead.
            if dry_run {
                title
            } else {
                format!("{} {title}", lesson.id)
            }
        }
    }
}

/// What became of files, as JSON shows it.
#[derive(Debug, Serialize)]
struct Dto<'a> {
    files: Vec<TakenDto<'a>>,
    findings: Vec<FindingDto<'a>>,
    skipped: Vec<SkippedDto<'a>>,
    dry_run: bool,
}

impl<'a> Dto<'a> {
    fn of(imported: &'a Imported, dry_run: bool) -> Self {
        let taken = imported.taken.iter();
        Self {
            files: taken
                .map(|it| TakenDto::of(it.file.clone(), &it.noted))
                .collect(),
            findings: imported.findings.iter().map(FindingDto::from).collect(),
            skipped: imported.skipped.iter().map(SkippedDto::from).collect(),
            dry_run,
        }
    }
}

/// What became of one file, as JSON shows it.
#[derive(Debug, Serialize)]
pub(super) struct TakenDto<'a> {
    file: String,
    became: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    lesson: Option<LessonDto<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'a str>,
}

impl<'a> TakenDto<'a> {
    pub(super) fn of(file: String, noted: &'a Noted) -> Self {
        let (lesson, why) = match noted {
            Noted::Recorded(it) | Noted::Waiting(it) | Noted::Known(it) => (Some(&**it), None),
            Noted::Refused(why) => (None, Some(why.as_str())),
        };
        Self {
            file,
            became: output::noted_word(noted),
            lesson: lesson.map(LessonDto::from),
            why,
        }
    }
}
