//! What is in the store.

use hardwon_core::Scope;
use hardwon_store::Census;
use serde::Serialize;

/// What is in the store.
#[derive(Debug, Serialize)]
pub struct StatsDto<'a> {
    /// The path of the database.
    pub database: &'a str,
    /// Entries in the journal.
    pub journal_entries: u64,
    /// The pause that is in force; absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paused: Option<PauseDto>,
    /// The agents' projects that have lessons.
    pub scopes: Vec<ScopeDto<'a>>,
}

/// A time in which nothing is shown or learned by itself.
#[derive(Debug, Serialize)]
pub struct PauseDto {
    /// Whether it holds in every project.
    pub everywhere: bool,
    /// When it ends; null if nobody said.
    pub until: Option<String>,
}

/// What an agent has in one project.
#[derive(Debug, Serialize)]
pub struct ScopeDto<'a> {
    /// The agent.
    pub agent: &'a str,
    /// The project, as people know it; null for what applies everywhere.
    pub project: Option<&'a str>,
    /// Its lessons and how they fared, in numbers; its keys stand beside the others.
    #[serde(flatten)]
    pub census: Census,
}

impl<'a> From<&'a (Scope, Census)> for ScopeDto<'a> {
    fn from((scope, census): &'a (Scope, Census)) -> Self {
        Self {
            agent: scope.agent.as_str(),
            project: scope.display_project(),
            census: *census,
        }
    }
}
