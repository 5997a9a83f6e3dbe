//! What a runtime is answered that reports its runs.

use std::collections::BTreeMap;

use hardwon_api::v1::{
    learn::{NoteCounts, SentRunsReply, TaughtLesson},
    lesson::published::PublishedLesson,
    observe::{NudgeDto, ObserveReply},
    outcome::RunEndReply,
    writ::{WritDto, WritsReply},
};
use hardwon_core::{LessonId, LessonJudgement, LessonOutcome, RecordDelta, writ};
use hardwon_engine::{CreditOutcome, NoteOutcome, Nudge, RunEndOutcome};

use crate::samples::{bare_lesson, show};

fn judged(id: i64, is_control: bool, outcome: LessonOutcome) -> LessonJudgement {
    LessonJudgement {
        recall: None,
        lesson: LessonId(id),
        is_control,
        moment: None,
        outcome,
        went_well: None,
        observed: None,
        delta: RecordDelta::default(),
    }
}

#[test]
fn reports() {
    let lesson = bare_lesson();
    let taught = || TaughtLesson {
        outcome: "recorded",
        lesson: PublishedLesson::from(&lesson),
    };
    let noted: NoteCounts = [NoteOutcome::Recorded(Box::new(lesson.clone()))]
        .iter()
        .collect();
    let sent = SentRunsReply {
        format: "plain-trace",
        runs: 2,
        broken_lines: 1,
        noted,
        witnessed: 3,
        asks: 0,
        skipped: BTreeMap::from([("went_well", 1)]),
        lessons: vec![taught()],
    };
    let ended = RunEndReply::from(&RunEndOutcome {
        credit: CreditOutcome {
            lessons: vec![
                judged(14, false, LessonOutcome::Followed),
                judged(15, true, LessonOutcome::NotNeeded),
            ],
            quarantined: vec![LessonId(14)],
        },
        was_judged: false,
    });
    let circle = Nudge::Loop {
        call: "npm test".to_owned(),
        text: "the same failed twice".to_owned(),
    };
    let told = ObserveReply {
        nudges: vec![NudgeDto::from(&circle)],
    };
    let spotted = writ::parse("/lesson list");
    let writs = WritsReply {
        writs: vec![WritDto::from_parsed(&spotted[0].writ)],
    };
    let golden = [
        show("SentRunsReply", &sent),
        show("TaughtLesson", &taught()),
        show("RunEndReply", &ended),
        show("CreditedLesson", &ended.lessons[0]),
        show("ObserveReply", &told),
        show("WritsReply", &writs),
    ];
    insta::assert_snapshot!("taught", golden.concat());
}
