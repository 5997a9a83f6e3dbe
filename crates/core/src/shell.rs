//! Reads a command line the way a shell would, far enough to know what was called.
//!
//! Capture compares calls: which program, which subcommand, which options, in which folder. This
//! reader finds the simple commands of a line, peels what only wraps them (assignments, `sudo`,
//! `timeout 10`, `bash -c '…'`) and keeps how they were joined. Loops over literal values, functions
//! and variables that the line itself fills are put in their places. It runs nothing and never fails:
//! text that is no shell comes out as one command of odd words. Which calls of tools run a line, and
//! which, is told by [`is_shell_name`] and [`parse_command_line`].

mod blocks;
mod label;
mod lexer;
mod peel;
mod raw;
mod tool;
mod wrapped;

use crate::limits;

use blocks::BlockStack;
use lexer::{Lexer, ShellToken};
pub(crate) use peel::parse_assignment;
use peel::peel_wrappers;
use raw::RawCommand;

pub(crate) use label::{has_subcommands, is_group, takes_value};
pub(crate) use tool::{find_command_line, is_shell_tool, normalize_tool_name, server_of_tool};
pub use tool::{is_shell_name, parse_command_line};
pub(crate) use wrapped::{is_known_program, is_program_by_name, runs_elsewhere};

/// How a command is joined to the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Join {
    /// It is the first, or follows `;`, `&` or a line break.
    Then,
    /// It follows `&&`.
    And,
    /// It follows `||`, or `else`.
    Or,
    /// It follows `|`.
    Pipe,
}

/// One word of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShellWord {
    /// The word as typed, including quotes.
    pub raw: String,
    /// The word without its quotes and backslashes.
    pub text: String,
}

/// One simple command: a program and its words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShellCommand {
    /// How it is joined to the command before it.
    pub join: Join,
    /// The variable assignments in front of it.
    pub env: Vec<(String, String)>,
    /// Whether it ran under `sudo`.
    pub sudo: bool,
    /// The program and its words, without wrappers; never empty.
    pub words: Vec<ShellWord>,
    /// The file that it reads instead of its input, if any.
    pub input: Option<String>,
    /// The file that its output goes to, if any.
    pub output: Option<String>,
    /// The file that its errors go to, if they have one of their own.
    pub errors: Option<String>,
    /// Whether its errors were discarded.
    pub muted: bool,
    /// Whether its errors were redirected into its output.
    pub merged: bool,
    /// Whether it is the condition of an `if`.
    pub is_condition: bool,
    /// Whether its output becomes words of another command.
    pub is_substitution: bool,
    /// The variable that stores its output: `x=$(make)`.
    pub output_variable: Option<String>,
    /// The variable that stores its process id, `!` if none does, when it runs in the background.
    pub job_variable: Option<String>,
}

/// A parsed command line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ShellLine {
    /// Its simple commands in order.
    pub commands: Vec<ShellCommand>,
    /// Whether it branches or loops, so that the text does not show what ran.
    pub branches: bool,
    /// Whether it passes a here-document to a command.
    pub heredoc: bool,
}

impl ShellLine {
    /// Returns whether the command at `index` only sets the scene or passes output on, so that a failure
    /// of the line is hardly its own.
    pub(crate) fn is_helper(&self, index: usize) -> bool {
        const SCENE: &str =
            "cd pushd popd export set unset source . echo printf true : umask sleep exit";
        let command = &self.commands[index];
        command.is_substitution || command.is_filter() || is_listed(SCENE, command.program())
    }

    /// Returns the commands that are no helpers, each with its index.
    pub fn acting_commands(&self) -> impl DoubleEndedIterator<Item = (usize, &ShellCommand)> {
        let commands = self.commands.iter().enumerate();
        commands.filter(|(index, _)| !self.is_helper(*index))
    }
}

const WRAPPER_DEPTH_MAX: usize = 3;
const BRANCHING: [&str; 5] = ["for", "while", "until", "case", "select"];
const CLOSERS: [&str; 4] = ["done", "fi", "esac", "}"];
pub(crate) const SHELLS: [&str; 5] = ["bash", "sh", "zsh", "dash", "ksh"];

