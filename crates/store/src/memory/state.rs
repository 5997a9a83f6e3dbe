//! The maps, and the answers read off them.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use hardwon_core::{
    bm25,
    change::{
        Change, ChangeBatch, DecisionContext, EvictionCandidate, Meaning, apply_change, twin_key,
    },
    credit::{BaselineKey, GaussianMessage},
    id::{LessonId, TenantId},
    journal::{ChainHead, EntryBody, JournalComment, JournalEntry},
    lesson::{AdmittedLesson, FailureKey, Lesson, Status, TrustClass},
    limits,
    queue::{Job, JobId, JobState, JobTask, ModelCost},
    rank::{SearchHit, SearchResults},
    scope::Scope,
    text::CleanText,
    tokens::DocTerms,
    vector::{SimilarityStats, Vector},
};
use jiff::Timestamp;

use crate::{
    Census, ErrorKind, Flushed, JobListing, Judged, JudgementId, JudgementListing, LessonVector,
    Listing, Near, Order, Query, Queue, Read, Reader, Recall, RecallId, RecallListing, Result,
    Sighting, Source, StatusName, StoreError, Witness, keep,
    near::{Compared, join},
    query::recallable,
};

/// Everything of everybody.
#[derive(Debug, Clone, Default)]
pub(super) struct State {
    tenants: BTreeMap<TenantId, Tenant>,
    noted: Vec<Recall>,
}

/// Everything of one tenant.
#[derive(Debug, Clone)]
struct Tenant {
    next_lesson: i64,
    lessons: BTreeMap<LessonId, Lesson>,
    journal: Vec<JournalEntry>,
    scopes: BTreeSet<Scope>,
    next_recall: i64,
    /// Shared, as judgements are, because a transaction works on a copy of everything.
    recalls: BTreeMap<RecallId, Arc<Recall>>,
    /// What recalls were made for, and when.
    asked: BTreeMap<RecallId, (Timestamp, CleanText)>,
    judgements: BTreeMap<JudgementId, Arc<Judged>>,
    baselines: BTreeMap<BaselineKey, GaussianMessage>,
    witnesses: BTreeMap<(Scope, FailureKey), Witness>,
    sources: BTreeMap<String, Source>,
    next_job: i64,
    jobs: BTreeMap<JobId, Job>,
    spent: BTreeMap<i64, ModelCost>,
    /// Of active lessons, each with its space.
    vectors: BTreeMap<LessonId, (String, Vector)>,
}

/// A tenant that nothing is known of.
static NOBODY: Tenant = Tenant::new();

impl Tenant {
    const fn new() -> Self {
        Self {
            next_lesson: 1,
            lessons: BTreeMap::new(),
            journal: Vec::new(),
            scopes: BTreeSet::new(),
            next_recall: 1,
            recalls: BTreeMap::new(),
            asked: BTreeMap::new(),
            judgements: BTreeMap::new(),
            baselines: BTreeMap::new(),
            witnesses: BTreeMap::new(),
            sources: BTreeMap::new(),
            next_job: 1,
            jobs: BTreeMap::new(),
            spent: BTreeMap::new(),
            vectors: BTreeMap::new(),
        }
    }

    /// Forgets the oldest job in a state of which there are too many.
    fn forget_oldest(&mut self, state: JobState) {
        let alike = || {
            self.jobs
                .values()
                .filter(|it| it.state.name() == state.name())
        };
        if keep::most_jobs(state).is_some_and(|most| alike().count() > most) {
            let oldest = alike().next().map(|it| it.id);
            self.jobs.retain(|id, _| Some(*id) != oldest);
        }
    }

    fn head(&self, name: &TenantId) -> ChainHead {
        self.journal
            .last()
            .map_or_else(|| ChainHead::genesis(name), JournalEntry::head)
    }

    /// Returns the active lessons of one scope that count towards its capacity.
    fn learned(&self, scope: &Scope) -> impl Iterator<Item = &Lesson> {
        self.lessons.values().filter(move |it| {
            let is_learned = it.trust.class != TrustClass::Person;
            it.scope == *scope && it.status == Status::Active && is_learned
        })
    }

