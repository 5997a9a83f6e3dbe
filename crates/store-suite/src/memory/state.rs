//! The maps of the in-memory store, and the queries on them.

mod listing;
mod search;
mod times;

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
    ops::Deref,
    sync::Arc,
};

use hardwon_core::{
    AdmittedLesson, BaselineKey, Change, ChangeBatch, CleanText, DecisionContext,
    EvictionCandidate, FailureKey, GaussianMessage, Job, JobId, JobState, JobTask, Lesson,
    LessonId, Meaning, ModelCost, Scope, SearchResults, Status, TenantId, TrustClass, TypedWord,
    Vector,
    change::{apply_change, twin_key},
    limits,
    trigger::index_terms,
};
use hardwon_store::{
    CandidateLesson, ChainHead, EntryBody, ErasedTenant, FlushCounts, JobCounts, JobListing,
    JournalComment, JournalEntry, JudgementId, JudgementListing, JudgementRecord, KeptAnswer,
    LessonListing, LessonOrder, LessonQuery, LessonVector, QueryTextReader, Read, Recall, RecallId,
    RecallListing, RequestMark, Result, ScopeFilter, Sha256Hash, Sighting, SourceProgress,
    backend::{self as records, search_recallable},
};
use jiff::Timestamp;

use self::{
    listing::{listing_position, matches_listing},
    times::{truncate_job_times, truncate_source_time},
};

/// The data of all tenants.
#[derive(Debug, Clone, Default)]
pub(super) struct MemoryState {
    tenants: BTreeMap<TenantId, TenantState>,
    spooled_recalls: Vec<Recall>,
}

/// The data as transactions and snapshots share it until one of them changes it.
#[derive(Debug, Clone, Default)]
pub(super) struct SharedState(Arc<MemoryState>);

impl SharedState {
    pub(super) fn make_mut(&mut self) -> &mut MemoryState {
        Arc::make_mut(&mut self.0)
    }
}

impl Deref for SharedState {
    type Target = MemoryState;

    fn deref(&self) -> &MemoryState {
        &self.0
    }
}

/// The data of one tenant.
#[derive(Debug, Clone)]
pub(super) struct TenantState {
    next_lesson: i64,
    lessons: BTreeMap<LessonId, Lesson>,
    journal: Vec<JournalEntry>,
    scopes: BTreeSet<Scope>,
    next_recall: i64,
    /// In an `Arc`, as judgements are, because a transaction works on a copy of everything.
    recalls: BTreeMap<RecallId, Arc<Recall>>,
    /// The texts that recalls were made for, with their times.
    query_texts: BTreeMap<RecallId, (Timestamp, CleanText)>,
    judgements: BTreeMap<JudgementId, Arc<JudgementRecord>>,
    baselines: BTreeMap<BaselineKey, GaussianMessage>,
    candidate_lessons: BTreeMap<(Scope, FailureKey), CandidateLesson>,
    source_progress: BTreeMap<String, SourceProgress>,
    next_job: i64,
    jobs: BTreeMap<JobId, Job>,
    spent: BTreeMap<i64, ModelCost>,
    /// The vectors of active lessons, each with its space.
    vectors: BTreeMap<LessonId, (String, Vector)>,
    answers: BTreeMap<Sha256Hash, KeptAnswer>,
}

/// The state of a tenant that has no data.
static EMPTY_TENANT: TenantState = TenantState::new();

impl TenantState {
    /// Puts a lesson in as it is.
    pub(super) fn put_lesson(&mut self, lesson: Lesson) {
        self.scopes.insert(lesson.scope.clone());
        self.next_lesson = self.next_lesson.max(lesson.id.0 + 1);
        self.lessons.insert(lesson.id, lesson);
    }

