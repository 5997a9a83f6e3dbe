//! Reads a command line the way a shell would, far enough to know what was called.
//!
//! Capture compares calls: which program, which subcommand, which options, in which folder. This
//! reader finds the simple commands of a line, peels what only wraps them (assignments, `sudo`,
//! `timeout 10`, `bash -c '…'`) and keeps how they were joined. It expands nothing, runs nothing
//! and never fails: text that is no shell comes out as one command of odd words.

mod lexer;
mod unroll;

use crate::limits;

use lexer::{Lexer, Redirect, Stream, Token};
use unroll::Loops;

/// How a command is tied to the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Join {
    /// It is the first, or stands after `;`, `&` or a line break.
    Then,
    /// After `&&`.
    And,
    /// After `||`.
    Or,
    /// After `|`.
    Pipe,
}

/// One word of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// As it was typed, quotes and all.
    pub raw: String,
    /// Without its quotes and backslashes.
    pub text: String,
}

/// One simple command: a program and its words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// How it is tied to the one before.
    pub join: Join,
    /// Assignments in front of it.
    pub env: Vec<(String, String)>,
    /// Whether it ran under `sudo`.
    pub sudo: bool,
    /// The program and its words, without what wraps them; never empty.
    pub words: Vec<Word>,
    /// Whether its output goes to a file.
    pub writes: bool,
    /// Whether its errors were thrown away.
    pub muted: bool,
    /// Whether its errors were mixed into its output.
    pub merged: bool,
}

/// A command line, read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Line {
    /// Its simple commands in order.
    pub commands: Vec<Command>,
    /// Whether it branches or loops, so that what ran cannot be told from the text.
    pub branches: bool,
    /// Whether it feeds a here-document to a command.
    pub heredoc: bool,
}

const WRAPPER_DEPTH_MAX: usize = 3;
const BRANCHING: [&str; 7] = ["for", "while", "until", "if", "case", "select", "function"];
const OPENERS: [&str; 7] = ["do", "then", "else", "elif", "{", "!", "time"];
const CLOSERS: [&str; 4] = ["done", "fi", "esac", "}"];
const SHELLS: [&str; 5] = ["bash", "sh", "zsh", "dash", "ksh"];

/// Reads a command line.
#[must_use]
pub fn read(text: &str) -> Line {
    read_nested(text, 0)
}

fn read_nested(text: &str, depth: usize) -> Line {
    let mut line = Line::default();
    let mut loops = Loops::default();
    let mut current = Raw::new(Join::Then);
    let mut lexer = Lexer::new(text);
    while let Some(token) = lexer.next_token() {
        match token {
            Token::Word(word) => current.words.push(word),
            Token::Redirect(redirect) => current.redirect(redirect),
            Token::Join(join) => {
                let done = std::mem::replace(&mut current, Raw::new(join));
                finish(&mut line, &mut loops, done, depth);
            }
        }
    }
    finish(&mut line, &mut loops, current, depth);
    line.heredoc |= lexer.saw_heredoc;
    line
}

/// Peels the wrappers off a raw command and adds what is left to the line.
fn finish(line: &mut Line, loops: &mut Loops, raw: Raw, depth: usize) {
    let mut command = Command {
        join: raw.join,
        env: Vec::new(),
        sudo: false,
        words: raw.words,
        writes: raw.writes,
        muted: raw.muted,
        merged: raw.merged,
    };
    peel(&mut command);
    let Some(first) = command.words.first() else {
        return;
    };
    let opened = loops.open(&command, line.commands.len());
    if opened {
        return;
    }
    if BRANCHING.contains(&first.text.as_str()) {
        line.branches = true;
    }
    if CLOSERS.contains(&first.text.as_str()) {
        if first.text == "done" {
            loops.close(&mut line.commands);
        }
        return;
    }
    if line.commands.len() >= limits::LINE_COMMANDS {
        line.branches = true;
        return;
    }
    if let Some(script) = inner_script(&command)
        && depth < WRAPPER_DEPTH_MAX
    {
        let inner = read_nested(script, depth + 1);
        line.branches |= inner.branches;
        line.heredoc |= inner.heredoc;
        for (index, mut inside) in inner.commands.into_iter().enumerate() {
            if index == 0 {
                inside.join = command.join;
            }
            inside.sudo |= command.sudo;
            inside.env.splice(0..0, command.env.iter().cloned());
            line.commands.push(inside);
        }
        return;
    }
    line.commands.push(command);
}

/// Returns the script of `bash -c '…'`, if the command is one.
fn inner_script(command: &Command) -> Option<&str> {
    let [shell, flag, script, ..] = command.words.as_slice() else {
        return None;
    };
    let is_shell = SHELLS.contains(&base_name(&shell.text));
    let is_script = flag.text.starts_with('-') && flag.text.ends_with('c') && flag.text.len() <= 4;
    (is_shell && is_script).then_some(script.text.as_str())
}

