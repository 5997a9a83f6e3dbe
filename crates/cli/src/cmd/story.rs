//! The story of a recall, as `hardwon log` and `hardwon why` tell it: at which moment, for what, why
//! these lessons, and what followed.
//!
//! What was asked is told to the owner, and to an agent only where it asked itself. Nothing here
//! prints; the two commands choose how much of it they show.

use hardwon_core::{
    credit::{Fate, Judgement, Part},
    lesson::Lesson,
    rank::WhyNot,
    tokens::{DocTerms, QueryTerms},
};
use hardwon_engine::{Desk, Engine, Error, Reach};
use hardwon_store::{Considered, JudgementListing, Moment, Recall, RecallId, Treatment};

use crate::{config::Settings, error::Failure, output};

/// Words that a prompt and a lesson share which are named.
const WORDS: usize = 4;

/// Says when in a run a recall was made.
pub(super) fn describe_moment(moment: Moment) -> &'static str {
    match moment {
        Moment::Start => "at a session's start",
        Moment::Turn => "at a prompt",
        Moment::Call => "before a tool call",
        Moment::Failure => "at a failure",
        Moment::Asked => "on request",
    }
}

/// What is known of a recall besides itself.
pub(super) struct Story {
    /// What it was made for, on one line, where that is kept and may be read.
    pub(super) asked: Option<String>,
    /// What is said of the run that it was made in, if it was judged by now.
    judgement: Option<Judgement>,
}

impl Story {
    /// Gathers it.
    pub(super) fn gather(
        engine: &Engine,
        settings: &Settings,
        id: RecallId,
        recall: &Recall,
    ) -> Result<Self, Failure> {
        // A call that names an agent may be that agent's, who reads what was asked for its own sake.
        let reach = match settings.is_agent {
            true => Reach::Agent,
            false => Reach::Tenant,
        };
        let desk = engine.acting_as(settings.person().within(reach));
        let asked = desk.asked(id)?;
        Ok(Self {
            asked: asked.map(|it| output::one_line(it.as_str())),
            judgement: judgement(&desk, recall)?,
        })
    }

    /// Returns what became of a lesson that was shown or held back.
    pub(super) fn outcome(&self, found: &Considered) -> Option<&Part> {
        let is_meant = !matches!(found.treatment, Treatment::PassedOver { .. });
        let mut shown = self.judgement.iter().flat_map(Judgement::shown);
        shown.find(|part| is_meant && part.lesson == found.lesson)
    }

    /// Returns what a model read about a lesson.
    pub(super) fn opinion(&self, found: &Considered) -> Option<&Part> {
        let mut words = self.judgement.iter().flat_map(Judgement::words);
        words.find(|part| part.lesson == found.lesson)
    }

    /// Says why a lesson was shown, held back or passed over.
    pub(super) fn reason(
        &self,
        recall: &Recall,
        found: &Considered,
        lesson: Option<&Lesson>,
    ) -> String {
        match (&found.treatment, recall.moment) {
            (Treatment::PassedOver { why }, _) => why.to_string(),
            (Treatment::HeldBack, _) => WhyNot::HeldBack.to_string(),
            (Treatment::LeftForLater, _) => WhyNot::LeftForLater.to_string(),
            (Treatment::Shown, Moment::Start) => "it is one of this project's".to_owned(),
            (Treatment::Shown, Moment::Call) => "it names this call".to_owned(),
            (Treatment::Shown, Moment::Failure) => "it is about this failure".to_owned(),
            (Treatment::Shown, Moment::Turn | Moment::Asked) => {
                let score = format!("score {:.2}", found.score);
                match lesson.and_then(|lesson| self.name_shared_words(lesson)) {
                    Some(shared) => format!("{score}: {shared}"),
                    None => score,
                }
            }
        }
    }

    /// Returns words that what was asked shares with a lesson as it is now.
    fn name_shared_words(&self, lesson: &Lesson) -> Option<String> {
        let terms = DocTerms::of(&lesson.content, None);
        let counts = terms.counts();
        let asked = QueryTerms::of(self.asked.as_ref()?).terms;
        let shared = asked.iter().map(|(term, _)| term.as_str());
        let shared: Vec<&str> = shared
            .filter(|term| counts.contains_key(term))
            .take(WORDS)
            .collect();
        (!shared.is_empty()).then(|| shared.join(", "))
    }
}

/// Returns what is said of the run that a recall was made in, if it was judged by now.
fn judgement(desk: &Desk<'_>, recall: &Recall) -> Result<Option<Judgement>, Failure> {
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
pub(super) fn describe_outcome(part: &Part) -> String {
    let fate = match part.fate {
        _ if part.was_held => return describe_without(part.good).to_owned(),
        Fate::Followed => "it was followed",
        Fate::Contradicted => "it was followed, but its failure happened anyway",
        Fate::Ignored => "it was not followed",
        Fate::Unused => return "the run had no use for it".to_owned(),
        Fate::Untold => "it is unclear whether it was followed",
    };
    match part.good {
        Some(true) => format!("{fate}; it went well"),
        Some(false) => format!("{fate}; it went badly"),
        None => fate.to_owned(),
    }
}

fn describe_without(good: Option<bool>) -> &'static str {
    match good {
        Some(true) => "it went well without",
        Some(false) => "it went badly without",
        None => "it is unclear how it went",
    }
}

/// Says what a model read about a lesson.
pub(super) fn describe_opinion(part: &Part) -> &'static str {
    match (part.good, part.fate) {
        (Some(true), _) => "it helped",
        (Some(false), _) => "it harmed",
        (None, Fate::Followed) => "it was followed",
        (None, _) => "it was not followed",
    }
}

/// Returns a lesson, if it is still there.
pub(super) fn seen(found: hardwon_engine::Result<Lesson>) -> Result<Option<Lesson>, Failure> {
    match found {
        Ok(lesson) => Ok(Some(lesson)),
        Err(Error::Denied(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
