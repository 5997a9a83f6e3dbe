//! Reads what a call does: the commands it runs, the files it touches, the tool it uses, the words it writes.
//!
//! A call may do several things, and a lesson that names any of them is about the call. Commands that only set the
//! scene or print are none. Whether a lesson is about one of these acts is decided in [`occasion`](super::occasion).

use serde_json::{Map, Value};

use super::command::CommandForm;
use crate::{
    limits,
    outside::code,
    shell::{self, Join, ShellCommand, ShellLine, is_listed},
    trace::{
        call::{CallArgs, ParsedCall},
        effect::{self, CallEffect},
    },
};

/// What a call does to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum FileUse {
    /// It reads or lists it.
    Reads,
    /// It hands it to a program.
    Uses,
    /// It writes, moves or deletes it.
    Changes,
}

/// What a call does.
#[derive(Debug, Clone, Default)]
pub struct CallActs {
    /// Its commands, each in every form in which it may be named; none of them is empty.
    pub(super) commands: Vec<Vec<CommandForm>>,
    /// The wrappers around its commands, such as `timeout`, and what else its line runs.
    pub(super) line_words: Vec<String>,
    /// The files it touches.
    pub(super) files: Vec<(String, FileUse)>,
    /// The tool, in lower case and without its server; empty for a shell.
    pub(super) tool: String,
    /// What it writes into files, databases or pages.
    pub(super) written: String,
    /// What it is told apart from files: the words of commands that do not only look at something, and of tools.
    pub(super) said: String,
    /// All of its arguments.
    pub(super) args: String,
}

impl CallActs {
    /// Reads a call.
    pub fn from_call(call: &ParsedCall) -> Self {
        match &call.args {
            CallArgs::Shell(text, line) => Self::from_line(text, line),
            CallArgs::Named(named) => Self::from_named(call, named),
            CallArgs::Text(text) => Self::from_text(call, text),
        }
    }

    /// Returns whether it does anything that a lesson could be about: a line that only sets the scene does not.
    pub fn is_anything(&self) -> bool {
        !self.commands.is_empty() || !self.files.is_empty() || !self.tool.is_empty()
    }

    /// Returns the files that it changes.
    pub(crate) fn changed_files(&self) -> impl Iterator<Item = &str> {
        let files = self.files.iter();
        let files = files.filter(|(_, use_)| *use_ == FileUse::Changes);
        files.map(|(file, _)| file.as_str())
    }

    fn from_line(text: &str, line: &ShellLine) -> Self {
        let acting = || line.commands.iter().filter(|command| is_act(command));
        let mut files = Vec::new();
        let mut folder = "";
        for command in &line.commands {
            if command.program() == "cd" {
                folder = command.operands().first().copied().unwrap_or_default();
            }
            let known = files.len();
            collect_files(&mut files, command);
            stand_in_folder(&mut files[known..], folder);
            let code = code::extract_inline_code(command, text, false);
            code.iter()
                .for_each(|code| files.extend(files_in_code(code)));
        }
        if line.heredoc
            && line
                .commands
                .iter()
                .any(|command| code::find_interpreter(command, true).is_some())
        {
            files.extend(files_in_code(text));
        }
        let writes = line.heredoc || files.iter().any(|(_, use_)| *use_ == FileUse::Changes);
        files.truncate(limits::CALL_FILES);
        Self {
            commands: acting().map(CommandForm::all_from).collect(),
            line_words: text
                .split_whitespace()
                .take(limits::CALL_WORDS)
                .map(str::to_owned)
                .collect(),
            files,
            tool: String::new(),
            said: if acting().any(|acting| !is_reading(acting)) {
                text.to_owned()
            } else {
                String::new()
            },
            written: if writes {
                text.to_owned()
            } else {
                String::new()
            },
            args: text.to_owned(),
        }
    }

    fn from_named(call: &ParsedCall, named: &Map<String, Value>) -> Self {
        const FILE_KEYS: &str =
            "file_path path filePath filename notebook_path target_file absolute_path";
        const NEW_TEXT: &str = "new_string new_str new_text newText newString content contents file_text insert_text code_edit \
            patch diff edits replacement new_source";
        let effect = effect::classify_call(call);
        let use_ = match effect {
            CallEffect::Edits => FileUse::Changes,
            CallEffect::Acts => FileUse::Uses,
            CallEffect::Reads => FileUse::Reads,
        };
        let files = FILE_KEYS
            .split(' ')
            .filter_map(|key| named.get(key)?.as_str());
        let is_new = |key: &str| effect == CallEffect::Acts || is_listed(NEW_TEXT, key);
        let new = named
            .iter()
            .filter(|(key, _)| effect != CallEffect::Reads && is_new(key));
        Self {
            files: files.map(|file| (file.to_owned(), use_)).collect(),
            tool: call.tool.clone(),
            written: join_texts(new.map(|(_, value)| value)),
            said: match effect {
                CallEffect::Acts => call.args_text(),
                CallEffect::Reads | CallEffect::Edits => String::new(),
            },
            args: call.args_text(),
            ..Self::default()
        }
    }

