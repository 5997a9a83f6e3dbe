//! What recall by meaning adds on a bank of one's own, measured.
//!
//! Prompts are kept cut and for days only, so lessons are asked for by the accounts of the troubles that they came
//! from. A lesson that holds such an account (its situation, its mistake) is stripped of it; then
//! the account is the prompt, and the lesson's other words (signature, title, text) are what has to
//! be found among all the others, which keep theirs. What is asked is asked of words alone and of
//! both, in the same candidates.
//!
//! That is kinder than life: whoever wrote the account wrote the lesson. And it says nothing of
//! prompts that call for no lesson.

use hardwon_core::{
    lesson::{Lesson, LessonContent},
    limits,
    rank::{self, Ranking, Requester, SearchHit, SearchResults},
    redact,
    scope::Scope,
    text::CleanText,
    tokens::{DocTerms, QueryTerms},
    vector::{Vector, embedding_space, embedding_text},
};
use hardwon_store::{LessonListing, LessonQuery, ScopeFilter, StatusName};
use jiff::SignedDuration;

use crate::{Engine, Result, model::ModelError};

/// Places that count for the reciprocal rank.
const COUNTED_RANKS: usize = 10;
/// Places that a recall shows.
const TOP_RANKS: usize = limits::SHOWN_DEFAULT;

/// How well lessons were found.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct RecallFigures {
    /// The share that stood among the first three.
    pub recall_at_3: f64,
    /// The mean of one by the place, up to the tenth.
    pub mrr_at_10: f64,
    /// The share that would have been shown.
    pub shown: f64,
    /// How long a recall took on average.
    pub mean_time: SignedDuration,
}

/// What the embedding made of it.
#[derive(Debug, Clone, PartialEq)]
pub struct SemanticComparison {
    /// Lessons that have a vector.
    pub vectors: u64,
    /// How well lessons were found by words and vectors together.
    pub figures: RecallFigures,
    /// How often the first three were not the same three, in any order.
    pub changed: u64,
    /// Accounts that came up without a vector, because the embedding was away or knew no word.
    pub without_vector: u64,
    /// Why, of the first of them.
    pub embedding_error: Option<ModelError>,
}

/// A comparison of recall by words with recall by words and meaning.
#[derive(Debug, Clone, PartialEq)]
pub struct RecallComparison {
    /// Active lessons that may be recalled here.
    pub lessons: u64,
    /// Those that were asked for.
    pub probed: u64,
    /// How well they were found by words alone.
    pub by_words: RecallFigures,
    /// And with the embedding; none if none is set.
    pub semantic: Option<SemanticComparison>,
}

/// A lesson without its account, and the account.
struct RecallProbe {
    lesson: Lesson,
    account: String,
}

/// Sums on the way to [`Figures`].
#[derive(Debug, Clone, Copy, Default)]
struct RecallSums {
    top: u32,
    reciprocal: f64,
    shown: u32,
    total_time: SignedDuration,
}

impl Engine {
    pub(crate) fn measure_recall(&self, scope: &Scope, most: usize) -> Result<RecallComparison> {
        let (lessons, probes) = self.collect_probes(scope, most)?;
        let stripped = self.embed_stripped(&probes);
        let (mut words, mut both) = (RecallSums::default(), RecallSums::default());
        let (mut changed, mut without, mut trouble) = (0, 0, None);
        for (place, probe) in probes.iter().enumerate() {
            let query = self.probe_query(scope, probe);
            let start = self.clock.now();
            let found = self.store.snapshot()?.search(&query)?;
            let plain = self.rank_found(&query, substitute_lesson(found, probe, None));
            words.add_ranking(&plain, probe, self.clock.now().duration_since(start));
            let Some(semantic) = &self.semantic else {
                continue;
            };
            let start = self.clock.now();
            let (near, why) = semantic.embed_prompt(&probe.account);
            without += u64::from(near.is_none());
            trouble = trouble.or(why);
            let own = stripped.get(place).and_then(Option::as_ref);
            let similarity = near.as_ref().zip(own);
            let similarity =
                similarity.and_then(|(near, own)| near.vector.cosine_similarity(&own.to_bytes()));
            let query = LessonQuery {
                vector: near,
                ..query
            };
            let found = self.store.snapshot()?.search(&query)?;
            let ranking = self.rank_found(&query, substitute_lesson(found, probe, similarity));
            both.add_ranking(&ranking, probe, self.clock.now().duration_since(start));
            changed += u64::from(top_ids(&plain) != top_ids(&ranking));
        }
        let asked = probes.len() as u64;
        let near = match &self.semantic {
            None => None,
            Some(semantic) => Some(SemanticComparison {
                vectors: self.count_visible_vectors(scope, &semantic.embedder.space_name())?,
                figures: both.to_figures(asked),
                changed,
                without_vector: without,
                embedding_error: trouble,
            }),
        };
        Ok(RecallComparison {
            lessons,
            probed: asked,
            by_words: words.to_figures(asked),
            semantic: near,
        })
    }

