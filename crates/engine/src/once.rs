//! Answers a request once, however often its caller repeats it.
//!
//! That the request was made is saved in the transaction of the first thing that it does, so nothing is done twice,
//! also not by two repetitions at the same time. Its answer is saved after that: a process that ends between the two
//! leaves a request that is refused when it is repeated, rather than done again. Only verbs that commit through their
//! desk are held to this: notes, imports, and decisions about lessons. What learns from runs does a thing once by
//! itself; for what does not, [`Desk::begin_request`] saves that the request was made before anything is done.
//!
//! A program of one verb calls [`Desk::once`]. A server, whose answers are made elsewhere, calls its parts.

use std::sync::Arc;

use hardwon_core::request::{NOTHING_DONE, RequestMark};
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
        let repeat = |text| Answer {
            text,
            is_repeated: true,
        };
        if let Some(text) = self.find_answer(mark)? {
            return Ok(repeat(text));
        }
        let text = match verb(&self.clone().for_request(mark)) {
            Ok(text) => text,
            // Another repetition was faster.
            Err(Error::Repeated(why)) => {
                let answer = self.find_answer(mark)?;
                return answer.map(repeat).ok_or(Error::Repeated(why));
            }
            Err(error) => return Err(error),
        };
        self.save_answer(mark, &text)?;
        Ok(Answer {
            text,
            is_repeated: false,
        })
    }

    /// Returns the desk for a request, which saves with the first thing that is done that the request was made. A
    /// request has one such desk.
    #[must_use]
    pub fn for_request(self, mark: &RequestMark) -> Self {
        Self {
            request: Some(Arc::new(OpenRequest::new(mark.clone()))),
            ..self
        }
    }

    /// Returns the answer that was given to a request, if it was made already within a day.
    ///
    /// # Errors
    ///
    /// [`Error::Repeated`] if the name of the request stands for another one, or the answer is not there.
    pub fn find_answer(&self, mark: &RequestMark) -> Result<Option<String>> {
        let reader = self.engine.store.snapshot()?;
        let kept = reader.kept_answer(self.tenant(), &mark.name)?;
        let kept = kept.filter(|it| it.is_remembered(self.now()));
        let answer = kept.as_ref().map(|it| it.answer_again(mark)).transpose()?;
        Ok(answer.map(str::to_owned))
    }

    /// Counts the requests that are remembered of the tenant.
    pub fn count_kept_requests(&self) -> Result<u64> {
        let reader = self.engine.store.snapshot()?;
        Ok(reader.count_kept_requests(self.tenant())?)
    }

    /// Saves that a request is made whose work is not done through this desk.
    ///
    /// # Errors
    ///
    /// [`Error::Repeated`] if it was made already.
    pub fn begin_request(&self, mark: &RequestMark) -> Result<()> {
        let (tenant, now) = (self.tenant(), self.now());
        let request = OpenRequest::new(mark.clone());
        let store = &self.engine.store;
        store.commit_with(tenant, Durability::Lazy, |tx| {
            request.begin(tx, tenant, now)
        })
    }

    /// Saves the answer to a request. A crash of the machine may lose it, as one of the process just before would.
    pub fn save_answer(&self, mark: &RequestMark, text: &str) -> Result<()> {
        let now = self.now();
        let tenant = self.tenant();
        self.engine
            .store
            .commit_with(tenant, Durability::Lazy, |tx| {
                tx.save_answer(mark, Some(text), now).map_err(Error::from)
            })
    }

    /// Saves that a request did nothing after all, so that it may be made again.
    pub fn release_request(&self, mark: &RequestMark) -> Result<()> {
        self.save_answer(mark, NOTHING_DONE)
    }
}