/// Returns whether a command has words beside its name: hardly two tasks take it by chance.
pub fn has_own_words(text: &str) -> bool {
    let line = parse_line(text);
    let mut commands = line.commands.iter();
    commands.any(|command| command.words.len() > command.subcommand_indexes().len() + 1)
}

/// Parses a command line.
pub fn parse_line(text: &str) -> ShellLine {
    parse_nested(text, 0)
}

fn parse_nested(text: &str, depth: usize) -> ShellLine {
    let mut line = ShellLine::default();
    let mut blocks = BlockStack::default();
    let mut current = RawCommand::new(Join::Then);
    let mut lexer = Lexer::new(text);
    while let Some(token) = lexer.next_token() {
        match token {
            ShellToken::Word(word) => current.words.push(word),
            ShellToken::Redirect(redirect) => current.apply_redirect(redirect),
            ShellToken::Join(join) => {
                let command = std::mem::replace(&mut current, RawCommand::new(join));
                finish_command(&mut line, &mut blocks, command, depth);
                if let Some(body) = lexer.heredoc_body.take() {
                    insert_heredoc(&mut line, body, depth);
                }
            }
            ShellToken::Background => {
                let mut command = std::mem::replace(&mut current, RawCommand::new(Join::Then));
                command.is_job = true;
                finish_command(&mut line, &mut blocks, command, depth);
            }
        }
    }
    finish_command(&mut line, &mut blocks, current, depth);
    line.heredoc |= lexer.saw_heredoc;
    line
}

/// Removes the wrappers of a raw command and adds the rest to the line.
fn finish_command(line: &mut ShellLine, blocks: &mut BlockStack, raw: RawCommand, depth: usize) {
    let mut command = raw.into_command();
    blocks.enter_braces(&mut command.words, line.commands.len());
    peel_wrappers(&mut command);
    line.branches |= command.is_condition;
    blocks.substitute_program(&mut command.words);
    if depth < WRAPPER_DEPTH_MAX {
        for (variable, script) in substituted_scripts(&command) {
            let mut inner = parse_nested(&script, depth + 1);
            for inside in &mut inner.commands {
                inside.is_substitution = !command.words.is_empty();
                inside.output_variable.clone_from(&variable);
            }
            insert_script(line, inner, &command);
        }
    }
    if command.words.is_empty() {
        note_variables(line, blocks, &command);
        return;
    }
    let first = command.words[0].text.as_str();
    if blocks.open_loop(&command, line.commands.len()) {
        return;
    }
    line.branches |= BRANCHING.contains(&first);
    if CLOSERS.contains(&first) {
        let end = first.to_owned();
        blocks.close_block(&end, &command, &mut line.commands);
        return;
    }
    if line.commands.len() >= limits::LINE_COMMANDS {
        line.branches = true;
        return;
    }
    if depth < WRAPPER_DEPTH_MAX
        && let Some((is_elsewhere, script)) = wrapped::find_script(&command)
    {
        let mut inner = parse_nested(&script, depth + 1);
        if is_elsewhere {
            line.commands.push(command.clone());
            command.join = Join::And;
            inner.branches |= line.branches;
        }
        insert_script(line, inner, &command);
        return;
    }
    match blocks.expand_function_call(&command) {
        Some(body) => line.commands.extend(body),
        None => line.commands.push(command),
    }
    line.commands.truncate(limits::LINE_COMMANDS);
}

/// Adds the commands of a script inside a command, with the wrappers of that command.
fn insert_script(line: &mut ShellLine, inner: ShellLine, outer: &ShellCommand) {
    line.branches |= inner.branches;
    line.heredoc |= inner.heredoc;
    let room = limits::LINE_COMMANDS.saturating_sub(line.commands.len());
    let inner = inner.commands.into_iter().take(room).enumerate();
    line.commands.extend(inner.map(|(index, mut inside)| {
        if index == 0 {
            inside.join = outer.join;
        }
        inside.sudo |= outer.sudo;
        inside.env.splice(0..0, outer.env.iter().cloned());
        if !inside.is_substitution {
            outer.pass_redirects(&mut inside);
        }
        inside
    }));
}

