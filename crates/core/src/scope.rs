//! The owner of lessons: the tenant, the agent and, for most lessons, the project.
//!
//! A lesson with a project shows only there; one without shows everywhere for that agent. Which folder belongs to
//! which project is determined elsewhere; this module only compares names.

use serde::{Deserialize, Serialize};

use crate::{
    digest,
    id::{AgentId, ProjectId, TenantId},
};

/// The scope that a lesson belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
pub struct Scope {
    /// The tenant that owns the lesson.
    pub tenant: TenantId,
    /// The agent that learned it.
    pub agent: AgentId,
    /// The project it belongs to; `None` for a lesson that applies everywhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<ProjectId>,
}

impl Scope {
    /// Returns a tenant's scope whose agent has no name.
    pub fn of_tenant(tenant: TenantId) -> Self {
        Self {
            tenant,
            ..Self::default()
        }
    }

    /// Returns the same scope with another project, or with none.
    pub fn with_project(&self, project: Option<ProjectId>) -> Self {
        Self {
            project,
            ..self.clone()
        }
    }

    /// Returns the same scope without its project.
    pub fn without_project(&self) -> Self {
        self.with_project(None)
    }

    /// Returns the scopes that a recall in this scope may see: its own, then the one without a project.
    pub fn visible_scopes(&self) -> Vec<Self> {
        match self.project {
            Some(_) => vec![self.clone(), self.without_project()],
            None => vec![self.clone()],
        }
    }

    /// Returns the name of the project; `None` for what applies everywhere.
    pub fn project_name(&self) -> Option<&str> {
        self.project.as_ref().map(ProjectId::as_str)
    }

    /// Returns the project as people know it; `None` for what applies everywhere.
    pub fn display_project(&self) -> Option<&str> {
        self.project.as_ref().map(ProjectId::display_name)
    }

    /// Returns the agent and the project in one word, so that no two scopes of a tenant have the same.
    pub fn digest(&self) -> String {
        let project = self.project_name().unwrap_or_default();
        let parts = [self.agent.as_str().as_bytes(), project.as_bytes()];
        digest::to_hex(&digest::hash_parts(parts)[..8])
    }

    /// Returns whether a lesson of scope `self` may be shown in scope `other`.
    pub fn is_visible_from(&self, other: &Self) -> bool {
        self.tenant == other.tenant
            && self.agent == other.agent
            && (self.project.is_none() || self.project == other.project)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope(tenant: &str, agent: &str, project: Option<&str>) -> Scope {
        Scope {
            tenant: TenantId::parse(tenant).unwrap(),
            agent: AgentId::parse(agent).unwrap(),
            project: project.map(|name| ProjectId::parse(name).unwrap()),
        }
    }

    #[test]
    fn a_project_sees_its_own_and_the_general_ones() {
        let here = scope("t", "a", Some("p"));
        assert_eq!(
            here.visible_scopes(),
            vec![here.clone(), scope("t", "a", None)]
        );
        for (lesson, visible) in [
            (scope("t", "a", Some("p")), true),
            (scope("t", "a", None), true),
            (scope("t", "a", Some("q")), false),
            (scope("t", "b", None), false),
            (scope("u", "a", None), false),
        ] {
            assert_eq!(lesson.is_visible_from(&here), visible, "{lesson:?}");
        }
    }
}
