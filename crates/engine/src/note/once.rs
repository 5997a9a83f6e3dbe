//! Remembering something once, however often it is said.

use hardwon_core::{
    change::Actor,
    guard,
    lesson::{Admitted, Lesson},
    scope::Scope,
};
use hardwon_store::{Listing, Within, Write};

use super::{Note, Noted, refused, settle};
use crate::{Engine, Result};

impl Engine {
    /// Remembers what somebody wrote down, once for each name that they gave it.
    ///
    /// If the newest `limits::PAGE` lessons of the scope hold one of this name, that is the answer,
    /// whatever it says. So a call may be made again by somebody who cannot tell whether it arrived.
    pub fn note_once(&self, scope: &Scope, note: Note, by: &Actor) -> Result<Noted> {
        let admitted = match guard::admit(note.draft(scope), &self.policy.guard) {
            guard::Verdict::Admitted(admitted) => admitted,
            guard::Verdict::Rejected { reasons } => return Ok(refused(&reasons)),
        };
        let now = self.clock.now();
        let mut noted = None;
        self.store.commit(&scope.tenant, &mut |tx| {
            noted = Some(match named(tx, &admitted)? {
                Some(lesson) => Noted::Known(Box::new(lesson)),
                None => settle(tx, &admitted, by, now, self.policy.capacity)?,
            });
            Ok(())
        })?;
        Ok(noted.expect("a commit that went well ran its work"))
    }
}

/// Finds the newest lesson of the same scope that has the same name, if this one has any.
fn named(tx: &dyn Write, admitted: &Admitted) -> hardwon_store::Result<Option<Lesson>> {
    let reference = &admitted.content.reference;
    if reference.is_none() {
        return Ok(None);
    }
    let newest = Listing {
        within: Within::Scope(admitted.scope.clone()),
        ..Listing::default()
    };
    let lessons = tx.lessons(&admitted.scope.tenant, &newest)?;
    Ok(lessons
        .into_iter()
        .find(|it| it.content.reference == *reference))
}