    /// Reads a call whose arguments are one text: a patch names its files in its own lines.
    fn from_text(call: &ParsedCall, text: &str) -> Self {
        let marks = [
            "*** Update File: ",
            "*** Add File: ",
            "*** Delete File: ",
            "*** Move to: ",
        ];
        let paths = text
            .lines()
            .filter_map(|line| marks.iter().find_map(|mark| line.strip_prefix(mark)));
        let new_lines = text.lines().filter_map(|line| line.strip_prefix('+'));
        let files: Vec<_> = paths
            .map(|file| (file.trim().to_owned(), FileUse::Changes))
            .collect();
        Self {
            written: if files.is_empty() {
                text.to_owned()
            } else {
                new_lines.collect::<Vec<_>>().join("\n")
            },
            files,
            tool: call.tool.clone(),
            args: text.to_owned(),
            ..Self::default()
        }
    }
}

/// Takes relative files for those of the folder that the line went to.
fn stand_in_folder(files: &mut [(String, FileUse)], folder: &str) {
    let is_relative = |file: &str| !file.starts_with(['/', '~', '$', '-']);
    let files = files
        .iter_mut()
        .filter(|(file, _)| !folder.is_empty() && is_relative(file));
    files.for_each(|(file, _)| *file = format!("{folder}/{}", file.trim_start_matches("./")));
}

/// Returns whether a command does something by itself: it neither prints nor goes somewhere, nor filters what is piped
/// into it.
fn is_act(command: &ShellCommand) -> bool {
    const IDLE: &str = "cd pushd popd echo printf true : umask";
    let is_filter =
        command.is_filter() && command.program() != "xargs" && command.program() != "tee";
    !command.is_substitution && !is_filter && !is_listed(IDLE, command.program())
}

