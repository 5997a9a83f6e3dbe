//! What transcripts taught.

use std::collections::BTreeMap;

use hardwon_api::v1::{
    learn::{LearnSummaryDto, LearnedLessonDto, NoteCounts, ReportDto},
    lesson::LessonDto,
};
use hardwon_engine::NoteOutcome;

use crate::samples::{bare_lesson, show};

#[test]
fn learned() {
    let lesson = bare_lesson();
    let line = LearnedLessonDto {
        file: "/home/ada/session.jsonl".into(),
        became: "learned",
        lesson: LessonDto::from(&lesson),
    };
    let boxed = || Box::new(lesson.clone());
    let noted = [
        NoteOutcome::Recorded(boxed()),
        NoteOutcome::AlreadyKnown(boxed()),
        NoteOutcome::AlreadyKnown(boxed()),
        NoteOutcome::Pending(boxed()),
        NoteOutcome::Refused("it is empty".to_owned()),
        NoteOutcome::Logged,
    ];
    let counts: NoteCounts = noted.iter().collect();
    let report = LearnSummaryDto {
        files: 1,
        unchanged: 2,
        not_transcripts: 3,
        unreadable: vec!["reading x: no such file".to_owned()],
        runs: 4,
        broken_lines: 5,
        noted: counts,
        witnessed: 6,
        asks: 7,
        skipped: BTreeMap::from([("went_well", 8), ("flaky", 9)]),
        dry_run: true,
    };
    let told = ReportDto {
        kind: "review",
        run: "retro-review-0123456789abcdef",
        became: "learned",
        noted: counts,
        lessons: vec![LessonDto::from(&lesson)],
        dry_run: false,
    };
    let golden = [
        show("LearnedLessonDto", &line),
        show("ReportDto", &told),
        show("NoteCounts", &counts),
        show("LearnSummaryDto", &report),
        show("LearnSummaryDto, nothing", &LearnSummaryDto::default()),
    ];
    insta::assert_snapshot!("learn", golden.concat());
}
