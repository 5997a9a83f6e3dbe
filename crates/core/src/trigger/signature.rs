//! Reads a signature: the command, tool or file that a lesson is bound to, and perhaps the error that it is about.
//!
//! Capture writes a command and the error it gave in parentheses; people and agents write `git push --force`, a path, or
//! a sentence that begins with a command. What the error is about must be in the call too, and an error of a program
//! that is called in countless ways names none of them: such a lesson is still shown at the failure.

use super::{
    act::{CallActs, tool_name},
    command::CommandForm,
    cue,
    path::{PathPattern, says_reading},
    prose,
    span::{self, Named},
};
use crate::{
    shell::{self, is_listed},
    tokens::is_common_word,
    trace::{call::ParsedCall, client_refusal::is_client_tool},
};

/// Programs that only ask or prepare, so that a lone word hardly means them.
const EVERYDAY: &str = "test [ which type time exit read wait kill cat ls head tail";
/// Capture's text for a program that is not installed.
const NOT_FOUND: &str = "command not found";
/// Words that end the command in a sentence: `npm test fails when …`.
const SENTENCE_WORDS: &str = "is are was were be been being fails fail failed failing refuses refuse refused rejects rejected needs \
    need needed requires require must should when while if unless with without before after on in at as to for of and or but not \
    cannot can't does doesn't says gives returns exits errors error because until by from via the a an through only always never";

/// A parsed signature.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Signature {
    /// What it names: a command or a tool, and words of the call.
    pub(super) head: String,
    /// The error in parentheses, if there is one.
    pub(super) error: Option<String>,
    /// The head as a command; `None` if it is none.
    pub(super) command: Option<CommandForm>,
    /// The head as a file.
    pub(super) path: Option<PathPattern>,
}