fn peel(command: &mut Command) {
    loop {
        let Some(first) = command.words.first() else {
            return;
        };
        let name = base_name(&first.text).to_owned();
        if let Some((variable, value)) = assignment(&first.text) {
            command.env.push((variable.to_owned(), value.to_owned()));
            command.words.remove(0);
        } else if OPENERS.contains(&name.as_str()) {
            command.words.remove(0);
        } else if name == "sudo" && command.words.len() > 1 {
            command.sudo = true;
            drop_wrapper(&mut command.words, &["-u", "-g", "-h", "-p"], 0);
        } else if name == "timeout" && command.words.len() > 2 {
            drop_wrapper(&mut command.words, &["-k", "-s"], 1);
        } else if name == "nice" && command.words.len() > 1 {
            drop_wrapper(&mut command.words, &["-n"], 0);
        } else if matches!(
            name.as_str(),
            "env" | "nohup" | "exec" | "stdbuf" | "setsid"
        ) && command.words.len() > 1
        {
            drop_wrapper(&mut command.words, &["-u"], 0);
        } else if name == "command"
            && command
                .words
                .get(1)
                .is_some_and(|word| !word.text.starts_with('-'))
        {
            command.words.remove(0);
        } else {
            return;
        }
    }
}

/// Removes a wrapper, its options and `operands` operands from the front.
fn drop_wrapper(words: &mut Vec<Word>, valued: &[&str], operands: usize) {
    let mut end = 1;
    while let Some(word) = words.get(end) {
        if valued.contains(&word.text.as_str()) {
            end += 2;
        } else if word.text.starts_with('-') {
            end += 1;
        } else {
            break;
        }
    }
    end = (end + operands).min(words.len());
    words.drain(..end);
}

fn assignment(text: &str) -> Option<(&str, &str)> {
    let (name, value) = text.split_once('=')?;
    let starts = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let all = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    (starts && all).then_some((name, value))
}

/// Returns the last part of a path.
#[must_use]
pub fn base_name(path: &str) -> &str {
    path.rsplit(['/', '\\'])
        .find(|part| !part.is_empty())
        .unwrap_or(path)
}

/// Programs whose first operand says what they do.
const WITH_SUBCOMMAND: &str = "\
    git cargo npm yarn pnpm bun deno docker docker-compose podman kubectl helm go pip \
    pip3 uv poetry pipenv conda gh glab terraform tofu pulumi aws az gcloud make just \
    task apt apt-get brew dnf yum pacman apk systemctl service dotnet mvn mvnw gradle \
    gradlew rake bundle rails gem composer artisan npx bunx rustup mix flutter dart \
    swift nix snap tox nox hatch pdm rye alembic flask django-admin vercel netlify fly \
    heroku wrangler turbo nx lerna ng vue expo pod fastlane ansible vagrant hardwon jj \
    hg svn";

/// Subcommands that only name the next word's group.
const NESTED: &[(&str, &str)] = &[
    ("npm", "run run-script exec"),
    ("yarn", "run"),
    ("pnpm", "run exec"),
    ("bun", "run"),
    ("deno", "task"),
    ("docker", "compose image container volume network"),
    ("go", "mod tool"),
    ("uv", "run pip tool"),
    ("poetry", "run"),
    ("pipenv", "run"),
    ("hatch", "run"),
    ("pdm", "run"),
    ("conda", "run"),
    ("bundle", "exec"),
    ("gh", "pr issue repo run auth release workflow"),
    ("glab", "mr"),
    ("aws", "s3 ec2 sts iam"),
    ("az", "group"),
    ("gcloud", "compute"),
    ("dotnet", "tool"),
    ("rustup", "target component toolchain"),
    ("git", "submodule worktree remote stash"),
];

/// Options of such programs that take a value before the subcommand.
const VALUED_GLOBALS: &str = "\
    -C -c --prefix -n --namespace --context --manifest-path --cwd --filter -w \
    --workspace -H --project --git-dir --work-tree --profile --region";

/// Returns whether a program's first operand says what it does.
pub(crate) fn has_subcommands(program: &str) -> bool {
    is_listed(WITH_SUBCOMMAND, program)
}

impl Command {
    /// Returns the program's name without its folder.
    #[must_use]
    pub fn program(&self) -> &str {
        self.words.first().map_or("", |word| base_name(&word.text))
    }

    /// Returns the words after the program.
    #[must_use]
    pub fn args(&self) -> &[Word] {
        self.words.get(1..).unwrap_or_default()
    }

    /// Returns the program and the subcommand, which is how people name a command.
    ///
    /// `git -C x push origin main` is `git push`; `python3 -m pytest -q` is `python3 -m pytest`.
    #[must_use]
    pub fn label(&self) -> String {
        let program = self.program();
        let mut label = program.to_owned();
        for index in self.label_words() {
            label.push(' ');
            label.push_str(&self.words[index].text);
        }
        label
    }

