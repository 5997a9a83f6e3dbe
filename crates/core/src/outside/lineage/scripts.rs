//! Knows the scripts that fetch, where a run wrote them: what they print is from outside although the line that runs
//! them names no address.

use super::{Lineage, kind};
use crate::{
    ShellCommand, ShellLine,
    outside::{code, line},
    shell::{base_name, is_listed},
};

const STARTERS: &str = "bash sh zsh dash ksh fish source . exec uv bun";

impl Lineage {
    /// Adds a file that was written, if its text fetches.
    pub(super) fn note_script(&mut self, path: &str, text: &str) {
        if line::reads_outside(text) || line::code_reads_outside(text) {
            self.add_name(kind::SCRIPT, base_name(path));
            code::find_written_files(text).for_each(|file| self.add_path(file));
        }
    }

    /// Adds the file that a line writes a here-document or a printed text to, or the name that it gives to a line, if that
    /// fetches.
    pub(super) fn note_written_script(&mut self, read: &ShellLine, line: &str) {
        for command in &read.commands {
            let words = command
                .args()
                .iter()
                .filter(|_| command.program() == "alias");
            for (name, text) in words.filter_map(|word| word.text.split_once('=')) {
                self.note_script(name, text);
            }
            let Some(path) = &command.output else {
                continue;
            };
            let output = || {
                let words = command.args().iter().map(|word| word.text.as_str());
                words.collect::<Vec<_>>().join(" ")
            };
            match line.split_once('\n') {
                Some((_, body)) if read.heredoc => self.note_script(path, body),
                _ if is_listed("echo printf", command.program()) => {
                    self.note_script(path, &output());
                }
                _ => {}
            }
        }
    }

    /// Returns whether a command runs such a script.
    pub(super) fn runs_script(&self, command: &ShellCommand) -> bool {
        let program = command.words[0].text.as_str();
        let is_one = |word: &str| self.holds(kind::SCRIPT, base_name(word));
        let is_interpreter = || {
            is_listed(STARTERS, command.program())
                || code::find_interpreter(command, false).is_some()
        };
        let mut operands = command.args().iter().map(|word| word.text.as_str());
        let runner = command.program();
        let mut endings = ["", ".yml", ".yaml"].iter();
        is_one(program)
            || is_interpreter() && operands.any(is_one)
            || is_listed("make just task", runner)
                && endings.any(|end| self.holds(kind::SCRIPT, &format!("{runner}file{end}")))
    }
}
