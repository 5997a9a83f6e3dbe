//! The desk of whoever acts: the one way to the engine's verbs.
//!
//! [`Engine::acting_as`] gives it to a [`Principal`]. Its verbs take numbers, look the lesson up among
//! what that principal may see, and ask [`hardwon_core::access`] whether they may: so every door asks,
//! and none can forget to. What a verb then does stands where its subject is: `curate`, `note`, `writ`,
//! `credit`, `beside`. Here are the looking up and the verbs that only pass on.

use std::path::Path;

use hardwon_core::{
    access::{Denied, Principal, Reach, Rights},
    change::{Batch, Change, Unfit},
    id::{LessonId, RecallId, RunId, TenantId},
    journal::Entry,
    lesson::{Draft, Lesson},
    limits,
    queue::{Job, Spent},
    rank::{self, Ranking},
    recall::Recall,
    scope::Scope,
    text::CleanText,
    trace::Trace,
};
use hardwon_store::{
    Census, Judged, JudgementId, JudgementListing, Listing, Reader, RecallListing, Within, Write,
};
use jiff::Timestamp;

use crate::{
    Ask, Audit, Compared, Drain, Drained, Effects, Engine, Error, Fill, Filled, Jobs, Learned,
    Library, LiveRun, Noted, Recalled, Result,
    attend::{Attended, Happening, Looked, Session, Turn},
    files::{self, Exported, Imported, Synced},
    model::Model,
    sessions::Sessions,
};

/// An engine in the hands of a principal.
#[derive(Clone)]
pub struct Desk<'e> {
    pub(crate) engine: &'e Engine,
    pub(crate) who: Principal,
}

/// Some recalls, the newest first.
#[derive(Debug, Clone, PartialEq)]
pub struct RecallPage {
    /// Those in sight.
    pub recalls: Vec<(RecallId, Recall)>,
    /// The oldest that was looked at, in sight or not: the next page begins before it. None if there
    /// are no more.
    pub oldest: Option<RecallId>,
}

impl Engine {
    /// Hands the engine to somebody.
    #[must_use]
    pub fn acting_as(&self, who: Principal) -> Desk<'_> {
        Desk { engine: self, who }
    }
}

/// Looking lessons up.
impl Desk<'_> {
    /// Returns who acts.
    #[must_use]
    pub fn who(&self) -> &Principal {
        &self.who
    }

    /// Returns a lesson in whatever state, as it may be seen.
    pub fn lesson(&self, id: LessonId) -> Result<Lesson> {
        Ok(self.who.veil(self.find(id, Rights::Read)?))
    }

    /// Finds a lesson over which whoever asks has a right, with all its words.
    pub(crate) fn find(&self, id: LessonId, right: Rights) -> Result<Lesson> {
        let found = self.engine.store.lesson(self.tenant(), id)?;
        Ok(self.who.take(id, found, right)?)
    }

    /// Returns a page of the lessons that a listing asks for, as far as they are in sight, each as it
    /// may be seen: an agent reads no words of one that is not in use.
    pub fn lessons(&self, listing: &Listing) -> Result<Vec<Lesson>> {
        self.who.check(Rights::Read)?;
        let listing = self.within_sight(listing)?;
        let found = self.engine.store.lessons(self.tenant(), &listing)?;
        Ok(found.into_iter().map(|it| self.who.veil(it)).collect())
    }

    /// Finds the lessons that hold all words of a search, those first that are nearest to it, leaving
    /// out what has stepped back unless that is asked for.
    pub fn search_words(&self, listing: &Listing) -> Result<Vec<Lesson>> {
        let mut page = Listing {
            limit: limits::PAGE,
            ..listing.clone()
        };
        let mut found = Vec::new();
        while found.len() < limits::SEARCHED {
            let lessons = self.lessons(&page)?;
            let Some(last) = lessons.last() else { break };
            page.before = Some(last.id);
            found.extend(lessons);
        }
        if listing.status.is_none() {
            found.retain(|it| !it.status.has_stepped_back());
        }
        rank::order_found(&mut found, &listing.text);
        found.truncate(listing.limit);
        Ok(found)
    }

    /// Returns a listing that holds nothing out of sight.
    fn within_sight(&self, listing: &Listing) -> Result<Listing> {
        let scope = &self.who.scope;
        let within = match (&listing.within, self.who.reach) {
            (Within::Tenant, Reach::Agent) => Within::Agent(scope.agent.clone()),
            (Within::Tenant | Within::Agent(_), Reach::Project) => Within::Visible(scope.clone()),
            (Within::Agent(agent), Reach::Agent) if *agent != scope.agent => {
                return Err(Denied::Elsewhere.into());
            }
            (Within::Scope(place) | Within::Visible(place), _) => {
                self.who.check_place(place)?;
                listing.within.clone()
            }
            (Within::Tenant | Within::Agent(_), _) => listing.within.clone(),
        };
        Ok(Listing {
            within,
            ..listing.clone()
        })
    }

    pub(crate) fn tenant(&self) -> &TenantId {
        &self.who.scope.tenant
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.engine.clock.now()
    }

    /// Carries out what is decided about a lesson, and returns what became of it.
    pub(crate) fn change(
        &self,
        id: LessonId,
        right: Rights,
        decide: &mut dyn FnMut(&dyn Write, &Lesson) -> hardwon_store::Result<Decided>,
    ) -> Result<Lesson> {
        self.commit_about(id, right, &mut |tx, lesson| {
            Ok(match decide(&*tx, lesson)? {
                Ok(changes) => Ok(tx.apply(&self.batch(changes))?),
                Err(unfit) => Err(unfit),
            })
        })?;
        self.present(id)
    }

    /// Does something about a lesson as it is by then, if whoever asks has this right over it.
    pub(crate) fn commit_about(
        &self,
        id: LessonId,
        right: Rights,
        work: &mut dyn FnMut(&mut dyn Write, &Lesson) -> hardwon_store::Result<Done>,
    ) -> Result<()> {
        let mut outcome = Ok(());
        self.engine.store.commit(self.tenant(), &mut |tx| {
            let found = tx.lesson(self.tenant(), id)?;
            outcome = match self.who.take(id, found, right) {
                Ok(lesson) => work(tx, &lesson)?.map_err(Error::from),
                Err(denied) => Err(denied.into()),
            };
            Ok(())
        })?;
        outcome
    }

    /// Returns what became of a lesson that was changed.
    pub(crate) fn present(&self, id: LessonId) -> Result<Lesson> {
        let present = self.engine.store.lesson(self.tenant(), id)?;
        Ok(present.ok_or(Denied::Missing(id))?)
    }

    pub(crate) fn batch(&self, changes: Vec<Change>) -> Batch {
        Batch {
            tenant: self.tenant().clone(),
            actor: self.who.actor.clone(),
            at: self.now(),
            changes,
        }
    }
}