    fn change(&mut self, change: &Change, batch: &ChangeBatch) -> Result<Option<Lesson>> {
        let id = change.lesson_id();
        if let Change::Add { id, admitted } = change {
            if admitted.scope.tenant != batch.tenant {
                return Err(conflict("a lesson names another tenant than its batch"));
            }
            if id.0 != self.next_lesson {
                let next = LessonId(self.next_lesson);
                return Err(conflict(format!("the next lesson is {next}, not {id}")));
            }
            self.next_lesson += 1;
        }
        let before = self.lessons.remove(&id);
        let after = apply_change(before.clone(), change, batch.at)
            .map_err(|it| conflict(it.to_string()))?;
        if after.is_none() {
            let about = self.journal.iter_mut().filter(|it| it.body.lesson == id);
            about.for_each(|it| {
                it.body.comment = it.body.comment.as_ref().map(JournalComment::without_text);
            });
        }
        let words = |lesson: &Option<Lesson>| {
            let active = lesson.as_ref().filter(|it| it.status == Status::Active);
            active.map(|it| it.content.clone())
        };
        let place = |lesson: &Option<Lesson>| lesson.as_ref().map(|it| it.scope.clone());
        if words(&before) != words(&after) {
            self.vectors.remove(&id);
        }
        self.scopes.extend(place(&after));
        if before != after {
            let deed = EntryBody::from_change(change, batch, after.as_ref());
            self.journal.push(self.head(&batch.tenant).next_entry(deed));
        }
        self.lessons.extend(after.clone().map(|it| (id, it)));
        Ok(after)
    }

    fn judge(&mut self, judged: Judged) {
        let is_same =
            |it: &&JudgementId| judged.run.is_some() && self.judgements[*it].run == judged.run;
        let there = self.judgements.keys().find(is_same).copied();
        let last = self.judgements.last_key_value().map_or(0, |it| it.0.0);
        let id = there.unwrap_or(JudgementId(last + 1));
        let judged = Arc::new(judged);
        let replaced = self.judgements.insert(id, Arc::clone(&judged));
        for (about, leaning) in replaced.iter().flat_map(|it| &it.judgement.baselines) {
            let sum = self.baselines.entry(about.clone()).or_default();
            *sum = *sum - *leaning;
        }
        for (about, leaning) in &judged.judgement.baselines {
            let sum = self.baselines.entry(about.clone()).or_default();
            *sum = *sum + *leaning;
        }
        while self.judgements.len() > limits::JUDGEMENTS {
            self.judgements.pop_first();
        }
    }

    fn count_recall(&mut self, mut recall: Recall) {
        self.forget_asked(keep::asked_until(recall.at));
        if let Some(asked) = recall.query_text.take() {
            let id = RecallId(self.next_recall);
            self.asked.insert(id, (recall.at, asked));
        }
        for id in recall.shown_lessons() {
            if let Some(lesson) = self.lessons.get_mut(&id) {
                lesson.counts.shown += 1;
                lesson.counts.last_shown = lesson.counts.last_shown.max(Some(recall.at));
            }
        }
        self.scopes.insert(recall.scope.clone());
        self.recalls
            .insert(RecallId(self.next_recall), Arc::new(recall));
        self.next_recall += 1;
        while self.recalls.len() > limits::RECALLS {
            let forgotten = self.recalls.pop_first();
            forgotten.map(|(id, _)| self.asked.remove(&id));
        }
    }

    fn forget_asked(&mut self, before: Timestamp) {
        self.asked.retain(|_, (at, _)| *at >= before);
    }
}

pub(super) fn conflict(what: impl Into<String>) -> StoreError {
    StoreError::new(ErrorKind::Conflict, "changing lessons", what)
}

impl State {
    fn tenant(&self, name: &TenantId) -> &Tenant {
        self.tenants.get(name).unwrap_or(&NOBODY)
    }

