//! Identifies a failure, so that the same failure is recognised when it recurs.
//!
//! A [`CallFailure`] is a tool and a normalised error. For a shell the tool is the command that failed, whatever the
//! client calls its shell; the error loses what differs from run to run. The two make up the [`FailureKey`] by which
//! lessons and recalls are matched, and the pattern that people read.

use std::borrow::Cow;

use crate::{
    CallStatus, CleanText, FailedStep, FailureKey, ParsedCall, ToolCall, digest,
    event::NO_OUTPUT,
    limits, shell,
    trace::{
        call,
        client_refusal::{self, ClientRefusal},
        family::{self, FailureFamily},
        normalize::{self, LinePiece},
    },
};

/// A failure of a call, classified and with a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallFailure {
    /// The key, which is the same for the same failure in any run of any client.
    pub key: FailureKey,
    /// The key of its error at any command of the program, for an error that says enough; the same for `dbt run` and `dbt
    /// test`.
    pub error_key: Option<FailureKey>,
    /// What failed: a program with its subcommand, or a tool.
    pub label: String,
    /// The kind of failure.
    pub family: FailureFamily,
    /// The thing that the error is about, if it names one.
    pub subject: Option<String>,
    /// The error message for people, with placeholders for what differs; at most [`limits::GIST_CHARS`] characters.
    pub gist: String,
    /// The index of the command of a shell line that failed, if known.
    pub culprit: Option<usize>,
    /// The refusal that a client's own tool stated, if any.
    pub client_refusal: Option<ClientRefusal>,
}

impl CallFailure {
    /// Identifies the failure of a call, the first if several of its steps failed; `None` if it worked.
    pub fn from_call(tool_call: &ToolCall<CleanText>) -> Option<Self> {
        let is_failed = tool_call.status.has_failure();
        let all =
            is_failed.then(|| Self::all_from_call(&call::parse_call(tool_call), &tool_call.status));
        all?.into_iter().next()
    }

    /// Identifies every failure of a parsed call, in the order of its steps.
    pub fn all_from_call(call: &ParsedCall, status: &CallStatus<CleanText>) -> Vec<Self> {
        let failure_at =
            |it: &FailedStep<CleanText>| Self::from_step_error(call, it.step, it.error.as_str());
        match status {
            CallStatus::Ok | CallStatus::Doubtful(_) => Vec::new(),
            CallStatus::PartlyFailed(steps) => steps.iter().map(failure_at).collect(),
            CallStatus::Error(error) => vec![Self::from_error(call, error.as_str())],
        }
    }

    /// Identifies the failure of a parsed call from its error.
    pub fn from_error(call: &ParsedCall, error: &str) -> Self {
        let matched_row = family::classify_error(error);
        let line = call.line();
        let culprit = line.and_then(|line| find_culprit(line, &matched_row, error));
        Self::from_match(call, culprit, &matched_row, error)
    }

    /// Identifies the failure of a step of a line from its error.
    pub fn from_step_error(call: &ParsedCall, step: usize, error: &str) -> Self {
        let is_there = call.line().is_some_and(|line| step < line.commands.len());
        if is_there {
            Self::from_match(call, Some(step), &family::classify_error(error), error)
        } else {
            Self::from_error(call, error)
        }
    }

    fn from_match(
        call: &ParsedCall,
        culprit: Option<usize>,
        found: &family::FamilyMatch<'_>,
        error: &str,
    ) -> Self {
        let client_refusal = client_refusal::find_refusal(&call.tool, error);
        let message = strip_error_prefix(found.line);
        let pieces = normalize::split_pieces(message);
        let label = find_failed_label(call, culprit, found);
        let names = key_names(found, &pieces);
        let is_about_names = call.line().is_some() && tells_absence(message);
        let may_quote = |content: &str| {
            let is_name = is_about_names && names.contains(&content);
            let is_missing = is_name && !call.mentions_name(content);
            is_missing || is_safe_to_quote(content, call, &label, found.subject)
        };
        let gist = match found.family {
            FailureFamily::CommandMissing => "command not found".to_owned(),
            FailureFamily::Silent => String::new(),
            FailureFamily::Other
                if !says_error(found.line)
                    && !reads_as_error(&label, message)
                    && !family::is_only_message(error) =>
            {
                String::new()
            }
            _ => truncate_gist(&normalize::render_gist(&pieces, may_quote)),
        };
        Self {
            key: match client_refusal {
                Some(stated) => compute_refusal_key(stated, &label, error),
                None => compute_key(&label, found, &pieces, &names),
            },
            error_key: find_unrunnable_folder(call, culprit, found)
                .map(|folder| hash_key_parts(&["error", "run", folder, found.family.name()]))
                .or_else(|| compute_error_key(&label, found, &pieces, &names, &gist)),
            label,
            family: found.family,
            subject: found.subject.map(str::to_owned),
            gist,
            culprit,
            client_refusal,
        }
    }