/// What to do to a lesson, or why nothing can be done.
pub(crate) type Decided = std::result::Result<Vec<Change>, Unfit>;

/// That it was done, or why it cannot be.
pub(crate) type Done = std::result::Result<(), Unfit>;

/// Recalling, and what is on record of it.
impl<'e> Desk<'e> {
    /// Brings back the lessons that fit a prompt, and remembers what was shown.
    pub fn recall(&self, ask: &Ask) -> Result<Recalled> {
        let recalled = self.explain(ask)?;
        self.remember(ask, &recalled)?;
        Ok(recalled)
    }

    /// Says what a recall would show, without remembering that it was asked.
    ///
    /// Who asks by himself gets what he asked for: nothing of it is held back.
    pub fn explain(&self, ask: &Ask) -> Result<Recalled> {
        self.may(Rights::Read, &ask.scope)?;
        self.engine.explain(ask)
    }

    /// Remembers what was shown for a prompt. Who needs the lessons even where nothing can be
    /// written hands them out before.
    pub fn remember(&self, ask: &Ask, recalled: &Recalled) -> Result<()> {
        self.note_recall(&self.engine.record(ask, recalled))
    }

    /// Remembers a recall that is put together already.
    pub fn note_recall(&self, recall: &Recall) -> Result<()> {
        self.may(Rights::Read, &recall.scope)?;
        self.engine.note_recall(recall)
    }

    /// Ranks lessons for a program that makes its own of them: up to [`limits::CANDIDATES`], in no
    /// preamble, and not remembered.
    pub fn rank(&self, ask: &Ask) -> Result<Ranking> {
        self.may(Rights::Read, &ask.scope)?;
        self.engine.rank(ask)
    }

    /// Returns a page of the recalls that were made in sight.
    pub fn recalls(&self, listing: &RecallListing) -> Result<RecallPage> {
        self.who.check(Rights::Read)?;
        let mut recalls = self.engine.store.recalls(self.tenant(), listing)?;
        let oldest = recalls.last().map(|(id, _)| *id);
        recalls.retain(|(_, recall)| self.who.sees(&recall.scope));
        Ok(RecallPage { recalls, oldest })
    }

    /// Returns what a recall was made for, where that is kept: to who owns the tenant of any, to an agent
    /// of its own.
    pub fn asked(&self, recall: RecallId) -> Result<Option<CleanText>> {
        self.who.check(Rights::Read)?;
        let reader = match self.who.reach {
            Reach::Tenant => Reader::Owner,
            Reach::Agent | Reach::Project => Reader::Agent(&self.who.scope.agent),
        };
        Ok(self.engine.store.asked(self.tenant(), recall, reader)?)
    }

