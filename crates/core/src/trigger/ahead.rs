//! Tells whether a call looks at a file that a lesson has something to say about before it is changed.
//!
//! What a hook returns before a call reaches the model with that call's result, so the edit itself is too late. Who opens a
//! file with the client's own tool mostly changes it next; who searches or prints it in a shell mostly does not.

use super::{
    Sign, TriggerKind, Triggers,
    act::{CallActs, FileUse, normalize_path},
};
use crate::shell;

impl Triggers {
    /// Returns whether a call opens a file whose change the lesson warns of or is about.
    pub fn rule_change_of_opened(&self, acts: &CallActs) -> bool {
        let opened = acts
            .files
            .iter()
            .filter(|(file, use_)| *use_ == FileUse::Reads && shell::base_name(file).contains('.'));
        let mut opened =
            opened.map(|(file, _)| normalize_path(file).to_lowercase().replace('\\', "/"));
        let names = |sign: Sign, file: &str, least: FileUse| {
            self.with_sign(sign).any(|trigger| match &trigger.what {
                TriggerKind::Path(path) => path.least >= least && path.contains(file),
                _ => false,
            })
        };
        let is_ruled = |file: &str| {
            names(Sign::Warned, file, FileUse::Uses) || names(Sign::About, file, FileUse::Changes)
        };
        !acts.tool.is_empty()
            && opened.any(|file| is_ruled(&file) && !names(Sign::Exempt, &file, FileUse::Reads))
    }
}
