//! The desk of whoever acts: the one way to the engine's verbs.
//!
//! [`Engine::acting_as`] gives it to a [`Principal`]. Its verbs take numbers, look the lesson up among what that
//! principal may see, and ask [`crate::access`] whether they may: so every door asks, and none can forget to.
//! The verbs are in the modules of their subjects: `curate`, `note`, `writ`, `credit`, `queue` and so on. The look-ups
//! are here.

use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use hardwon_core::{
    Change, ChangeBatch, Lesson, LessonId, ProjectId, Scope, TenantId, TypedWord, limits,
};
use hardwon_store::{
    Commit as _, LessonListing, LessonOrder, LessonQuery, Read, RequestMark, ScopeFilter,
    StatusName, Write, last_version_of,
};
use jiff::Timestamp;

use crate::{
    AccessError, Engine, Error, Policy, Principal, Result, Visibility, access::Rights,
    search_order::sort_search_matches,
};

/// The engine's verbs, with the rights of one principal.
#[derive(Clone)]
pub struct Desk<'e> {
    pub(crate) engine: &'e Engine,
    pub(crate) policy: Arc<Policy>,
    pub(crate) principal: Principal,
    /// The request that its verbs answer, if it may be repeated.
    pub(crate) request: Option<Arc<OpenRequest>>,
}

/// A request that may be repeated, while it is answered.
#[derive(Debug)]
pub(crate) struct OpenRequest {
    pub(crate) mark: RequestMark,
    /// Whether a transaction of it was committed.
    is_begun: AtomicBool,
}

impl OpenRequest {
    pub(crate) fn new(mark: RequestMark) -> Self {
        Self {
            mark,
            is_begun: AtomicBool::new(false),
        }
    }

    /// Saves in a transaction that the request was made, unless it was already.
    pub(crate) fn begin(
        &self,
        tx: &mut dyn Write,
        tenant: &TenantId,
        now: Timestamp,
    ) -> Result<()> {
        if self.is_begun.load(Ordering::Relaxed) {
            return Ok(());
        }
        let answer = tx.reader().kept_answer(tenant, &self.mark.name)?;
        match answer.filter(|answer| answer.is_remembered(now)) {
            Some(answer) => Err(answer.conflict_with(&self.mark).into()),
            None => Ok(tx.save_answer(&self.mark, None, now)?),
        }
    }
}

impl Engine {
    /// Sends the recalls that are noted in this process's memory alone to where others count them, of all tenants. It
    /// reads nothing, so it needs nobody's right.
    pub fn send_noted_recalls(&self) -> Result<()> {
        Ok(self.store.send_noted_recalls()?)
    }

    /// Returns the desk of a principal.
    pub fn acting_as(&self, who: Principal) -> Desk<'_> {
        Desk {
            engine: self,
            policy: Arc::clone(&self.policy),
            principal: who,
            request: None,
        }
    }
}

/// The principal, and the policy of its tenant.
impl Desk<'_> {
    /// Returns the principal who acts.
    pub fn principal(&self) -> &Principal {
        &self.principal
    }

    /// Returns the policy of the tenant, as it was when this desk was made.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Returns the desk of another principal of the same tenant.
    pub(crate) fn hand_over(&self, principal: Principal) -> Self {
        Self {
            principal,
            ..self.clone()
        }
    }
}

