//! Decides whether a candidate may be shown: its state, its targets, the floor, its similarity to what is shown
//! already, and how many there are.

use jiff::Timestamp;

use super::{ExclusionReason, RankPolicy, RankedLesson, Requester, duplicates, similarity};
use crate::{
    lesson::{Lesson, Status},
    limits,
    text::CleanText,
    tokens::QueryTerms,
};

/// The request that candidates are checked against.
pub(super) struct RankGate<'a> {
    pub(super) query: &'a QueryTerms,
    pub(super) asker: &'a Requester,
    pub(super) policy: RankPolicy,
    pub(super) now: Timestamp,
}

impl RankGate<'_> {
    /// Returns why a candidate is not shown, given the better ones that are; `None` if it is shown.
    pub(super) fn exclusion_reason(
        &self,
        candidate: &RankedLesson,
        shown: &[RankedLesson],
    ) -> Option<ExclusionReason> {
        let floor = similarity::required_relevance(
            self.policy.floor,
            candidate.explanation.similarity.as_ref(),
        );
        let relevance = candidate.explanation.relevance;
        let limit = self.policy.limit.min(limits::CANDIDATES);
        if let Some(why) = inactive_reason(&candidate.lesson, self.now) {
            Some(why)
        } else if !self.is_for_requester(&candidate.lesson) {
            Some(ExclusionReason::NotTargeted)
        } else if relevance < floor {
            Some(ExclusionReason::BelowFloor { relevance, floor })
        } else if shown.len() >= limit {
            Some(ExclusionReason::OverLimit { limit })
        } else {
            let twin = shown
                .iter()
                .find(|other| duplicates::are_duplicates(candidate, other))?;
            Some(ExclusionReason::NearDuplicate { of: twin.lesson.id })
        }
    }

    /// Returns whether the requester is one of a lesson's targets and the task one of its topics; true for a lesson
    /// without targets.
    fn is_for_requester(&self, lesson: &Lesson) -> bool {
        let content = &lesson.content;
        let has_topic =
            || content.tags.is_empty() || content.tags.iter().any(|tag| self.has_tag(tag));
        content.targets.is_empty() || (self.asker.is_targeted_by(content) && has_topic())
    }

    /// Returns whether the requester names this tag, or the prompt contains its words.
    fn has_tag(&self, tag: &CleanText) -> bool {
        let is_named = |it: &String| it.eq_ignore_ascii_case(tag.as_str());
        let words = QueryTerms::from_prompt(tag.as_str()).terms;
        let is_asked =
            |(word, _): &(String, f32)| self.query.terms.iter().any(|(term, _)| term == word);
        self.asker.tags.iter().any(is_named) || (!words.is_empty() && words.iter().all(is_asked))
    }
}

/// Returns why a lesson may not be recalled at this time; `None` if it may.
fn inactive_reason(lesson: &Lesson, now: Timestamp) -> Option<ExclusionReason> {
    let state = lesson.status.name();
    match lesson.expires_at {
        _ if lesson.is_recallable(now) => None,
        Some(at) if lesson.status == Status::Active => Some(ExclusionReason::Expired { at }),
        Some(_) | None => Some(ExclusionReason::Inactive { state }),
    }
}
