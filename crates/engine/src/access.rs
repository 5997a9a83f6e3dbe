//! Decides who may see which lesson, and what they may do to it.
//!
//! A caller passes a [`Principal`]; its sight and its rights are checked here and nowhere else, so that no command, hook
//! or MCP tool can forget to. The other half of the rule, whose word may take out whose lesson by its trust, is in
//! `curate` of [`change`](hardwon_core::change). Authenticating the caller is not done here: that is the job of whatever let the caller
//! in.

use hardwon_core::{
    Actor, CleanText, Lesson, LessonContent, LessonId, Scope, Slug, Status, Trust, TrustClass,
    named_enum,
};

/// A user, agent or background job that acts on lessons, with its permissions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Principal {
    /// The scope it acts from. Lessons that it writes belong there.
    pub scope: Scope,
    /// Which scopes around its own it can see.
    pub visibility: Visibility,
    /// What it may do in the scopes that it sees.
    pub rights: Rights,
    /// The trust that lessons written by it get.
    pub trust: Trust,
    /// The name under which the journal records its changes.
    pub actor: Actor,
}

/// How far a principal sees beyond its own scope. Each variant includes the first, and the last includes all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Visibility {
    /// Its own project and agent, and lessons of that agent that belong to no project.
    Project,
    /// Its own project, whichever agent's, and lessons of its own agent that belong to no project.
    EveryAgent,
    /// Every project of its agent.
    Agent,
    /// Every project and agent of the tenant.
    Tenant,
}

named_enum! {
    /// What a principal may do. Each right includes those before it.
    ///
    /// Each name is a verb, for error messages.
    Rights {
        /// Look up and recall lessons.
        Read = "read",
        /// Write lessons, judge them, and archive those that its trust reaches.
        Write = "write",
        /// Decide about any lesson, including those that wait for review by a person.
        Curate = "curate",
        /// Erase any lesson, which nothing brings back.
        Erase = "erase",
    }
}

/// Why an action was not allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AccessError {
    /// No such lesson, or one that the caller may not see; the error does not say which.
    #[error("there is no lesson {0}")]
    NotFound(LessonId),
    /// The lesson waits for review by a person, and the caller is not one.
    #[error("{0} is held back")]
    AwaitsReview(LessonId),
    /// The caller lacks this right.
    #[error("this needs the right to {}", .0.name())]
    MissingRight(Rights),
    /// The caller named a scope that it cannot see.
    #[error("this is outside of what may be seen from here")]
    OutOfScope,
}

impl Principal {
    /// Creates the person who owns the tenant: sees and may do everything in it, also erase.
    pub fn person(scope: Scope) -> Self {
        Self {
            scope,
            visibility: Visibility::Tenant,
            rights: Rights::Erase,
            trust: Trust::untainted(TrustClass::Person),
            actor: Actor::person(),
        }
    }

    /// Creates an agent at work in a project. Its lessons are tainted if its words may stem from outside content.
    pub fn agent(scope: Scope, is_tainted: bool) -> Self {
        Self {
            actor: Actor::agent(&scope.agent),
            visibility: Visibility::Project,
            rights: Rights::Write,
            trust: Trust::new(TrustClass::Agent, is_tainted),
            scope,
        }
    }

    /// Creates whoever writes in an agent's session, the agent or a person who types: with the rights of the agent.
    pub(crate) fn writer_in_session(scope: Scope, trust: Trust) -> Self {
        let agent = Self::agent(scope, trust.tainted);
        match trust.class {
            TrustClass::Person => Self {
                actor: Actor::person(),
                trust,
                ..agent
            },
            _ => agent,
        }
    }

    /// Creates the program's own background worker, which learns, asks models and embeds lessons for every project of
    /// the tenant. It does not decide about lessons that wait for review.
    pub fn background(scope: Scope) -> Self {
        Self {
            scope,
            visibility: Visibility::Tenant,
            rights: Rights::Write,
            trust: Trust::untainted(TrustClass::Derived),
            actor: Actor::rules(),
        }
    }

    /// Creates the sweep that nobody attends: it decides about lessons of every project of the tenant, and its trust
    /// reaches no lesson that a person wrote.
    pub fn sweep(scope: Scope) -> Self {
        Self {
            scope,
            visibility: Visibility::Tenant,
            rights: Rights::Curate,
            trust: Trust::untainted(TrustClass::Agent),
            actor: Actor::sweep(),
        }
    }