    fn tenant_mut(&mut self, name: &TenantId) -> &mut Tenant {
        self.tenants.entry(name.clone()).or_insert_with(Tenant::new)
    }

    pub(super) fn apply(
        &mut self,
        tenant: &TenantId,
        batch: &ChangeBatch,
    ) -> Result<Vec<Option<Lesson>>> {
        if batch.tenant != *tenant {
            return Err(conflict(
                "a batch names another tenant than its transaction",
            ));
        }
        let tenant = self.tenant_mut(tenant);
        let changes = batch.changes.iter();
        changes.map(|it| tenant.change(it, batch)).collect()
    }

    pub(super) fn note(&mut self, recall: Recall) {
        self.noted.push(recall);
    }

    pub(super) fn flush(&mut self, tenant: &TenantId) -> Flushed {
        let noted = std::mem::take(&mut self.noted).into_iter();
        let (own, others): (Vec<_>, Vec<_>) = noted.partition(|it| it.scope.tenant == *tenant);
        self.noted = others;
        let recalls = own.len() as u64;
        for recall in own {
            self.tenant_mut(tenant).count_recall(recall);
        }
        Flushed { recalls, broken: 0 }
    }

    pub(super) fn forget_asked(&mut self, tenant: &TenantId, before: Timestamp) {
        self.tenant_mut(tenant).forget_asked(before);
    }

    pub(super) fn judge(&mut self, tenant: &TenantId, judged: Judged) {
        self.tenant_mut(tenant).judge(judged);
    }

    pub(super) fn sight(&mut self, sighting: &Sighting) -> Witness {
        let scope = &sighting.scope;
        let tenant = self.tenant_mut(&scope.tenant);
        let key = (scope.clone(), sighting.failure.clone());
        tenant.scopes.insert(scope.clone());
        let witness = keep::witnessed(tenant.witnesses.remove(&key), sighting);
        tenant.witnesses.insert(key, witness.clone());
        let here = || tenant.witnesses.iter().filter(|(key, _)| key.0 == *scope);
        if here().count() > limits::CANDIDATE_LESSONS {
            let oldest = here().min_by_key(|(key, it)| (it.last, key.1.clone()));
            let oldest = oldest.expect("a full scope has an oldest").0.clone();
            tenant.witnesses.remove(&oldest);
        }
        witness
    }

    pub(super) fn forget_witness(&mut self, scope: &Scope, failure: &FailureKey) {
        if let Some(tenant) = self.tenants.get_mut(&scope.tenant) {
            tenant.witnesses.remove(&(scope.clone(), failure.clone()));
        }
    }

    pub(super) fn keep_source(&mut self, tenant: &TenantId, name: &str, source: &Source) {
        let sources = &mut self.tenant_mut(tenant).sources;
        sources.insert(name.to_owned(), keep::to_millisecond(source));
    }

    pub(super) fn add_job(
        &mut self,
        tenant: &TenantId,
        task: &JobTask,
        now: Timestamp,
        state: JobState,
    ) -> Result<JobId> {
        let tenant = self.tenant_mut(tenant);
        if tenant.jobs.values().any(|it| it.task.key() == task.key()) {
            return Err(keep::known_job());
        }
        let id = JobId(tenant.next_job);
        tenant.next_job += 1;
        tenant.scopes.insert(task.origin.scope.clone());
        let job = Job::new(id, task.clone(), now, state);
        tenant.jobs.insert(id, keep::timed(&job));
        tenant.forget_oldest(state);
        Ok(id)
    }

    pub(super) fn keep_job(&mut self, tenant: &TenantId, job: &Job) -> Result<()> {
        let tenant = self.tenant_mut(tenant);
        let Some(known) = tenant.jobs.get_mut(&job.id) else {
            return Err(keep::no_job());
        };
        *known = keep::timed(job);
        tenant.forget_oldest(job.state);
        Ok(())
    }

