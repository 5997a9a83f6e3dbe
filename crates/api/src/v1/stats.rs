//! What is in the store, and how well lessons are found.

use hardwon_core::scope::Scope;
use hardwon_engine::{RecallComparison, RecallFigures, SemanticComparison};
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
            project: scope.project.as_ref().map(|it| it.display_name()),
            census: *census,
        }
    }
}

/// How well lessons are found by words, and by words and vectors.
#[derive(Debug, Serialize)]
pub struct RecallComparisonDto {
    /// Lessons in use that may be recalled here.
    pub lessons: u64,
    /// Those of them that were searched for, by the failure that they came from.
    pub asked: u64,
    /// How they were found by words.
    pub words: FiguresDto,
    /// How they were found with an embedding; null if none is set.
    pub embedding: Option<EmbeddingComparisonDto>,
}

/// How well lessons were found.
#[derive(Debug, Serialize)]
pub struct FiguresDto {
    /// The share that was among the first three.
    pub recall_at_3: f64,
    /// The mean of one divided by the place, where that is among the first ten, else of 0.
    pub mrr_at_10: f64,
    /// The share that would have been shown.
    pub shown: f64,
    /// How long a recall took on average, in milliseconds.
    pub milliseconds: f64,
}

/// What an embedding made of it.
#[derive(Debug, Serialize)]
pub struct EmbeddingComparisonDto {
    /// Lessons with a vector.
    pub vectors: u64,
    /// How they were found; its keys stand beside the others.
    #[serde(flatten)]
    pub figures: FiguresDto,
    /// How often the first three were not the same three as by words, in any order.
    pub changed: u64,
    /// Searches that went without a vector: the embedding was away, or knew no word.
    pub without: u64,
    /// Why, of the first of them; null if there was none.
    pub trouble: Option<String>,
}

impl From<&RecallComparison> for RecallComparisonDto {
    fn from(compared: &RecallComparison) -> Self {
        Self {
            lessons: compared.lessons,
            asked: compared.probed,
            words: FiguresDto::from(&compared.by_words),
            embedding: compared.semantic.as_ref().map(EmbeddingComparisonDto::from),
        }
    }
}

impl From<&RecallFigures> for FiguresDto {
    fn from(figures: &RecallFigures) -> Self {
        Self {
            recall_at_3: figures.recall_at_3,
            mrr_at_10: figures.mrr_at_10,
            shown: figures.shown,
            milliseconds: figures.mean_time.as_secs_f64() * 1e3,
        }
    }
}

impl From<&SemanticComparison> for EmbeddingComparisonDto {
    fn from(near: &SemanticComparison) -> Self {
        Self {
            vectors: near.vectors,
            figures: FiguresDto::from(&near.figures),
            changed: near.changed,
            without: near.without_vector,
            trouble: near.embedding_error.as_ref().map(ToString::to_string),
        }
    }
}