/// Adds the commands of a here-document that the shell before it runs.
fn insert_heredoc(line: &mut ShellLine, body: &str, depth: usize) {
    let runs_input = |command: &ShellCommand| {
        SHELLS.contains(&command.program()) && !command.has_arg(|text| !text.starts_with('-'))
    };
    let mut commands = line.commands.iter().rev();
    if depth < WRAPPER_DEPTH_MAX
        && let Some(shell) = commands.find(|command| runs_input(command)).cloned()
    {
        insert_script(line, parse_nested(body, depth + 1), &shell);
    }
}

/// Records what a line of assignments stores: a text, or the process that was just started.
fn note_variables(line: &mut ShellLine, blocks: &mut BlockStack, command: &ShellCommand) {
    for (name, value) in &command.env {
        if value == "$!" {
            let mut later_commands = line.commands.iter_mut().rev();
            let job = later_commands.find_map(|later_command| later_command.job_variable.as_mut());
            if let Some(job) = job {
                job.clone_from(name);
            }
        } else {
            blocks.keep_variable(name, value);
        }
    }
}

/// Returns the scripts whose output becomes a word of a command, or the value of a variable: `x=$(make)`.
fn substituted_scripts(command: &ShellCommand) -> Vec<(Option<String>, String)> {
    let values = command.env.iter();
    let values = values.map(|(name, value)| (Some(name.clone()), value.as_str()));
    let words = command.words.iter().map(|word| word.raw.as_str());
    let words = words.filter(|raw| !raw.starts_with('\''));
    let pairs = values.chain(words.chain(command.input.as_deref()).map(|raw| (None, raw)));
    // A here-document is text.
    let is_text = |script: &String| script.trim_start().starts_with("cat <<");
    let scripts = pairs.flat_map(|(name, text)| {
        let scripts = lexer::find_substitutions(text).into_iter();
        scripts.map(move |script| (name.clone(), script))
    });
    scripts.filter(|(_, script)| !is_text(script)).collect()
}

/// Returns the last part of a path.
pub fn base_name(path: &str) -> &str {
    // Most programs are called by their name, and each is asked for it time and again.
    if !path.bytes().any(|byte| matches!(byte, b'/' | b'\\')) {
        return path;
    }
    path.rsplit(['/', '\\'])
        .find(|part| !part.is_empty())
        .unwrap_or(path)
}

impl ShellCommand {
    /// Returns the program's name without its folder.
    pub fn program(&self) -> &str {
        self.words.first().map_or("", |word| base_name(&word.text))
    }

    /// Returns the words after the program.
    pub fn args(&self) -> &[ShellWord] {
        self.words.get(1..).unwrap_or_default()
    }

    /// Returns the words after the program, without their quotes.
    pub fn arg_texts(&self) -> impl Iterator<Item = &str> {
        self.args().iter().map(|word| word.text.as_str())
    }

    /// Returns whether a word after the program is one of these.
    pub fn has_arg(&self, is_one: impl Fn(&str) -> bool) -> bool {
        self.arg_texts().any(is_one)
    }

    /// Returns the options among its words, as typed (`--flag=value` whole).
    pub fn flags(&self) -> Vec<&str> {
        let words = self.words_behind_label();
        words.filter(|text| is_flag(text)).collect()
    }

    /// Returns the words that are neither program, subcommand nor option.
    pub fn operands(&self) -> Vec<&str> {
        let words = self.words_behind_label();
        words.filter(|text| !is_flag(text)).collect()
    }

    /// Returns the words that are neither program nor subcommand.
    fn words_behind_label(&self) -> impl Iterator<Item = &str> {
        let label = self.subcommand_indexes();
        let words = self.words.iter().enumerate().skip(1);
        let words = words.filter(move |(index, _)| !label.contains(index));
        words.map(|(_, word)| word.text.as_str())
    }

