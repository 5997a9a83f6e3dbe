//! What is taken in: what must be there. What came back of a person's hands, or of a newer version, may have more in it.

use hardwon_gates::json::{
    final_review::{FinalReviewDto, ReviewFindingDto, TestRunDto},
    place::PlacePlanRequest,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

fn reads<T: DeserializeOwned>(value: &Value) -> bool {
    serde_json::from_value::<T>(value.clone()).is_ok()
}

/// Takes the least that is read, and a key more.
#[track_caller]
fn check<T: DeserializeOwned>(least: &Value) {
    assert!(reads::<T>(least), "{least}");
    for key in least.as_object().unwrap().keys() {
        let mut less = least.clone();
        less.as_object_mut().unwrap().remove(key);
        assert!(!reads::<T>(&less), "{least} without {key}");
    }
    let mut more = least.clone();
    more["unheard_of"] = json!(1);
    assert!(reads::<T>(&more), "{more}");
}

#[test]
fn a_plan_that_comes_back_may_have_more_in_it() {
    check::<PlacePlanRequest>(&json!({"kind": "place", "id": "a", "basis": "b"}));
}

#[test]
fn what_is_kept_of_a_review_may_have_more_in_it() {
    let finding = json!({"what": "the lock is held across an await", "anchors": ["src/db.rs:7"]});
    check::<ReviewFindingDto>(&finding);
    check::<TestRunDto>(&json!({"status": 0}));
    let review = json!({
        "verdict": "fixed", "base": "a", "tree": "b", "result": "c", "fixes": [finding], "blockers": [],
        "residual_risks": [], "dropped_anchors": [], "at": "2026-11-20T03:30:00Z",
    });
    check::<FinalReviewDto>(&review);
}