    /// Returns the program that failed, or the tool.
    pub fn program(&self) -> &str {
        program_of(&self.label)
    }

    /// Returns the key that an error would have at a call with this label.
    pub fn key_at_label(label: &str, error: &str) -> FailureKey {
        let classification = family::classify_error(error);
        let pieces = normalize::split_pieces(strip_error_prefix(classification.line));
        let names = key_names(&classification, &pieces);
        compute_key(label, &classification, &pieces, &names)
    }

    /// Returns the failure as it is the same at any command of the program; `None` for an error that could be of anything.
    pub fn at_any_command(&self, program: &str) -> Option<Self> {
        Some(Self {
            key: self.error_key.clone()?,
            label: program.to_owned(),
            ..self.clone()
        })
    }

    /// Returns the failure of the same command without regard to its error.
    pub fn without_error(failure: &Self) -> Self {
        Self {
            key: Self::key_at_label(&failure.label, ""),
            error_key: None,
            family: FailureFamily::Silent,
            subject: None,
            gist: String::new(),
            client_refusal: None,
            ..failure.clone()
        }
    }

    /// Returns the gist or, for an error that does not read like one, its own words; `None` if it printed nothing.
    /// Only for text that may quote any error.
    pub fn gist_or_error(&self, error: &str) -> Option<String> {
        if !self.gist.is_empty() {
            return Some(self.gist.clone());
        }
        let line_of_match = family::classify_error(error).line;
        let first = error.lines().map(str::trim).find(|line| !line.is_empty());
        let line = if line_of_match.is_empty() {
            first?
        } else {
            line_of_match
        };
        let words = truncate_gist(strip_error_prefix(line));
        (!words.is_empty() && line != NO_OUTPUT).then_some(words)
    }

    /// Returns the readable signature, such as `npm test (Missing script: "test")`.
    pub fn signature(&self) -> String {
        if self.gist.is_empty() {
            self.label.clone()
        } else {
            format!("{} ({})", self.label, self.gist)
        }
    }
}

fn program_of(label: &str) -> &str {
    label.split(' ').next().unwrap_or_default()
}

