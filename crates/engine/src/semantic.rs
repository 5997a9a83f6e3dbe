//! Recall by meaning: a prompt's vector when it is needed, and lessons' vectors beforehand.
//!
//! A prompt is cleaned and cut before it is sent to an embedding. Where the embedding is unavailable, slow or knows
//! nothing of a prompt, recall goes by words. Lessons are embedded apart from learning, in batches: a lesson waits for
//! no embedding, and is found by its words until it has a vector.

use std::{iter, time::Duration};

use hardwon_core::{
    AdmittedLesson, CleanText, Lesson, LessonId, ModelCost, QueryTerms, RawText, Scope,
    change::is_restatement,
    limits, queue, rank,
    vector::{content_fingerprint, embedding_space, embedding_text},
};
use hardwon_store::{
    Commit as _, LessonListing, LessonQuery, LessonVector, QueryVector, ScopeFilter, StatusName,
};

use crate::{
    Desk, EmbeddedTexts, Embedder, Error, ModelError, Result, SemanticRecall, access::Rights,
    model::estimate_tokens,
};

impl SemanticRecall {
    /// Returns a prompt's vector; `None` for a prompt of which the embedding knows nothing.
    ///
    /// # Errors
    ///
    /// Why the embedding cannot be used.
    pub(crate) fn embed_prompt(&self, prompt: &str) -> Result<Option<QueryVector>, ModelError> {
        let text = hardwon_redact::clean_to_bytes(&RawText::from(prompt), limits::EMBEDDED_BYTES);
        if text.is_blank() {
            return Ok(None);
        }
        Ok(self.embed_texts(&[text])?.into_iter().flatten().next())
    }

    /// Returns the vectors of a few texts, each `None` if the embedding knows nothing of it.
    fn embed_texts(&self, texts: &[CleanText]) -> Result<Vec<Option<QueryVector>>, ModelError> {
        let space = embedding_space(&self.embedder.space_name()?);
        let answer = self.embedder.embed(texts, self.timeout)?;
        let vectors = answer.vectors.into_iter().map(|vector| {
            Some(QueryVector {
                embedding_space: space.clone(),
                vector: vector.ok()?,
            })
        });
        Ok(vectors.collect())
    }
}

impl Desk<'_> {
    /// Finds the lesson that a new one says again in other words: of all lessons the one whose sentence is nearest, and
    /// nearer than by chance, if names and signs allow it ([`is_restatement`]). None without an embedding. The embedding is
    /// only asked where they do.
    pub(crate) fn find_restated(&self, admitted: &AdmittedLesson) -> Result<Option<LessonId>> {
        let Some(semantic) = &self.engine.semantic else {
            return Ok(None);
        };
        let content = &admitted.content;
        let words = format!("{} {}", content.signature, content.text);
        let mut query = self.query_words(&admitted.scope, &words);
        let mut alike = self.search(&query)?;
        alike.retain(|old| is_restatement(admitted, old));
        if alike.is_empty() {
            return Ok(None);
        }
        let contents = iter::once(content).chain(alike.iter().map(|old| &old.content));
        let texts: Vec<CleanText> = contents.map(embedding_text).collect();
        let Ok(vectors) = semantic.embed_texts(&texts) else {
            return Ok(None);
        };
        query.vector = vectors[0].clone();
        let mut results = self.snapshot()?.search(&query)?;
        // They may have no vector in the store yet.
        for (old, theirs) in alike.iter().zip(&vectors[1..]) {
            let hit = results.hits.iter_mut().find(|hit| hit.lesson.id == old.id);
            if let (Some(hit), Some(own), Some(theirs)) = (hit, &query.vector, theirs) {
                hit.similarity = own.vector.cosine_similarity(&theirs.vector.to_bytes());
            }
        }
        let nearest = rank::list_near(results).into_iter().next();
        let twin = nearest.filter(|nearest| is_restatement(admitted, nearest));
        Ok(twin.map(|lesson| lesson.id))
    }

    /// Returns the query for the lessons that share words with a text.
    pub(crate) fn query_words(&self, scope: &Scope, text: &str) -> LessonQuery {
        self.query_terms(scope, QueryTerms::from_prompt(text))
    }

    /// Returns the query for the lessons that have the most of these terms.
    pub(crate) fn query_terms(&self, scope: &Scope, terms: QueryTerms) -> LessonQuery {
        LessonQuery {
            scope: scope.clone(),
            terms,
            limit: limits::CANDIDATES,
            now: self.now(),
            vector: None,
        }
    }

    /// Returns the lessons that are near a search by their sentences alone, the nearest first; none without an embedding.
    pub(crate) fn find_near_search(&self, listing: &LessonListing) -> Result<Vec<Lesson>> {
        let is_narrowed =
            listing.tag.is_some() || listing.cause.is_some() || listing.before.is_some();
        let is_about_active = matches!(listing.status, None | Some(StatusName::Active));
        let (ScopeFilter::Visible(scope), Some(semantic), false, true) = (
            &listing.within,
            &self.engine.semantic,
            is_narrowed,
            is_about_active,
        ) else {
            return Ok(Vec::new());
        };
        self.check_access(Rights::Read, scope)?;
        let Ok(vector) = semantic.embed_prompt(&listing.search_text) else {
            return Ok(Vec::new());
        };
        let mut query = self.query_words(scope, &listing.search_text);
        query.vector = vector;
        let results = self.snapshot()?.search(&query)?;
        Ok(rank::list_near(results))
    }
}