    /// Counts the lessons, and takes those that hold an account, the newest first.
    fn collect_probes(&self, scope: &Scope, most: usize) -> Result<(u64, Vec<RecallProbe>)> {
        let mut listing = LessonListing {
            within: ScopeFilter::Visible(scope.clone()),
            status: Some(StatusName::Active),
            ..LessonListing::default()
        };
        let (mut lessons, mut probes) = (0, Vec::new());
        let now = self.clock.now();
        let reader = self.store.snapshot()?;
        loop {
            let page = reader.lessons(&scope.tenant, &listing)?;
            let Some(last) = page.last() else {
                return Ok((lessons, probes));
            };
            listing.before = Some(last.id);
            for lesson in page.into_iter().filter(|it| it.is_recallable(now)) {
                lessons += 1;
                if probes.len() < most {
                    probes.extend(RecallProbe::from_lesson(lesson));
                }
            }
        }
    }

    /// Returns the vectors of the lessons as they are without their accounts.
    fn embed_stripped(&self, probes: &[RecallProbe]) -> Vec<Option<Vector>> {
        let Some(semantic) = &self.semantic else {
            return Vec::new();
        };
        let mut vectors = Vec::with_capacity(probes.len());
        for probes in probes.chunks(limits::EMBEDDED_TEXTS) {
            let texts: Vec<CleanText> = (probes.iter())
                .map(|probe| embedding_text(&probe.lesson.content))
                .collect();
            let embedded = semantic
                .embedder
                .embed(&texts, semantic.timeout.max(BATCH_TIMEOUT));
            match embedded {
                Ok(embedded) => {
                    vectors.extend(embedded.vectors.into_iter().map(std::result::Result::ok));
                }
                Err(_) => vectors.extend(probes.iter().map(|_| None)),
            }
        }
        vectors
    }

    fn probe_query(&self, scope: &Scope, probe: &RecallProbe) -> LessonQuery {
        LessonQuery {
            scope: scope.clone(),
            terms: QueryTerms::from_prompt(&redact::strip_own_blocks(&probe.account)),
            limit: limits::CANDIDATES,
            now: self.clock.now(),
            vector: None,
        }
    }

    fn rank_found(&self, query: &LessonQuery, found: SearchResults) -> Ranking {
        let policy = rank::RankPolicy {
            limit: TOP_RANKS,
            ..self.policy.rank
        };
        rank::rank_candidates(
            &query.terms,
            found,
            &Requester::default(),
            policy,
            query.now,
        )
    }

    fn count_visible_vectors(
        &self,
        scope: &Scope,
        name: &std::result::Result<String, ModelError>,
    ) -> Result<u64> {
        let Ok(name) = name else {
            return Ok(0);
        };
        let reader = self.store.snapshot()?;
        let mut vectors = 0;
        for scope in scope.visible_scopes() {
            vectors += reader.count_vectors(&scope, &embedding_space(name))?;
        }
        Ok(vectors)
    }
}

/// How long a batch of lessons may take.
const BATCH_TIMEOUT: std::time::Duration = std::time::Duration::from_secs(60);

impl RecallProbe {
    /// Strips a lesson of its account; none if it holds none.
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

/// Puts the stripped lesson in the place of the whole one, or adds it: the store knows the whole one
/// only. One that shares no word with its account is a candidate only by its vector.
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

/// Returns the first candidates, in the order of their numbers. One with neither a word nor a vector
/// is none.
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