/// Computes the key of a failure from the pieces of its line and its [`key_names`].
fn compute_key(
    label: &str,
    found: &family::FamilyMatch<'_>,
    pieces: &[LinePiece<'_>],
    names: &[&str],
) -> FailureKey {
    let error = match found.family {
        // Programs word an unknown option in many ways.
        FailureFamily::CommandMissing
        | FailureFamily::ModuleMissing
        | FailureFamily::OptionUnknown
        | FailureFamily::Silent => String::new(),
        _ => normalize::blank_slots(pieces),
    };
    let subject = found.subject.filter(|_| found.family.has_subject());
    let subject = match found.family {
        FailureFamily::OptionUnknown => subject.map(|subject| subject.trim_start_matches('-')),
        _ => subject,
    };
    let mut parts = vec![label, found.family.name(), &error];
    parts.push(subject.unwrap_or_default());
    parts.extend(names);
    hash_key_parts(&parts)
}

/// Returns the names that an error quotes and that tell it from others: what helps with one does not help with another.
fn key_names<'a>(found: &family::FamilyMatch<'_>, pieces: &[LinePiece<'a>]) -> Vec<&'a str> {
    let pieces = Some(pieces).filter(|_| found.family.has_names());
    pieces.map(normalize::quoted_names).unwrap_or_default()
}

/// Fewest and most words of an error that tell it from others of the program.
const ERROR_WORDS_MIN: usize = 3;
const ERROR_WORDS_MAX: usize = 12;

/// Computes the key of an error of a program without regard to its subcommand, by the error's plain words alone: names,
/// numbers and paths differ from run to run. `None` for an error that could be of anything.
fn compute_error_key(
    label: &str,
    found: &family::FamilyMatch<'_>,
    pieces: &[LinePiece<'_>],
    names: &[&str],
    gist: &str,
) -> Option<FailureKey> {
    if gist.is_empty() {
        return None;
    }
    let line = normalize::blank_slots(pieces).to_lowercase();
    let is_mark = |c: char| c.is_ascii_punctuation();
    let words = line.split_whitespace();
    let words = words.map(|word| word.trim_matches(is_mark));
    let words = words.filter(|word| word.len() > 1 && word.chars().all(char::is_alphabetic));
    let words: Vec<&str> = words.take(ERROR_WORDS_MAX).collect();
    let subject = found.subject.filter(|_| found.family.has_subject());
    let (program, family, error) = (program_of(label), found.family.name(), words.join(" "));
    let subject = subject.unwrap_or_default();
    let mut parts = vec!["error", program, family, &error, subject];
    parts.extend(names);
    (!gist.is_empty() && words.len() >= ERROR_WORDS_MIN).then(|| hash_key_parts(&parts))
}

/// Returns the folder of a script that the shell may not execute: it is hardly the only one there.
fn find_unrunnable_folder<'c>(
    call: &'c ParsedCall,
    culprit: Option<usize>,
    found: &family::FamilyMatch<'_>,
) -> Option<&'c str> {
    let path = call.line()?.commands.get(culprit?)?.words[0].text.as_str();
    let (folder, _) = path.rsplit_once('/')?;
    let is_it = found.family == FailureFamily::Permission
        && strip_error_prefix(found.line).starts_with(path);
    is_it.then(|| folder.trim_start_matches("./"))
}

/// Computes the key of a client's refusal, which does not depend on the client's editor nor on the rest of the
/// sentence.
fn compute_refusal_key(stated: ClientRefusal, label: &str, error: &str) -> FailureKey {
    let tool = Some(label).filter(|_| !stated.applies_to_any_editor());
    let name = match stated {
        // Where the known names are listed, it is one failure whichever name was tried.
        ClientRefusal::UnknownName if client_refusal::parse_known_names(error).is_empty() => {
            client_refusal::parse_unknown_name(error).unwrap_or_default()
        }
        _ => "",
    };
    hash_key_parts(&["stated", stated.name(), tool.unwrap_or_default(), name])
}

/// Hashes the parts of a key; the same parts give the same key.
pub(crate) fn hash_key_parts(parts: &[&str]) -> FailureKey {
    let digest = digest::hash_parts(parts.iter().map(|part| part.as_bytes()));
    FailureKey::new(digest::to_hex(&digest[..limits::FAILURE_KEY_CHARS / 2]))
}

fn find_failed_label(
    call: &ParsedCall,
    culprit: Option<usize>,
    found: &family::FamilyMatch<'_>,
) -> String {
    if let (FailureFamily::CommandMissing, Some(program), Some(_)) =
        (found.family, found.subject, call.line())
    {
        return shell::base_name(program).to_owned();
    }
    let command = call
        .line()
        .and_then(|line| line.commands.get(culprit.or_else(|| call.main_command())?));
    let program_at_fault = |entry| {
        let command = find_speaking_command(entry, found);
        // What the interpreter lacks, or says of itself, is no fault of the script.
        let is_interpreter = command.script_command().is_some()
            && (found.family == FailureFamily::ModuleMissing || speaks(&command.words[0], found));
        if is_interpreter || is_program_option(&command, found) {
            command.program().to_owned()
        } else {
            command.label()
        }
    };
    command.map_or_else(|| call.tool.clone(), program_at_fault)
}

/// Returns whether an unknown option precedes the subcommand, and so belongs to the program with any subcommand: `git
/// -C x status`, `git -C x add`.
fn is_program_option(command: &shell::ShellCommand, found: &family::FamilyMatch<'_>) -> bool {
    let option = found.subject.unwrap_or_default();
    let verbs = command.subcommand_indexes();
    let first = verbs.first().copied().unwrap_or_default();
    let bare = |text: &str| text.trim_start_matches('-').to_owned();
    let is_it = |text: &str| text.starts_with('-') && bare(text) == bare(option);
    let mut before = command.words.iter().take(first).skip(1);
    found.family == FailureFamily::OptionUnknown
        && found.subject.is_some()
        && before.any(|word| is_it(&word.text))
}

/// Returns the command that reported an error: the inner one in `rtk cat -A` and `ssh box make`, unless the wrapper
/// reports on itself, or on what it was to run. Known runners (`uv run pytest`) are kept in its name.
fn find_speaking_command<'c>(
    command: &'c shell::ShellCommand,
    found: &family::FamilyMatch<'_>,
) -> Cow<'c, shell::ShellCommand> {
    let at_end = || {
        let mut early = command.words.iter().skip(1).take(2);
        let at = early.position(|word| speaks(word, found))? + 1;
        Some(command.words[at..].to_vec())
    };
    let is_runner = shell::has_subcommands(command.program());
    const ELSEWHERE: &str = "docker podman kubectl docker-compose nix";
    let is_elsewhere = shell::is_listed(ELSEWHERE, command.program());
    let is_about_it = |inner: &shell::ShellCommand| {
        speaks(&command.words[0], found) || found.subject == Some(inner.program())
    };
    let inner_command = || {
        let inner = command.surely_wrapped_command();
        let inner = inner.filter(|_| !is_runner || is_elsewhere)?;
        (!is_about_it(&inner)).then_some(inner.words)
    };
    let words = if is_runner {
        inner_command()
    } else {
        at_end().or_else(inner_command)
    };
    match words {
        Some(words) => Cow::Owned(shell::ShellCommand {
            words,
            ..command.clone()
        }),
        None => Cow::Borrowed(command),
    }
}