/// How to embed lessons.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EmbedOptions {
    /// Most lessons to embed.
    pub max_lessons: usize,
    /// How long one batch may take.
    pub timeout: Duration,
    /// The most tokens that may be spent in a day, on embeddings and models together; `None` for any number.
    pub tokens_per_day: Option<u64>,
}

/// Why lessons were left without a vector.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EmbedStop {
    /// The embedding cannot be used at present.
    #[error(transparent)]
    Embedding(#[from] ModelError),
    /// Another batch would exceed today's budget.
    #[error("another call would exceed today's budget (setting `model_tokens_per_day`)")]
    OverBudget,
    /// The maximum number of lessons was embedded.
    #[error("as many lessons as were asked for were embedded")]
    LimitReached,
}

/// The result of embedding lessons.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EmbedReport {
    /// Lessons that got a vector.
    pub embedded: usize,
    /// Lessons of which the embedding knows nothing.
    pub unknown: usize,
    /// The cost.
    pub cost: ModelCost,
    /// Why some lessons were left; `None` if all were tried.
    pub stop: Option<EmbedStop>,
}

impl Desk<'_> {
    /// Embeds the lessons that have no vector yet, in all scopes of the tenant; does nothing without an embedding. It
    /// is no error that the embedding is unavailable: lessons are found by their words.
    ///
    /// # Errors
    ///
    /// `Store` if the store cannot be read or written.
    pub fn embed_lessons(&self, how: &EmbedOptions) -> Result<EmbedReport> {
        self.principal.check_right(Rights::Write)?;
        let Some(semantic) = &self.engine.semantic else {
            return Ok(EmbedReport::default());
        };
        let space = match semantic.embedder.space_name() {
            Ok(name) => embedding_space(&name),
            Err(error) => {
                return Ok(EmbedReport {
                    stop: Some(error.into()),
                    ..EmbedReport::default()
                });
            }
        };
        let filler = VectorFiller {
            desk: self,
            embedder: &*semantic.embedder,
            space,
            options: how,
        };
        filler.fill()
    }
}

/// Gives vectors to the lessons of a tenant that have none.
struct VectorFiller<'a> {
    desk: &'a Desk<'a>,
    embedder: &'a dyn Embedder,
    space: String,
    options: &'a EmbedOptions,
}

impl VectorFiller<'_> {
    fn fill(&self) -> Result<EmbedReport> {
        let (tenant, space) = (self.desk.tenant(), &self.space);
        let mut report = EmbedReport::default();
        let mut after = LessonId(0);
        let mut left = self.options.max_lessons;
        while report.stop.is_none() {
            let batch = left.min(limits::EMBEDDED_TEXTS);
            // One more shows whether any is left over.
            let reader = self.desk.snapshot()?;
            let mut lessons = reader.lessons_without_vector(tenant, space, after, batch + 1)?;
            drop(reader);
            let is_more = lessons.len() > batch;
            lessons.truncate(batch);
            let Some(last) = lessons.last() else {
                report.stop = is_more.then_some(EmbedStop::LimitReached);
                break;
            };
            after = last.id;
            left -= lessons.len();
            self.fill_batch(&lessons, &mut report)?;
        }
        Ok(report)
    }

    fn fill_batch(&self, lessons: &[Lesson], filled: &mut EmbedReport) -> Result<()> {
        let (tenant, how) = (self.desk.tenant(), self.options);
        let store = &self.desk.engine.store;
        let contents = lessons.iter().map(|lesson| &lesson.content);
        let texts: Vec<CleanText> = contents.map(embedding_text).collect();
        let day = queue::day_number(self.desk.now());
        let tokens = texts.iter().map(|text| estimate_tokens(text.as_str()));
        let likely = ModelCost::of_call(tokens.sum());
        let likely = (self.desk.snapshot()?.model_cost(tenant, day)?).saturating_add(likely);
        if !likely.is_within(how.tokens_per_day) {
            filled.stop = Some(EmbedStop::OverBudget);
            return Ok(());
        }
        let result = match self.embedder.embed(&texts, how.timeout) {
            Ok(embedded) => embedded,
            Err(error) => {
                filled.stop = Some(error.into());
                return Ok(());
            }
        };
        let cost = match result.tokens {
            0 => ModelCost::default(),
            tokens => ModelCost::of_call(tokens),
        };
        let vectors = build_vectors(&self.space, lessons, &result);
        let saved_count = store.commit(tenant, |tx| {
            let mut saved_count = 0;
            for vector in &vectors {
                saved_count += usize::from(tx.save_vector(vector)?);
            }
            if cost != ModelCost::default() {
                let before = tx.reader().model_cost(tenant, day)?;
                tx.set_model_cost(day, before.saturating_add(cost))?;
            }
            Ok::<_, Error>(saved_count)
        })?;
        filled.embedded += saved_count;
        filled.unknown += lessons.len() - vectors.len();
        filled.cost = filled.cost.saturating_add(cost);
        Ok(())
    }
}

fn build_vectors(space: &str, lessons: &[Lesson], embedded: &EmbeddedTexts) -> Vec<LessonVector> {
    let pairs = lessons.iter().zip(&embedded.vectors);
    pairs
        .filter_map(|(lesson, vector)| {
            Some(LessonVector {
                lesson: lesson.id,
                embedding_space: space.to_owned(),
                fingerprint: content_fingerprint(&lesson.content),
                vector: vector.as_ref().ok()?.clone(),
            })
        })
        .collect()
}
