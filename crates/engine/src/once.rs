//! Answers a request once, however often its caller repeats it.
//!
//! That the request was made is saved in the transaction of the first thing that its desk does, so nothing is done twice,
//! also not by two repetitions at the same time. Its answer is saved after that: a process that ends between the two
//! leaves a request that is refused when it is repeated, rather than done again. Only verbs that commit through their
//! desk are held to this: notes, imports, and decisions about lessons. What learns from runs does a thing once by
//! itself.

use std::sync::Arc;

use hardwon_store::{Commit as _, Durability, RequestMark};

use crate::{Desk, Error, Result, desk::OpenRequest};

impl Desk<'_> {
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
        let reader = self.snapshot()?;
        let answer = reader.kept_answer(self.tenant(), &mark.name)?;
        let answer = answer.filter(|answer| answer.is_remembered(self.now()));
        let answer = answer
            .as_ref()
            .map(|answer| answer.answer_again(mark))
            .transpose()?;
        Ok(answer.map(str::to_owned))
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
}
