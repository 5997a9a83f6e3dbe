//! The story of a recall, as `hardwon log` and `hardwon why` tell it: at which moment, for what, why
//! these lessons, and what followed.
//!
//! What was asked is told to the owner, and to an agent only where it asked itself. Nothing here
//! prints; the two commands choose how much of it they show.

use hardwon_core::{
    credit::{Judgement, LessonJudgement, LessonOutcome},
    lesson::Lesson,
    rank::ExclusionReason,
    tokens::{DocTerms, QueryTerms},
};
use hardwon_engine::{Desk, Engine, Visibility};
use hardwon_store::{ConsideredLesson, JudgementListing, Moment, Recall, RecallId, Treatment};

use crate::{config::Settings, error::CliError, output};

/// Words that a prompt and a lesson share which are named.
const MAX_TERMS: usize = 4;

/// Says when in a run a recall was made.
pub(super) fn describe_moment(moment: Moment) -> &'static str {
    match moment {
        Moment::SessionStart => "at a session's start",
        Moment::Prompt => "at a prompt",
        Moment::BeforeCall => "before a tool call",
        Moment::Failure => "at a failure",
        Moment::Requested => "on request",
    }
}

/// What is known of a recall besides itself.
pub(super) struct RecallStory {
    /// What it was made for, on one line, where that is kept and may be read.
    pub(super) query_text: Option<String>,
    /// What is said of the run that it was made in, if it was judged by now.
    judgement: Option<Judgement>,
}

impl RecallStory {
    /// Gathers it.
    pub(super) fn gather(
        engine: &Engine,
        settings: &Settings,
        id: RecallId,
        recall: &Recall,
    ) -> Result<Self, CliError> {
        // A call that names an agent may be that agent's, who reads what was asked for its own sake.
        let reach = match settings.is_agent_named {
            true => Visibility::Agent,
            false => Visibility::Tenant,
        };
        let desk = engine.acting_as(settings.person().restrict_to(reach));
        let asked = desk.query_text(id)?;
        Ok(Self {
            query_text: asked.map(|it| output::to_one_line(it.as_str())),
            judgement: find_judgement(&desk, recall)?,
        })
    }

    /// Returns what became of a lesson that was shown or held back.
    pub(super) fn outcome(&self, found: &ConsideredLesson) -> Option<&LessonJudgement> {
        let is_meant = !matches!(found.treatment, Treatment::Excluded { .. });
        let mut shown = self.judgement.iter().flat_map(Judgement::recalled_lessons);
        shown.find(|part| is_meant && part.lesson == found.lesson)
    }

    /// Returns what a model read about a lesson.
    pub(super) fn opinion(&self, found: &ConsideredLesson) -> Option<&LessonJudgement> {
        let mut words = self.judgement.iter().flat_map(Judgement::feedback);
        words.find(|part| part.lesson == found.lesson)
    }

    /// Says why a lesson was shown, held back or passed over.
    pub(super) fn describe_reason(
        &self,
        recall: &Recall,
        found: &ConsideredLesson,
        lesson: Option<&Lesson>,
    ) -> String {
        match (&found.treatment, recall.moment) {
            (Treatment::Excluded { why }, _) => why.to_string(),
            (Treatment::HeldOut, _) => ExclusionReason::HeldOut.to_string(),
            (Treatment::Deferred, _) => ExclusionReason::Deferred.to_string(),
            (Treatment::Shown, Moment::SessionStart) => "it is one of this project's".to_owned(),
            (Treatment::Shown, Moment::BeforeCall) => "it names this call".to_owned(),
            (Treatment::Shown, Moment::Failure) => "it is about this failure".to_owned(),
            (Treatment::Shown, Moment::Prompt | Moment::Requested) => {
                let score = format!("score {:.2}", found.score);
                match lesson.and_then(|lesson| self.list_shared_terms(lesson)) {
                    Some(shared) => format!("{score}: {shared}"),
                    None => score,
                }
            }
        }
    }

    /// Returns words that what was asked shares with a lesson as it is now.
    fn list_shared_terms(&self, lesson: &Lesson) -> Option<String> {
        let terms = DocTerms::from_content(&lesson.content, None);
        let counts = terms.term_counts();
        let asked = QueryTerms::from_prompt(self.query_text.as_ref()?).terms;
        let shared = asked.iter().map(|(term, _)| term.as_str());
        let shared: Vec<&str> = shared
            .filter(|term| counts.contains_key(term))
            .take(MAX_TERMS)
            .collect();
        (!shared.is_empty()).then(|| shared.join(", "))
    }
}

/// Returns what is said of the run that a recall was made in, if it was judged by now.
fn find_judgement(desk: &Desk<'_>, recall: &Recall) -> Result<Option<Judgement>, CliError> {
    let Some(run) = &recall.run else {
        return Ok(None);
    };
    let listing = JudgementListing {
        run: Some(run.clone()),
        limit: 1,
        ..JudgementListing::default()
    };
    let found = desk.judgements(&listing)?;
    Ok(found.into_iter().next().map(|(_, judged)| judged.judgement))
}

/// Says what became of a lesson, and how it went.
pub(super) fn describe_outcome(part: &LessonJudgement) -> String {
    let fate = match part.outcome {
        _ if part.is_control => return describe_control(part.went_well).to_owned(),
        LessonOutcome::Followed => "it was followed",
        LessonOutcome::Contradicted => "it was followed, but its failure happened anyway",
        LessonOutcome::Ignored => "it was not followed",
        LessonOutcome::Unused => return "the run had no use for it".to_owned(),
        LessonOutcome::Unclear => "it is unclear whether it was followed",
    };
    match part.went_well {
        Some(true) => format!("{fate}; it went well"),
        Some(false) => format!("{fate}; it went badly"),
        None => fate.to_owned(),
    }
}

fn describe_control(good: Option<bool>) -> &'static str {
    match good {
        Some(true) => "it went well without",
        Some(false) => "it went badly without",
        None => "it is unclear how it went",
    }
}

/// Says what a model read about a lesson.
pub(super) fn describe_opinion(part: &LessonJudgement) -> &'static str {
    match (part.went_well, part.outcome) {
        (Some(true), _) => "it helped",
        (Some(false), _) => "it harmed",
        (None, LessonOutcome::Followed) => "it was followed",
        (None, _) => "it was not followed",
    }
}