    /// Returns a page of judgements, of all runs or of one.
    pub fn judgements(&self, listing: &JudgementListing) -> Result<Vec<(JudgementId, Judged)>> {
        self.who.check(Rights::Read)?;
        Ok(self.engine.store.judgements(self.tenant(), listing)?)
    }

    /// Follows a run of this name, until an event says that another one begins. That it read content
    /// from outside is noted in `sessions`, for whoever else hears of it.
    #[must_use]
    pub fn follow_run(&self, run: RunId, sessions: &'e dyn Sessions) -> LiveRun<'e> {
        LiveRun::begin(self.clone(), run, sessions)
    }

    /// Takes an event of a session in, and says what there is to say about it.
    ///
    /// Who needs what is said even where nothing can be written hands it out before it notes the
    /// recalls.
    pub fn attend(&self, session: &mut Session, event: &Happening) -> Result<Attended> {
        self.may(Rights::Write, &event.scope)?;
        self.engine.attend(session, event)
    }

    /// Looks up what an event calls for, and carries its writs out.
    pub fn look(&self, session: &Session, event: &Happening, turn: &Turn) -> Result<Looked> {
        self.may(Rights::Write, &event.scope)?;
        self.engine.look(session, event, turn)
    }

    /// Looks up what an event calls for, and changes nothing.
    pub fn look_up(&self, session: &Session, event: &Happening, turn: &Turn) -> Result<Looked> {
        self.may(Rights::Read, &event.scope)?;
        self.engine.look_up(session, event, turn)
    }

    fn may(&self, right: Rights, place: &Scope) -> Result<()> {
        self.who.check(right)?;
        Ok(self.who.check_place(place)?)
    }
}

/// Learning.
impl<'e> Desk<'e> {
    /// Learns from a run that has ended, and credits the lessons that it was shown. Nothing to
    /// learn is the usual result.
    pub fn learn(&self, trace: &Trace) -> Result<Learned> {
        self.may(Rights::Write, trace.scope())?;
        self.engine.learn(trace)
    }

    /// Opens a library, to learn from many transcripts.
    pub fn library(&self) -> Result<Library<'e>> {
        self.who.check(Rights::Write)?;
        Ok(Library::of(self.engine, &self.who.scope))
    }

    /// Guards drafts, and stores those that pass, in one transaction; one answer a draft, in order.
    ///
    /// This is the door for whoever makes drafts of their own, such as a distiller. A draft says
    /// itself whose word it is and whether content from outside had a part in it.
    pub fn admit(&self, drafts: Vec<Draft>) -> Result<Vec<Noted>> {
        for draft in &drafts {
            self.may(Rights::Write, &draft.scope)?;
        }
        self.engine.admit(self.tenant(), drafts, &self.who.actor)
    }

    /// Counts what was only noted so far, and forgets what was asked before a moment.
    pub fn settle(&self, until: Timestamp) -> Result<()> {
        self.who.check(Rights::Read)?;
        self.engine.store.settle()?;
        Ok(self.engine.store.forget_asked(self.tenant(), until)?)
    }

    /// Asks a model the questions that are due, and learns from its answers.
    ///
    /// Several calls are made at once, as many as `how` allows. That a model is away or answers
    /// nonsense is no error: the questions wait on, or are given up in the end.
    ///
    /// # Errors
    ///
    /// `Store` if the queue cannot be read or written.
    pub fn drain(&self, model: &dyn Model, how: &Drain) -> Result<Drained> {
        self.who.check(Rights::Write)?;
        self.engine.drain(self.tenant(), model, how)
    }

    /// Has lessons embedded that have no vector yet, of all scopes of the tenant; nothing if no
    /// embedding is set. That it is away is no error: lessons are found by their words.
    ///
    /// # Errors
    ///
    /// `Store` if the store cannot be read or written.
    pub fn embed_lessons(&self, how: &Fill) -> Result<Filled> {
        self.who.check(Rights::Write)?;
        self.engine.embed_lessons(self.tenant(), how)
    }
}

