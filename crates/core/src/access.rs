//! Who may see which lesson, and what they may do to it.
//!
//! A door says who acts, as a [`Principal`]; what that one may do is decided here and nowhere else, so
//! that no door can forget it. What a word is worth against another's, once both may speak, is decided
//! where lessons [change](crate::change). Who a caller really is, is not decided here: that is for the
//! door that let them in.

use crate::{
    change::Actor,
    id::LessonId,
    lesson::{Lesson, LessonContent, Status, Trust, TrustClass},
    scope::Scope,
    text::CleanText,
};

/// Whoever acts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Principal {
    /// Where they stand. What they write belongs there.
    pub scope: Scope,
    /// How far around it they see.
    pub visibility: Visibility,
    /// What they may do there.
    pub rights: Rights,
    /// What their word is worth.
    pub trust: Trust,
    /// What the journal calls them.
    pub actor: Actor,
}

/// How far somebody sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Visibility {
    /// The project and agent of their scope, and what holds everywhere for that agent.
    Project,
    /// Every project of that agent.
    Agent,
    /// Every agent of the tenant.
    Tenant,
}

/// What somebody may do; each right holds those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rights {
    /// Look lessons up and recall them.
    Read,
    /// Write lessons down, judge them, and take out what their word reaches.
    Write,
    /// Decide about any lesson, those that are held back for a person among them.
    Curate,
}

/// Why somebody may not do something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AccessError {
    /// There is none, or not for them: which of the two, they are not told.
    #[error("there is no lesson {0}")]
    NotFound(LessonId),
    /// It waits for a person, and they are none.
    #[error("{0} is held back")]
    AwaitsReview(LessonId),
    /// They lack a right.
    #[error("this needs the right to {}", .0.name())]
    MissingRight(Rights),
    /// They name a place that is not theirs.
    #[error("this is outside of what may be seen from here")]
    OutOfScope,
}

impl Rights {
    /// Returns what it allows, as a verb.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Curate => "curate",
        }
    }
}

impl Principal {
    /// A person who owns the tenant, and sees all of it.
    #[must_use]
    pub fn person(scope: Scope) -> Self {
        Self {
            scope,
            visibility: Visibility::Tenant,
            rights: Rights::Curate,
            trust: Trust::untainted(TrustClass::Person),
            actor: Actor::person(),
        }
    }

    /// An agent at work in a project, whose word is tainted if it may be that of outside content.
    #[must_use]
    pub fn agent(scope: Scope, is_tainted: bool) -> Self {
        Self {
            actor: Actor::agent(&scope.agent),
            visibility: Visibility::Project,
            rights: Rights::Write,
            trust: Trust {
                class: TrustClass::Agent,
                tainted: is_tainted,
            },
            scope,
        }
    }

    /// The program itself, which learns, asks models and embeds lessons in the background, for every
    /// project of the tenant. It decides about no lesson that waits for a person.
    #[must_use]
    pub fn background(scope: Scope) -> Self {
        Self {
            scope,
            visibility: Visibility::Tenant,
            rights: Rights::Write,
            trust: Trust::untainted(TrustClass::Derived),
            actor: Actor::rules(),
        }
    }

    /// Narrows how far somebody sees.
    #[must_use]
    pub fn restrict_to(self, reach: Visibility) -> Self {
        Self {
            visibility: reach.min(self.visibility),
            ..self
        }
    }

    /// Checks that somebody has a right.
    pub fn check_right(&self, right: Rights) -> Result<(), AccessError> {
        match self.rights >= right {
            true => Ok(()),
            false => Err(AccessError::MissingRight(right)),
        }
    }

    /// Checks that a place which somebody names is one of theirs.
    pub fn check_scope(&self, place: &Scope) -> Result<(), AccessError> {
        match self.can_see(place) {
            true => Ok(()),
            false => Err(AccessError::OutOfScope),
        }
    }

    /// Returns a lesson that was looked up under this number, if somebody with this right over it asks.
    ///
    /// What cannot be seen is not there. That one is held back may be known to all who see it; its words
    /// ([`hide_inactive_words`](Self::hide_inactive_words)) and what becomes of it are for a person.
    pub fn authorize_lesson(
        &self,
        id: LessonId,
        found: Option<Lesson>,
        right: Rights,
    ) -> Result<Lesson, AccessError> {
        let found = found.filter(|lesson| self.can_see(&lesson.scope));
        let lesson = found.ok_or(AccessError::NotFound(id))?;
        self.check_right(right)?;
        let is_for_persons = right > Rights::Read && self.rights < Rights::Curate;
        match lesson.status {
            Status::Pending { .. } | Status::Quarantined { .. } if is_for_persons => {
                Err(AccessError::AwaitsReview(id))
            }
            _ => Ok(lesson),
        }
    }

    /// Returns a lesson of a listing as it may be seen: without its words if it is not in use and a
    /// person alone may read those, because nobody may have looked at them yet.
    #[must_use]
    pub fn hide_inactive_words(&self, lesson: Lesson) -> Lesson {
        match lesson.status {
            Status::Active => lesson,
            _ if self.rights >= Rights::Curate => lesson,
            _ => clear_words(lesson),
        }
    }

    /// Returns whether a place is in sight.
    #[must_use]
    pub fn can_see(&self, place: &Scope) -> bool {
        match self.visibility {
            Visibility::Project => place.is_visible_from(&self.scope),
            Visibility::Agent => place.without_project() == self.scope.without_project(),
            Visibility::Tenant => place.tenant == self.scope.tenant,
        }
    }
}

fn clear_words(lesson: Lesson) -> Lesson {
    let mut admitted = lesson.admitted;
    admitted.content = LessonContent::new(CleanText::default(), CleanText::default());
    admitted.task = None;
    admitted.evidence.clear();
    Lesson { admitted, ..lesson }
}
