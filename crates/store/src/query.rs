//! Parameters of store queries, and the counts they return.

use hardwon_core::{
    AgentId, Cause, ClientName, JobId, LessonId, ProjectId, QueryTerms, RunId, Scope,
    SearchResults, StatusName, Vector, limits,
};
use jiff::Timestamp;

use crate::{JudgementId, RecallId, Result};

/// A search for the lessons that match a prompt.
#[derive(Debug, Clone, PartialEq)]
pub struct LessonQuery {
    /// The scope that asks; it sees lessons of its project and project-less ones.
    pub scope: Scope,
    /// The words of the prompt.
    pub terms: QueryTerms,
    /// How many lessons to return at most.
    pub limit: usize,
    /// The time of the query; lessons that expired before are not found.
    pub now: Timestamp,
    /// The prompt's vector, if an embedding made one.
    pub vector: Option<QueryVector>,
}

/// A prompt's vector.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryVector {
    /// The embedding space. Lessons with a vector in another space are found by words alone.
    pub embedding_space: String,
    /// Where it points.
    pub vector: Vector,
}

impl QueryVector {
    /// Returns whether there are few enough lessons to compare the prompt with all of them.
    pub fn can_compare_all(&self, docs: u64) -> bool {
        docs.saturating_mul(self.vector.dimensions() as u64) <= limits::VECTORS_COMPARED_BYTES
    }
}

/// Which part of a tenant a listing is of.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum ScopeFilter {
    /// The whole tenant.
    #[default]
    Tenant,
    /// One agent's, in any project.
    Agent(AgentId),
    /// One project's, of any agent; `None` for what belongs to no project.
    Project(Option<ProjectId>),
    /// Exactly this scope. Its tenant is ignored.
    Scope(Scope),
    /// Everything visible from this scope. Its tenant is ignored.
    Visible(Scope),
}

/// A page of lessons. The default asks for the newest `limits::PAGE` of the tenant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LessonListing {
    /// The part of the tenant to list.
    pub within: ScopeFilter,
    /// Only lessons in this state; `None` for all.
    pub status: Option<StatusName>,
    /// Only lessons with this tag, written as lessons have it ([`normalise_tag`](hardwon_core::guard::normalise_tag));
    /// `None` for all.
    pub tag: Option<String>,
    /// Only lessons of this cause; `None` for all.
    pub cause: Option<Cause>,
    /// Only lessons made at this time or later; `None` for all.
    pub since: Option<Timestamp>,
    /// Only lessons that were ever shown.
    pub only_shown: bool,
    /// Only these lessons; `None` for all.
    pub among: Option<Vec<LessonId>>,
    /// Words that the lesson must all hold, in any order: in its slug, title, signature, text, situation, mistake or
    /// tags. Case is ignored, and a word may be part of a longer one.
    pub search_text: String,
    /// The sort order.
    pub order: LessonOrder,
    /// Only lessons after this one in that order: the last one of the previous page.
    pub before: Option<LessonId>,
    /// The maximum number of lessons.
    pub limit: usize,
}

impl Default for LessonListing {
    fn default() -> Self {
        Self {
            within: ScopeFilter::default(),
            status: None,
            tag: None,
            cause: None,
            since: None,
            only_shown: false,
            among: None,
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
    /// The most recently shown lesson first, or the most recently added if never shown, so that lessons in use rise to
    /// the top.
    LastShownFirst,
}

impl LessonOrder {
    /// Returns the order of a list for a person: those in use first, or what is new where lately is asked about.
    pub fn for_person(since: Option<Timestamp>) -> Self {
        since.map_or(Self::LastShownFirst, |_| Self::NewestFirst)
    }
}

impl LessonListing {
    /// Returns the words of the search text in lower case, at most `limits::SEARCH_WORDS`.
    pub fn search_words(&self) -> Vec<String> {
        let words = self.search_text.split_whitespace();
        let words = words.map(str::to_lowercase);
        words.take(limits::SEARCH_WORDS).collect()
    }
}

/// A reader of query texts, which decides what it may see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueryTextReader<'a> {
    /// The owner of the data, who may read all of them.
    Owner,
    /// An agent, which may read those of its own recalls.
    Agent(&'a AgentId),
}

impl QueryTextReader<'_> {
    /// Returns whether this reader may read the query texts of an agent.
    pub fn may_read(self, agent: &str) -> bool {
        match self {
            Self::Owner => true,
            Self::Agent(own) => own.as_str() == agent,
        }
    }
}

impl ScopeFilter {
    /// Makes a filter for the agent of a scope, its project, both or neither.
    pub fn same_as(scope: &Scope, agent: bool, project: bool) -> Self {
        match (agent, project) {
            (false, false) => Self::Tenant,
            (true, false) => Self::Agent(scope.agent.clone()),
            (false, true) => Self::Project(scope.project.clone()),
            (true, true) => Self::Scope(scope.clone()),
        }
    }