/// Returns whether an error begins with the name of a program.
fn speaks(word: &shell::ShellWord, found: &family::FamilyMatch<'_>) -> bool {
    let rest = strip_error_prefix(found.line).strip_prefix(shell::base_name(&word.text));
    rest.is_some_and(|rest| rest.starts_with(": "))
}

/// Returns which command of a line failed: the one that the error names, or the only one.
fn find_culprit(
    line: &shell::ShellLine,
    found: &family::FamilyMatch<'_>,
    error: &str,
) -> Option<usize> {
    let by_name = |program: &str| {
        let is_it = |command: &shell::ShellCommand| command.program() == shell::base_name(program);
        line.commands.iter().rposition(is_it)
    };
    if let (FailureFamily::CommandMissing, Some(program)) = (found.family, found.subject) {
        let under_sudo = || line.commands.iter().position(|command| command.sudo);
        // The first line of a script asks for it.
        let by_script = || find_only_acting(line).filter(|_| found.line.contains("env: "));
        let by_sudo = || under_sudo().filter(|_| program == "sudo");
        return by_name(program).or_else(by_sudo).or_else(by_script);
    }
    let speaker = |text: &str| by_name(text.trim().split_once(':')?.0);
    speaker(strip_error_prefix(found.line))
        .or_else(|| speaker(error.lines().next()?))
        .or_else(|| find_only_acting(line))
}

/// Returns the index of the command that does the work, if a single one does.
fn find_only_acting(line: &shell::ShellLine) -> Option<usize> {
    let mut acting = line.acting_commands();
    match (acting.next(), acting.next()) {
        (Some((only, _)), None) => Some(only),
        _ => None,
    }
}

/// Removes what shells and tools put before every message.
pub(crate) fn strip_error_prefix(line: &str) -> &str {
    const PREFIXES: [&str; 12] = [
        "npm ERR! ",
        "npm error ",
        "Error executing query: ",
        "error: ",
        "Error: ",
        "ERROR: ",
        "ERROR ",
        "fatal: ",
        "E   ",
        "Fatal: ",
        "zsh: ",
        "(eval): ",
    ];
    let mut rest = line.trim().trim_start_matches(['-', '•', '*', '>', ' ']);
    loop {
        let before = rest.len();
        for prefix in PREFIXES {
            rest = rest.strip_prefix(prefix).unwrap_or(rest).trim_start();
        }
        for shell in ["/bin/bash", "/bin/sh", "bash", "sh", "/usr/bin/bash"] {
            let after = rest.strip_prefix(shell);
            let after = after.and_then(|rest| rest.strip_prefix(": "));
            rest = after.map_or(rest, skip_line_number);
        }
        if rest.len() == before {
            return rest;
        }
    }
}

fn skip_line_number(rest: &str) -> &str {
    let rest = rest.strip_prefix("-c: ").unwrap_or(rest);
    let Some((number, after)) = rest.split_once(": ") else {
        return rest;
    };
    let digits = number.strip_prefix("line ").unwrap_or(number);
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if is_number { after } else { rest }
}

