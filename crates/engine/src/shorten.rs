//! Says a long entry of a memory in fewer words, if a model finds some that may stand for it.

use hardwon_core::{
    distil::shortening,
    lesson::Draft,
    limits,
    text::{CleanText, RawText},
};

use crate::{
    Desk, Result,
    ask::PromptAnswer,
    model::ModelUse,
    rewording::{WordsRefusal, admit_shorter},
};

/// What came of asking for fewer words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ShorterWords {
    /// Words that may take the place of the entry's.
    Found(CleanText),
    /// The model gave no words that may, for this reason.
    Refused(String),
    /// The model cannot be asked at present, for this reason.
    Away(String),
}

impl Desk<'_> {
    /// Asks a model to say an entry in fewer words. Its text is redacted before it is sent.
    pub fn shorten_entry(&self, entry: &Draft, with: &ModelUse<'_>) -> Result<ShorterWords> {
        let text = hardwon_redact::clean_to_chars(&entry.content.text, limits::TEXT_CHARS);
        let reply = match self.ask_model(with, shortening::build_prompt(&text))? {
            PromptAnswer::Answered(reply) => reply,
            PromptAnswer::Failed(why) | PromptAnswer::Away(why) => {
                return Ok(ShorterWords::Away(why));
            }
        };
        let words = match shortening::parse_reply(&reply) {
            Ok(words) => words,
            Err(why) => return Ok(ShorterWords::Refused(why.to_string())),
        };
        Ok(match self.admit_shorter(entry, words) {
            Ok(words) => ShorterWords::Found(words),
            Err(why) => ShorterWords::Refused(why.to_string()),
        })
    }

    /// Checks that words may take the place of an entry's.
    pub fn admit_shorter(
        &self,
        entry: &Draft,
        words: RawText,
    ) -> std::result::Result<CleanText, WordsRefusal> {
        admit_shorter(entry, words, &self.policy.guard)
    }
}