    pub(super) fn forget_job(&mut self, tenant: &TenantId, id: JobId) -> bool {
        self.tenant_mut(tenant).jobs.remove(&id).is_some()
    }

    pub(super) fn set_spent(&mut self, tenant: &TenantId, day: i64, spent: ModelCost) {
        let known = &mut self.tenant_mut(tenant).spent;
        known.insert(day, spent);
        let days = i64::try_from(limits::MODEL_COST_DAYS).unwrap_or(i64::MAX);
        known.retain(|past, _| *past > day - days);
    }

    pub(super) fn keep_vector(&mut self, tenant: &TenantId, vector: &LessonVector) -> bool {
        let tenant = self.tenant_mut(tenant);
        let lesson = tenant.lessons.get(&vector.lesson);
        let is_kept = lesson.is_some_and(|it| keep::is_vector_of(vector, it));
        if is_kept {
            let kept = (vector.space.clone(), vector.vector.clone());
            tenant.vectors.insert(vector.lesson, kept);
        }
        is_kept
    }

    /// Lets a prompt's vector have its say on what was found by words.
    fn with_near(&self, query: &Query, near: &Near, found: SearchResults) -> Result<SearchResults> {
        let tenant = self.tenant(&query.scope.tenant);
        let visible = query.scope.visible_scopes();
        let similar = |(id, (space, vector)): (&LessonId, &(String, Vector))| {
            let is_alike = *space == near.space && visible.contains(&tenant.lessons[id].scope);
            let similarity = near.vector.cosine_similarity(&vector.to_bytes())?;
            is_alike.then_some((*id, similarity))
        };
        let mut similar: Vec<_> = tenant.vectors.iter().filter_map(similar).collect();
        let compared = match near.reaches(found.stats.docs) {
            true => Compared::All(similar),
            false => {
                similar.retain(|it| found.hits.iter().any(|hit| hit.lesson.id == it.0));
                Compared::Found(similar)
            }
        };
        join(query, found, compared, |id| {
            Ok(tenant.lessons.get(&id).cloned())
        })
    }

    /// Returns the best lessons, expired ones among them.
    fn best(&self, query: &Query, limit: usize) -> SearchResults {
        let visible = query.scope.visible_scopes();
        let docs: Vec<(&Lesson, DocTerms)> = self
            .tenant(&query.scope.tenant)
            .lessons
            .values()
            .filter(|it| it.status == Status::Active && visible.contains(&it.scope))
            .map(|it| (it, DocTerms::from_content(&it.content, it.task.as_ref())))
            .collect();
        let bags: Vec<(LessonId, &DocTerms)> =
            docs.iter().map(|(it, terms)| (it.id, terms)).collect();
        let scored = bm25::search_all(&bags, &query.terms, limit);
        let hit = |(id, score): (LessonId, f32)| {
            let (lesson, terms) = docs.iter().find(|(it, _)| it.id == id)?;
            Some(SearchHit {
                lesson: (*lesson).clone(),
                terms: terms.clone(),
                score,
                similarity: None,
            })
        };
        SearchResults {
            stats: scored.stats,
            df: scored.df,
            hits: scored.best.into_iter().filter_map(hit).collect(),
            similarity_stats: SimilarityStats::default(),
        }
    }
}

impl Read for Arc<State> {
    fn lesson(&self, tenant: &TenantId, id: LessonId) -> Result<Option<Lesson>> {
        Ok(self.tenant(tenant).lessons.get(&id).cloned())
    }

    fn lessons(&self, tenant: &TenantId, listing: &Listing) -> Result<Vec<Lesson>> {
        let lessons = &self.tenant(tenant).lessons;
        let mut listed: Vec<&Lesson> = lessons
            .values()
            .filter(|it| is_listed(it, listing))
            .collect();
        listed.sort_by_key(|it| Reverse(place_in(it, listing.order)));
        let after = match (listing.order, listing.before) {
            (_, None) => None,
            (Order::Added, Some(id)) => Some((Timestamp::MIN, id)),
            (Order::Shown, Some(id)) => match lessons.get(&id) {
                Some(last) => Some(place_in(last, Order::Shown)),
                None => return Ok(Vec::new()),
            },
        };
        listed.retain(|it| after.is_none_or(|after| place_in(it, listing.order) < after));
        let page = listed
            .into_iter()
            .take(listing.limit.min(limits::PAGE_ROWS));
        Ok(page.cloned().collect())
    }

