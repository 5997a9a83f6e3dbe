//! Answers a request once, however often its caller repeats it.
//!
//! That the request was made is saved in the transaction of the first thing that it does, so nothing is done twice,
//! also not by two repetitions at the same time. Its answer is saved after that: a process that ends between the two
//! leaves a request that is refused when it is repeated, rather than done again. Only verbs that commit through their
//! desk are held to this: notes, imports, and decisions about lessons. What learns from runs does a thing once by
//! itself.

use std::sync::Arc;

use hardwon_core::request::RequestMark;
use hardwon_store::{Commit as _, Durability};

use crate::{Desk, Error, Result, desk::OpenRequest};

/// The answer to a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// What is sent to the caller.
    pub text: String,
    /// Whether it was given before, and nothing was done now.
    pub is_repeated: bool,
}

impl Desk<'_> {
    /// Answers a request with `verb`, which gets a desk and returns the answer; or as before, if the request was made
    /// already within a day.
    ///
    /// # Errors
    ///
    /// [`Error::Repeated`] if the name of the request stands for another one, or the answer is not there; and the
    /// errors of `verb`, which are not kept: a request that failed before it did anything may be made again.
    pub fn once(
        &self,
        mark: &RequestMark,
        verb: impl FnOnce(&Self) -> Result<String>,
    ) -> Result<Answer> {
        if let Some(answer) = self.find_answer(mark)? {
            return Ok(answer);
        }
        let desk = Self {
            request: Some(Arc::new(OpenRequest::new(mark.clone()))),
            ..self.clone()
        };
        let text = match verb(&desk) {
            Ok(text) => text,
            // Another repetition was faster.
            Err(Error::Repeated(why)) => {
                return self.find_answer(mark)?.ok_or(Error::Repeated(why));
            }
            Err(error) => return Err(error),
        };
        self.save_answer(mark, &text)?;
        Ok(Answer {
            text,
            is_repeated: false,
        })
    }

    fn find_answer(&self, mark: &RequestMark) -> Result<Option<Answer>> {
        let reader = self.engine.store.snapshot()?;
        let kept = reader.kept_answer(self.tenant(), &mark.name)?;
        let Some(kept) = kept.filter(|it| it.is_remembered(self.now())) else {
            return Ok(None);
        };
        Ok(Some(Answer {
            text: kept.answer_again(mark)?.to_owned(),
            is_repeated: true,
        }))
    }

    /// Saves the answer. A crash of the machine may lose it, as one of the process just before would.
    fn save_answer(&self, mark: &RequestMark, text: &str) -> Result<()> {
        let now = self.now();
        let tenant = self.tenant();
        self.engine
            .store
            .commit_with(tenant, Durability::Lazy, |tx| {
                tx.save_answer(mark, Some(text), now).map_err(Error::from)
            })
    }
}