impl Signature {
    pub(super) fn parse(text: &str) -> Self {
        let text = text.replace('`', "");
        let text = text.trim();
        let pieces = text
            .strip_suffix(')')
            .or_else(|| text.ends_with('…').then_some(text))
            .and_then(|text| text.split_once(" ("));
        let (head, error) = match pieces {
            Some((head, error)) => (head.trim(), Some(error.trim().to_owned())),
            None => (text, None),
        };
        let head = find_command_in_sentence(head).unwrap_or(head);
        let first = head.split(' ').next().unwrap_or_default();
        Self {
            command: read_head(head),
            path: span::is_path(first).then(|| PathPattern::new(first, says_reading(text), true)),
            head: head.to_owned(),
            error,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.head.is_empty()
    }

    /// Returns whether it is an error and no command: it begins with the code or the kind of one.
    pub(super) fn is_error(&self) -> bool {
        let first = self.head.split(' ').next().unwrap_or_default();
        let mut words = self.head.split(' ').map(|word| word.trim_end_matches(':'));
        let has_code =
            !self.is_called() && words.any(|word| !word.is_empty() && span::is_code_of_error(word));
        first.len() > 1 && first.ends_with(':') || has_code
    }

    /// Returns whether it can only be called as a program, a file or a tool is.
    pub(super) fn is_called(&self) -> bool {
        let first = self.head.split(' ').next().unwrap_or_default();
        shell::is_program_by_name(first)
            || shell::has_subcommands(first)
            || is_path_like(first)
            || self.path.is_some()
    }

    /// Returns the program that its error says is not there.
    pub(super) fn missing_program(&self) -> Option<&str> {
        let command = self.command.as_ref()?;
        let is_missing = self.error.as_deref() == Some(NOT_FOUND) && command.words.is_empty();
        is_missing.then(|| shell::base_name(&command.path))
    }

    /// Returns whether a command, given in all its forms, calls the program that is not there, as it was typed and without a
    /// runner that may bring it.
    pub(super) fn calls_missing(&self, forms: &[CommandForm]) -> bool {
        let missing = self.missing_program();
        missing.is_some() && forms.first().map(|form| form.path.as_str()) == missing
    }

    /// Returns whether it can only be a command, a file, or the failure of one.
    pub(super) fn is_certain(&self) -> bool {
        self.is_called() || self.error.is_some() || self.is_error()
    }

    /// Returns whether it can be typed: a command, a tool or a file.
    pub(super) fn is_plausible(&self) -> bool {
        let starts = |c: char| c.is_alphanumeric() || matches!(c, '.' | '/' | '*' | '_');
        self.head.starts_with(starts)
            && !self.is_error()
            && self.head.len() <= 80
            && (self.command.is_some() || self.path.is_some())
            && (self.is_called() || !self.is_prose())
    }

    /// Returns whether it has a word of a sentence, or begins as one and is no tool.
    fn is_prose(&self) -> bool {
        let first = self.head.split(' ').next().unwrap_or_default();
        let is_tool = is_client_tool(&first.to_lowercase()) || shell::is_shell_name(first);
        let is_title = first.len() < self.head.len() && first.starts_with(char::is_uppercase);
        self.head.split(' ').any(span::is_prose_word) || is_title && !is_tool
    }

    /// Returns whether a call is told of it before it fails: it has no error, the call alone confirms that, or the lesson says
    /// what is done before a command that is called in few ways.
    pub(super) fn is_expected(&self, call: &ParsedCall, prepares: bool) -> bool {
        let is_telling = self.head.contains([' ', '.', '/']);
        self.error.is_none() || self.is_confirmed(call) || prepares && is_telling
    }

    /// Returns whether a call is one that the signature names.
    pub(super) fn names(&self, acts: &CallActs, call: &ParsedCall) -> bool {
        !self.is_empty()
            && (self.names_tool(call) || self.names_file(acts) || self.names_command(acts, call))
    }

    /// Returns whether the call alone confirms the error: it contains what the error is about.
    ///
    /// For a command that fails only now and then, a warning before every call would be useless.
    pub(super) fn is_confirmed(&self, call: &ParsedCall) -> bool {
        match self.error.as_deref() {
            None => false,
            Some(NOT_FOUND) => true,
            Some(error) => error_subjects(error)
                .iter()
                .any(|thing| holds_subject(call, thing)),
        }
    }

    fn names_file(&self, acts: &CallActs) -> bool {
        let path = self.path.as_ref();
        path.is_some_and(|path| {
            acts.files
                .iter()
                .any(|(file, use_)| path.matches(file, *use_))
        })
    }

    pub(super) fn names_tool(&self, call: &ParsedCall) -> bool {
        let (tool, rest) = self.head.split_once(' ').unwrap_or((&self.head, ""));
        let has = |word: &str| call.line().is_none() && call.has_word(word);
        calls_tool(tool, call)
            && self.error.as_deref() != Some(NOT_FOUND)
            && rest.split_whitespace().all(has)
            && self.may_fail_so(call)
    }

    fn names_command(&self, acts: &CallActs, call: &ParsedCall) -> bool {
        let Some(head) = &self.command else {
            return false;
        };
        let is_lone = head.words.is_empty();
        let is_idle = is_lone && is_listed(EVERYDAY, &head.program);
        let is_elsewhere = |form: &CommandForm| {
            self.error.as_deref() == Some(NOT_FOUND) && form.path.contains('/')
        };
        let is_meant = |form: &CommandForm| !is_elsewhere(form) && head.is_within(form);
        let is_called = |forms: &Vec<CommandForm>| match self.missing_program() {
            Some(_) => self.calls_missing(forms),
            None => forms.iter().any(is_meant),
        };
        !is_idle && acts.commands.iter().any(is_called) && self.may_fail_so(call)
    }

    /// Returns whether the call contains what the error is about, if that is known.
    fn may_fail_so(&self, call: &ParsedCall) -> bool {
        let Some(error) = self.error.as_deref().filter(|error| *error != NOT_FOUND) else {
            return true;
        };
        let things = error_subjects(error);
        things.is_empty() || things.iter().any(|thing| holds_subject(call, thing))
    }
}

/// Reads the head of a signature as one command.
fn read_head(head: &str) -> Option<CommandForm> {
    let line = shell::parse_line(head);
    (line.commands.len() == 1)
        .then(|| span::read_command(head))
        .flatten()
}

/// Returns the command at the beginning of a signature that is a sentence, if there is one.
fn find_command_in_sentence(text: &str) -> Option<&str> {
    let first = text.split(' ').next()?;
    let mut end = 0;
    for (at, word) in text.split(' ').filter(|word| !word.is_empty()).enumerate() {
        let start = end + text[end..].find(word)?;
        let bare = word.trim_end_matches([',', ':', ';', '.']);
        if at > 0 && is_listed(SENTENCE_WORDS, &bare.to_lowercase()) {
            let is_command = is_path_like(first) || shell::is_program_by_name(first);
            let words: Vec<&str> = text.split(' ').collect();
            let own = prose::read_command_in_prose(&[], &words, false)
                .map_or(at, |(_, count)| count.min(at));
            return is_command.then(|| first_words(text, own).trim_end_matches([',', ':', ';']));
        }
        end = start + word.len();
    }
    None
}

/// Returns whether what stands before a colon can call for a lesson: it is about something, and nobody speaks of himself.
pub(crate) fn may_be_signature(text: &str) -> bool {
    let lower = text.to_lowercase();
    let mut words = lower.split_whitespace();
    calls_for_lessons(text)
        || !cue::begins_order(text)
            && !cue::says_any(text, &[cue::Cue::Not, cue::Cue::Do, cue::Cue::Only])
            && !words.clone().any(cue::is_pronoun)
            && words.any(|word| !is_common_word(word))
}

/// Returns the first words of a text, as they stand there.
fn first_words(text: &str, count: usize) -> &str {
    let ends = text.match_indices(' ').map(|(at, _)| at);
    let end = ends.chain([text.len()]).nth(count.saturating_sub(1));
    end.map_or(text, |end| &text[..end])
}

/// Returns whether a name can call for a lesson: a command of a known program, a file, a tool, an act or the code of an
/// error; any other may be a word of prose.
pub(crate) fn calls_for_lessons(name: &str) -> bool {
    let first = name.split(' ').next().unwrap_or_default();
    let program = shell::base_name(first);
    match span::read_code(name) {
        Some(Named::Command(_)) => {
            shell::is_known_program(program)
                || shell::has_subcommands(program)
                || is_path_like(first)
        }
        Some(Named::Path(_) | Named::Tool(_) | Named::Act(_)) => true,
        Some(Named::Text(text)) => span::is_code_of_error(&text),
        _ => false,
    }
}

/// Returns whether a word can only be a program or a file of the project.
pub(super) fn is_path_like(word: &str) -> bool {
    word.contains('/') && !word.contains("://") && !word.starts_with('/')
}

/// Returns whether a call uses a tool of this name, from any server.
pub(super) fn calls_tool(name: &str, call: &ParsedCall) -> bool {
    let name = tool_name(name);
    let of_server = || {
        let rest = call.tool.strip_prefix("mcp_")?.strip_suffix(&name)?;
        Some(rest.ends_with('_'))
    };
    !name.is_empty() && (call.tool == name || of_server() == Some(true))
}

/// Returns the things that an error is about: those that it quotes, else the names after its last colon.
fn error_subjects(error: &str) -> Vec<&str> {
    let quotations = quoted_names(error);
    if !quotations.is_empty() {
        return quotations;
    }
    let Some((_, list)) = error.rsplit_once(": ") else {
        return Vec::new();
    };
    let words: Vec<&str> = list
        .split([' ', ','])
        .filter(|word| !word.is_empty())
        .collect();
    let is_joined = words.len() == 1 || words.iter().any(|word| is_listed("or and", word));
    let names = words.iter().filter(|word| !is_listed("or and", word));
    if is_joined && names.clone().all(|word| is_name(word)) {
        names.copied().collect()
    } else {
        Vec::new()
    }
}

fn quoted_names(error: &str) -> Vec<&str> {
    const QUOTES: [char; 7] = ['\'', '"', '`', '‘', '’', '“', '”'];
    let mut parts = error.split(QUOTES);
    parts.next();
    parts.step_by(2).filter(|part| is_name(part)).collect()
}

/// Returns whether a word is a name, not a placeholder or a sentence.
fn is_name(word: &str) -> bool {
    word.len() > 1
        && !word.contains(char::is_whitespace)
        && !word.contains('…')
        && word.chars().any(char::is_alphanumeric)
}

/// Returns whether the call contains a thing; a table's column may be separate from the table.
fn holds_subject(call: &ParsedCall, thing: &str) -> bool {
    let apart = || {
        let (table, column) = thing.split_once('.')?;
        Some(call.has_word(table) && call.has_word(column))
    };
    call.has_word(thing) || apart() == Some(true)
}