    fn known(&self, admitted: &AdmittedLesson, capacity: usize) -> Result<DecisionContext> {
        let scope = &admitted.scope;
        let tenant = self.tenant(&scope.tenant);
        let twin = twin_key(&admitted.content);
        let words = Meaning::from_content(&admitted.content).key();
        let mut near: Vec<&Lesson> = tenant
            .lessons
            .values()
            .filter(|it| it.scope == *scope && Meaning::from_content(&it.content).key() == words)
            .collect();
        near.sort_by_key(|it| {
            let key = twin_key(&it.content);
            (key != twin, key, it.id)
        });
        let replaced = admitted
            .supersedes
            .iter()
            .take(limits::SIMILAR_LESSONS)
            .filter_map(|id| tenant.lessons.get(id))
            .filter(|it| it.scope.agent == scope.agent);
        let learned = tenant.learned(scope).count();
        let is_full = learned >= capacity;
        let standings = tenant.learned(scope).filter(|_| is_full);
        Ok(DecisionContext {
            next_id: LessonId(tenant.next_lesson),
            similar: near
                .into_iter()
                .take(limits::SIMILAR_LESSONS)
                .cloned()
                .collect(),
            replaced: replaced.cloned().collect(),
            learned_count: learned,
            eviction_candidates: standings.map(EvictionCandidate::from).collect(),
        })
    }

    fn about_failure(&self, scope: &Scope, failure: &FailureKey) -> Result<Vec<Lesson>> {
        let mut about: Vec<&Lesson> = self
            .tenant(&scope.tenant)
            .lessons
            .values()
            .filter(|it| it.scope.is_visible_from(scope) && it.failure.as_ref() == Some(failure))
            .collect();
        about.sort_by_key(|it| (it.status != Status::Active, Reverse(it.id)));
        about.truncate(limits::CANDIDATES);
        Ok(about.into_iter().cloned().collect())
    }

    fn proven(&self, scope: &Scope, now: Timestamp) -> Result<Vec<Lesson>> {
        let best = |place: Scope| {
            let mut best: Vec<&Lesson> = self
                .tenant(&scope.tenant)
                .lessons
                .values()
                .filter(|it| it.scope == place && it.status == Status::Active)
                .filter(|it| it.counts.helped > it.counts.harmed)
                .collect();
            best.sort_by_key(|it| keep::by_proof(it));
            best.into_iter().take(limits::CANDIDATES)
        };
        let mut proven: Vec<&Lesson> = scope.visible_scopes().into_iter().flat_map(best).collect();
        proven.retain(|it| it.is_recallable(now));
        proven.sort_by_key(|it| keep::by_proof(it));
        Ok(proven
            .into_iter()
            .take(limits::CANDIDATES)
            .cloned()
            .collect())
    }

    fn search(&self, query: &Query) -> Result<SearchResults> {
        let found = recallable(query, |limit| Ok(self.best(query, limit)))?;
        match &query.near {
            Some(near) => self.with_near(query, near, found),
            None => Ok(found),
        }
    }

    fn census(&self, scope: &Scope) -> Result<Census> {
        let tenant = self.tenant(&scope.tenant);
        let mut census = Census {
            learned: tenant.learned(scope).count() as u64,
            ..Census::default()
        };
        for lesson in tenant.lessons.values().filter(|it| it.scope == *scope) {
            *census.of(StatusName::of(&lesson.status)) += 1;
            census.shown += lesson.counts.shown;
            census.helped += lesson.counts.helped;
            census.harmed += lesson.counts.harmed;
        }
        Ok(census)
    }