    /// Returns whether the filter covers this scope.
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
    /// The part of the tenant to list.
    pub within: ScopeFilter,
    /// Only recalls of this client; `None` for all.
    pub client: Option<ClientName>,
    /// Only recalls of this run; `None` for all.
    pub run: Option<RunId>,
    /// Only recalls with lower numbers: the last one of the previous page.
    pub before: Option<RecallId>,
    /// The maximum number of recalls.
    pub limit: usize,
}

impl RecallListing {
    /// Lists the recalls of one run.
    pub fn of_run(run: RunId) -> Self {
        Self {
            run: Some(run),
            ..Self::default()
        }
    }
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

/// A page of the queue's jobs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobListing {
    /// Only jobs in this state, by its name; `None` for all but the seen ones.
    pub state: Option<&'static str>,
    /// Only jobs with lower numbers: the last one of the previous page.
    pub before: Option<JobId>,
    /// The maximum number of jobs.
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

/// How many jobs a tenant has, by state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct JobCounts {
    /// Waiting jobs, ready or not.
    pub waiting: u64,
    /// When the first waiting job becomes ready; `None` if none waits.
    pub next_due: Option<Timestamp>,
    /// Jobs that a worker claimed, whether or not the claim has run out.
    pub running: u64,
    /// Running jobs whose claim has not run out.
    pub claimed: u64,
    /// Finished jobs that are still kept.
    pub done: u64,
    /// Jobs that were given up.
    pub dead: u64,
    /// Failures that one run hit and no model is asked about yet.
    pub seen: u64,
}

/// A page of judgements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JudgementListing {
    /// Only the judgement of this run; `None` for all.
    pub run: Option<RunId>,
    /// Only judgements with lower numbers: the last one of the previous page.
    pub before: Option<JudgementId>,
    /// The maximum number of judgements.
    pub limit: usize,
}

impl JudgementListing {
    /// Lists the judgement of one run.
    pub fn of_run(run: RunId) -> Self {
        Self {
            run: Some(run),
            limit: 1,
            ..Self::default()
        }
    }
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

/// The most rounds of a search that keeps finding expired lessons.
pub(crate) const MAX_SEARCH_ROUNDS: u32 = 4;

/// Repeats an index search that ignores expiry until enough recallable lessons are found.
///
/// Expired lessons are few, so one round nearly always suffices. The number of rounds is bounded: each asks for twice
/// as many as the one before.
pub fn search_recallable(
    query: &LessonQuery,
    mut best: impl FnMut(usize) -> Result<SearchResults>,
) -> Result<SearchResults> {
    let result_limit = query.limit.min(limits::PAGE_ROWS);
    let mut look = 0;
    loop {
        let look_limit = result_limit << look;
        let mut best_hits = best(look_limit)?;
        let is_all = best_hits.hits.len() < look_limit;
        best_hits
            .hits
            .retain(|hit| hit.lesson.is_recallable(query.now));
        look += 1;
        if is_all || best_hits.hits.len() >= result_limit || look == MAX_SEARCH_ROUNDS {
            best_hits.hits.truncate(result_limit);
            return Ok(best_hits);
        }
    }
}
