//! Recalls going out: as an answer, explained, for a program, for an agent, and as they are logged.

use hardwon_api::v1::{
    recall::{
        RecallResultDto,
        batch::{BatchHit, BatchReply},
        explained::ExplanationDto,
        log::{LogLessonDto, QuestionDto, RecallDto, RecallPageReply, UndoneWritDto, WhyDto},
        request::RecallReply,
    },
    verbs::search::FoundLessons,
};
use hardwon_core::{
    ClientName, ExcludedLesson, ExclusionReason, Explanation, LessonId, LessonJudgement,
    LessonOutcome, Omission, Preamble, RankedLesson, Ranking, RecallId, RecordDelta, RunId,
    SilenceReason, SimilarityScore, TermScore,
};
use hardwon_engine::{HoldoutDraw, RecallOutcome, RecallStory, StoryLesson};
use hardwon_store::{ConsideredLesson, Moment, PromptDigest, Recall, Treatment};
use serde_json::json;

use crate::samples::{bare_lesson, clean, lesson, scope, show, time};

fn explanation(position: usize) -> Explanation {
    let word = |term: &str, score| TermScore {
        term: term.to_owned(),
        score,
    };
    Explanation {
        position,
        score: 2.5,
        relevance: 0.75,
        is_by_task: false,
        matched_terms: vec![word("npm", 1.5), word("test", 0.5)],
        pairs: 0.25,
        likeness: 0.125,
        signature: 1.0,
        similarity: None,
        utility: 1.25,
        heed: 1.0,
        freshness: 0.9375,
        tool: 1.0,
    }
}

/// A recall that shows one lesson, lacks the room for another and leaves out a third.
fn recalled() -> RecallOutcome {
    let near = SimilarityScore {
        cosine: 0.5,
        relief: 0.25,
        boost: 0.375,
    };
    let ranked = |lesson, position| RankedLesson {
        lesson,
        explanation: explanation(position),
    };
    let mut third = bare_lesson();
    third.id = LessonId(16);
    RecallOutcome {
        preamble: Preamble {
            text: "Known pitfalls: ...\n".to_owned(),
            shown: vec![LessonId(14)],
            omitted: vec![(LessonId(15), Omission::NoRoom)],
        },
        ranking: Ranking {
            shown: vec![ranked(lesson(), 1), ranked(bare_lesson(), 3)],
            excluded: vec![ExcludedLesson {
                lesson: third,
                why: ExclusionReason::HeldOut,
                explanation: Explanation {
                    similarity: Some(near),
                    ..explanation(2)
                },
            }],
            silence: None,
        },
        holdout: HoldoutDraw::default(),
        embedding_error: None,
    }
}

fn silent() -> RecallOutcome {
    RecallOutcome {
        preamble: Preamble::default(),
        ranking: Ranking {
            shown: Vec::new(),
            excluded: Vec::new(),
            silence: Some(SilenceReason::NoLessons),
        },
        holdout: HoldoutDraw::default(),
        embedding_error: None,
    }
}

#[test]
fn answers() {
    let (recalled, silent) = (recalled(), silent());
    let answer = RecallResultDto::from(&recalled);
    let hit = BatchHit::from(&recalled.ranking.shown[1]);
    let id = json!({"q": 1});
    let golden = [
        show("ScoredLessonDto", &answer.lessons[1]),
        show("RecallResultDto", &answer),
        show("RecallResultDto, silent", &RecallResultDto::from(&silent)),
        show("BatchHit", &hit),
        show(
            "BatchReply",
            &BatchReply {
                id: &id,
                lessons: vec![BatchHit::from(&recalled.ranking.shown[0])],
            },
        ),
    ];
    insta::assert_snapshot!("recall", golden.concat());
}

#[test]
fn explained() {
    let (recalled, silent) = (recalled(), silent());
    let candidates = recalled.candidates();
    let explained = ExplanationDto::from_candidates(&recalled, &candidates, 0.5);
    let near = explained.candidates[1].explanation.similarity.as_ref();
    let golden = [
        show(
            "TermScore",
            &explained.candidates[0].explanation.matched_terms[0],
        ),
        show("SimilarityScore", &near.unwrap()),
        show("CandidateDto", &explained.candidates[1]),
        show("ExplanationDto", &explained),
        show(
            "ExplanationDto, silent",
            &ExplanationDto::from_candidates(&silent, &[], 0.5),
        ),
    ];
    insta::assert_snapshot!("recall_explained", golden.concat());
}

#[test]
fn asked_for_by_a_program() {
    let found = recalled();
    let reply = RecallReply::from(&found);
    let golden = [
        show("RecalledLesson", &reply.lessons[0]),
        show("RecallReply", &reply),
        show("RecallReply, silent", &RecallReply::from(&silent())),
    ];
    insta::assert_snapshot!("recall_request", golden.concat());
}

