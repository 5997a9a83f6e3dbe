//! What a store is asked, and how it counts.

use hardwon_core::{
    id::{AgentId, ClientName, LessonId, ProjectId, RunId},
    lesson::Status,
    limits,
    queue::JobId,
    rank::SearchResults,
    scope::Scope,
    tokens::QueryTerms,
    vector::Vector,
};
use jiff::Timestamp;

use crate::{JudgementId, RecallId, Result};

/// A search for the lessons that a prompt calls for.
#[derive(Debug, Clone, PartialEq)]
pub struct LessonQuery {
    /// Where the question is asked; lessons of its project and project-less ones are seen.
    pub scope: Scope,
    /// What is asked.
    pub terms: QueryTerms,
    /// How many candidates are wanted.
    pub limit: usize,
    /// When; what expired before is not found.
    pub now: Timestamp,
    /// The prompt's vector, if an embedding made one.
    pub vector: Option<QueryVector>,
}

/// A prompt's vector.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryVector {
    /// The space it is in. Lessons with a vector of another one are compared by words alone.
    pub embedding_space: String,
    /// Where it points.
    pub vector: Vector,
}

impl QueryVector {
    /// Returns whether a prompt may be compared with all of so many lessons.
    pub(crate) fn can_compare_all(&self, docs: u64) -> bool {
        docs.saturating_mul(self.vector.dimensions() as u64) <= limits::VECTORS_COMPARED_BYTES
    }
}

/// Which part of a tenant a listing is of.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum ScopeFilter {
    /// All of them.
    #[default]
    Tenant,
    /// One agent's, of whatever project.
    Agent(AgentId),
    /// One project's, of whatever agent; `None` for what belongs to no project.
    Project(Option<ProjectId>),
    /// Those of exactly this scope. The scope's tenant is not looked at.
    Scope(Scope),
    /// Those that somebody in this scope may see. The scope's tenant is not looked at.
    Visible(Scope),
}

/// A page of lessons. The default asks for the newest `limits::PAGE` of the tenant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LessonListing {
    /// Whose.
    pub within: ScopeFilter,
    /// In which state; none for all.
    pub status: Option<StatusName>,
    /// Holding all of these words in the slug, title, signature or text, in any order; letters match
    /// in either case, and a word may be a part of a longer one.
    pub search_text: String,
    /// In which order.
    pub order: LessonOrder,
    /// Only lessons after this one in that order: the last one of the page before.
    pub before: Option<LessonId>,
    /// How many at most.
    pub limit: usize,
}

impl Default for LessonListing {
    fn default() -> Self {
        Self {
            within: ScopeFilter::default(),
            status: None,
            search_text: String::new(),
            order: LessonOrder::default(),
            before: None,
            limit: limits::PAGE_ROWS,
        }
    }
}

/// The order of a listing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LessonOrder {
    /// The newest lesson first, by number.
    #[default]
    NewestFirst,
    /// The lesson first that was shown last, or added if it was never shown, so that what is in use
    /// rises to the top.
    LastShownFirst,
}

impl LessonListing {
    /// Returns the words that a lesson must hold, as they are compared.
    pub(crate) fn search_words(&self) -> Vec<String> {
        let words = self.search_text.split_whitespace();
        let words = words.map(str::to_lowercase);
        words.take(limits::SEARCH_WORDS).collect()
    }
}

/// A state without what it carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum StatusName {
    /// It may be recalled, unless it expired.
    Active,
    /// It waits for a person.
    Pending,
    /// It was taken out because it probably harms.
    Quarantined,
    /// A better one took its place.
    Superseded,
    /// It left the active set.
    Archived,
}

impl StatusName {
    /// All of them, in the order of a lesson's life.
    pub const ALL: [Self; 5] = [
        Self::Active,
        Self::Pending,
        Self::Quarantined,
        Self::Superseded,
        Self::Archived,
    ];

    /// Returns the word, as [`Status::name`] has it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Pending => "pending",
            Self::Quarantined => "quarantined",
            Self::Superseded => "superseded",
            Self::Archived => "archived",
        }
    }

    /// Reads the word back.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.name() == name)
    }

    /// Returns the name of a state.
    #[must_use]
    pub fn from_status(status: &Status) -> Self {
        match status {
            Status::Active => Self::Active,
            Status::Pending { .. } => Self::Pending,
            Status::Quarantined { .. } => Self::Quarantined,
            Status::Superseded { .. } => Self::Superseded,
            Status::Archived { .. } => Self::Archived,
        }
    }
}

/// Who wants to read what a recall was made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueryTextReader<'a> {
    /// The owner of the data, who may read all of it.
    Owner,
    /// An agent, who may read what was asked for its own sake.
    Agent(&'a AgentId),
}

impl QueryTextReader<'_> {
    /// Returns whether this one may read what was asked for an agent.
    pub(crate) fn may_read(self, agent: &str) -> bool {
        match self {
            Self::Owner => true,
            Self::Agent(own) => own.as_str() == agent,
        }
    }
}

