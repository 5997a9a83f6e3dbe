//! The last review before a delivery: what came of it.

use crate::review::{FinalReview, FinalVerdict, Finding, ReviewFinding};
use hardwon_core::CleanText;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// What came of a review; the same is kept of it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FinalReviewDto {
    /// `approved`, `fixed`, `blocked`, or `skipped` where the delivery is too small for one.
    pub verdict: String,
    /// The commit at which the branch left its base.
    pub base: String,
    /// The tree that was reviewed.
    pub tree: String,
    /// The tree that may be delivered: that with the fixes in it.
    pub result: String,
    /// What was fixed.
    pub fixes: Vec<ReviewFindingDto>,
    /// What stands in the way of a delivery.
    pub blockers: Vec<ReviewFindingDto>,
    /// What is left as it is, and should be known.
    pub residual_risks: Vec<ReviewFindingDto>,
    /// Places that the reviewer named and that are not in the diff.
    pub dropped_anchors: Vec<String>,
    /// The places that the reviewer edited, in all.
    #[serde(default)]
    pub edits: Vec<String>,
    /// The run of the tests; absent if there was none.
    pub tests: Option<TestRunDto>,
    /// The commit that has the fixes, if they were committed.
    pub commit: Option<String>,
    /// The file that has what was edited, if it was not committed.
    pub patch: Option<String>,
    /// When.
    pub at: Timestamp,
}

/// One thing that a reviewer said.
pub type ReviewFindingDto = ReviewFinding<String>;

/// A run of the tests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestRunDto {
    /// The command line; earlier versions kept runs that they only heard of.
    pub command: Option<String>,
    /// The exit status; -1 if it was killed.
    pub status: i32,
}

impl FinalReviewDto {
    /// Makes one of a review of the tree `tree` that leads to `result`.
    pub fn from_review(
        review: &FinalReview,
        base: &str,
        [tree, result]: [&str; 2],
        at: Timestamp,
    ) -> Self {
        let findings = |findings: &[Finding]| {
            let findings = findings.iter();
            findings.map(|said| said.map(ToString::to_string)).collect()
        };
        Self {
            verdict: review.verdict.name().to_owned(),
            base: base.to_owned(),
            tree: tree.to_owned(),
            result: result.to_owned(),
            fixes: findings(&review.fixes),
            blockers: findings(&review.blockers),
            residual_risks: findings(&review.risks),
            dropped_anchors: review.dropped_anchors.clone(),
            edits: review.edits.clone(),
            at,
            ..Self::default()
        }
    }

    /// Makes one of a delivery that is too small for a review.
    pub fn skipped(base: &str, tree: &str, at: Timestamp) -> Self {
        Self {
            verdict: "skipped".to_owned(),
            base: base.to_owned(),
            tree: tree.to_owned(),
            result: tree.to_owned(),
            at,
            ..Self::default()
        }
    }

    /// Returns the review; `None` if there was none.
    pub fn to_review(&self) -> Option<FinalReview> {
        let findings = |findings: &[ReviewFindingDto]| {
            let clean = |text: &String| CleanText::from_stored(text.clone());
            findings.iter().map(|said| said.map(clean)).collect()
        };
        Some(FinalReview {
            verdict: FinalVerdict::from_name(&self.verdict)?,
            fixes: findings(&self.fixes),
            blockers: findings(&self.blockers),
            risks: findings(&self.residual_risks),
            dropped_anchors: self.dropped_anchors.clone(),
            edits: self.edits.clone(),
        })
    }
}
