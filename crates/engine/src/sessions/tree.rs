//! What the runs of one session share: the agent's own run, and those of its sub-agents.
//!
//! Content from outside that one of them read is from outside for all: a sub-agent reads a page and its parent writes
//! the lesson, or the other way round. So the words of a session are one set, and so are the names of what it fetched.
//! Who read what is still told apart, because a run's own words are its own only in what it read itself.

use hardwon_core::{Lineage, OutsideWords, RunId, Scope, digest};

use crate::{AgentSession, SessionEventKind, Sessions, attend::SessionStartKind};

/// The runs of one session.
#[derive(Debug, Clone)]
pub struct SessionTree {
    root: RunId,
    is_root: bool,
}

impl SessionTree {
    /// Finds the session that a run belongs to; `parent` is the run that started it, if it is a sub-agent's.
    pub fn new(run: &RunId, parent: Option<&RunId>) -> Self {
        Self {
            root: parent.unwrap_or(run).clone(),
            is_root: parent.is_none(),
        }
    }

    /// Returns the name under which the words are kept that this run has read.
    pub fn words_name(&self) -> RunId {
        if self.is_root {
            self.root.clone()
        } else {
            self.part_name("subagents")
        }
    }

    /// Takes in an event that ends the session or starts it anew.
    pub fn note_event(&self, sessions: &dyn Sessions, scope: &Scope, what: &SessionEventKind) {
        if !self.is_root {
            return;
        }
        match what {
            // A session that goes on from another one has its context, and does not say whose.
            SessionEventKind::Started(SessionStartKind::Resumed)
                if sessions.memory_state(&self.root).is_empty() =>
            {
                let words = sessions.outside_words_in_scope(scope);
                if !words.is_empty() {
                    sessions.add_outside(scope, &self.root, &words);
                }
            }
            SessionEventKind::Ended => self.note_end(sessions, scope),
            _ => {}
        }
    }

    /// Notes that the session is over.
    pub fn note_end(&self, sessions: &dyn Sessions, scope: &Scope) {
        self.part_names()
            .for_each(|name| sessions.end_outside(scope, &name));
    }

    /// Hands a session the names of what was fetched, and its words too if an event needs them.
    pub fn restore_into(
        &self,
        session: &mut AgentSession,
        sessions: &dyn Sessions,
        scope: &Scope,
        needs_words: bool,
    ) {
        let names = sessions.outside_words(scope, &self.part_name("names"));
        let names = names.unwrap_or_default().to_numbers();
        session.set_lineage(Lineage::from_numbers(names));
        session.set_written_words(sessions.written_words(scope));
        if needs_words {
            let own = sessions.outside_words(scope, &self.words_name());
            session.set_session_words(own, self.words_of_others(sessions, scope));
        }
    }

    /// Keeps what the session has read and fetched since the last time; returns its new words.
    pub fn keep(
        &self,
        session: &mut AgentSession,
        sessions: &dyn Sessions,
        scope: &Scope,
    ) -> Option<OutsideWords> {
        let as_words = |names: &Lineage| OutsideWords::from_numbers(names.to_numbers());
        let names = session.take_lineage();
        if !names.is_empty() {
            sessions.add_outside(scope, &self.part_name("names"), &as_words(&names));
        }
        let words = session.take_written_words();
        if !words.is_empty() {
            sessions.add_written(scope, &words);
        }
        let quoted = session.take_quoted_words();
        if !quoted.is_empty() {
            sessions.add_outside(scope, &self.part_name("quoted"), &quoted);
        }
        let words = session.take_outside_words()?;
        sessions.add_outside(scope, &self.words_name(), &words);
        Some(words)
    }

    /// Returns the words that the other runs of the session have read.
    pub fn words_of_others(&self, sessions: &dyn Sessions, scope: &Scope) -> OutsideWords {
        let mut words = OutsideWords::default();
        let others = if self.is_root {
            vec![self.part_name("subagents")]
        } else {
            vec![self.root.clone(), self.part_name("subagents")]
        };
        for name in others {
            words.extend(&sessions.outside_words(scope, &name).unwrap_or_default());
        }
        words
    }

    fn part_names(&self) -> impl Iterator<Item = RunId> {
        let parts = ["subagents", "names", "quoted"].map(|part| self.part_name(part));
        [self.root.clone()].into_iter().chain(parts)
    }

    /// Returns the name of what all runs of the session share. No client names a run like this.
    fn part_name(&self, part: &str) -> RunId {
        let parts = [part, self.root.as_str()].map(str::as_bytes);
        RunId::from_digest(&digest::hash_parts(parts))
    }
}