    const fn new() -> Self {
        Self {
            next_lesson: 1,
            lessons: BTreeMap::new(),
            journal: Vec::new(),
            scopes: BTreeSet::new(),
            next_recall: 1,
            recalls: BTreeMap::new(),
            query_texts: BTreeMap::new(),
            judgements: BTreeMap::new(),
            baselines: BTreeMap::new(),
            candidate_lessons: BTreeMap::new(),
            source_progress: BTreeMap::new(),
            next_job: 1,
            jobs: BTreeMap::new(),
            spent: BTreeMap::new(),
            vectors: BTreeMap::new(),
            answers: BTreeMap::new(),
        }
    }

    /// Deletes the oldest job in this state if there are too many.
    fn delete_oldest_job(&mut self, state: JobState) {
        let alike = || {
            self.jobs
                .values()
                .filter(|value| value.state.name() == state.name())
        };
        if records::max_jobs_in_state(state).is_some_and(|most| alike().count() > most) {
            let oldest = alike().next().map(|alike| alike.id);
            self.jobs.retain(|id, _| Some(*id) != oldest);
        }
    }

    fn journal_head(&self, name: &TenantId) -> ChainHead {
        self.journal
            .last()
            .map_or_else(|| ChainHead::genesis(name), JournalEntry::head)
    }

    /// Returns a scope's active lessons that count towards its capacity.
    fn learned_lessons(&self, scope: &Scope) -> impl Iterator<Item = &Lesson> {
        self.lessons.values().filter(move |value| {
            let is_learned = value.trust.class != TrustClass::Person;
            value.scope == *scope && value.status == Status::Active && is_learned
        })
    }

    fn apply_change(&mut self, change: &Change, batch: &ChangeBatch) -> Result<Option<Lesson>> {
        let id = change.lesson_id();
        if let Change::Add { id, admitted } = change {
            if admitted.scope.tenant != batch.tenant {
                return Err(records::conflict_error(
                    "a lesson names another tenant than its batch",
                ));
            }
            if id.0 != self.next_lesson {
                let next = LessonId(self.next_lesson);
                return Err(records::conflict_error(format!(
                    "the next lesson is {next}, not {id}"
                )));
            }
            self.next_lesson += 1;
        }
        let before = self.lessons.remove(&id);
        let after = apply_change(before.clone(), change, batch.at)
            .map_err(|error| records::conflict_error(error.to_string()))?;
        if after.is_none() {
            self.answers
                .values_mut()
                .for_each(|value| value.answer = None);
            let about = self
                .journal
                .iter_mut()
                .filter(|journal| journal.body.lesson == id);
            about.for_each(|about| {
                about.body.comment = about
                    .body
                    .comment
                    .as_ref()
                    .map(|comment| JournalComment::from_stored(*comment.digest(), None));
            });
        }
        let words = |lesson: &Option<Lesson>| {
            let active = lesson
                .as_ref()
                .filter(|lesson| lesson.status == Status::Active);
            active.map(|active| active.content.clone())
        };
        let place = |lesson: &Option<Lesson>| lesson.as_ref().map(|lesson| lesson.scope.clone());
        if words(&before) != words(&after) {
            self.vectors.remove(&id);
        }
        self.scopes.extend(place(&after));
        if before != after {
            let deed = EntryBody::from_change(change, batch, [before.as_ref(), after.as_ref()]);
            self.journal
                .push(self.journal_head(&batch.tenant).next_entry(deed));
        }
        self.lessons.extend(after.clone().map(|after| (id, after)));
        Ok(after)
    }

    /// Applies a batch of this tenant, whose name is `name`.
    pub(super) fn apply(
        &mut self,
        name: &TenantId,
        batch: &ChangeBatch,
    ) -> Result<Vec<Option<Lesson>>> {
        if batch.tenant != *name {
            return Err(records::conflict_error(
                "a batch names another tenant than its transaction",
            ));
        }
        let changes = batch.changes.iter();
        changes
            .map(|change| self.apply_change(change, batch))
            .collect()
    }

    pub(super) fn save_source_progress(&mut self, name: &str, source: &SourceProgress) {
        self.source_progress
            .insert(name.to_owned(), truncate_source_time(source));
    }

