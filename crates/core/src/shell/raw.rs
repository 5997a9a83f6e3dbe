//! Collects the words and redirects of a simple command from tokens.
//!
//! Its wrappers are not removed yet.

use super::{
    is_listed,
    lexer::{Redirect, RedirectStream},
};
use crate::{Join, ShellCommand, ShellWord};

/// A simple command whose end has not been reached yet.
pub(super) struct RawCommand {
    join: Join,
    pub(super) words: Vec<ShellWord>,
    input: Option<String>,
    output: Option<String>,
    errors: Option<String>,
    muted: bool,
    merged: bool,
    pub(super) is_job: bool,
}

impl RawCommand {
    pub(super) fn new(join: Join) -> Self {
        Self {
            join,
            words: Vec::new(),
            input: None,
            output: None,
            errors: None,
            muted: false,
            merged: false,
            is_job: false,
        }
    }

    pub(super) fn apply_redirect(&mut self, redirect: Redirect) {
        let target = redirect.target;
        let is_copied = target.starts_with('&');
        let is_nowhere = is_listed("/dev/null $null nul NUL", &target);
        let file = (!is_copied && !is_nowhere).then_some(target);
        match redirect.stream {
            RedirectStream::Out => self.output = file.or_else(|| self.output.take()),
            RedirectStream::Errors => {
                self.muted |= is_nowhere;
                self.merged |= is_copied;
                self.errors = file.or_else(|| self.errors.take());
            }
            RedirectStream::Both => {
                self.muted |= is_nowhere;
                self.merged = true;
                self.output = file;
            }
            RedirectStream::In => self.input = file,
        }
    }

    pub(super) fn into_command(self) -> ShellCommand {
        let is_hushed = |word: &ShellWord| word.text.eq_ignore_ascii_case("SilentlyContinue");
        ShellCommand {
            join: self.join,
            env: Vec::new(),
            sudo: false,
            input: self.input,
            output: self.output,
            errors: self.errors,
            muted: self.muted || self.words.iter().any(is_hushed),
            merged: self.merged,
            is_condition: false,
            is_substitution: false,
            output_variable: None,
            job_variable: self.is_job.then(|| "!".to_owned()),
            words: self.words,
        }
    }
}
