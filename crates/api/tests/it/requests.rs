//! What is taken in: what must be there, what may be absent, and what becomes of keys that are not
//! known.

use hardwon_api::v1::{
    delivery::{DeliveryBody, DeliveryItem, DeliveryKind, DeliveryReply, RefusedItem},
    lesson::{
        new::{AddReference, AddRequest},
        published::{LessonPatch, LessonProposal},
    },
    observe::ObserveBody,
    outcome::{RunEndBody, RunEndStatus},
    recall::{batch::BatchRequest, request::RecallBody},
    review::{ApprovalBody, RejectionBody},
    sweep::{
        MergedWordsDto, RefusedMergeDto, SweepItemDto, SweepPlanDto, SweepScopeDto,
        served::SweepBody,
    },
    text::TextSample,
    verbs::{
        feedback::{FeedbackRequest, FeedbackVerdict},
        forget::ForgetRequest,
        get::GetRequest,
        list::{ListRequest, StatusFilter},
        record::RecordRequest,
        search::{FoundLesson, FoundLessons, SearchRequest},
    },
    writ::WritBody,
};
use hardwon_core::{LessonContent, RawText};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

fn reads<T: DeserializeOwned>(value: &Value) -> bool {
    serde_json::from_value::<T>(value.clone()).is_ok()
}

/// Takes the least that is read, and says whether a key that is not known is passed over.
#[track_caller]
fn check<T: DeserializeOwned>(least: &Value, passes_over: bool) {
    assert!(reads::<T>(least), "{least}");
    for key in least.as_object().unwrap().keys() {
        let mut less = least.clone();
        less.as_object_mut().unwrap().remove(key);
        assert!(!reads::<T>(&less), "{least} without {key}");
    }
    let mut more = least.clone();
    more["unheard_of"] = json!(1);
    assert_eq!(reads::<T>(&more), passes_over, "{more}");
}

#[test]
fn a_plan_that_comes_back_may_have_more_in_it() {
    let words = json!({"text": "Treat time as a dependency."});
    check::<MergedWordsDto>(&words, true);
    let refused = json!({"members": [1, 2], "why": "they differ"});
    check::<RefusedMergeDto>(&refused, true);
    check::<SweepScopeDto>(&json!({}), true);
    let items = [
        json!({"do": "merge", "members": [1, 2], "lesson": words}),
        json!({"do": "absorb", "survivor": 1, "members": [2]}),
        json!({"do": "supersede", "old": 1, "by": 2, "why": ""}),
        json!({"do": "hold", "lesson": 1, "why": ""}),
        json!({"do": "archive", "lesson": 1, "why": ""}),
    ];
    for item in &items {
        check::<SweepItemDto>(item, true);
    }
    let plan = json!({
        "kind": "sweep", "id": "", "basis": "", "made_at": "2026-11-20T03:30:00Z", "items": items,
    });
    check::<SweepPlanDto>(&plan, true);
    check::<SweepBody>(&json!({}), true);
}

#[test]
fn what_a_server_and_its_hooks_tell_each_other_may_have_more_in_it() {
    let trace = json!({"kind": "trace", "trace": ""});
    check::<DeliveryKind>(&trace, true);
    let item = json!({"id": "a", "run": "r", "kind": "trace", "trace": ""});
    check::<DeliveryItem>(&item, true);
    check::<DeliveryBody>(&json!({"items": [item]}), true);
    let refused = json!({"id": "a", "why": ""});
    check::<RefusedItem>(&refused, true);
    check::<DeliveryReply>(
        &json!({"counted": 0, "known": 0, "refused": [refused]}),
        true,
    );
}