/// Looking lessons up.
impl Desk<'_> {
    /// Returns a lesson in any state. An agent sees no words of one that is not active.
    pub fn lesson(&self, id: LessonId) -> Result<Lesson> {
        Ok(self
            .principal
            .hide_inactive_words(self.find_lesson(id, Rights::Read)?))
    }

    /// Returns a lesson, or `None` if it does not exist for this principal.
    pub fn lesson_if_visible(&self, id: LessonId) -> Result<Option<Lesson>> {
        match self.lesson(id) {
            Ok(lesson) => Ok(Some(lesson)),
            Err(Error::Denied(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Finds a lesson over which this principal has a right, with all its words.
    pub(crate) fn find_lesson(&self, id: LessonId, right: Rights) -> Result<Lesson> {
        let lesson = self.snapshot()?.lesson(self.tenant(), id)?;
        Ok(self.principal.authorize_lesson(id, lesson, right)?)
    }

    /// Returns the page of a listing, as far as the principal may see it. An agent sees no words of a lesson that is
    /// not active.
    pub fn lessons(&self, listing: &LessonListing) -> Result<Vec<Lesson>> {
        self.principal.check_right(Rights::Read)?;
        let listing = self.restrict_listing(listing)?;
        let lessons = self.snapshot()?.lessons(self.tenant(), &listing)?;
        Ok(lessons
            .into_iter()
            .map(|lesson| self.principal.hide_inactive_words(lesson))
            .collect())
    }

    /// Returns the page of a listing whose order or counts are those of showings, also of the latest, if they can be counted
    /// now.
    pub fn lessons_as_shown(&self, listing: &LessonListing) -> Result<Vec<Lesson>> {
        drop(self.engine.store.flush(self.tenant()));
        self.lessons(listing)
    }

    /// Finds the lessons that hold all words of a search, the most similar ones first, and then those that an embedding
    /// finds near it. Superseded and archived ones are left out unless the listing asks for them.
    ///
    /// An active lesson must have words that begin like those of the search, unless these are words that every text has.
    /// A number alone, such as `#14`, finds the lesson of that number before the others, whatever became of it.
    pub fn search_words(&self, listing: &LessonListing) -> Result<Vec<Lesson>> {
        self.principal.check_right(Rights::Read)?;
        let listing = self.restrict_listing(listing)?;
        let statuses = match listing.status {
            None => vec![
                StatusName::Active,
                StatusName::Pending,
                StatusName::Quarantined,
            ],
            Some(status) => vec![status],
        };
        let mut hits = Vec::new();
        for status in statuses {
            hits.extend(self.search_status(&LessonListing {
                status: Some(status),
                order: LessonOrder::NewestFirst,
                limit: listing.limit.max(limits::SEARCHED_LESSONS),
                ..listing.clone()
            })?);
        }
        sort_search_matches(&mut hits, &listing.search_text);
        if let Some(lesson) = self.find_numbered(&listing)? {
            hits.retain(|hit| hit.id != lesson.id);
            hits.insert(0, lesson);
        }
        if hits.len() < listing.limit {
            let near = self.find_near_search(&listing)?.into_iter();
            let others: Vec<Lesson> = near.filter(|near| !hits.contains(near)).collect();
            hits.extend(others);
        }
        hits.truncate(listing.limit);
        Ok(hits)
    }

    /// Finds the lesson whose number is all that is searched for, as agents quote it: `14`, `#14` or `(#14)`.
    fn find_numbered(&self, listing: &LessonListing) -> Result<Option<Lesson>> {
        let text = listing.search_text.trim();
        let Ok(id) = text.trim_matches(['(', ')']).parse() else {
            return Ok(None);
        };
        let of_number = LessonListing {
            among: Some(vec![id]),
            search_text: String::new(),
            ..listing.clone()
        };
        Ok(self.lessons(&of_number)?.pop())
    }

    /// Finds the newest lessons in one state that hold all words of a search: of those in use, among the ones that the
    /// index names.
    fn search_status(&self, listing: &LessonListing) -> Result<Vec<Lesson>> {
        let words = TypedWord::list(&listing.search_text);
        if listing.status != Some(StatusName::Active) || words.is_empty() {
            return self.lessons(listing);
        }
        let reader = self.snapshot()?;
        let lesson_ids =
            reader.lessons_with_words(self.tenant(), &listing.within, &words, usize::MAX)?;
        drop(reader);
        let mut hits = Vec::new();
        for part in lesson_ids.chunks(limits::SEARCHED_LESSONS) {
            hits.extend(self.lessons(&LessonListing {
                among: Some(part.to_vec()),
                ..listing.clone()
            })?);
            if hits.len() >= listing.limit {
                break;
            }
        }
        Ok(hits)
    }

    /// Returns the visible scopes.
    pub fn scopes(&self) -> Result<Vec<Scope>> {
        self.principal.check_right(Rights::Read)?;
        let mut scopes = self.snapshot()?.scopes(self.tenant())?;
        scopes.retain(|scope| self.principal.can_see(scope));
        Ok(scopes)
    }

    /// Returns the projects of the visible scopes.
    pub fn projects(&self) -> Result<BTreeSet<ProjectId>> {
        let scopes = self.scopes()?.into_iter();
        Ok(scopes.filter_map(|scope| scope.project).collect())
    }

    /// Counts the visible lessons that wait for a person.
    pub fn count_waiting(&self) -> Result<u64> {
        self.principal.check_right(Rights::Read)?;
        let counts = self.snapshot()?.count_waiting(self.tenant())?;
        let counts = counts.iter();
        let counts = counts.filter(|(scope, _)| self.principal.can_see(scope));
        Ok(counts.map(|(_, count)| count).sum())
    }

    /// Narrows a scope filter to what the principal may see.
    pub(crate) fn narrow_filter(&self, within: &ScopeFilter) -> Result<ScopeFilter> {
        let own = &self.principal.scope;
        Ok(match (within, self.principal.visibility) {
            (ScopeFilter::Scope(scope) | ScopeFilter::Visible(scope), _) => {
                self.principal.check_scope(scope)?;
                within.clone()
            }
            (_, Visibility::Tenant) => within.clone(),
            (ScopeFilter::Agent(agent), Visibility::Agent) if *agent != own.agent => {
                return Err(AccessError::OutOfScope.into());
            }
            (ScopeFilter::Tenant | ScopeFilter::Agent(_), Visibility::Agent) => {
                ScopeFilter::Agent(own.agent.clone())
            }
            (ScopeFilter::Tenant, Visibility::EveryAgent) => {
                ScopeFilter::Project(own.project.clone())
            }
            (ScopeFilter::Project(project), Visibility::EveryAgent) if *project == own.project => {
                within.clone()
            }
            (ScopeFilter::Tenant | ScopeFilter::Agent(_), _) => ScopeFilter::Visible(own.clone()),
            (ScopeFilter::Project(project), _) => {
                let scope = own.with_project(project.clone());
                self.principal.check_scope(&scope)?;
                ScopeFilter::Scope(scope)
            }
        })
    }

    /// Narrows a listing to what the principal may see.
    fn restrict_listing(&self, listing: &LessonListing) -> Result<LessonListing> {
        let within = self.narrow_filter(&listing.within)?;
        // What is found would reveal which words hidden lessons hold.
        let asks = !listing.search_text.is_empty() || listing.tag.is_some();
        let is_probe = asks && self.principal.rights < Rights::Curate;
        Ok(LessonListing {
            within,
            status: if is_probe {
                Some(StatusName::Active)
            } else {
                listing.status
            },
            ..listing.clone()
        })
    }

    /// Checks that the principal has a right, and may use the scope it names.
    pub(crate) fn check_access(&self, right: Rights, scope: &Scope) -> Result<()> {
        self.principal.check_right(right)?;
        Ok(self.principal.check_scope(scope)?)
    }

    /// Reads the store as it is now.
    pub(crate) fn snapshot(&self) -> Result<Box<dyn Read + '_>> {
        Ok(self.engine.store.snapshot()?)
    }

    /// Reads the store as it is now, with all showings counted: what is decided by counts needs the latest.
    pub(crate) fn counted_snapshot(&self) -> Result<Box<dyn Read + '_>> {
        self.engine.store.flush(self.tenant())?;
        self.snapshot()
    }

    /// Returns the lessons that a search finds, the best first.
    pub(crate) fn search(&self, query: &LessonQuery) -> Result<Vec<Lesson>> {
        let result = self.snapshot()?.search(query)?;
        Ok(result.hits.into_iter().map(|hit| hit.lesson).collect())
    }

    pub(crate) fn tenant(&self) -> &TenantId {
        &self.principal.scope.tenant
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.engine.clock.now()
    }

    /// Applies a decision about a lesson, and returns the lesson afterwards, with all its words: a principal with a
    /// right over a lesson has seen them.
    pub(crate) fn change_lesson(
        &self,
        id: LessonId,
        right: Rights,
        decide: impl Fn(&dyn Read, &Lesson) -> Result<Vec<Change>>,
    ) -> Result<Lesson> {
        self.commit_on_lesson(id, right, |tx, lesson| {
            let changes = decide(tx.reader(), lesson)?;
            self.apply_to(tx, lesson, changes)
        })
    }

    /// Applies changes to a lesson, and returns it as it is then.
    pub(crate) fn apply_to(
        &self,
        tx: &mut dyn Write,
        lesson: &Lesson,
        changes: Vec<Change>,
    ) -> Result<Lesson> {
        let after = last_version_of(tx.apply(&self.make_batch(changes))?, lesson.id);
        Ok(after.unwrap_or_else(|| lesson.clone()))
    }

    /// Runs work in a transaction of the tenant, once for a request that may be repeated.
    pub(crate) fn commit<T>(&self, work: impl Fn(&mut dyn Write) -> Result<T>) -> Result<T> {
        let Some(request) = &self.request else {
            return self.engine.store.commit(self.tenant(), work);
        };
        let (tenant, now) = (self.tenant(), self.now());
        let result = self.engine.store.commit(tenant, |tx| {
            request.begin(tx, tenant, now)?;
            work(tx)
        })?;
        request.is_begun.store(true, Ordering::Relaxed);
        Ok(result)
    }

    /// Runs work on a lesson's current state in a transaction, if the principal has this right over it.
    pub(crate) fn commit_on_lesson<T>(
        &self,
        id: LessonId,
        right: Rights,
        work: impl Fn(&mut dyn Write, &Lesson) -> Result<T>,
    ) -> Result<T> {
        self.commit(|tx| {
            let lesson = tx.reader().lesson(self.tenant(), id)?;
            let lesson = self.principal.authorize_lesson(id, lesson, right)?;
            work(tx, &lesson)
        })
    }

    pub(crate) fn make_batch(&self, changes: Vec<Change>) -> ChangeBatch {
        ChangeBatch {
            tenant: self.tenant().clone(),
            actor: self.principal.actor.clone(),
            at: self.now(),
            changes,
        }
    }
}

/// Returns the desk of a person without a project.
#[cfg(test)]
pub(crate) fn person(engine: &Engine) -> Desk<'_> {
    engine.acting_as(Principal::person(Scope::default()))
}