    fn scopes(&self, tenant: &TenantId) -> Result<Vec<Scope>> {
        Ok(self.tenant(tenant).scopes.iter().cloned().collect())
    }

    fn head(&self, tenant: &TenantId) -> Result<ChainHead> {
        Ok(self.tenant(tenant).head(tenant))
    }

    fn journal(&self, tenant: &TenantId, after: u64, limit: usize) -> Result<Vec<JournalEntry>> {
        let entries = self.tenant(tenant).journal.iter();
        Ok(entries
            .filter(|it| it.sequence > after)
            .take(limit.min(limits::PAGE_ROWS))
            .cloned()
            .collect())
    }

    fn history(
        &self,
        tenant: &TenantId,
        lesson: LessonId,
        after: u64,
        limit: usize,
    ) -> Result<Vec<JournalEntry>> {
        let entries = self.tenant(tenant).journal.iter();
        Ok(entries
            .filter(|it| it.body.lesson == lesson && it.sequence > after)
            .take(limit.min(limits::PAGE_ROWS))
            .cloned()
            .collect())
    }

    fn replaced_by(&self, tenant: &TenantId, id: LessonId) -> Result<Vec<Lesson>> {
        let lessons = self.tenant(tenant).lessons.values();
        Ok(lessons
            .filter(|it| it.status == Status::Superseded { by: id })
            .take(limits::PAGE_ROWS)
            .cloned()
            .collect())
    }

    fn recalls(
        &self,
        tenant: &TenantId,
        listing: &RecallListing,
    ) -> Result<Vec<(RecallId, Recall)>> {
        let recalls = self.tenant(tenant).recalls.iter().rev();
        Ok(recalls
            .filter(|(id, _)| listing.before.is_none_or(|before| **id < before))
            .filter(|(_, it)| listing.run.is_none() || it.run == listing.run)
            .filter(|(_, it)| listing.client.is_none() || it.client == listing.client)
            .filter(|(_, it)| listing.within.holds(&it.scope))
            .take(listing.limit.min(limits::PAGE_ROWS))
            .map(|(id, it)| (*id, Recall::clone(it)))
            .collect())
    }

    fn asked(
        &self,
        tenant: &TenantId,
        recall: RecallId,
        reader: Reader<'_>,
    ) -> Result<Option<CleanText>> {
        let tenant = self.tenant(tenant);
        let agent = tenant.recalls.get(&recall).map(|it| &it.scope.agent);
        let is_read = agent.is_some_and(|it| reader.may_read(it.as_str()));
        let asked = tenant.asked.get(&recall).filter(|_| is_read);
        Ok(asked.map(|(_, text)| text.clone()))
    }

    fn judgements(
        &self,
        tenant: &TenantId,
        listing: &JudgementListing,
    ) -> Result<Vec<(JudgementId, Judged)>> {
        let judgements = self.tenant(tenant).judgements.iter().rev();
        Ok(judgements
            .filter(|(id, _)| listing.before.is_none_or(|before| **id < before))
            .filter(|(_, it)| listing.run.is_none() || it.run == listing.run)
            .take(listing.limit.min(limits::PAGE_ROWS))
            .map(|(id, it)| (*id, Judged::clone(it)))
            .collect())
    }

    fn baseline(&self, tenant: &TenantId, about: &BaselineKey) -> Result<GaussianMessage> {
        let baselines = &self.tenant(tenant).baselines;
        Ok(baselines.get(about).copied().unwrap_or_default())
    }

    fn witness(&self, scope: &Scope, failure: &FailureKey) -> Result<Option<Witness>> {
        let witnesses = &self.tenant(&scope.tenant).witnesses;
        Ok(witnesses.get(&(scope.clone(), failure.clone())).cloned())
    }

    fn source(&self, tenant: &TenantId, name: &str) -> Result<Option<Source>> {
        Ok(self.tenant(tenant).sources.get(name).cloned())
    }

