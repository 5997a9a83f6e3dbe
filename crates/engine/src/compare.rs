//! Measures what recall by meaning adds on a bank of one's own.
//!
//! Prompts are kept cut and for days only, so the query for a lesson is the account of the failure that it came from. A
//! lesson that holds such an account (its situation, its mistake) is stripped of it; then the account is the prompt,
//! and the lesson's other words (signature, title, text) are what has to be found among all the others, which keep
//! theirs. Each query runs by words alone and by words and meaning, over the same candidates.
//!
//! That is easier than practice: whoever wrote the account wrote the lesson. And it says nothing of prompts that call
//! for no lesson.

use hardwon_core::{
    access::Rights,
    lesson::{Lesson, LessonContent},
    limits,
    rank::{self, Ranking, Requester, SearchHit, SearchResults},
    redact,
    scope::Scope,
    text::CleanText,
    tokens::{DocTerms, QueryTerms},
    vector::{Vector, embedding_space, embedding_text},
};
use hardwon_store::{LessonListing, LessonQuery, QueryVector, Read, ScopeFilter, StatusName};
use jiff::SignedDuration;

use crate::{
    Clock, Desk, Result, embed::SemanticRecall, model::ModelError, paging::for_each_lesson,
};

/// Ranks that count for the reciprocal rank.
const COUNTED_RANKS: usize = 10;
/// Ranks that a recall shows.
const TOP_RANKS: usize = limits::SHOWN_DEFAULT;

/// How well lessons were found.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct RecallFigures {
    /// The share of lessons found among the first three, from 0 to 1.
    pub recall_at_3: f64,
    /// The mean of 1 / rank; 0 for a rank beyond ten.
    pub mrr_at_10: f64,
    /// The share that would have been shown, from 0 to 1.
    pub shown: f64,
    /// The mean time of a recall.
    pub mean_time: SignedDuration,
}

/// The figures with the embedding.
#[derive(Debug, Clone, PartialEq)]
pub struct SemanticComparison {
    /// Lessons that have a vector.
    pub vectors: u64,
    /// How well lessons were found by words and vectors together.
    pub figures: RecallFigures,
    /// How often the first three were another set than by words alone.
    pub changed: u64,
    /// Accounts that got no vector, because the embedding failed or knew no word.
    pub without_vector: u64,
    /// The first such error, if the embedding failed.
    pub embedding_error: Option<ModelError>,
}

/// A comparison of recall by words with recall by words and meaning.
#[derive(Debug, Clone, PartialEq)]
pub struct RecallComparison {
    /// Active lessons that may be recalled here.
    pub lessons: u64,
    /// Lessons that were queried for.
    pub probed: u64,
    /// The figures by words alone.
    pub by_words: RecallFigures,
    /// The figures by words and meaning; `None` if no embedding is configured.
    pub semantic: Option<SemanticComparison>,
}

/// A lesson without its account, and the account.
struct RecallProbe {
    lesson: Lesson,
    account: String,
}

/// Sums on the way to [`RecallFigures`].
#[derive(Debug, Clone, Copy, Default)]
struct RecallSums {
    top: u32,
    reciprocal: f64,
    shown: u32,
    total_time: SignedDuration,
}

impl Desk<'_> {
    /// Compares recall by words with recall by words and meaning, on at most `max_lessons` lessons.
    pub fn compare_recall(&self, max_lessons: usize) -> Result<RecallComparison> {
        self.principal.check_right(Rights::Read)?;
        let reader = self.engine.store.snapshot()?;
        let meter = RecallMeter {
            reader: &*reader,
            clock: &*self.engine.clock,
            scope: &self.principal.scope,
            policy: rank::RankPolicy {
                limit: TOP_RANKS,
                ..self.policy.rank
            },
        };
        let (lessons, probes) = meter.collect_probes(max_lessons)?;
        let (by_words, rankings) = meter.measure_words(&probes)?;
        let semantic = match &self.engine.semantic {
            None => None,
            Some(semantic) => Some(meter.measure_meaning(semantic, &probes, &rankings)?),
        };
        Ok(RecallComparison {
            lessons,
            probed: probes.len() as u64,
            by_words,
            semantic,
        })
    }
}

