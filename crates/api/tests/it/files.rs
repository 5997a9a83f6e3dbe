//! Lessons as files: findings, imports, exports and syncs.

use std::collections::BTreeMap;

use hardwon_api::v1::files::{FindingDto, ImportDto, ImportedFileDto, LintDto, SyncDto};
use hardwon_core::{LessonId, Slug};
use hardwon_engine::{
    ExportReport, FileImport, ImportReport, NoteOutcome, SkippedFile, SyncAction, SyncReport,
    SyncStep,
};
use hardwon_engine::{FileFinding, FindingCode, Severity};

use crate::samples::{bare_lesson, show};

fn findings() -> Vec<(String, FileFinding)> {
    let finding = |severity, field: &str| FileFinding {
        code: FindingCode::LessonInvalid,
        severity,
        line: 3,
        field: field.to_owned(),
        message: "it is too long".to_owned(),
    };
    let severities = [
        (Severity::Error, "title"),
        (Severity::Warning, ""),
        (Severity::Note, ""),
    ];
    let findings = severities.map(|(severity, field)| finding(severity, field));
    findings.map(|it| ("use-tabs.md".to_owned(), it)).into()
}

fn skipped() -> Vec<SkippedFile> {
    vec![SkippedFile {
        name: "link.md".to_owned(),
        reason: "it is a link".into(),
    }]
}

fn recorded() -> NoteOutcome {
    NoteOutcome::Recorded(Box::new(bare_lesson()))
}

fn refused() -> NoteOutcome {
    NoteOutcome::Refused("it is empty".to_owned())
}

#[test]
fn folders() {
    let (findings, skipped) = (findings(), skipped());
    let imported = ImportReport {
        files: vec![
            FileImport {
                file: "use-tabs.md".to_owned(),
                outcome: recorded(),
            },
            FileImport {
                file: "empty.md".to_owned(),
                outcome: refused(),
            },
        ],
        findings: findings.clone(),
        skipped: skipped.clone(),
    };
    let exported = ExportReport {
        written: vec![Slug::parse("use-tabs").unwrap()],
        unchanged: 2,
        archived: vec![Slug::parse("use-spaces").unwrap()],
        removed: Vec::new(),
        omitted: BTreeMap::from([("pending", 3)]),
        skipped: skipped.clone(),
    };
    let (known, waiting) = (Box::new(bare_lesson()), Box::new(bare_lesson()));
    let words = [
        NoteOutcome::AlreadyKnown(known),
        NoteOutcome::Pending(waiting),
    ]
    .map(|noted| {
        ImportedFileDto::from_outcome(String::new(), &noted)
            .became
            .to_owned()
    });
    let golden = [
        show("FindingDto", &FindingDto::from(&findings[1])),
        show("LintDto", &LintDto::from_findings(4, &findings, &skipped)),
        show(
            "ImportedFileDto",
            &ImportedFileDto::from_outcome("empty.md".to_owned(), &refused()),
        ),
        show("words", &words),
        show("ImportDto", &ImportDto::from_report(&imported, true)),
        show("ExportReport", &exported),
    ];
    insta::assert_snapshot!("files", golden.concat());
}

#[test]
fn syncs() {
    let slug = || Slug::parse("use-tabs").unwrap();
    let step = |action, lesson: Option<i64>| SyncStep {
        action,
        from: None,
        slug: slug(),
        lesson: lesson.map(LessonId),
        reason: None,
    };
    let steps = vec![
        SyncStep {
            reason: Some("two files have one name"),
            ..step(SyncAction::Report, None)
        },
        SyncStep {
            from: Slug::parse("use-spaces"),
            ..step(SyncAction::Rename, Some(14))
        },
        step(SyncAction::Forget, None),
        step(SyncAction::Agree, Some(14)),
        step(SyncAction::ArchiveFile, None),
        step(SyncAction::RemoveFile, None),
        step(SyncAction::TakeWords, None),
        step(SyncAction::RestoreLesson, Some(14)),
        step(SyncAction::ArchiveLesson, Some(14)),
        step(SyncAction::Conflict, Some(14)),
        step(SyncAction::WriteFile, Some(14)),
    ];
    let synced = SyncReport {
        steps,
        file_outcomes: vec![(slug(), refused())],
        skipped: skipped(),
    };
    let golden = [
        show("SyncStep", &synced.steps[1]),
        show("SyncDto", &SyncDto::from_report(&synced, false)),
    ];
    insta::assert_snapshot!("sync", golden.concat());
}
