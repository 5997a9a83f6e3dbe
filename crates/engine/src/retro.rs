//! Learns from a report on work that is over: rules find its lessons, and a model may say them in other words.
//!
//! A report teaches once, with or without a model. One question is asked about all of its lessons; what the model says is
//! judged lesson by lesson in [`crate::rewording`], and the words of the rules stand wherever it is refused.

use hardwon_core::{
    Draft, GuardPolicy, LessonContent, Memo, RawText, Status, Trace, Trust, distil, guard, limits,
};
use hardwon_store::SourceProgress;

use crate::{
    Desk, LearnOutcome, ModelPart, ModelUse, PromptAnswer, Result, RunProposal, WordsRefusal,
    access::Rights,
    rewording::{admit_reworded, question},
};

/// What came of reading a report.
#[derive(Debug, Clone, PartialEq)]
pub struct ReportStudy {
    /// What it taught.
    pub learned: LearnOutcome,
    /// Whether a model was asked for words.
    pub model: ModelPart,
    /// Why words of the model were refused; those of the rules stand there.
    pub refused: Vec<WordsRefusal>,
}

/// A lesson of the rules that a model may word.
struct RuledLesson {
    /// Its episode in the proposal.
    episode: usize,
    draft: Draft,
    content: LessonContent,
}

impl Desk<'_> {
    /// Learns from a report about work that is over, unless one of the same name was learned from before: what it says
    /// may be worded differently each time. `None` if it was. With a model, its lessons are said in the model's words.
    pub fn learn_from_report(
        &self,
        trace: &Trace,
        model: Option<&ModelUse<'_>>,
    ) -> Result<Option<ReportStudy>> {
        let scope = trace.scope();
        self.check_access(Rights::Write, scope)?;
        let name = format!("report {} {}", scope.digest(), trace.run());
        let snapshot = self.snapshot()?;
        if snapshot.source_progress(&scope.tenant, &name)?.is_some() {
            return Ok(None);
        }
        drop(snapshot);
        let learner = self.learner();
        let mut proposal = learner.propose_from_run(trace, &mut Memo::default())?;
        let (model, refused) = match model {
            Some(with) => self.word_proposal(&mut proposal, trace, with)?,
            None => (ModelPart::NotAsked, Vec::new()),
        };
        // One that taught nothing may be given again with more words.
        let learned = if proposal.has_drafts() {
            let read = SourceProgress {
                position: 0,
                fingerprint: "report".to_owned(),
                state: Vec::new(),
                at: self.now(),
            };
            let sources = [(name.as_str(), &read)];
            let mut outcomes = learner.learn_proposals(&scope.tenant, &[&proposal], &sources)?;
            outcomes.pop()
        } else {
            Some(LearnOutcome::default())
        };
        Ok(learned.map(|learned| ReportStudy {
            learned,
            model,
            refused,
        }))
    }

    /// Asks a model for words, and puts those that may into the place of the rules' own.
    fn word_proposal(
        &self,
        proposal: &mut RunProposal,
        trace: &Trace,
        with: &ModelUse<'_>,
    ) -> Result<(ModelPart, Vec<WordsRefusal>)> {
        let drafts = list_ruled(proposal, &self.policy.guard);
        if drafts.is_empty() {
            return Ok((ModelPart::NotAsked, Vec::new()));
        }
        let contents: Vec<&LessonContent> = drafts.iter().map(|draft| &draft.content).collect();
        let reply = match self.ask_model(with, question::build_prompt(&contents))? {
            PromptAnswer::Answered(reply) => reply,
            PromptAnswer::Failed(why) | PromptAnswer::Away(why) => {
                return Ok((ModelPart::Away(why), Vec::new()));
            }
        };
        Ok(match question::parse_reply(&reply, drafts.len()) {
            Ok(worded) => (
                ModelPart::Asked(1),
                self.take_words(proposal, trace, &drafts, worded),
            ),
            Err(why) => (ModelPart::Away(why.to_string()), Vec::new()),
        })
    }

    fn take_words(
        &self,
        proposal: &mut RunProposal,
        trace: &Trace,
        ruled: &[RuledLesson],
        worded: Vec<question::WordedLesson>,
    ) -> Vec<WordsRefusal> {
        let mut refusals = Vec::new();
        for words in worded {
            let lesson = &ruled[words.place];
            let words: LessonContent<RawText> = words.apply_to(&lesson.draft.content);
            let is_tainted = trace.outside_words().are_in_lesson(&words);
            match admit_reworded(&lesson.draft, words, is_tainted, &self.policy.guard) {
                Ok(admitted) => {
                    proposal.episodes[lesson.episode].1 = vec![Ok(admitted)];
                }
                Err(why) => refusals.push(why),
            }
        }
        refusals
    }
}

/// Lists the lessons that the guard admitted, as many as are worded at once. What it holds for its words is shown to no
/// model.
fn list_ruled(proposal: &RunProposal, policy: &GuardPolicy) -> Vec<RuledLesson> {
    let drafts = proposal.episodes.iter().enumerate();
    let drafts = drafts.filter_map(|(index, (episode, verdicts))| {
        let [Ok(admitted)] = &verdicts[..] else {
            return None;
        };
        let draft = distil::draft_episode(episode)?;
        let draft_inside = Draft {
            trust: Trust::untainted(draft.trust.class),
            ..draft.clone()
        };
        let is_clean = matches!(
            guard::admit_draft(draft_inside, policy),
            Ok(it) if it.status == Status::Active
        );
        is_clean.then(|| RuledLesson {
            episode: index,
            draft: Draft {
                trust: admitted.trust,
                ..draft
            },
            content: admitted.content.clone(),
        })
    });
    drafts.take(limits::REVIEW_POINTS).collect()
}
