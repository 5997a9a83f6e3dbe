//! Knows the scripts that fetch, where a run wrote them: what they print is from outside although the line that runs
//! them names no address.

use super::{Lineage, NameKind};
use crate::{
    ShellCommand, ShellLine,
    outside::{code, line},
    shell::{base_name, is_listed, is_python},
};

const INTERPRETERS: &str = "bash sh zsh dash ksh fish source . node nodejs deno bun tsx ts-node ruby perl php pwsh powershell exec uv";

impl Lineage {
    /// Adds a file that was written, if its text fetches.
    pub(super) fn note_script(&mut self, path: &str, text: &str) {
        if line::reads_outside(text) || code::code_fetches(text) {
            self.add_name(NameKind::Script, base_name(path));
            code::find_written_files(text).for_each(|file| self.add_path(file));
        }
    }

    /// Adds the file that a line writes a here-document or a printed text to, if that fetches.
    pub(super) fn note_written_script(&mut self, read: &ShellLine, line: &str) {
        for command in &read.commands {
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
        let is_one = |word: &str| self.holds(NameKind::Script, base_name(word));
        let is_interpreter =
            || is_listed(INTERPRETERS, command.program()) || is_python(command.program());
        let mut operands = command
            .operands()
            .into_iter()
            .chain(command.words.get(1).map(|word| word.text.as_str()));
        let runner = command.program();
        let mut endings = ["", ".yml", ".yaml"].iter();
        is_one(program)
            || is_interpreter() && operands.any(is_one)
            || is_listed("make just task", runner)
                && endings.any(|end| self.holds(NameKind::Script, &format!("{runner}file{end}")))
    }
}
