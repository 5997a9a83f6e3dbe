//! A simple command as its tokens come: words, and where its output goes.
//!
//! What wraps it is still on it.

use super::{
    Command, Join, Word, is_listed,
    lexer::{Redirect, Stream},
};

/// A simple command whose end has not come yet.
pub(super) struct Raw {
    join: Join,
    pub(super) words: Vec<Word>,
    output: Option<String>,
    errors: Option<String>,
    muted: bool,
    merged: bool,
    pub(super) is_job: bool,
}

impl Raw {
    pub(super) fn new(join: Join) -> Self {
        Self {
            join,
            words: Vec::new(),
            output: None,
            errors: None,
            muted: false,
            merged: false,
            is_job: false,
        }
    }

    pub(super) fn redirect(&mut self, redirect: Redirect) {
        let target = redirect.target;
        let is_copied = target.starts_with('&');
        let is_nowhere = is_listed("/dev/null $null nul NUL", &target);
        let file = (!is_copied && !is_nowhere).then_some(target);
        match redirect.stream {
            Stream::Out => self.output = file.or_else(|| self.output.take()),
            Stream::Errors => {
                self.muted |= is_nowhere;
                self.merged |= is_copied;
                self.errors = file.or_else(|| self.errors.take());
            }
            Stream::Both => {
                self.muted |= is_nowhere;
                self.merged = true;
                self.output = file;
            }
            Stream::In => {}
        }
    }

    pub(super) fn into_command(self) -> Command {
        let is_hushed = |word: &Word| word.text.eq_ignore_ascii_case("SilentlyContinue");
        Command {
            join: self.join,
            env: Vec::new(),
            sudo: false,
            output: self.output,
            errors: self.errors,
            muted: self.muted || self.words.iter().any(is_hushed),
            merged: self.merged,
            decides: false,
            feeds: false,
            kept: None,
            job: self.is_job.then(|| "!".to_owned()),
            words: self.words,
        }
    }
}