impl ScopeFilter {
    /// Returns the part of a tenant that has the agent of a scope, its project, both or neither.
    #[must_use]
    pub fn same_as(scope: &Scope, agent: bool, project: bool) -> Self {
        match (agent, project) {
            (false, false) => Self::Tenant,
            (true, false) => Self::Agent(scope.agent.clone()),
            (false, true) => Self::Project(scope.project.clone()),
            (true, true) => Self::Scope(scope.clone()),
        }
    }

    /// Returns whether what is kept for a scope is listed.
    #[must_use]
    pub fn includes(&self, scope: &Scope) -> bool {
        match self {
            Self::Tenant => true,
            Self::Agent(agent) => scope.agent == *agent,
            Self::Project(project) => scope.project == *project,
            Self::Scope(wanted) => scope.agent == wanted.agent && scope.project == wanted.project,
            Self::Visible(wanted) => {
                scope.agent == wanted.agent
                    && (scope.project.is_none() || scope.project == wanted.project)
            }
        }
    }
}

/// A page of recalls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecallListing {
    /// Made where.
    pub within: ScopeFilter,
    /// Only those of this client; none for all.
    pub client: Option<ClientName>,
    /// Only those of this run; none for all.
    pub run: Option<RunId>,
    /// Only recalls with lower numbers: the last one of the page before.
    pub before: Option<RecallId>,
    /// How many at most.
    pub limit: usize,
}

impl Default for RecallListing {
    fn default() -> Self {
        Self {
            within: ScopeFilter::default(),
            client: None,
            run: None,
            before: None,
            limit: limits::PAGE_ROWS,
        }
    }
}

/// Which jobs of the queue to list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobListing {
    /// Only those in this state, by its name; none for all but those that were only seen.
    pub state: Option<&'static str>,
    /// Only jobs with lower numbers: the last one of the page before.
    pub before: Option<JobId>,
    /// How many at most.
    pub limit: usize,
}

impl Default for JobListing {
    fn default() -> Self {
        Self {
            state: None,
            before: None,
            limit: limits::PAGE_ROWS,
        }
    }
}

/// How many jobs a tenant has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct JobCounts {
    /// Those that wait, due or not.
    pub waiting: u64,
    /// When the first of them is due.
    pub next_due: Option<Timestamp>,
    /// Those that a worker has, or had.
    pub running: u64,
    /// Those of them whose claim is not void yet.
    pub claimed: u64,
    /// Those that are done and remembered.
    pub done: u64,
    /// Those that were given up.
    pub dead: u64,
    /// Troubles that one run met, and that nobody is asked about yet.
    pub seen: u64,
}

/// A page of judgements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JudgementListing {
    /// Only the one of this run; none for all.
    pub run: Option<RunId>,
    /// Only judgements with lower numbers: the last one of the page before.
    pub before: Option<JudgementId>,
    /// How many at most.
    pub limit: usize,
}

impl Default for JudgementListing {
    fn default() -> Self {
        Self {
            run: None,
            before: None,
            limit: limits::PAGE_ROWS,
        }
    }
}

/// How many lessons one scope holds, by state, and how they fared together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Census {
    /// Those that may be recalled, unless they expired.
    pub active: u64,
    /// The active ones that no person wrote: those that count towards capacity.
    pub learned: u64,
    /// Those that wait for a person.
    pub pending: u64,
    /// Those that probably harm.
    pub quarantined: u64,
    /// Those that a better one replaced.
    pub superseded: u64,
    /// Those that left.
    pub archived: u64,
    /// How often any of them was shown.
    pub shown: u64,
    /// How many outcomes speak for them.
    pub helped: u64,
    /// How many outcomes speak against them.
    pub harmed: u64,
}

impl Census {
    /// Returns the count that a state adds to.
    pub(crate) fn count_mut(&mut self, status: StatusName) -> &mut u64 {
        match status {
            StatusName::Active => &mut self.active,
            StatusName::Pending => &mut self.pending,
            StatusName::Quarantined => &mut self.quarantined,
            StatusName::Superseded => &mut self.superseded,
            StatusName::Archived => &mut self.archived,
        }
    }
}

/// How often a search may look further because what it found had expired.
pub(crate) const MAX_SEARCH_ROUNDS: u32 = 4;

/// Asks an index that does not know the time until enough of what it found may be recalled.
///
/// Expired lessons are few, so one look nearly always does, and the number of looks is bounded: each
/// asks for twice as many as the one before.
pub(crate) fn search_recallable(
    query: &LessonQuery,
    mut best: impl FnMut(usize) -> Result<SearchResults>,
) -> Result<SearchResults> {
    let wanted = query.limit.min(limits::PAGE_ROWS);
    let mut look = 0;
    loop {
        let asked = wanted << look;
        let mut found = best(asked)?;
        let is_all = found.hits.len() < asked;
        found.hits.retain(|hit| hit.lesson.is_recallable(query.now));
        look += 1;
        if is_all || found.hits.len() >= wanted || look == MAX_SEARCH_ROUNDS {
            found.hits.truncate(wanted);
            return Ok(found);
        }
    }
}