/// The queue of questions to a model.
impl Desk<'_> {
    /// Returns the newest of these jobs in a state, or in any but that of those that were only seen.
    pub fn jobs(
        &self,
        which: &Jobs<'_>,
        state: Option<&'static str>,
        limit: usize,
    ) -> Result<Vec<Job>> {
        self.who.check(Rights::Read)?;
        self.in_sight(which, |which| {
            self.engine.jobs(self.tenant(), which, state, limit)
        })
    }

    /// Has those of these jobs tried again now that were put off or given up; how many.
    pub fn retry_jobs(&self, which: &Jobs<'_>) -> Result<u64> {
        self.who.check(Rights::Curate)?;
        self.in_sight(which, |which| self.engine.retry_jobs(self.tenant(), which))
    }

    /// Makes every job that waits due now; how many.
    pub fn hasten_jobs(&self) -> Result<u64> {
        self.who.check(Rights::Curate)?;
        self.in_sight(&Jobs::default(), |which| {
            self.engine.hasten_jobs(self.tenant(), which)
        })
    }

    /// Forgets those of these jobs that were given up, or the one that is named, in whatever state; how
    /// many.
    pub fn purge_jobs(&self, which: &Jobs<'_>) -> Result<u64> {
        self.who.check(Rights::Curate)?;
        self.in_sight(which, |which| self.engine.purge_jobs(self.tenant(), which))
    }

    /// Returns what models cost on a day.
    pub fn spent(&self, day: i64) -> Result<Spent> {
        self.who.check(Rights::Read)?;
        Ok(self.engine.store.spent(self.tenant(), day)?)
    }

    fn in_sight<T>(&self, which: &Jobs<'_>, work: impl FnOnce(&Jobs<'_>) -> T) -> T {
        let is_seen = |scope: &Scope| which.is_of(scope) && self.who.sees(scope);
        work(&Jobs {
            only: which.only,
            of: Some(&is_seen),
        })
    }
}

/// Taking stock.
impl Desk<'_> {
    /// Counts the lessons of each scope in sight.
    pub fn census(&self) -> Result<Vec<(Scope, Census)>> {
        self.who.check(Rights::Read)?;
        let scopes = self.engine.store.scopes(self.tenant())?;
        let seen = scopes.into_iter().filter(|it| self.who.sees(it));
        let counted = seen.map(|scope| {
            let census = self.engine.store.census(&scope)?;
            Ok((scope, census))
        });
        counted.collect()
    }

    /// Says what credit has found out about the lessons in sight of the project; of one of them if that
    /// is all that is asked for. Runs are the tenant's.
    pub fn effects(&self, only: Option<LessonId>) -> Result<Effects> {
        self.who.check(Rights::Read)?;
        self.engine.effects(&self.who.scope, only)
    }

    /// Compares recalling by words with recalling by words and meaning, on at most so many lessons.
    pub fn compare_recall(&self, most: usize) -> Result<Compared> {
        self.who.check(Rights::Read)?;
        self.engine.compare_recall(&self.who.scope, most)
    }

    /// Verifies the journal of the tenant and checks every lesson against it.
    pub fn audit(&self) -> Result<Audit> {
        self.who.check(Rights::Read)?;
        self.engine.audit(self.tenant())
    }

    /// Returns the number of entries in the journal of the tenant.
    pub fn count_entries(&self) -> Result<u64> {
        self.who.check(Rights::Read)?;
        Ok(self.engine.store.head(self.tenant())?.sequence)
    }

    /// Returns the first entries of the tenant's journal after one, at most [`limits::PAGE`].
    pub fn journal(&self, after: u64) -> Result<Vec<Entry>> {
        self.who.check(Rights::Curate)?;
        Ok(self
            .engine
            .store
            .journal(self.tenant(), after, limits::PAGE)?)
    }
}

/// Lessons in files.
impl Desk<'_> {
    /// Writes every lesson of exactly this scope that is in use, one file each, and the list of
    /// them. Files of lessons that left move to the archive; others stay as they are.
    ///
    /// With `all`, those that wait for a person are written too. They were held back for a reason,
    /// and whoever reads the folder does not see it.
    pub fn export(&self, path: &Path, all: bool) -> Result<Exported> {
        self.who.check(Rights::Curate)?;
        self.engine.export(&self.who.scope, path, all)
    }

    /// Reads the lessons of a folder, or one file. Each is a file's word: it enters as the policy
    /// says, and what it claims about itself is kept and not believed.
    ///
    /// A dry run changes nothing; two files that say the same are then both taken for new.
    pub fn import(&self, path: &Path, dry_run: bool) -> Result<Imported> {
        self.who.check(Rights::Curate)?;
        self.engine
            .import(&self.who.scope, path, &self.who.actor, dry_run)
    }

    /// Brings a project's lessons and the folder in its repository into step.
    ///
    /// `root` is the root of the work tree. The folder is made if it is not there. It is the only place
    /// that is written to; neither it nor what leads to it may be a link.
    pub fn sync(&self, root: &Path, dry_run: bool) -> Result<Synced> {
        self.who.check(Rights::Curate)?;
        files::sync(self, root, dry_run)
    }
}

/// Returns the desk of a person who stands outside of any project.
#[cfg(test)]
pub(crate) fn person(engine: &Engine) -> Desk<'_> {
    engine.acting_as(Principal::person(Scope::default()))
}