/// Runs recalls and measures their time.
struct RecallMeter<'a> {
    reader: &'a dyn Read,
    clock: &'a dyn Clock,
    scope: &'a Scope,
    policy: rank::RankPolicy,
}

impl RecallMeter<'_> {
    /// Counts the lessons, and collects those that hold an account, the newest first.
    fn collect_probes(&self, max_lessons: usize) -> Result<(u64, Vec<RecallProbe>)> {
        let listing = LessonListing {
            within: ScopeFilter::Visible(self.scope.clone()),
            status: Some(StatusName::Active),
            ..LessonListing::default()
        };
        let (mut lessons, mut probes) = (0, Vec::new());
        let now = self.clock.now();
        for_each_lesson(self.reader, &self.scope.tenant, listing, |lesson| {
            if lesson.is_recallable(now) {
                lessons += 1;
                if probes.len() < max_lessons {
                    probes.extend(RecallProbe::from_lesson(lesson));
                }
            }
        })?;
        Ok((lessons, probes))
    }

    /// Queries for each lesson by words alone; returns the figures and the rankings.
    fn measure_words(&self, probes: &[RecallProbe]) -> Result<(RecallFigures, Vec<Ranking>)> {
        let mut sums = RecallSums::default();
        let mut rankings = Vec::with_capacity(probes.len());
        for probe in probes {
            let start = self.clock.now();
            let ranking = self.rank_probe(probe, None, None)?;
            sums.add_ranking(&ranking, probe, self.clock.now().duration_since(start));
            rankings.push(ranking);
        }
        Ok((sums.to_figures(probes.len() as u64), rankings))
    }

    /// Queries for each lesson by words and meaning, and compares with the rankings by words alone.
    fn measure_meaning(
        &self,
        semantic: &SemanticRecall,
        probes: &[RecallProbe],
        by_words: &[Ranking],
    ) -> Result<SemanticComparison> {
        let stripped = embed_stripped(semantic, probes);
        let (mut sums, mut changed, mut without_vector) = (RecallSums::default(), 0, 0);
        let mut embedding_error = None;
        for ((probe, own), plain) in probes.iter().zip(&stripped).zip(by_words) {
            let start = self.clock.now();
            let (vector, why) = semantic.embed_prompt(&probe.account);
            without_vector += u64::from(vector.is_none());
            embedding_error = embedding_error.or(why);
            let ranking = self.rank_probe(probe, vector, own.as_ref())?;
            sums.add_ranking(&ranking, probe, self.clock.now().duration_since(start));
            changed += u64::from(top_ids(plain) != top_ids(&ranking));
        }
        Ok(SemanticComparison {
            vectors: self.count_visible_vectors(&semantic.embedder.space_name())?,
            figures: sums.to_figures(probes.len() as u64),
            changed,
            without_vector,
            embedding_error,
        })
    }

    /// Ranks the lessons for an account, with the stripped lesson among the others. `own` is its vector.
    fn rank_probe(
        &self,
        probe: &RecallProbe,
        vector: Option<QueryVector>,
        own: Option<&Vector>,
    ) -> Result<Ranking> {
        let similarity = vector.as_ref().zip(own);
        let similarity =
            similarity.and_then(|(query, own)| query.vector.cosine_similarity(&own.to_bytes()));
        let query = LessonQuery {
            scope: self.scope.clone(),
            terms: QueryTerms::from_prompt(&redact::strip_own_blocks(&probe.account)),
            limit: limits::CANDIDATES,
            now: self.clock.now(),
            vector,
        };
        let found = substitute_lesson(self.reader.search(&query)?, probe, similarity);
        let asker = Requester::default();
        let (policy, now) = (self.policy, query.now);
        Ok(rank::rank_candidates(
            &query.terms,
            found,
            &asker,
            policy,
            now,
        ))
    }

    fn count_visible_vectors(&self, name: &std::result::Result<String, ModelError>) -> Result<u64> {
        let Ok(name) = name else {
            return Ok(0);
        };
        let mut vectors = 0;
        for scope in self.scope.visible_scopes() {
            vectors += self.reader.count_vectors(&scope, &embedding_space(name))?;
        }
        Ok(vectors)
    }
}