/// Returns whether a line begins with the word for an error, so that it is one whatever it says.
fn says_error(line: &str) -> bool {
    let start = line.trim_start_matches(|c: char| !c.is_alphanumeric());
    start
        .get(..5)
        .is_some_and(|word| word.eq_ignore_ascii_case("error"))
        && start[5..].starts_with([':', ' ', ']'])
}

/// Returns whether a line of an unknown family is at least an error, and not other output.
fn reads_as_error(label: &str, line: &str) -> bool {
    const WORDS: &str = "error errors err fail fails failed failure failing cannot can't cant couldn't could unable invalid denied \
        not no never missing unknown refused rejected reject must already unexpected expected illegal bad wrong abort aborted \
        fatal unsupported unresolved conflict conflicts incompatible inconsistent mismatch exceeded lacks lack incorrect without \
        crashed doesn't don't isn't aren't won't";
    let program = program_of(label);
    let program = program.split_once('.').map_or(program, |(stem, _)| stem);
    let rest = line.strip_prefix(program);
    let speaks = rest.is_some_and(|rest| rest.starts_with(':'));
    let is_capital = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    let is_code = |word: &str| word.len() >= 5 && word.chars().all(is_capital);
    let is_type = |word: &str| word.ends_with("Error") || word.ends_with("Exception");
    let is_telling = |word: &str| {
        is_type(word) || is_code(word) || shell::is_listed(WORDS, &word.to_lowercase())
    };
    let mut words = line.split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '_');
    speaks || words.any(is_telling)
}

/// Returns whether an error says that what it names is not there or did not succeed, or says nothing else of it.
fn tells_absence(message: &str) -> bool {
    const WORDS: &str = "no cannot can't couldn't unable failed missing unresolved undefined undeclared unknown required find \
        found exist exists defined installed";
    let lower = message.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric() && c != '\'');
    let is_only_name = || {
        let (kind, name) = message.split_once(": ").unwrap_or_default();
        let is_name = |only: &&str| only.len() + 2 == name.len();
        !kind.contains(' ')
            && (normalize::quoted_names(&normalize::split_pieces(name)).iter()).any(is_name)
    };
    words.any(|word| shell::is_listed(WORDS, word)) || is_only_name()
}

/// Returns whether text quoted in an error may be shown. It may be anybody's data, so it must be the name of a
/// command, an option, an argument or a usual project file, or the thing that the failure is about.
fn is_safe_to_quote(content: &str, call: &ParsedCall, label: &str, subject: Option<&str>) -> bool {
    const PROJECT_FILES: &str = "Cargo.toml package.json pyproject.toml go.mod Makefile Gemfile docker-compose.yml \
        docker-compose.yaml compose.yaml requirements.txt setup.py manage.py Dockerfile tsconfig.json justfile";
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | ':');
    let is_identifier = content.chars().all(is_part);
    let is_subject = subject == Some(content) && (is_identifier || call.mentions_name(content));
    let is_option = content.starts_with('-') && call.mentions_name(content);
    let is_key = matches!(&call.args, call::CallArgs::Named(named) if named.contains_key(content));
    let is_name = is_subject || is_option || is_key || label.split(' ').any(|word| word == content);
    is_short_name(content) && (is_name || shell::is_listed(PROJECT_FILES, content))
}

/// Returns whether a text is short and name-like, so that it reveals nothing about a person.
pub(crate) fn is_short_name(text: &str) -> bool {
    (1..=60).contains(&text.chars().count())
        && !text.contains(char::is_whitespace)
        && !text.starts_with(['/', '~'])
        && !text.contains('@')
}

/// Cuts a message to its limit, at the end of a clause if there is one, else of a word.
fn truncate_gist(head: &str) -> String {
    let head = head.trim_end_matches(['.', ':', ' ', ',', ';']);
    if head.chars().count() <= limits::GIST_CHARS {
        return head.to_owned();
    }
    let end = head
        .char_indices()
        .nth(limits::GIST_CHARS - 1)
        .map_or(head.len(), |(at, _)| at);
    let part = &head[..end];
    let marks = [". ", "; ", ": ", " (", ", "];
    let ends = marks.iter().filter_map(|mark| part.rfind(mark));
    match ends.filter(|at| *at >= 24).max() {
        Some(at) => part[..at].to_owned(),
        None => format!("{}…", &part[..part.rfind(' ').unwrap_or(end)]),
    }
}
