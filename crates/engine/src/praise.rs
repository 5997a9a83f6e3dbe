//! Which words of praise count.
//!
//! What is said of a lesson is evidence only if it could be otherwise: not of a lesson that nobody was shown, and once in a
//! run. Blame is not held to this: it makes nobody believe a lesson. Whose words count at all is told by
//! [`voices`](crate::voices).

use hardwon_core::{
    FailureKey, Lesson, RunId,
    digest::{hash_parts, to_hex},
    named_enum,
};
use hardwon_store::{RecallListing, Sighting, Write};
use jiff::Timestamp;

use crate::Desk;

named_enum! {
    /// Why a word about a lesson does not count.
    PraiseRefusal {
        /// Whoever says it wrote the lesson.
        Own = "nothing counts that is said of a lesson of one's own",
        /// It was not shown.
        NotShown = "it was not shown, so it cannot have helped",
        /// The same was said in the same run.
        SaidBefore = "that was counted before: once in a run",
        /// The same voice spoke of a lesson that is more trusted than it within a day.
        SaidToday = "what is said of a more trusted lesson counts once a day",
        /// Content from outside may have said it.
        Tainted = "what is said after reading content from outside does not count",
    }
}

/// The name under which words are remembered that were said outside of any run.
const NO_RUN: &str = "said-outside-of-a-run";

impl Desk<'_> {
    /// Decides inside a transaction whether praise of a lesson counts, and remembers that it was said.
    pub(crate) fn refuse_praise(
        &self,
        tx: &mut dyn Write,
        lesson: &Lesson,
        run: Option<&RunId>,
        at: Timestamp,
    ) -> hardwon_store::Result<Option<PraiseRefusal>> {
        if self.principal.trust.tainted {
            return Ok(Some(PraiseRefusal::Tainted));
        }
        let was_shown = match run {
            Some(run) => was_shown_in(tx, lesson, run)?,
            None => lesson.counts.shown > 0,
        };
        if !was_shown {
            return Ok(Some(PraiseRefusal::NotShown));
        }
        let number = lesson.id.0.to_string();
        let parts = ["praise", self.principal.actor.0.as_str(), &number].map(str::as_bytes);
        let failure = FailureKey::new(to_hex(&hash_parts(parts)));
        let nowhere = || RunId::parse(NO_RUN).expect("it is a name");
        let run = run.cloned().unwrap_or_else(nowhere);
        let before = tx.reader().candidate_lesson(&lesson.scope, &failure)?;
        if before.is_some_and(|before| before.runs.contains(&run)) {
            return Ok(Some(PraiseRefusal::SaidBefore));
        }
        tx.record_sighting(&Sighting::new(&lesson.scope, failure, &run, at))?;
        Ok(None)
    }
}

/// Returns whether a lesson was shown in the run in which it is praised.
fn was_shown_in(tx: &dyn Write, lesson: &Lesson, run: &RunId) -> hardwon_store::Result<bool> {
    let listing = RecallListing::of_run(run.clone());
    let recalls = tx.reader().recalls(&lesson.scope.tenant, &listing)?;
    let mut ids = recalls
        .iter()
        .flat_map(|(_, recall)| recall.shown_lessons());
    Ok(ids.any(|id| id == lesson.id))
}
