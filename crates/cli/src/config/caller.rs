//! Who runs a command: a person, or an agent in a shell that its client opened for it.
//!
//! An agent with a shell can run whatever a person can, and may have been told to by a page. So what it adds is an agent's,
//! and it decides about nothing that waits. What the program does by itself, as in a hook, is done for the person who owns
//! the lessons, whoever started it.

use std::env;

use hardwon_clients::find_agent_mark;
use hardwon_core::{LessonContent, RawText};
use hardwon_engine::{FileSessions, Principal, Rights, Sessions as _};

use super::{Settings, state_folder};
use crate::Result;

impl Settings {
    /// Returns the principal of the person who owns the tenant; the names they give only select.
    pub fn person(&self) -> Principal {
        Principal::person(self.scope.clone())
    }

    /// Returns the principal of whoever runs this command. What an agent hands in counts as from outside where a session
    /// that goes on here has read from outside: nobody knows where the agent has it from.
    pub fn caller(&self) -> Principal {
        self.principal_with(|sessions| sessions.has_tainted_scope())
    }

    /// Returns the same for a lesson with these words, which are compared with those that sessions have read.
    pub fn writer(&self, content: &LessonContent<RawText>) -> Principal {
        self.principal_with(|sessions| {
            let words = sessions.words_around(&self.scope);
            words.has_unknown() || words.are_in_lesson(content)
        })
    }

    /// Checks that whoever runs this command may decide about lessons: an agent may not.
    pub fn check_decides(&self) -> Result<()> {
        Ok(self.caller().check_right(Rights::Curate)?)
    }

    fn principal_with(&self, is_tainted: impl FnOnce(&FileSessions) -> bool) -> Principal {
        if find_agent_mark(&|name| env::var_os(name)).is_none() {
            return self.person();
        }
        let sessions = state_folder().map(|folder| FileSessions::new(&folder));
        let is_tainted = sessions.is_ok_and(|sessions| is_tainted(&sessions));
        Principal {
            visibility: self.person().visibility,
            ..Principal::agent(self.scope.clone(), is_tainted)
        }
    }
}
