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
use hardwon_store::{Listing, Query, StatusName, Within};
use jiff::SignedDuration;

use crate::{Engine, Result, model::ModelError};

/// Places that count for the reciprocal rank.
const PLACES: usize = 10;
/// Places that a recall shows.
const TOP: usize = limits::SHOWN_DEFAULT;

/// How well lessons were found.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Figures {
    /// The share that stood among the first three.
    pub recall_at_3: f64,
    /// The mean of one by the place, up to the tenth.
    pub mrr_at_10: f64,
    /// The share that would have been shown.
    pub shown: f64,
    /// How long a recall took on average.
    pub took: SignedDuration,
}

/// What the embedding made of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Near {
    /// Lessons that have a vector.
    pub vectors: u64,
    /// How well lessons were found by words and vectors together.
    pub figures: Figures,
    /// How often the first three were not the same three, in any order.
    pub changed: u64,
    /// Accounts that came up without a vector, because the embedding was away or knew no word.
    pub without: u64,
    /// Why, of the first of them.
    pub trouble: Option<ModelError>,
}

/// A comparison of recall by words with recall by words and meaning.
#[derive(Debug, Clone, PartialEq)]
pub struct Compared {
    /// Active lessons that may be recalled here.
    pub lessons: u64,
    /// Those that were asked for.
    pub asked: u64,
    /// How well they were found by words alone.
    pub words: Figures,
    /// And with the embedding; none if none is set.
    pub near: Option<Near>,
}

/// A lesson without its account, and the account.
struct Probe {
    lesson: Lesson,
    account: String,
}

/// Sums on the way to [`Figures`].
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    top: u32,
    reciprocal: f64,
    shown: u32,
    took: SignedDuration,
}

impl Engine {
    pub(crate) fn compare_recall(&self, scope: &Scope, most: usize) -> Result<Compared> {
        let (lessons, probes) = self.probes(scope, most)?;
        let stripped = self.stripped_vectors(&probes);
        let (mut words, mut both) = (Sums::default(), Sums::default());
        let (mut changed, mut without, mut trouble) = (0, 0, None);
        for (place, probe) in probes.iter().enumerate() {
            let query = self.plain(scope, probe);
            let start = self.clock.now();
            let found = self.store.snapshot()?.search(&query)?;
            let plain = self.told(&query, replaced(found, probe, None));
            words.count(&plain, probe, self.clock.now().duration_since(start));
            let Some(semantic) = &self.semantic else {
                continue;
            };
            let start = self.clock.now();
            let (near, why) = semantic.near(&probe.account);
            without += u64::from(near.is_none());
            trouble = trouble.or(why);
            let own = stripped.get(place).and_then(Option::as_ref);
            let similarity = near.as_ref().zip(own);
            let similarity =
                similarity.and_then(|(near, own)| near.vector.cosine_similarity(&own.to_bytes()));
            let query = Query { near, ..query };
            let found = self.store.snapshot()?.search(&query)?;
            let ranking = self.told(&query, replaced(found, probe, similarity));
            both.count(&ranking, probe, self.clock.now().duration_since(start));
            changed += u64::from(top(&plain) != top(&ranking));
        }
        let asked = probes.len() as u64;
        let near = match &self.semantic {
            None => None,
            Some(semantic) => Some(Near {
                vectors: self.vectors_seen(scope, &semantic.embedder.space())?,
                figures: both.figures(asked),
                changed,
                without,
                trouble,
            }),
        };
        Ok(Compared {
            lessons,
            asked,
            words: words.figures(asked),
            near,
        })
    }

    /// Counts the lessons, and takes those that hold an account, the newest first.
    fn probes(&self, scope: &Scope, most: usize) -> Result<(u64, Vec<Probe>)> {
        let mut listing = Listing {
            within: Within::Visible(scope.clone()),
            status: Some(StatusName::Active),
            ..Listing::default()
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
                    probes.extend(Probe::of(lesson));
                }
            }
        }
    }

    /// Returns the vectors of the lessons as they are without their accounts.
    fn stripped_vectors(&self, probes: &[Probe]) -> Vec<Option<Vector>> {
        let Some(semantic) = &self.semantic else {
            return Vec::new();
        };
        let mut vectors = Vec::with_capacity(probes.len());
        for probes in probes.chunks(limits::EMBEDDED_TEXTS) {
            let texts: Vec<CleanText> = (probes.iter())
                .map(|probe| embedding_text(&probe.lesson.content))
                .collect();
            let embedded = semantic.embedder.embed(&texts, semantic.within.max(BATCH));
            match embedded {
                Ok(embedded) => {
                    vectors.extend(embedded.vectors.into_iter().map(std::result::Result::ok));
                }
                Err(_) => vectors.extend(probes.iter().map(|_| None)),
            }
        }
        vectors
    }

    fn plain(&self, scope: &Scope, probe: &Probe) -> Query {
        Query {
            scope: scope.clone(),
            terms: QueryTerms::from_prompt(&redact::strip_own_blocks(&probe.account)),
            limit: limits::CANDIDATES,
            now: self.clock.now(),
            near: None,
        }
    }

    fn told(&self, query: &Query, found: SearchResults) -> Ranking {
        let policy = rank::RankPolicy {
            limit: TOP,
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

    fn vectors_seen(
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
            vectors += reader.vectors(&scope, &embedding_space(name))?;
        }
        Ok(vectors)
    }
}

/// How long a batch of lessons may take.
const BATCH: std::time::Duration = std::time::Duration::from_secs(60);

impl Probe {
    /// Strips a lesson of its account; none if it holds none.
    fn of(mut lesson: Lesson) -> Option<Self> {
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
fn replaced(mut found: SearchResults, probe: &Probe, similarity: Option<f32>) -> SearchResults {
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
fn top(ranking: &Ranking) -> Vec<i64> {
    let mut top: Vec<i64> = candidates(ranking).take(TOP).collect();
    top.sort_unstable();
    top
}

fn candidates(ranking: &Ranking) -> impl Iterator<Item = i64> {
    let all = ranking.explanations_in_order().into_iter();
    all.filter(|(_, it)| it.score > 0.0 || it.similarity.is_some())
        .map(|(id, _)| id.0)
}

impl Sums {
    fn count(&mut self, ranking: &Ranking, probe: &Probe, took: SignedDuration) {
        let place = candidates(ranking).position(|id| id == probe.lesson.id.0);
        self.top += u32::from(place.is_some_and(|place| place < TOP));
        let place = place
            .filter(|place| *place < PLACES)
            .and_then(|it| u32::try_from(it).ok());
        self.reciprocal += place.map_or(0.0, |place| 1.0 / f64::from(place + 1));
        let is_shown = ranking
            .shown
            .iter()
            .any(|it| it.lesson.id == probe.lesson.id);
        self.shown += u32::from(is_shown);
        self.took += took;
    }

    fn figures(self, asked: u64) -> Figures {
        let count = u32::try_from(asked).unwrap_or(u32::MAX).max(1);
        let of = |sum: f64| sum / f64::from(count);
        Figures {
            recall_at_3: of(self.top.into()),
            mrr_at_10: of(self.reciprocal),
            shown: of(self.shown.into()),
            took: self.took / i32::try_from(count).unwrap_or(i32::MAX),
        }
    }
}