    /// Returns the indexes of the words that make up the subcommand.
    #[must_use]
    pub fn label_words(&self) -> Vec<usize> {
        let program = self.program();
        if is_python(program) {
            return self.python_words();
        }
        if SHELLS.contains(&program) {
            let script = self
                .words
                .iter()
                .skip(1)
                .position(|word| !word.text.starts_with('-'));
            return script
                .map(|index| index + 1)
                .filter(|index| is_script(&self.words[*index].text))
                .into_iter()
                .collect();
        }
        if !is_listed(WITH_SUBCOMMAND, program) {
            return Vec::new();
        }
        let Some(first) = self.subcommand_at(1) else {
            return Vec::new();
        };
        let nested = NESTED
            .iter()
            .any(|(name, groups)| *name == program && is_listed(groups, &self.words[first].text));
        let second = nested.then(|| self.subcommand_at(first + 1)).flatten();
        [Some(first), second].into_iter().flatten().collect()
    }

    fn python_words(&self) -> Vec<usize> {
        match self.words.get(1).map(|word| word.text.as_str()) {
            Some("-m") if self.words.len() > 2 => vec![1, 2],
            Some("manage.py") if self.words.len() > 2 => vec![1, 2],
            _ => Vec::new(),
        }
    }

    fn subcommand_at(&self, start: usize) -> Option<usize> {
        let mut index = start;
        while let Some(word) = self.words.get(index) {
            if is_listed(VALUED_GLOBALS, &word.text) {
                index += 2;
            } else if word.text.starts_with('-') {
                index += 1;
            } else {
                return is_name(&word.text).then_some(index);
            }
        }
        None
    }

    /// Returns the options among its words, as typed (`--flag=value` whole).
    #[must_use]
    pub fn flags(&self) -> Vec<&str> {
        let label = self.label_words();
        (1..self.words.len())
            .filter(|index| !label.contains(index))
            .map(|index| self.words[index].text.as_str())
            .filter(|text| is_flag(text))
            .collect()
    }

    /// Returns the words that are neither program, subcommand nor option.
    #[must_use]
    pub fn operands(&self) -> Vec<&str> {
        let label = self.label_words();
        (1..self.words.len())
            .filter(|index| !label.contains(index))
            .map(|index| self.words[index].text.as_str())
            .filter(|text| !is_flag(text))
            .collect()
    }

    /// Returns the command as it was typed, without what wraps it.
    #[must_use]
    pub fn typed(&self) -> String {
        let env = self
            .env
            .iter()
            .map(|(name, value)| format!("{name}={value}"));
        let sudo = self.sudo.then(|| "sudo".to_owned());
        let words = self.words.iter().map(|word| word.raw.clone());
        let parts = env.chain(sudo).chain(words);
        parts.collect::<Vec<_>>().join(" ")
    }

    /// Returns the plain words, for comparing two commands.
    #[must_use]
    pub fn texts(&self) -> Vec<&str> {
        self.words.iter().map(|word| word.text.as_str()).collect()
    }
}

/// Returns whether `word` is in a list of words separated by spaces.
#[must_use]
pub fn is_listed(list: &str, word: &str) -> bool {
    let (mut rest, word) = (list.as_bytes(), word.as_bytes());
    loop {
        // Most words differ in their first byte, so the end of each is looked for afterwards.
        if (word.is_empty() || rest.first() == word.first())
            && let Some(after) = rest.strip_prefix(word)
            && matches!(after, [] | [b' ', ..])
        {
            return !word.contains(&b' ');
        }
        match rest.iter().position(|byte| *byte == b' ') {
            Some(end) => rest = &rest[end + 1..],
            None => return false,
        }
    }
}

/// Returns whether the program is some Python.
#[must_use]
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
#[must_use]
pub fn is_script(text: &str) -> bool {
    text.len() <= 60
        && text.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '.' || c == '_')
        && !text.contains("..")
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/'))
}

fn is_name(text: &str) -> bool {
    text.len() <= 40
        && text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':' | '.'))
}

struct Raw {
    join: Join,
    words: Vec<Word>,
    writes: bool,
    muted: bool,
    merged: bool,
}

impl Raw {
    fn new(join: Join) -> Self {
        Self {
            join,
            words: Vec::new(),
            writes: false,
            muted: false,
            merged: false,
        }
    }

    fn redirect(&mut self, redirect: Redirect) {
        let nowhere = redirect.target == "/dev/null";
        match redirect.stream {
            Stream::Out => self.writes |= !nowhere && !redirect.target.starts_with('&'),
            Stream::Errors => {
                self.muted |= nowhere;
                self.merged |= redirect.target == "&";
            }
            Stream::Both => {
                self.muted |= nowhere;
                self.writes |= !nowhere;
            }
            Stream::In => {}
        }
    }
}

#[cfg(test)]
mod tests;