    /// Returns the command as it was typed, without what wraps it.
    pub fn typed_text(&self) -> String {
        let env = self.env.iter();
        let env = env.map(|(name, value)| format!("{name}={value}"));
        let sudo = self.sudo.then(|| "sudo".to_owned());
        let words = self.words.iter().map(|word| word.raw.clone());
        let parts = env.chain(sudo).chain(words);
        parts.collect::<Vec<_>>().join(" ")
    }

    /// Returns whether it only filters what is piped into it.
    pub fn is_filter(&self) -> bool {
        const FILTERS: &str = "tail head grep egrep fgrep rg tee cat less more wc sort uniq sed awk gawk cut tr xargs jq column \
            fold tac rev nl select-object select-string select out-string out-host format-table format-list where-object \
            foreach-object sort-object measure-object findstr sls";
        self.join == Join::Pipe && is_listed(FILTERS, &self.program().to_ascii_lowercase())
    }

    /// Returns whether none of its output can be seen.
    pub fn is_silenced(&self) -> bool {
        let are_errors_away = self.muted || self.errors.is_some() || self.merged;
        (self.output.is_some() || self.output_variable.is_some()) && are_errors_away
    }

    /// Returns whether it prints what another command wrote to a file or stored in a variable.
    pub fn shows_output_of(&self, earlier: &Self) -> bool {
        let files = [&earlier.output, &earlier.errors];
        let mut files = files.into_iter().flatten();
        let prints = is_listed("echo printf", self.program());
        let marks = earlier.output_variable.iter().filter(|_| prints);
        let mut marks = marks.flat_map(|name| [format!("${name}"), format!("${{{name}}}")]);
        files.any(|file| self.has_arg(|text| text == *file))
            || marks.any(|mark| self.has_arg(|text| text.contains(&mark)))
    }

    /// Applies the redirects of this command to a command inside it.
    fn pass_redirects(&self, inside: &mut Self) {
        inside.output = inside.output.take().or_else(|| self.output.clone());
        inside.errors = inside.errors.take().or_else(|| self.errors.clone());
        inside.muted |= self.muted;
        inside.merged |= self.merged;
    }

    /// Returns the plain words, for comparing two commands.
    pub fn texts(&self) -> Vec<&str> {
        self.words.iter().map(|word| word.text.as_str()).collect()
    }
}

/// Returns whether `word` is in a list of words separated by spaces.
pub fn is_listed(list: &str, word: &str) -> bool {
    let Some(first) = word.bytes().next() else {
        let begins_or_ends = list.starts_with(' ') || list.ends_with(' ');
        return list.is_empty() || begins_or_ends || list.contains("  ");
    };
    let (list, word) = (list.as_bytes(), word.as_bytes());
    // Every word of a run is looked for in long lists, so most of them are passed over many bytes at a time, and the
    // bytes around a place are looked at before a whole word is compared.
    let is_here = |start: usize| {
        let end = start + word.len();
        let begins = start == 0 || list[start - 1] == b' ';
        begins && matches!(list.get(end), None | Some(b' ')) && list.get(start..end) == Some(word)
    };
    !word.contains(&b' ') && memchr::memchr_iter(first, list).any(is_here)
}

/// Returns whether the program is a Python interpreter.
pub fn is_python(program: &str) -> bool {
    program
        .strip_prefix("python")
        .or_else(|| program.strip_prefix("pypy"))
        .is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit() || c == '.'))
}

fn is_flag(text: &str) -> bool {
    text.len() > 1 && text.starts_with('-') && !text[1..].starts_with(|c: char| c.is_whitespace())
}

/// Returns whether a word is the relative path of a script.
pub fn is_script(text: &str) -> bool {
    text.len() <= 60
        && text.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '.' || c == '_')
        && !text.contains("..")
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/'))
}

#[cfg(test)]
mod tests;