    pub(super) fn add_job(
        &mut self,
        task: &JobTask,
        now: Timestamp,
        state: JobState,
    ) -> Result<JobId> {
        if self
            .jobs
            .values()
            .any(|value| value.task.key() == task.key())
        {
            return Err(records::duplicate_job_error());
        }
        let id = JobId(self.next_job);
        self.next_job += 1;
        self.scopes.insert(task.origin.scope.clone());
        let job = Job::new(id, task.clone(), now, state);
        self.jobs.insert(id, truncate_job_times(&job));
        self.delete_oldest_job(state);
        Ok(id)
    }

    pub(super) fn update_job(&mut self, job: &Job) -> Result<()> {
        let Some(known) = self.jobs.get_mut(&job.id) else {
            return Err(records::missing_job_error());
        };
        *known = truncate_job_times(job);
        self.delete_oldest_job(job.state);
        Ok(())
    }

    pub(super) fn delete_job(&mut self, id: JobId) -> bool {
        self.jobs.remove(&id).is_some()
    }

    pub(super) fn set_model_cost(&mut self, day: i64, spent: ModelCost) {
        let known = &mut self.spent;
        known.insert(day, spent);
        let days = i64::try_from(limits::MODEL_COST_DAYS).unwrap_or(i64::MAX);
        known.retain(|past, _| *past > day - days);
    }

    pub(super) fn save_answer(&mut self, mark: &RequestMark, kept: KeptAnswer) {
        let forgotten = records::forgotten_answer_cutoff(kept.at);
        self.answers.insert(mark.name, kept);
        self.answers.retain(|_, it| it.at > forgotten);
        if mark.makes_room() {
            let mut newest: Vec<(&Sha256Hash, &KeptAnswer)> = self.answers.iter().collect();
            newest.sort_by_key(|(_, kept)| Reverse(kept.at));
            let mut bytes = 0;
            let surplus = newest.into_iter().filter(|(_, kept)| {
                bytes += limits::KEPT_REQUEST_BYTES
                    + kept.answer.as_ref().map_or(0, |answer| answer.len() as u64);
                bytes > limits::KEPT_ANSWER_BYTES
            });
            let surplus: Vec<Sha256Hash> = surplus.map(|(name, _)| *name).collect();
            self.answers.retain(|name, _| !surplus.contains(name));
        }
    }

    pub(super) fn save_vector(&mut self, vector: &LessonVector) -> bool {
        let lesson = self.lessons.get(&vector.lesson);
        let is_kept = lesson.is_some_and(|lesson| records::is_current_vector(vector, lesson));
        if is_kept {
            let kept = (vector.embedding_space.clone(), vector.vector.clone());
            self.vectors.insert(vector.lesson, kept);
        }
        is_kept
    }

