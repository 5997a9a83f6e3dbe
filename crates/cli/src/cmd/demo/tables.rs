//! What the demo tells: seven recorded sessions.
//!
//! The recordings are in `demo`; their order is that of `demo/README.md`. Only the words are here, [`super`] plays them.

use super::StoryStep::{self, Ask, Audit, Heading, Say, Session};

macro_rules! session {
    ($file:literal) => {
        Session($file, include_bytes!(concat!("../../../demo/", $file)))
    };
}

/// Seven sessions, and what they taught.
pub(super) const SESSIONS: &[StoryStep] = &[
    Say("Seven sessions of real coding agents, one after the other. Nothing is kept.\n"),
    Heading("1. Claude Code runs the tests of a shop"),
    session!("1-missing-script.jsonl"),
    Heading("2. two days later, another session in the same project"),
    session!("2-missing-script-again.jsonl"),
    Heading("3. Codex edits a generated file, and the person objects"),
    session!("3-user-correction.jsonl"),
    Heading("4. Gemini CLI asks a dead service again and again"),
    session!("4-loop.jsonl"),
    Heading("5. Qwen Code types a token into a command"),
    session!("5-secret-in-command.jsonl"),
    Heading("6. pi reads a page that tries to give it orders"),
    session!("6-injection-in-page.jsonl"),
    Heading("7. Claude Code renames a function, and all is well"),
    session!("7-good-run.jsonl"),
    Heading("The next task, in whichever agent"),
    Ask("Edit the generated routes, then run npm test."),
    Audit,
    Say("\
Next:  hardwon init                 set up the coding agents of this machine
       hardwon learn                read the sessions that your own agents left here
       hardwon lesson list          see what they taught
       hardwon recall \"a task\"      what an agent would be told before it"),
];
