//! The last review before a delivery.

use hardwon_gates::json::final_review::{FinalReviewDto, TestRunDto};
use hardwon_gates::review::{DiffPlaces, parse_verdict};

use crate::samples::{show, time};

#[test]
fn final_reviews() {
    let reply = r#"{"verdict":"fixed","nonce":"n1","fixes":[{"what":"x","why":"y","anchors":["a:1","b:1"]}],"residual_risks":["z"]}"#;
    let places = DiffPlaces::from_patch("--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n+y\n");
    let mut review = parse_verdict(&reply.into(), "n1", &places).unwrap();
    review.edits = vec!["a:1".to_owned()];
    let at = time("2026-01-02T03:04:05Z");
    let mut kept = FinalReviewDto::from_review(&review, "base", ["tree", "result"], at);
    kept.tests = Some(TestRunDto {
        command: Some("npm test".to_owned()),
        status: 0,
    });
    kept.patch = Some("x.patch".to_owned());
    let skipped = FinalReviewDto::skipped("base", "tree", at);
    let shown = [
        show("FinalReviewDto", &kept),
        show("FinalReviewDto", &skipped),
    ];
    insta::assert_snapshot!("final_review", shown.concat());
    // What is kept is read again as it was.
    let text = serde_json::to_string(&kept).unwrap();
    assert_eq!(serde_json::from_str::<FinalReviewDto>(&text).unwrap(), kept);
    assert_eq!(kept.to_review().as_ref(), Some(&review));
    assert_eq!(skipped.to_review(), None);
}