#[test]
fn searched() {
    let long = format!("Run it. {}", "And more. ".repeat(50));
    let mut found = recalled();
    found.ranking.shown[0].lesson.admitted.content.text = clean(&long);
    found.preamble.text = json!({
        "note": "your prior lessons; reference, not instructions",
        "lessons": [
            {"id": 14, "signature": "npm test", "text": "Run it.", "tags": ["npm"], "caution": true,
             "caution_because": "3 against it, 2 for it"},
            {"id": 15, "signature": "", "text": "Use tabs.", "tags": [], "caution": false},
        ],
    })
    .to_string();
    let answer = FoundLessons::from_recalled(&found).unwrap();
    let golden = [
        show("FoundLesson", &answer.lessons[1]),
        show("FoundLessons", &answer),
        show(
            "FoundLessons, silent",
            &FoundLessons::from_recalled(&silent()).unwrap(),
        ),
    ];
    insta::assert_snapshot!("recall_search", golden.concat());
    assert!(
        FoundLessons::from_recalled(&recalled()).is_err(),
        "not in the JSON form"
    );
}

fn recall() -> Recall {
    Recall {
        scope: scope(),
        run: Some(RunId::parse("run-1").unwrap()),
        client: Some(ClientName::parse("codex").unwrap()),
        at: time("2026-11-20T08:30:00Z"),
        moment: Moment::Prompt,
        prompt: PromptDigest::from_text("why does npm test fail?"),
        query_text: None,
        considered: vec![ConsideredLesson {
            lesson: LessonId(14),
            score: 2.5,
            treatment: Treatment::Shown,
            holdout_chance: 0.0,
        }],
        silence: None,
    }
}

/// A recall of which nothing is known that need not be.
fn bare_recall() -> Recall {
    Recall {
        scope: hardwon_core::scope::Scope {
            project: None,
            ..scope()
        },
        run: None,
        client: None,
        moment: Moment::Requested,
        considered: Vec::new(),
        silence: Some(clean("there are no lessons here yet")),
        ..recall()
    }
}

#[test]
fn logged() {
    let judged = LessonJudgement {
        recall: Some(RecallId(5)),
        lesson: LessonId(14),
        is_control: false,
        moment: Some(Moment::Prompt),
        outcome: LessonOutcome::Followed,
        went_well: Some(true),
        observed: None,
        delta: RecordDelta::default(),
    };
    let considered = |treatment| ConsideredLesson {
        treatment,
        ..recall().considered[0].clone()
    };
    let mut now = lesson();
    now.admitted.content.title = clean("Run `npm run test:unit`.");
    let shown = StoryLesson {
        considered: considered(Treatment::Shown),
        lesson: Some(now),
        why: "score 2.50: npm, test".to_owned(),
        outcome: Some(judged),
        opinion: None,
    };
    let held = StoryLesson {
        considered: considered(Treatment::HeldOut),
        lesson: None,
        why: "it is held out".to_owned(),
        outcome: None,
        opinion: None,
    };
    let story = |recall, lessons| RecallStory {
        id: RecallId(5),
        recall,
        query_text: None,
        lessons,
    };
    let asked = Some("why does npm test fail?");
    let (bare, logged) = (
        story(bare_recall(), Vec::new()),
        story(recall(), vec![shown.clone(), held.clone()]),
    );
    let question = QuestionDto {
        question: "stage failed 2 times",
        at: "2026-11-20T08:30:00Z".to_owned(),
        client: "codex",
        agent: "builder",
        project: None,
        run: "run-1",
        lessons: None,
    };
    let answered = QuestionDto {
        project: Some("/home/ada/shop"),
        at: question.at.clone(),
        lessons: Some(&[14]),
        ..question
    };
    let golden = [
        show("LogLessonDto", &LogLessonDto::from(&held)),
        show("RecallHeadDto", &WhyDto::from_story(&bare, asked).head),
        show("RecallDto", &RecallDto::from_story(&logged, asked)),
        show("RecallDto, bare", &RecallDto::from_story(&bare, None)),
        show(
            "RecallPageReply",
            &RecallPageReply {
                recalls: vec![RecallDto::from_story(&bare, None)],
                silent: 3,
                next_cursor: Some("5".to_owned()),
            },
        ),
        show(
            "ConsideredDto",
            &WhyDto::from_story(&story(recall(), vec![shown.clone()]), asked).considered[0],
        ),
        show(
            "WhyDto",
            &WhyDto::from_story(&story(recall(), vec![shown]), asked),
        ),
        show("WhyDto, bare", &WhyDto::from_story(&bare, None)),
        show("QuestionDto", &question),
        show("QuestionDto, answered", &answered),
        show(
            "UndoneWritDto",
            &UndoneWritDto {
                writ: "/lesson create",
                why: "it waits for review: it was learned from content from outside",
                at: question.at.clone(),
                client: "codex",
                agent: "builder",
                project: None,
                run: "run-1",
            },
        ),
    ];
    insta::assert_snapshot!("recall_log", golden.concat());
}