/// Returns the vectors of the lessons without their accounts; `None` where the embedding fails or knows no word.
fn embed_stripped(semantic: &SemanticRecall, probes: &[RecallProbe]) -> Vec<Option<Vector>> {
    let timeout = semantic.timeout.max(BATCH_TIMEOUT);
    let mut vectors = Vec::with_capacity(probes.len());
    for probes in probes.chunks(limits::EMBEDDED_TEXTS) {
        let texts = probes.iter().map(|it| embedding_text(&it.lesson.content));
        let texts: Vec<CleanText> = texts.collect();
        match semantic.embedder.embed(&texts, timeout) {
            Ok(embedded) => {
                vectors.extend(embedded.vectors.into_iter().map(std::result::Result::ok));
            }
            Err(_) => vectors.extend(probes.iter().map(|_| None)),
        }
    }
    vectors
}

/// Longest time for the vectors of one batch.
const BATCH_TIMEOUT: std::time::Duration = std::time::Duration::from_secs(60);

impl RecallProbe {
    /// Strips a lesson of its account; `None` if it holds none.
    fn from_lesson(mut lesson: Lesson) -> Option<Self> {
        let LessonContent {
            situation, mistake, ..
        } = &mut lesson.admitted.content;
        let account: Vec<CleanText> = [situation.take(), mistake.take()]
            .into_iter()
            .flatten()
            .collect();
        let account: Vec<&str> = account.iter().map(CleanText::as_str).collect();
        let account = account.join("\n");
        (!account.trim().is_empty()).then_some(Self { lesson, account })
    }
}

/// Replaces the whole lesson with the stripped one, or adds it: the store knows only the whole one. A stripped lesson
/// that shares no word with its account is a candidate only by its vector.
fn substitute_lesson(
    mut found: SearchResults,
    probe: &RecallProbe,
    similarity: Option<f32>,
) -> SearchResults {
    found.hits.retain(|hit| hit.lesson.id != probe.lesson.id);
    found.hits.push(SearchHit {
        terms: DocTerms::from_content(&probe.lesson.content, probe.lesson.task.as_ref()),
        lesson: probe.lesson.clone(),
        score: 0.0,
        similarity,
    });
    found
}

/// Returns the ids of the first candidates, sorted. One with neither a shared word nor a vector is left out.
fn top_ids(ranking: &Ranking) -> Vec<i64> {
    let mut top: Vec<i64> = candidate_ids(ranking).take(TOP_RANKS).collect();
    top.sort_unstable();
    top
}

fn candidate_ids(ranking: &Ranking) -> impl Iterator<Item = i64> {
    let all = ranking.explanations_in_order().into_iter();
    all.filter(|(_, it)| it.score > 0.0 || it.similarity.is_some())
        .map(|(id, _)| id.0)
}

impl RecallSums {
    fn add_ranking(&mut self, ranking: &Ranking, probe: &RecallProbe, took: SignedDuration) {
        let place = candidate_ids(ranking).position(|id| id == probe.lesson.id.0);
        self.top += u32::from(place.is_some_and(|place| place < TOP_RANKS));
        let place = place
            .filter(|place| *place < COUNTED_RANKS)
            .and_then(|it| u32::try_from(it).ok());
        self.reciprocal += place.map_or(0.0, |place| 1.0 / f64::from(place + 1));
        let is_shown = ranking
            .shown
            .iter()
            .any(|it| it.lesson.id == probe.lesson.id);
        self.shown += u32::from(is_shown);
        self.total_time += took;
    }

    fn to_figures(self, asked: u64) -> RecallFigures {
        let count = u32::try_from(asked).unwrap_or(u32::MAX).max(1);
        let of = |sum: f64| sum / f64::from(count);
        RecallFigures {
            recall_at_3: of(self.top.into()),
            mrr_at_10: of(self.reciprocal),
            shown: of(self.shown.into()),
            mean_time: self.total_time / i32::try_from(count).unwrap_or(i32::MAX),
        }
    }
}
