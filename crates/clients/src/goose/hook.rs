//! goose's payloads, as documented.
//!
//! A failed call has an event of its own, which does not hold the error.

use hardwon_core::shell::is_listed;

use crate::{
    claude_code,
    hook::{HookEventKind, PayloadForm},
    transcript::ReportedOutcome,
};

/// The form of these payloads.
pub(super) const FORM: PayloadForm = PayloadForm {
    event: &["event"],
    agent: &[],
    cwd: &["working_dir"],
    transcript: &[],
    source: &[],
    prompt: &["message"],
    call: &["tool_call_id"],
    continued: &[],
    is_remote: |tool, _| {
        let extension = tool.split_once("__").map(|(extension, _)| extension);
        extension.is_some_and(|extension| !is_listed(OWN_EXTENSIONS, extension))
    },
    call_end: |kind, fields| {
        Some(match kind {
            HookEventKind::Failed => fields.stated_error(),
            _ => ReportedOutcome::UNSEEN,
        })
    },
    ..claude_code::hook::FORM
};

/// Extensions that work on this machine alone; the results of any other count as outside content.
const OWN_EXTENSIONS: &str =
    "developer analyze todo memory skills platform summon extensionmanager";