    pub(super) fn save_judgement(&mut self, judged: JudgementRecord) {
        let is_same =
            |it: &&JudgementId| judged.run.is_some() && self.judgements[*it].run == judged.run;
        let there = self.judgements.keys().find(is_same).copied();
        let last = self
            .judgements
            .last_key_value()
            .map_or(0, |last_key_value| last_key_value.0.0);
        let id = there.unwrap_or(JudgementId(last + 1));
        let judged = Arc::new(judged);
        let replaced = self.judgements.insert(id, Arc::clone(&judged));
        for (about, leaning) in replaced.iter().flat_map(|old| &old.judgement.baselines) {
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

    fn record_recall(&mut self, mut recall: Recall) {
        self.erase_query_texts(records::query_text_cutoff(recall.at));
        if let Some(asked) = recall.query_text.take() {
            let id = RecallId(self.next_recall);
            self.query_texts.insert(id, (recall.at, asked));
        }
        for id in recall.counted_lessons() {
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
            forgotten.map(|(id, _)| self.query_texts.remove(&id));
        }
    }

    pub(super) fn erase_query_texts(&mut self, before: Timestamp) {
        self.query_texts.retain(|_, (at, _)| *at >= before);
    }
}

impl MemoryState {
    fn tenant(&self, name: &TenantId) -> &TenantState {
        self.tenants.get(name).unwrap_or(&EMPTY_TENANT)
    }

    pub(super) fn tenant_mut(&mut self, name: &TenantId) -> &mut TenantState {
        self.tenants
            .entry(name.clone())
            .or_insert_with(TenantState::new)
    }

    pub(super) fn spool_recall(&mut self, recall: Recall) {
        self.spooled_recalls.push(recall);
    }

    pub(super) fn flush(&mut self, tenant: &TenantId) -> FlushCounts {
        let noted = std::mem::take(&mut self.spooled_recalls).into_iter();
        let (own, others): (Vec<_>, Vec<_>) =
            noted.partition(|outcome| outcome.scope.tenant == *tenant);
        self.spooled_recalls = others;
        let recalls = own.len() as u64;
        for recall in own {
            self.tenant_mut(tenant).record_recall(recall);
        }
        FlushCounts {
            recalls,
            unreadable: 0,
        }
    }

    /// Erases a tenant, and returns what there was.
    pub(super) fn erase_tenant(&mut self, name: &TenantId) -> ErasedTenant {
        self.flush(name);
        let gone = self.tenants.remove(name).unwrap_or(TenantState::new());
        let count = |rows: usize| u64::try_from(rows).unwrap_or(u64::MAX);
        ErasedTenant {
            journal_head: gone.journal_head(name),
            lessons: count(gone.lessons.len()),
            recalls: count(gone.recalls.len()),
            judgements: count(gone.judgements.len()),
            jobs: count(gone.jobs.len()),
        }
    }

    pub(super) fn record_sighting(&mut self, sighting: &Sighting) -> CandidateLesson {
        let scope = &sighting.scope;
        let tenant = self.tenant_mut(&scope.tenant);
        let key = (scope.clone(), sighting.failure.clone());
        tenant.scopes.insert(scope.clone());
        let witness = records::add_sighting(tenant.candidate_lessons.remove(&key), sighting);
        tenant.candidate_lessons.insert(key, witness.clone());
        witness
    }

    /// Deletes the candidates seen longest ago of each scope that has too many.
    pub(super) fn delete_oldest_candidates(&mut self, tenant: &TenantId) {
        let candidates = &mut self.tenant_mut(tenant).candidate_lessons;
        let mut by_scope: BTreeMap<Scope, Vec<_>> = BTreeMap::new();
        for (key, candidate) in &*candidates {
            let of_scope = by_scope.entry(key.0.clone()).or_default();
            of_scope.push((candidate.last_seen, key.clone()));
        }
        for mut of_scope in by_scope.into_values() {
            of_scope.sort();
            let too_many = of_scope.len().saturating_sub(limits::CANDIDATE_LESSONS);
            for (_, key) in &of_scope[..too_many] {
                candidates.remove(key);
            }
        }
    }

    pub(super) fn delete_candidate_lesson(&mut self, scope: &Scope, failure: &FailureKey) {
        if let Some(tenant) = self.tenants.get_mut(&scope.tenant) {
            tenant
                .candidate_lessons
                .remove(&(scope.clone(), failure.clone()));
        }
    }
}

impl Read for SharedState {
    fn lesson(&self, tenant: &TenantId, id: LessonId) -> Result<Option<Lesson>> {
        Ok(self.tenant(tenant).lessons.get(&id).cloned())
    }

    fn lessons(&self, tenant: &TenantId, listing: &LessonListing) -> Result<Vec<Lesson>> {
        let lessons = &self.tenant(tenant).lessons;
        let mut listed: Vec<&Lesson> = lessons
            .values()
            .filter(|value| matches_listing(value, listing))
            .collect();
        listed.sort_by_key(|entry| Reverse(listing_position(entry, listing.order)));
        let after = match (listing.order, listing.before) {
            (_, None) => None,
            (LessonOrder::NewestFirst, Some(id)) => Some((Timestamp::MIN, id)),
            (LessonOrder::LastShownFirst, Some(id)) => match lessons.get(&id) {
                Some(last) => Some(listing_position(last, LessonOrder::LastShownFirst)),
                None => return Ok(Vec::new()),
            },
        };
        listed.retain(|entry| {
            after.is_none_or(|after| listing_position(entry, listing.order) < after)
        });
        let page = listed
            .into_iter()
            .take(listing.limit.min(limits::PAGE_ROWS));
        Ok(page.cloned().collect())
    }

    fn decision_context(
        &self,
        admitted: &AdmittedLesson,
        capacity: usize,
    ) -> Result<DecisionContext> {
        let scope = &admitted.scope;
        let tenant = self.tenant(&scope.tenant);
        let twin = twin_key(&admitted.content);
        let words = Meaning::from_content(&admitted.content).key();
        let mut near: Vec<&Lesson> = tenant
            .lessons
            .values()
            .filter(|value| {
                value.scope == *scope && Meaning::from_content(&value.content).key() == words
            })
            .collect();
        near.sort_by_key(|near| {
            let key = twin_key(&near.content);
            (key != twin, key, near.id)
        });
        let replaced = admitted
            .supersedes
            .iter()
            .take(limits::SIMILAR_LESSONS)
            .filter_map(|id| tenant.lessons.get(id))
            .filter(|lesson| lesson.scope.agent == scope.agent);
        let learned = tenant.learned_lessons(scope).count();
        let is_full = learned >= capacity;
        let standings = tenant.learned_lessons(scope).filter(|_| is_full);
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

    fn lessons_for_failure(&self, scope: &Scope, failure: &FailureKey) -> Result<Vec<Lesson>> {
        let mut about: Vec<&Lesson> = self
            .tenant(&scope.tenant)
            .lessons
            .values()
            .filter(|value| {
                value.scope.is_visible_from(scope) && value.failure.as_ref() == Some(failure)
            })
            .collect();
        about.sort_by_key(|about| (about.status != Status::Active, Reverse(about.id)));
        about.truncate(limits::CANDIDATES);
        Ok(about.into_iter().cloned().collect())
    }

    fn proven_lessons(&self, scope: &Scope, now: Timestamp) -> Result<Vec<Lesson>> {
        let best = |place: Scope| {
            let mut best: Vec<&Lesson> = self
                .tenant(&scope.tenant)
                .lessons
                .values()
                .filter(|value| value.scope == place && value.status == Status::Active)
                .filter(|value| value.counts.helped > value.counts.harmed)
                .collect();
            best.sort_by_key(|best| records::proof_order_key(best));
            best.into_iter().take(limits::CANDIDATES)
        };
        let mut proven: Vec<&Lesson> = scope.visible_scopes().into_iter().flat_map(best).collect();
        proven.retain(|proven| proven.is_recallable(now));
        proven.sort_by_key(|proven| records::proof_order_key(proven));
        Ok(proven
            .into_iter()
            .take(limits::CANDIDATES)
            .cloned()
            .collect())
    }

    fn search(&self, query: &LessonQuery) -> Result<SearchResults> {
        let found = search_recallable(query, |limit| Ok(self.search_best(query, limit)))?;
        match &query.vector {
            Some(near) => self.add_similar(query, near, found),
            None => Ok(found),
        }
    }

    fn lessons_with_words(
        &self,
        tenant: &TenantId,
        within: &ScopeFilter,
        words: &[TypedWord],
        most: usize,
    ) -> Result<Vec<LessonId>> {
        let is_meant = |lesson: &&Lesson| {
            let terms = index_terms(&lesson.content, lesson.task.as_ref());
            let holds = |word: &TypedWord| word.may_be_in(terms.as_str());
            lesson.status == Status::Active
                && within.includes(&lesson.scope)
                && words.iter().all(holds)
        };
        let lessons = self.tenant(tenant).lessons.values().rev();
        let lessons = lessons.filter(is_meant).take(most);
        Ok(lessons.map(|lesson| lesson.id).collect())
    }

    fn count_waiting(&self, tenant: &TenantId) -> Result<Vec<(Scope, u64)>> {
        let mut counts = BTreeMap::new();
        for lesson in self.tenant(tenant).lessons.values() {
            if matches!(
                lesson.status,
                Status::Pending { .. } | Status::Quarantined { .. }
            ) {
                *counts.entry(lesson.scope.clone()).or_default() += 1;
            }
        }
        Ok(counts.into_iter().collect())
    }

    fn scopes(&self, tenant: &TenantId) -> Result<Vec<Scope>> {
        Ok(self.tenant(tenant).scopes.iter().cloned().collect())
    }

    fn journal_head(&self, tenant: &TenantId) -> Result<ChainHead> {
        Ok(self.tenant(tenant).journal_head(tenant))
    }

    fn journal(&self, tenant: &TenantId, after: u64, limit: usize) -> Result<Vec<JournalEntry>> {
        let entries = self.tenant(tenant).journal.iter();
        Ok(entries
            .filter(|entry| entry.sequence > after)
            .take(limit.min(limits::PAGE_ROWS))
            .cloned()
            .collect())
    }

    fn lesson_history(
        &self,
        tenant: &TenantId,
        lesson: LessonId,
        after: u64,
        limit: usize,
    ) -> Result<Vec<JournalEntry>> {
        let entries = self.tenant(tenant).journal.iter();
        Ok(entries
            .filter(|entry| entry.body.lesson == lesson && entry.sequence > after)
            .take(limit.min(limits::PAGE_ROWS))
            .cloned()
            .collect())
    }

    fn lessons_replaced_by(&self, tenant: &TenantId, id: LessonId) -> Result<Vec<Lesson>> {
        let lessons = self.tenant(tenant).lessons.values();
        Ok(lessons
            .filter(|lesson| lesson.status == Status::Superseded { by: id })
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
            .filter(|(_, it)| listing.within.includes(&it.scope))
            .take(listing.limit.min(limits::PAGE_ROWS))
            .map(|(id, it)| (*id, Recall::clone(it)))
            .collect())
    }

    fn query_text(
        &self,
        tenant: &TenantId,
        recall: RecallId,
        reader: QueryTextReader<'_>,
    ) -> Result<Option<CleanText>> {
        let tenant = self.tenant(tenant);
        let agent = tenant
            .recalls
            .get(&recall)
            .map(|recall| &recall.scope.agent);
        let is_read = agent.is_some_and(|agent| reader.may_read(agent.as_str()));
        let asked = tenant.query_texts.get(&recall).filter(|_| is_read);
        Ok(asked.map(|(_, text)| text.clone()))
    }

    fn judgements(
        &self,
        tenant: &TenantId,
        listing: &JudgementListing,
    ) -> Result<Vec<(JudgementId, JudgementRecord)>> {
        let judgements = self.tenant(tenant).judgements.iter().rev();
        Ok(judgements
            .filter(|(id, _)| listing.before.is_none_or(|before| **id < before))
            .filter(|(_, it)| listing.run.is_none() || it.run == listing.run)
            .take(listing.limit.min(limits::PAGE_ROWS))
            .map(|(id, it)| (*id, JudgementRecord::clone(it)))
            .collect())
    }

    fn baseline(&self, tenant: &TenantId, about: &BaselineKey) -> Result<GaussianMessage> {
        let baselines = &self.tenant(tenant).baselines;
        Ok(baselines.get(about).copied().unwrap_or_default())
    }

    fn candidate_lesson(
        &self,
        scope: &Scope,
        failure: &FailureKey,
    ) -> Result<Option<CandidateLesson>> {
        let witnesses = &self.tenant(&scope.tenant).candidate_lessons;
        Ok(witnesses.get(&(scope.clone(), failure.clone())).cloned())
    }

    fn candidate_lessons(&self, scope: &Scope) -> Result<Vec<(FailureKey, CandidateLesson)>> {
        let mut candidates = self.tenant(&scope.tenant).candidate_lessons.clone();
        candidates.retain(|(of, _), known| of == scope && known.lesson.is_some());
        let all = candidates.into_iter();
        let mut all: Vec<_> = all.map(|((_, key), known)| (key, known)).collect();
        all.sort_by_key(|(_, known)| Reverse(known.last_seen));
        Ok(all)
    }

    fn source_progress(&self, tenant: &TenantId, name: &str) -> Result<Option<SourceProgress>> {
        Ok(self.tenant(tenant).source_progress.get(name).cloned())
    }

    fn job(&self, tenant: &TenantId, id: JobId) -> Result<Option<Job>> {
        Ok(self.tenant(tenant).jobs.get(&id).cloned())
    }

    fn job_with_key(&self, tenant: &TenantId, key: &str) -> Result<Option<Job>> {
        let mut jobs = self.tenant(tenant).jobs.values();
        Ok(jobs.find(|job| job.task.key() == key).cloned())
    }

    fn jobs(&self, tenant: &TenantId, listing: &JobListing) -> Result<Vec<Job>> {
        let jobs = self.tenant(tenant).jobs.values().rev();
        Ok(jobs
            .filter(|job| listing.before.is_none_or(|before| job.id < before))
            .filter(|job| match listing.state {
                Some(name) => job.state.name() == name,
                None => job.state != JobState::Seen,
            })
            .take(listing.limit.min(limits::PAGE_ROWS))
            .cloned()
            .collect())
    }

    fn next_job(&self, tenant: &TenantId, now: Timestamp) -> Result<Option<Job>> {
        let jobs = self.tenant(tenant).jobs.values();
        let ready = jobs.filter(|job| job.is_ready(now));
        Ok(ready
            .min_by_key(|ready| records::job_order_key(ready))
            .cloned())
    }

    fn count_jobs(&self, tenant: &TenantId, now: Timestamp) -> Result<JobCounts> {
        let mut queue = JobCounts::default();
        for job in self.tenant(tenant).jobs.values() {
            match job.state {
                JobState::Waiting { due } => {
                    queue.waiting += 1;
                    queue.next_due = Some(queue.next_due.map_or(due, |first| first.min(due)));
                }
                JobState::Running { until } => {
                    queue.running += 1;
                    queue.claimed += u64::from(until > now);
                }
                JobState::Done => queue.done += 1,
                JobState::Dead => queue.dead += 1,
                JobState::Seen => queue.seen += 1,
            }
        }
        Ok(queue)
    }

    fn model_cost(&self, tenant: &TenantId, day: i64) -> Result<ModelCost> {
        let spent = self.tenant(tenant).spent.get(&day);
        Ok(spent.copied().unwrap_or_default())
    }

    fn kept_answer(&self, tenant: &TenantId, name: &Sha256Hash) -> Result<Option<KeptAnswer>> {
        Ok(self.tenant(tenant).answers.get(name).cloned())
    }

    fn lessons_without_vector(
        &self,
        tenant: &TenantId,
        space: &str,
        after: LessonId,
        limit: usize,
    ) -> Result<Vec<Lesson>> {
        let tenant = self.tenant(tenant);
        let lacks = |lesson: &&Lesson| {
            let vector = tenant.vectors.get(&lesson.id);
            lesson.status == Status::Active && vector.is_none_or(|vector| vector.0 != space)
        };
        let lessons = tenant.lessons.values().filter(|value| value.id > after);
        let lessons = lessons.filter(lacks).take(limit.min(limits::PAGE_ROWS));
        Ok(lessons.cloned().collect())
    }

    fn count_vectors(&self, scope: &Scope, space: &str) -> Result<u64> {
        let tenant = self.tenant(&scope.tenant);
        let here = tenant
            .vectors
            .iter()
            .filter(|(id, it)| it.0 == space && tenant.lessons[id].scope == *scope);
        Ok(here.count() as u64)
    }
}
