//! Makes the principal of a request: what the key was given, in the scope that the request names.

use std::collections::BTreeSet;

use hardwon_core::{Actor, AgentId, ProjectId, Scope, TenantId, Trust, TrustClass};
use hardwon_engine::{Principal, Visibility, access::Rights};

use crate::{ApiKeyRecord, Capability, KeyRefusal, Role};

/// The agent and the project that a request names.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AskedScope {
    /// The agent, if it names one.
    pub agent: Option<AgentId>,
    /// The project, if it names one.
    pub project: Option<ProjectId>,
}

impl ApiKeyRecord {
    /// Makes the principal of a request with this key. `is_tainted` says that content from outside may have a part in
    /// what the request writes.
    ///
    /// What the request leaves out is taken from the key's limits if they hold exactly one; a key without limits acts
    /// as the default agent, in no project.
    pub fn principal(&self, asked: &AskedScope, is_tainted: bool) -> Result<Principal, KeyRefusal> {
        let role = self.grant.role();
        let Some(tenant) = self.grant.tenant() else {
            let capability = Capability::Read;
            return Err(KeyRefusal::MissingCapability {
                role,
                needed: capability,
            });
        };
        let scope = self.choose_scope(tenant, asked)?;
        let principal = match role {
            Role::Agent => Principal::agent(scope, is_tainted),
            Role::Viewer | Role::Operator => self.make_viewer(scope),
            Role::Curator => self.make_person(scope, Rights::Curate, is_tainted),
            Role::Owner => self.make_person(scope, Rights::Erase, is_tainted),
        };
        Ok(principal.restrict_to(self.farthest_visibility()))
    }

    fn choose_scope(&self, tenant: &TenantId, asked: &AskedScope) -> Result<Scope, KeyRefusal> {
        let limits = self.grant.limits();
        let agent = choose_name("agent", &limits.agents, asked.agent.as_ref())?;
        Ok(Scope {
            tenant: tenant.clone(),
            agent: agent.unwrap_or_default(),
            project: choose_name("project", &limits.projects, asked.project.as_ref())?,
        })
    }

    /// Returns how far the limits let any principal of this key see.
    fn farthest_visibility(&self) -> Visibility {
        let limits = self.grant.limits();
        match (limits.agents.is_empty(), limits.projects.is_empty()) {
            (false, false) => Visibility::Project,
            (true, false) => Visibility::EveryAgent,
            (false, true) => Visibility::Agent,
            (true, true) => Visibility::Tenant,
        }
    }

    fn make_viewer(&self, scope: Scope) -> Principal {
        Principal {
            scope,
            visibility: Visibility::Tenant,
            rights: Rights::Read,
            trust: Trust::new(TrustClass::Imported, true),
            actor: self.actor(),
        }
    }

    fn make_person(&self, scope: Scope, rights: Rights, is_tainted: bool) -> Principal {
        Principal {
            rights,
            trust: Trust::new(TrustClass::Person, is_tainted),
            actor: self.actor(),
            ..Principal::person(scope)
        }
    }

    /// Returns the name under which a journal records what is done with this key, other than by agents. A session is
    /// recorded as the key that opened it, which outlives it.
    pub fn actor(&self) -> Actor {
        let id = self.opened_by.as_ref().unwrap_or(&self.id);
        Actor::with_key(id)
    }
}

/// Chooses the name that a request is about. `None` if neither the request nor the limits name one.
fn choose_name<T: Clone + Ord>(
    what: &'static str,
    limits: &BTreeSet<T>,
    asked: Option<&T>,
) -> Result<Option<T>, KeyRefusal> {
    match (asked, limits.len()) {
        (Some(name), 0) => Ok(Some(name.clone())),
        (Some(name), _) if limits.contains(name) => Ok(Some(name.clone())),
        (Some(_), _) => Err(KeyRefusal::BeyondLimits { what }),
        (None, 0 | 1) => Ok(limits.first().cloned()),
        (None, _) => Err(KeyRefusal::Unnamed { what }),
    }
}
