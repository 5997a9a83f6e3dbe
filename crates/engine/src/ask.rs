//! Asks a model one question now, within today's budget.
//!
//! For what a person waits for or a sweep goes on with; what can wait is in the [queue](crate::queue). What the question
//! and its answer mean is for whoever asks.

use hardwon_core::{ModelPrompt, RawText, limits, queue::day_number};

use crate::{Desk, ModelError, ModelRequest, ModelUse, Result, TokenUsage, model::estimate_tokens};

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
        let input = estimate_tokens(&prompt.system) + estimate_tokens(&prompt.user);
        let most = TokenUsage {
            input,
            output: u64::from(with.max_answer_tokens),
        };
        if !self.can_spend(with, most)? {
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
                let output = estimate_tokens(answer.text.expose());
                self.spend(with, answer.tokens.unwrap_or(TokenUsage { input, output }))?;
                Ok(PromptAnswer::Answered(answer.text))
            }
            Err(
                error @ (ModelError::TimedOut | ModelError::Failed(_) | ModelError::Refused(_)),
            ) => {
                self.spend(with, TokenUsage { input, output: 0 })?;
                Ok(PromptAnswer::Failed(clean_reason(&error.to_string())))
            }
            Err(error) => Ok(PromptAnswer::Away(clean_reason(&error.to_string()))),
        }
    }

    fn can_spend(&self, with: &ModelUse<'_>, tokens: TokenUsage) -> Result<bool> {
        let reader = self.snapshot()?;
        let cost = reader.model_cost(self.tenant(), day_number(self.now()))?;
        Ok(with
            .allowance
            .can_afford(cost.saturating_add(with.prices.cost_of(tokens))))
    }

    fn spend(&self, with: &ModelUse<'_>, tokens: TokenUsage) -> Result<()> {
        let (day, cost) = (day_number(self.now()), with.prices.cost_of(tokens));
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
