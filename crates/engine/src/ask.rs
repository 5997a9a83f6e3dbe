//! Asks a model one question now, within today's budget.
//!
//! For what a person waits for or a sweep goes on with; what can wait is in the [queue](crate::queue). What the question
//! and its answer mean is for whoever asks.

use hardwon_core::{ModelCost, ModelPrompt, RawText, limits, queue::day_number};

use crate::{Desk, ModelError, ModelRequest, ModelUse, Result, model::estimate_tokens};

/// What came of a question.
pub(crate) enum PromptAnswer {
    /// What the model answered; text from outside.
    Answered(RawText),
    /// It gave no answer to this question.
    Failed(String),
    /// It cannot be asked at present.
    Away(String),
}

impl Desk<'_> {
    /// Asks a model for a JSON object, and notes what it cost.
    pub(crate) fn ask_model(
        &self,
        with: &ModelUse<'_>,
        prompt: ModelPrompt,
    ) -> Result<PromptAnswer> {
        let question = estimate_tokens(&prompt.system) + estimate_tokens(&prompt.user);
        if !self.can_spend(with, question + u64::from(with.max_answer_tokens))? {
            let reason = "another call would exceed today's budget".to_owned();
            return Ok(PromptAnswer::Away(reason));
        }
        let answer = with.model.complete(&ModelRequest {
            prompt,
            wants_json: true,
            max_answer_tokens: with.max_answer_tokens,
        });
        match answer {
            Ok(answer) => {
                let estimate = || question + estimate_tokens(answer.text.expose());
                self.spend(answer.tokens.unwrap_or_else(estimate))?;
                Ok(PromptAnswer::Answered(answer.text))
            }
            Err(
                error @ (ModelError::TimedOut | ModelError::Failed(_) | ModelError::Refused(_)),
            ) => {
                self.spend(question)?;
                Ok(PromptAnswer::Failed(clean_reason(&error.to_string())))
            }
            Err(error) => Ok(PromptAnswer::Away(clean_reason(&error.to_string()))),
        }
    }

    fn can_spend(&self, with: &ModelUse<'_>, tokens: u64) -> Result<bool> {
        let reader = self.snapshot()?;
        let cost = reader.model_cost(self.tenant(), day_number(self.now()))?;
        let cost = cost.saturating_add(ModelCost::of_call(tokens));
        Ok(cost.is_within(with.tokens_per_day))
    }

    fn spend(&self, tokens: u64) -> Result<()> {
        let (day, cost) = (day_number(self.now()), ModelCost::of_call(tokens));
        self.commit(|tx| {
            let cost_before = tx.reader().model_cost(self.tenant(), day)?;
            Ok(tx.set_model_cost(day, cost_before.saturating_add(cost))?)
        })
    }
}

/// Cleans a reason that others gave.
pub(crate) fn clean_reason(why: &str) -> String {
    hardwon_redact::clean_to_chars(&RawText::from(why), limits::REASON_CHARS).to_string()
}