#[test]
fn the_least_and_what_is_not_known() {
    // Lines of programs, which may have more to say than we read.
    check::<TextSample>(&json!({"id": null, "text": ""}), true);
    check::<BatchRequest>(&json!({"id": 1, "prompt": ""}), true);
    check::<AddRequest>(&json!({"text": ""}), true);
    check::<AddReference>(&json!({}), true);
    check::<ApprovalBody>(&json!({}), true);
    check::<RejectionBody>(&json!({}), true);
    check::<RecallBody>(&json!({"prompt": ""}), true);
    check::<LessonProposal>(&json!({}), true);
    check::<LessonPatch>(&json!({}), true);
    // The arguments of a model, which is to hear that it got one wrong.
    check::<SearchRequest>(&json!({"query": ""}), false);
    check::<GetRequest>(&json!({"id": 14}), false);
    check::<RecordRequest>(&json!({"text": ""}), false);
    check::<FeedbackRequest>(&json!({"id": 14, "verdict": "helped"}), false);
    check::<ListRequest>(&json!({}), false);
    check::<ForgetRequest>(&json!({"id": 14, "why": ""}), false);
    // What runtimes report, which may have more to say than we read.
    check::<ObserveBody>(&json!({"session": "r1", "events": []}), true);
    check::<RunEndBody>(&json!({"run": "r1", "status": "completed"}), true);
    check::<WritBody>(&json!({"text": ""}), true);
    for (name, expected) in [("aborted", true), ("failed", true), ("Failed", false)] {
        assert_eq!(reads::<RunEndStatus>(&json!(name)), expected, "{name}");
    }
    // What a preamble in the JSON form says, which may grow.
    let hit = json!({"id": 14, "signature": "", "text": "", "tags": [], "caution": false});
    check::<FoundLesson>(&hit, true);
    check::<FoundLessons>(&json!({"note": "", "lessons": [hit]}), true);
}

#[test]
fn what_is_absent_has_a_value() {
    let search: SearchRequest = serde_json::from_value(json!({"query": "q"})).unwrap();
    assert_eq!(
        (search.limit, search.operator.as_str(), search.skills.len()),
        (3, "", 0)
    );
    let list: ListRequest = serde_json::from_value(json!({})).unwrap();
    assert!(matches!(list.status, StatusFilter::Active) && list.limit == 20 && list.before == 0);
    let question: BatchRequest =
        serde_json::from_value(json!({"id": 1, "prompt": "", "k": null})).unwrap();
    assert_eq!(question.k, None);
}

#[test]
fn words_of_a_model() {
    for verdict in ["followed", "helped", "wrong", "stale"] {
        assert!(reads::<FeedbackVerdict>(&json!(verdict)), "{verdict}");
    }
    for status in ["active", "pending", "quarantined", "superseded", "archived"] {
        assert!(reads::<StatusFilter>(&json!(status)), "{status}");
    }
    for other in ["Helped", "good", "", "erased"] {
        assert!(!reads::<FeedbackVerdict>(&json!(other)) && !reads::<StatusFilter>(&json!(other)));
    }
}

#[test]
fn a_lesson_comes_in_as_it_is_meant() {
    let tags = || vec![RawText::from("npm")];
    let line = json!({"ref": "T-1", "signature": "npm test", "text": "Run it.", "tags": ["npm"]});
    let line: AddRequest = serde_json::from_value(line).unwrap();
    let expected = LessonContent::<RawText> {
        tags: tags(),
        reference: Some("T-1".into()),
        ..LessonContent::new("npm test", "Run it.")
    };
    assert_eq!(LessonContent::from(line), expected);
    let record = json!({
        "text": "Run it.", "signature": "npm test", "situation": " ", "mistake": "it was not run",
        "tags": ["npm"], "tools": ["Bash"], "ref": "",
    });
    let record: RecordRequest = serde_json::from_value(record).unwrap();
    let expected = LessonContent::<RawText> {
        mistake: Some("it was not run".into()),
        tags: tags(),
        tools: vec!["Bash".into()],
        ..LessonContent::new("npm test", "Run it.")
    };
    assert_eq!(
        LessonContent::from(record),
        expected,
        "what is blank was not given"
    );
}
