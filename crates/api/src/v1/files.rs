//! Lessons as files: what was imported, exported and synced, and what is wrong with them.

use hardwon_engine::{FileFinding, Severity};
use hardwon_engine::{ImportReport, NoteOutcome, SkippedFile, SyncReport, SyncStep};
use serde::Serialize;

use super::lesson::LessonDto;

/// Something that is wrong with a file.
#[derive(Debug, Serialize)]
pub struct FindingDto<'a> {
    /// The file's name, or its path where that was asked for.
    pub file: &'a str,
    /// What it is; its keys stand beside the file.
    #[serde(flatten)]
    pub finding: &'a FileFinding,
}

impl<'a> From<&'a (String, FileFinding)> for FindingDto<'a> {
    fn from((file, finding): &'a (String, FileFinding)) -> Self {
        Self { file, finding }
    }
}

/// What is wrong with files.
#[derive(Debug, Serialize)]
pub struct LintDto<'a> {
    /// Files that were looked at.
    pub files: usize,
    /// Findings that are errors.
    pub errors: usize,
    /// Findings that are warnings.
    pub warnings: usize,
    /// The findings, by file.
    pub findings: Vec<FindingDto<'a>>,
    /// The files that were passed over.
    pub skipped: &'a [SkippedFile],
}

impl<'a> LintDto<'a> {
    /// Builds it from so many files, what was found in them, and what was passed over.
    pub fn from_findings(
        files: usize,
        findings: &'a [(String, FileFinding)],
        skipped: &'a [SkippedFile],
    ) -> Self {
        let count = |severity| {
            let severities = findings.iter().map(|(_, it)| it.severity);
            severities.filter(|other| *other == severity).count()
        };
        Self {
            files,
            errors: count(Severity::Error),
            warnings: count(Severity::Warning),
            findings: findings.iter().map(FindingDto::from).collect(),
            skipped,
        }
    }
}

/// What became of one file.
#[derive(Debug, Serialize)]
pub struct ImportedFileDto<'a> {
    /// Its name.
    pub file: String,
    /// `recorded`, `known`, `for review` or `refused`.
    pub became: &'static str,
    /// The lesson that now says it; absent if it was refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lesson: Option<LessonDto<'a>>,
    /// Why it was refused; absent if it was not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<&'a str>,
}

impl<'a> ImportedFileDto<'a> {
    /// Builds it from a file's name and what became of its lesson.
    pub fn from_outcome(file: String, noted: &'a NoteOutcome) -> Self {
        Self {
            file,
            became: outcome_word(noted),
            lesson: noted.lesson().ok().map(LessonDto::from),
            why: noted.lesson().err(),
        }
    }
}

/// Returns what became of a file's lesson, as [`ImportedFileDto::became`] has it.
pub fn outcome_word(noted: &NoteOutcome) -> &'static str {
    match noted {
        NoteOutcome::Recorded(_) => "recorded",
        NoteOutcome::AlreadyKnown(_) => "known",
        NoteOutcome::Pending(_) => "for review",
        NoteOutcome::Refused(_) => "refused",
        NoteOutcome::Logged => "logged",
    }
}

/// What became of a folder's files.
#[derive(Debug, Serialize)]
pub struct ImportDto<'a> {
    /// The files that are lessons.
    pub files: Vec<ImportedFileDto<'a>>,
    /// What is wrong with the files, those that are no lessons included.
    pub findings: Vec<FindingDto<'a>>,
    /// The files that were passed over.
    pub skipped: &'a [SkippedFile],
    /// Whether nothing was stored.
    pub dry_run: bool,
}

impl<'a> ImportDto<'a> {
    /// Builds it from what an import did, or would have done.
    pub fn from_report(imported: &'a ImportReport, dry_run: bool) -> Self {
        let files = imported.files.iter();
        Self {
            files: files
                .map(|file| ImportedFileDto::from_outcome(file.file.clone(), &file.outcome))
                .collect(),
            findings: imported.findings.iter().map(FindingDto::from).collect(),
            skipped: &imported.skipped,
            dry_run,
        }
    }
}

/// What a sync did, or would do.
#[derive(Debug, Serialize)]
pub struct SyncDto<'a> {
    /// The steps, in the order in which they were taken.
    pub steps: &'a [SyncStep],
    /// What became of the files whose words the store had not.
    pub taken: Vec<ImportedFileDto<'a>>,
    /// The files that were passed over.
    pub skipped: &'a [SkippedFile],
    /// Whether nothing was done.
    pub dry_run: bool,
}

impl<'a> SyncDto<'a> {
    /// Builds it from what a sync did, or would have done.
    pub fn from_report(synced: &'a SyncReport, dry_run: bool) -> Self {
        let outcomes = synced.file_outcomes.iter();
        let files =
            outcomes.map(|(slug, it)| ImportedFileDto::from_outcome(format!("{slug}.md"), it));
        Self {
            steps: &synced.steps,
            taken: files.collect(),
            skipped: &synced.skipped,
            dry_run,
        }
    }
}
