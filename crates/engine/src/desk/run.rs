//! What a run needs of a desk: recalling, attending to its events, learning from it.

use hardwon_core::{
    access::{Rights, Visibility},
    id::{RecallId, RunId},
    lesson::Draft,
    rank::Ranking,
    recall::Recall,
    text::CleanText,
    trace::Trace,
};
use hardwon_store::{
    Commit as _, Durability, Judged, JudgementId, JudgementListing, Reader, RecallListing,
};
use jiff::Timestamp;

use super::Desk;
use crate::{
    Ask, Drain, Drained, Fill, Filled, Learned, Library, LiveRun, Noted, Recalled, Result,
    attend::{Attended, Happening, Looked, Session, Turn},
    model::Model,
    sessions::Sessions,
};

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

    /// Ranks lessons for a program that makes its own of them: up to [`CANDIDATES`](hardwon_core::limits::CANDIDATES), in no
    /// preamble, and not remembered.
    pub fn rank(&self, ask: &Ask) -> Result<Ranking> {
        self.may(Rights::Read, &ask.scope)?;
        self.engine.rank(ask)
    }

    /// Returns a page of the recalls that a listing asks for, as far as they were made in sight.
    pub fn recalls(&self, listing: &RecallListing) -> Result<Vec<(RecallId, Recall)>> {
        self.who.check_right(Rights::Read)?;
        let listing = RecallListing {
            within: self.narrow(&listing.within)?,
            ..listing.clone()
        };
        let reader = self.engine.store.snapshot()?;
        Ok(reader.recalls(self.tenant(), &listing)?)
    }

    /// Returns what a recall was made for, where that is kept: to who owns the tenant of any, to an agent
    /// of its own.
    pub fn asked(&self, recall: RecallId) -> Result<Option<CleanText>> {
        self.who.check_right(Rights::Read)?;
        let reader = match self.who.visibility {
            Visibility::Tenant => Reader::Owner,
            Visibility::Agent | Visibility::Project => Reader::Agent(&self.who.scope.agent),
        };
        Ok(self
            .engine
            .store
            .snapshot()?
            .asked(self.tenant(), recall, reader)?)
    }

    /// Returns a page of judgements, of all runs or of one.
    pub fn judgements(&self, listing: &JudgementListing) -> Result<Vec<(JudgementId, Judged)>> {
        self.who.check_right(Rights::Read)?;
        Ok(self
            .engine
            .store
            .snapshot()?
            .judgements(self.tenant(), listing)?)
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
        self.who.check_right(Rights::Write)?;
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
    pub fn flush_recalls(&self, until: Timestamp) -> Result<()> {
        self.who.check_right(Rights::Read)?;
        // The transaction counts before it forgets, and forgets also where nothing can be counted.
        (self.engine.store).commit_with(self.tenant(), Durability::Lazy, |tx| {
            Ok(tx.forget_asked(until)?)
        })
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
        self.who.check_right(Rights::Write)?;
        self.engine.drain(self.tenant(), model, how)
    }

    /// Has lessons embedded that have no vector yet, of all scopes of the tenant; nothing if no
    /// embedding is set. That it is away is no error: lessons are found by their words.
    ///
    /// # Errors
    ///
    /// `Store` if the store cannot be read or written.
    pub fn embed_lessons(&self, how: &Fill) -> Result<Filled> {
        self.who.check_right(Rights::Write)?;
        self.engine.embed_lessons(self.tenant(), how)
    }
}