    /// Limits visibility to at most `reach`; never widens it.
    #[must_use]
    pub fn restrict_to(self, reach: Visibility) -> Self {
        let visibility = match (reach, self.visibility) {
            // Neither includes the other.
            (Visibility::EveryAgent, Visibility::Agent)
            | (Visibility::Agent, Visibility::EveryAgent) => Visibility::Project,
            (reach, visibility) => reach.min(visibility),
        };
        Self { visibility, ..self }
    }

    /// Limits the principal to what an agent may at most: it sees its own project, decides about nothing that waits for
    /// review, and has an agent's trust; tainted, where its words may stem from outside content.
    #[must_use]
    pub fn restrict_to_agent(self, is_tainted: bool) -> Self {
        let agent = Trust::new(TrustClass::Agent, is_tainted);
        Self {
            rights: self.rights.min(Rights::Write),
            trust: self.trust.combine_with(agent),
            ..self.restrict_to(Visibility::Project)
        }
    }

    /// Checks that the principal has a right.
    pub fn check_right(&self, right: Rights) -> Result<(), AccessError> {
        if self.rights >= right {
            Ok(())
        } else {
            Err(AccessError::MissingRight(right))
        }
    }

    /// Checks that the principal can see a scope that it names.
    pub fn check_scope(&self, scope: &Scope) -> Result<(), AccessError> {
        if self.can_see(scope) {
            Ok(())
        } else {
            Err(AccessError::OutOfScope)
        }
    }

    /// Returns a lesson that was looked up by its number, if the principal has this right over it.
    ///
    /// A lesson out of sight gives [`AccessError::NotFound`]. All who see a lesson may know that it awaits review;
    /// its words ([`hide_inactive_words`](Self::hide_inactive_words)) and the decision about it are for principals
    /// who may curate.
    pub fn authorize_lesson(
        &self,
        id: LessonId,
        found: Option<Lesson>,
        right: Rights,
    ) -> Result<Lesson, AccessError> {
        let visible = found.filter(|lesson| self.can_see(&lesson.scope));
        let lesson = visible.ok_or(AccessError::NotFound(id))?;
        self.check_right(right)?;
        let is_for_persons = right > Rights::Read && self.rights < Rights::Curate;
        match lesson.status {
            Status::Pending { .. } | Status::Quarantined { .. } if is_for_persons => {
                Err(AccessError::AwaitsReview(id))
            }
            _ => Ok(lesson),
        }
    }

    /// Returns a listed lesson as the principal may see it. An inactive lesson loses its words if the principal may
    /// not curate, because nobody may have reviewed them yet.
    pub fn hide_inactive_words(&self, lesson: Lesson) -> Lesson {
        match lesson.status {
            Status::Active => lesson,
            _ if self.rights >= Rights::Curate => lesson,
            _ => clear_words(lesson),
        }
    }

    /// Returns whether the principal can see a scope.
    pub fn can_see(&self, scope: &Scope) -> bool {
        match self.visibility {
            Visibility::Project => scope.is_visible_from(&self.scope),
            Visibility::EveryAgent => {
                let is_there = scope.project == self.scope.project;
                is_there && scope.tenant == self.scope.tenant || scope.is_visible_from(&self.scope)
            }
            Visibility::Agent => scope.without_project() == self.scope.without_project(),
            Visibility::Tenant => scope.tenant == self.scope.tenant,
        }
    }
}

fn clear_words(lesson: Lesson) -> Lesson {
    let mut admitted_lesson = lesson.admitted;
    admitted_lesson.content = LessonContent::new(CleanText::default(), CleanText::default());
    admitted_lesson.task = None;
    admitted_lesson.evidence.clear();
    // A slug is made of the title.
    admitted_lesson.slug = Slug::from_text(&format!("lesson {}", lesson.id.0));
    Lesson {
        admitted: admitted_lesson,
        ..lesson
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agents_restriction_takes_away_and_never_gives() {
        for (rights, class, tainted) in Rights::ALL.iter().flat_map(|rights| {
            let classes = TrustClass::ALL.iter();
            classes.flat_map(move |class| [false, true].map(|it| (*rights, *class, it)))
        }) {
            let before = Principal {
                rights,
                trust: Trust { class, tainted },
                ..Principal::person(Scope::default())
            };
            let after = before.clone().restrict_to_agent(false);
            assert_eq!(after.visibility, Visibility::Project);
            assert!(after.rights <= before.rights && after.rights <= Rights::Write);
            assert!(after.trust.class <= class && after.trust.class <= TrustClass::Agent);
            assert_eq!(after.trust.tainted, tainted);
            assert_eq!(after.actor, before.actor, "the journal names who it was");
            assert!(before.restrict_to_agent(true).trust.tainted);
        }
    }
}