    fn job(&self, tenant: &TenantId, id: JobId) -> Result<Option<Job>> {
        Ok(self.tenant(tenant).jobs.get(&id).cloned())
    }

    fn job_of(&self, tenant: &TenantId, key: &str) -> Result<Option<Job>> {
        let mut jobs = self.tenant(tenant).jobs.values();
        Ok(jobs.find(|it| it.task.key() == key).cloned())
    }

    fn jobs(&self, tenant: &TenantId, listing: &JobListing) -> Result<Vec<Job>> {
        let jobs = self.tenant(tenant).jobs.values().rev();
        Ok(jobs
            .filter(|it| listing.before.is_none_or(|before| it.id < before))
            .filter(|it| match listing.state {
                Some(name) => it.state.name() == name,
                None => it.state != JobState::Seen,
            })
            .take(listing.limit.min(limits::PAGE_ROWS))
            .cloned()
            .collect())
    }

    fn next_job(&self, tenant: &TenantId, now: Timestamp) -> Result<Option<Job>> {
        let jobs = self.tenant(tenant).jobs.values();
        let ready = jobs.filter(|it| it.is_ready(now));
        Ok(ready.min_by_key(|it| keep::by_turn(it)).cloned())
    }

    fn queue(&self, tenant: &TenantId, now: Timestamp) -> Result<Queue> {
        let mut queue = Queue::default();
        for job in self.tenant(tenant).jobs.values() {
            match job.state {
                JobState::Waiting { due } => {
                    queue.waiting += 1;
                    queue.due = Some(queue.due.map_or(due, |first| first.min(due)));
                }
                JobState::Running { until } => {
                    queue.running += 1;
                    queue.held += u64::from(until > now);
                }
                JobState::Done => queue.done += 1,
                JobState::Dead => queue.dead += 1,
                JobState::Seen => queue.seen += 1,
            }
        }
        Ok(queue)
    }

    fn spent(&self, tenant: &TenantId, day: i64) -> Result<ModelCost> {
        let spent = self.tenant(tenant).spent.get(&day);
        Ok(spent.copied().unwrap_or_default())
    }

    fn without_vector(
        &self,
        tenant: &TenantId,
        space: &str,
        after: LessonId,
        limit: usize,
    ) -> Result<Vec<Lesson>> {
        let tenant = self.tenant(tenant);
        let lacks = |lesson: &&Lesson| {
            let vector = tenant.vectors.get(&lesson.id);
            lesson.status == Status::Active && vector.is_none_or(|it| it.0 != space)
        };
        let lessons = tenant.lessons.values().filter(|it| it.id > after);
        let lessons = lessons.filter(lacks).take(limit.min(limits::PAGE_ROWS));
        Ok(lessons.cloned().collect())
    }

    fn vectors(&self, scope: &Scope, space: &str) -> Result<u64> {
        let tenant = self.tenant(&scope.tenant);
        let here = tenant
            .vectors
            .iter()
            .filter(|(id, it)| it.0 == space && tenant.lessons[id].scope == *scope);
        Ok(here.count() as u64)
    }
}

/// Returns by what a listing is ordered, from the last place on.
fn place_in(lesson: &Lesson, order: Order) -> (Timestamp, LessonId) {
    match order {
        Order::Added => (Timestamp::MIN, lesson.id),
        Order::Shown => (
            lesson.counts.last_shown.unwrap_or(lesson.created),
            lesson.id,
        ),
    }
}

fn is_listed(lesson: &Lesson, listing: &Listing) -> bool {
    let content = &lesson.content;
    let texts = [&content.title, &content.signature, &content.text];
    let texts = [lesson.slug.as_str()]
        .into_iter()
        .chain(texts.map(CleanText::as_str));
    let texts: Vec<String> = texts.map(str::to_lowercase).collect();
    let holds = |word: &String| texts.iter().any(|text| text.contains(word));
    listing.within.holds(&lesson.scope)
        && listing
            .status
            .is_none_or(|status| StatusName::of(&lesson.status) == status)
        && listing.words().iter().all(holds)
}
