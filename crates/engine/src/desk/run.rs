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
    Commit as _, Durability, JudgementId, JudgementListing, JudgementRecord, QueryTextReader,
    RecallListing,
};
use jiff::Timestamp;

use super::Desk;
use crate::{
    DrainOptions, DrainReport, EmbedOptions, EmbedReport, LearnOutcome, LiveRun, NoteOutcome,
    RecallOutcome, RecallRequest, Result, TranscriptLibrary,
    attend::{AgentSession, AttendOutcome, Lookup, SessionEvent, SessionStep},
    model::Model,
    sessions::Sessions,
};

/// Recalling, and what is on record of it.
impl<'e> Desk<'e> {
    /// Brings back the lessons that fit a prompt, and remembers what was shown.
    pub fn recall(&self, ask: &RecallRequest) -> Result<RecallOutcome> {
        let recalled = self.explain_recall(ask)?;
        self.record_recall(ask, &recalled)?;
        Ok(recalled)
    }

    /// Says what a recall would show, without remembering that it was asked.
    ///
    /// Who asks by himself gets what he asked for: nothing of it is held back.
    pub fn explain_recall(&self, ask: &RecallRequest) -> Result<RecallOutcome> {
        self.check_access(Rights::Read, &ask.scope)?;
        self.engine.explain_recall(ask)
    }

    /// Remembers what was shown for a prompt. Who needs the lessons even where nothing can be
    /// written hands them out before.
    pub fn record_recall(&self, ask: &RecallRequest, recalled: &RecallOutcome) -> Result<()> {
        self.note_recall(&self.engine.build_recall(ask, recalled))
    }

    /// Remembers a recall that is put together already.
    pub fn note_recall(&self, recall: &Recall) -> Result<()> {
        self.check_access(Rights::Read, &recall.scope)?;
        self.engine.note_recall(recall)
    }

    /// Ranks lessons for a program that makes its own of them: up to [`CANDIDATES`](hardwon_core::limits::CANDIDATES), in no
    /// preamble, and not remembered.
    pub fn rank_lessons(&self, ask: &RecallRequest) -> Result<Ranking> {
        self.check_access(Rights::Read, &ask.scope)?;
        self.engine.rank_lessons(ask)
    }

    /// Returns a page of the recalls that a listing asks for, as far as they were made in sight.
    pub fn recalls(&self, listing: &RecallListing) -> Result<Vec<(RecallId, Recall)>> {
        self.principal.check_right(Rights::Read)?;
        let listing = RecallListing {
            within: self.narrow_filter(&listing.within)?,
            ..listing.clone()
        };
        let reader = self.engine.store.snapshot()?;
        Ok(reader.recalls(self.tenant(), &listing)?)
    }

    /// Returns what a recall was made for, where that is kept: to who owns the tenant of any, to an agent
    /// of its own.
    pub fn query_text(&self, recall: RecallId) -> Result<Option<CleanText>> {
        self.principal.check_right(Rights::Read)?;
        let reader = match self.principal.visibility {
            Visibility::Tenant => QueryTextReader::Owner,
            Visibility::Agent | Visibility::Project => {
                QueryTextReader::Agent(&self.principal.scope.agent)
            }
        };
        Ok(self
            .engine
            .store
            .snapshot()?
            .query_text(self.tenant(), recall, reader)?)
    }

    /// Returns a page of judgements, of all runs or of one.
    pub fn judgements(
        &self,
        listing: &JudgementListing,
    ) -> Result<Vec<(JudgementId, JudgementRecord)>> {
        self.principal.check_right(Rights::Read)?;
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
    pub fn attend_event(
        &self,
        session: &mut AgentSession,
        event: &SessionEvent,
    ) -> Result<AttendOutcome> {
        self.check_access(Rights::Write, &event.scope)?;
        self.engine.attend_event(session, event)
    }

    /// Looks up what an event calls for, and carries its writs out.
    pub fn look_up_and_answer(
        &self,
        session: &AgentSession,
        event: &SessionEvent,
        turn: &SessionStep,
    ) -> Result<Lookup> {
        self.check_access(Rights::Write, &event.scope)?;
        self.engine.look_up_and_answer(session, event, turn)
    }

    /// Looks up what an event calls for, and changes nothing.
    pub fn look_up(
        &self,
        session: &AgentSession,
        event: &SessionEvent,
        turn: &SessionStep,
    ) -> Result<Lookup> {
        self.check_access(Rights::Read, &event.scope)?;
        self.engine.look_up(session, event, turn)
    }
}

/// Learning.
impl<'e> Desk<'e> {
    /// Learns from a run that has ended, and credits the lessons that it was shown. Nothing to
    /// learn is the usual result.
    pub fn learn_from_run(&self, trace: &Trace) -> Result<LearnOutcome> {
        self.check_access(Rights::Write, trace.scope())?;
        self.engine.learn_from_run(trace)
    }

    /// Opens a library, to learn from many transcripts.
    pub fn open_library(&self) -> Result<TranscriptLibrary<'e>> {
        self.principal.check_right(Rights::Write)?;
        Ok(TranscriptLibrary::open(self.engine, &self.principal.scope))
    }

    /// Guards drafts, and stores those that pass, in one transaction; one answer a draft, in order.
    ///
    /// This is the door for whoever makes drafts of their own, such as a distiller. A draft says
    /// itself whose word it is and whether content from outside had a part in it.
    pub fn admit_drafts(&self, drafts: Vec<Draft>) -> Result<Vec<NoteOutcome>> {
        for draft in &drafts {
            self.check_access(Rights::Write, &draft.scope)?;
        }
        self.engine
            .admit_drafts(self.tenant(), drafts, &self.principal.actor)
    }

    /// Counts what was only noted so far, and forgets what was asked before a moment.
    pub fn flush_recalls(&self, until: Timestamp) -> Result<()> {
        self.principal.check_right(Rights::Read)?;
        // The transaction counts before it forgets, and forgets also where nothing can be counted.
        (self.engine.store).commit_with(self.tenant(), Durability::Lazy, |tx| {
            Ok(tx.forget_query_texts(until)?)
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
    pub fn drain_queue(&self, model: &dyn Model, how: &DrainOptions) -> Result<DrainReport> {
        self.principal.check_right(Rights::Write)?;
        self.engine.drain_queue(self.tenant(), model, how)
    }

    /// Has lessons embedded that have no vector yet, of all scopes of the tenant; nothing if no
    /// embedding is set. That it is away is no error: lessons are found by their words.
    ///
    /// # Errors
    ///
    /// `Store` if the store cannot be read or written.
    pub fn embed_lessons(&self, how: &EmbedOptions) -> Result<EmbedReport> {
        self.principal.check_right(Rights::Write)?;
        self.engine.embed_lessons(self.tenant(), how)
    }
}