/// Returns the texts in values, at any depth that a call has.
fn join_texts<'a>(values: impl Iterator<Item = &'a Value>) -> String {
    let texts = values.map(|value| match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// Adds the files that a command touches.
fn collect_files(files: &mut Vec<(String, FileUse)>, command: &ShellCommand) {
    for file in [&command.output, &command.errors].into_iter().flatten() {
        files.push((file.clone(), FileUse::Changes));
    }
    if is_listed("echo printf cd pushd which type", command.program()) {
        return;
    }
    for form in CommandForm::all_from(command) {
        files.extend(manifests(&form).map(|file| (file.to_owned(), FileUse::Changes)));
    }
    files.extend(written_to(command).map(|file| (file.to_owned(), FileUse::Changes)));
    // `cd third_party && … | patch -p1`
    if command.program() == "patch" {
        files.push((".".to_owned(), FileUse::Changes));
    }
    let operands = command.operands();
    let last = operands.len().saturating_sub(1);
    for (at, operand) in operands.iter().enumerate() {
        files.push(((*operand).to_owned(), file_use(command, at == last)));
    }
}

/// Returns the files that code names, of which all may be changed if it writes any: names are given to functions of its own.
fn files_in_code(code: &str) -> impl Iterator<Item = (String, FileUse)> {
    const WRITES: [&str; 7] = ["write", "'w", "\"w", "'a'", "\"a\"", ".to_", ".save("];
    let use_ = if WRITES.iter().any(|word| code.contains(word)) {
        FileUse::Changes
    } else {
        FileUse::Reads
    };
    let names = code::quoted_names(code).filter(|name| name.contains(['/', '.']));
    names.map(move |name| (name.to_owned(), use_))
}

/// Returns the files that a command is told to write: `-o x`, `--output x`, `--export-filename=x`.
fn written_to(command: &ShellCommand) -> impl Iterator<Item = &str> {
    let is_output = |option: &str| {
        let name = option.trim_start_matches('-');
        option == "-o"
            || ["out", "export", "dest", "save"]
                .iter()
                .any(|word| name.starts_with(word))
    };
    let words = || command.words.iter().skip(1).map(|word| word.text.as_str());
    let joined = words()
        .filter(|word| word.starts_with('-'))
        .filter_map(|word| word.split_once('='));
    let apart = words().zip(words().skip(1));
    let apart = apart.filter(|(option, value)| {
        option.starts_with('-') && !option.contains('=') && !value.starts_with('-')
    });
    joined
        .chain(apart)
        .filter(move |(option, _)| is_output(option))
        .map(|(_, value)| value)
}

/// Programs that only look at files.
const READING: &str = "cat head tail less more bat ls find fd grep egrep fgrep rg ag wc stat file tree diff cmp jq yq xxd od \
        strings md5sum sha256sum sort uniq cut awk gawk sed nl du source . cd test [ open code xdg-open";

fn is_reading(command: &ShellCommand) -> bool {
    const OF_GIT: &str = "log show diff grep blame status ls-files";
    let verb = command.words.get(1).map_or("", |word| &word.text);
    let looks = is_listed(READING, command.program())
        || command.program() == "git" && is_listed(OF_GIT, verb);
    looks && command.output.is_none()
}

/// Returns what a command does to one of its operands.
fn file_use(command: &ShellCommand, is_last: bool) -> FileUse {
    const CHANGING: &str = "rm mv touch tee truncate ed ex patch shred unlink rmdir chmod chown dd";
    let program = command.program();
    let flags = command.flags();
    let is_in_place = flags.iter().any(|flag| match *flag {
        "-i" | "-pi" | "--in-place" | "--fix" | "--write" => {
            !is_listed("grep rg docker kubectl ls", program)
        }
        "-w" => is_listed("prettier gofmt goimports shfmt", program),
        flag => flag.starts_with("-i.") || flag.starts_with("-i\'"),
    });
    let verb = command.subcommand_indexes();
    let verb = verb
        .first()
        .map_or("", |at| command.words[*at].text.as_str());
    let is_restoring = program == "git" && is_listed("checkout restore rm mv apply", verb);
    if is_in_place || is_listed(CHANGING, program) || is_restoring {
        FileUse::Changes
    } else if is_listed("cp ln install rsync", program) {
        if is_last {
            FileUse::Changes
        } else {
            FileUse::Reads
        }
    } else if is_listed(READING, program)
        || program == "git" && verb != "add"
        || command.join == Join::Pipe && command.is_filter()
    {
        FileUse::Reads
    } else {
        FileUse::Uses
    }
}

/// Returns the files that a package manager writes when it adds, removes or updates something.
fn manifests(form: &CommandForm) -> impl Iterator<Item = &'static str> + use<> {
    const ROWS: &[(&str, &str, &str)] = &[
        ("cargo", "add remove rm", "Cargo.toml Cargo.lock"),
        ("cargo", "update", "Cargo.lock"),
        (
            "npm",
            "install uninstall update",
            "package.json package-lock.json",
        ),
        (
            "pnpm",
            "add remove update up",
            "package.json pnpm-lock.yaml",
        ),
        ("yarn", "add remove up upgrade", "package.json yarn.lock"),
        ("bun", "add remove update", "package.json bun.lock"),
        ("poetry", "add remove update", "pyproject.toml poetry.lock"),
        ("uv", "add remove", "pyproject.toml uv.lock"),
        ("go", "get", "go.mod go.sum"),
        ("bundle", "add update", "Gemfile Gemfile.lock"),
        (
            "composer",
            "require remove update",
            "composer.json composer.lock",
        ),
        ("mix", "deps.get", "mix.lock"),
    ];
    let names_package = form
        .words
        .iter()
        .any(|word| *word != form.verb && !word.starts_with('-'));
    let row = ROWS.iter().find(|(program, verbs, _)| {
        *program == form.program
            && is_listed(verbs, &form.verb)
            && (names_package || form.verb == "update")
    });
    row.into_iter().flat_map(|row| row.2.split(' '))
}

/// Returns a path without quotation marks, `./` before it and a slash after it.
pub(super) fn normalize_path(path: &str) -> &str {
    let path = path.trim_matches(|c: char| matches!(c, '"' | '\'' | ',' | ';'));
    path.trim_start_matches("./").trim_end_matches('/')
}

/// Returns whether the call only looks at something.
pub(super) fn is_only_reading(call: &ParsedCall) -> bool {
    effect::classify_call(call) == CallEffect::Reads
}

/// Returns the tool's name as lessons may write it.
pub(super) fn tool_name(name: &str) -> String {
    shell::normalize_tool_name(name.trim_start_matches('/'))
}
