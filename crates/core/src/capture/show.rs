//! Renders a command for the reader of a lesson, without data of the task or the machine.
//!
//! Programs, subcommands and options stay. Operands become `…`, except those that the caller needs; machine-specific
//! paths are always replaced.

use crate::{ShellCommand, ShellWord, safety, shell, trace::normalize};

/// Longest command that a lesson shows, in characters.
const SHOWN_CHARS: usize = 110;
/// Longest single word that is shown, in characters.
const WORD_CHARS: usize = 60;
/// The longest path outside the project that is shown, in bytes.
const PLACE_BYTES: usize = 80;

/// Renders a command with those of its operands that `keep` selects.
pub(crate) fn render_command(command: &ShellCommand, keep: impl Fn(&ShellWord) -> bool) -> String {
    let label = command.subcommand_indexes();
    let sudo = if command.sudo { "sudo " } else { "" };
    let mut out = format!("{sudo}{}", render_program(command));
    let mut is_elided = false;
    let script = find_script_index(command);
    for (index, word) in command.words.iter().enumerate().skip(1) {
        let is_flag = word.text.starts_with('-') && word.text.len() > 1;
        let is_name = label.contains(&index) || script == Some(index);
        let word_text = if is_name || (keep(word) && is_plain_word(word)) {
            Some(word.raw.clone())
        } else {
            is_flag.then(|| render_flag(&word.text))
        };
        match word_text {
            Some(text) if out.chars().count() + text.chars().count() < SHOWN_CHARS => {
                out.push(' ');
                out.push_str(&text);
                is_elided = false;
            }
            _ if !is_elided => {
                out.push_str(" …");
                is_elided = true;
            }
            _ => {}
        }
    }
    out
}

/// Renders a command without its operands.
pub(crate) fn render_bare(of: &ShellCommand) -> String {
    render_command(of, |_| false)
}

/// Renders a command with the operands that are names of packages, scripts, services and the like.
pub(crate) fn render_whole(of: &ShellCommand) -> String {
    render_command(of, |_| true)
}

/// Returns the index of the script that an interpreter runs, if there is one: it names the call.
fn find_script_index(command: &ShellCommand) -> Option<usize> {
    let runs = shell::is_python(command.program())
        || shell::is_listed("node ruby perl php deno bun", command.program());
    let first = command.words.get(1).filter(|_| runs)?;
    (shell::is_script(&first.text) && first.text.contains('.')).then_some(1)
}

fn render_program(command: &ShellCommand) -> String {
    let program = command.words.first().map_or("", |word| word.text.as_str());
    let is_relative =
        !program.starts_with(['/', '~']) && !program.contains(':') && program.len() <= WORD_CHARS;
    if is_relative {
        program.to_owned()
    } else {
        command.program().to_owned()
    }
}

/// Renders an option; its value is shown when it is short and reveals nothing about the machine.
fn render_flag(text: &str) -> String {
    match text.split_once('=') {
        Some((name, value)) if !is_harmless(value) => format!("{name}=…"),
        _ if text.chars().count() > WORD_CHARS => "…".to_owned(),
        _ => text.to_owned(),
    }
}

/// Returns a word as a lesson may show it: as it is, or a place outside the project that is the same for everybody.
pub(super) fn render_word(word: &ShellWord) -> Option<String> {
    let plain = is_plain_word(word).then(|| word.raw.clone());
    let begin = word.text.find('=').map_or(0, |at| at + 1);
    let (name, value) = word.text.split_at(begin);
    plain.or_else(|| Some(format!("{name}{}", render_place(value)?)))
}

/// Returns whether a word can be shown: short, on one line, and no place on this machine.
pub(crate) fn is_plain_word(word: &ShellWord) -> bool {
    word.raw.chars().count() <= WORD_CHARS
        && !word.raw.contains(['\n', '`'])
        && !word.raw.contains("[REDACTED")
        && !is_machine_path(&word.text)
        && !safety::names_remote_address(&word.text)
        && !names_account(&word.text)
}

/// Returns whether a word is a person or an account at a place; a scope of packages is none (`@shop/web`).
fn names_account(text: &str) -> bool {
    let mut marks = text.match_indices('@');
    let is_scope = |at: usize| (at == 0 || text[..at].ends_with('=')) && text.contains('/');
    marks.any(|(at, _)| !is_scope(at))
}

fn is_machine_path(text: &str) -> bool {
    let rest = text.split_once('=').map_or(text, |(_, value)| value);
    // `//app:test` is a target of Bazel.
    let is_target = rest.starts_with("//") && rest.contains(':');
    rest.starts_with(['/', '~', '$']) && !is_target
        || rest.get(1..3) == Some(":\\")
        || rest.contains("/home/")
        || rest.contains("/Users/")
}

/// Returns a variable as it is set; with `…` for a value of this machine or of one task, or that leads elsewhere.
pub(crate) fn render_variable(name: &str, value: &str) -> String {
    let leads = value.contains("://") && safety::leads_elsewhere(name);
    let value = if leads { "…" } else { &render_value(value) };
    format!("{name}={value}")
}

/// Returns variables as they stand before a command, each with a blank behind it.
pub(crate) fn render_variables(variables: &[(String, String)]) -> String {
    let each = variables.iter();
    each.map(|(name, value)| render_variable(name, value) + " ")
        .collect()
}

fn render_value(value: &str) -> String {
    if is_asked_for(value) {
        return value.to_owned();
    }
    if shell::is_listed("$PWD ${PWD} $(pwd)", value) {
        return ".".to_owned();
    }
    let place = render_place(value);
    let value = place.as_deref().unwrap_or(value);
    let word = ShellWord {
        raw: value.to_owned(),
        text: value.trim_start_matches('~').to_owned(),
    };
    let needs_quotes = |c: char| c.is_whitespace() || "*?[]{}$&|;<>()!#\"".contains(c);
    let is_shown = is_plain_word(&word) || place.is_some();
    if !is_shown || normalize::is_identifier(value) {
        "…".to_owned()
    } else if value.contains(needs_quotes) && !value.contains('\'') {
        format!("'{value}'")
    } else {
        value.to_owned()
    }
}

/// Returns whether a value is what a program prints that only tells where something is installed, asked as anybody would ask:
/// `$(/usr/libexec/java_home -v 17)`.
fn is_asked_for(value: &str) -> bool {
    const TELLING: &str = "java_home brew go xcrun pg_config llvm-config nproc";
    let asked = value
        .strip_prefix("$(")
        .and_then(|rest| rest.strip_suffix(')'));
    let Some(asked) = asked.filter(|_| value.chars().count() <= WORD_CHARS) else {
        return false;
    };
    let line = shell::parse_line(asked);
    let [command] = line.commands.as_slice() else {
        return false;
    };
    let is_shown = |word: &ShellWord| {
        is_plain_word(word) || render_place(&word.text).is_some_and(|place| place == word.text)
    };
    shell::is_listed(TELLING, command.program())
        && !asked.contains(['$', '`', '<', '>'])
        && command.env.is_empty()
        && command.words.iter().all(is_shown)
}

/// Returns whether the value of a name is a number, perhaps with a unit: `5m`, `-1`, `2048`. A port is a place.
pub(crate) fn is_amount(name: &str, value: &str) -> bool {
    const UNIT_BYTES: usize = 2;
    let amount = value.trim_start_matches('-');
    let unit = amount.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let is_unit = unit.len() <= UNIT_BYTES && unit.bytes().all(|byte| byte.is_ascii_alphabetic());
    unit.len() < amount.len() && is_unit && !name.to_lowercase().contains("port")
}

/// Returns whether a value is short and name-like.
pub(crate) fn is_harmless(value: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || ".-_,/".contains(c);
    (1..=24).contains(&value.chars().count())
        && !normalize::is_identifier(value)
        && value.chars().all(is_plain)
        && !value.starts_with('/')
}

/// Returns a path outside the project as a lesson may name it: of a system-wide installation as it is, of one in a home
/// folder from `~` on; `None` for any other place of this machine.
pub(crate) fn render_place(path: &str) -> Option<String> {
    const HOMES: &str = "/home/ /Users/ C:/Users/";
    const OWN: &str = "$HOME/ ${HOME}/ /root/";
    const HERE: &str = "$PWD/ ${PWD}/ $(pwd)/";
    const SHARED: &str =
        "~/ /bin/ /dev/tty /etc/ /usr/ /opt/ /snap/ /home/linuxbrew/ /Applications/ /Library/";
    let below = |roots: &'static str| roots.split(' ').find_map(|root| path.strip_prefix(root));
    let in_home = below(HOMES).and_then(|rest| Some(rest.split_once('/')?.1));
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+~".contains(c);
    let place = match (below(SHARED), below(HERE)) {
        (Some(_), _) => path.to_owned(),
        (None, Some(own)) => own.to_owned(),
        (None, None) => format!("~/{}", in_home.or_else(|| below(OWN))?),
    };
    (place.len() <= PLACE_BYTES && place.chars().all(is_plain)).then_some(place)
}

/// Returns a folder as a lesson may name it: a relative one as it is, an absolute one by its last part.
pub(crate) fn render_folder(path: &str) -> Option<String> {
    let is_named =
        |name: &str| !matches!(name, "" | "." | "..") && !name.contains(['$', '`', '\n', ' ', '*']);
    if path.starts_with(['/', '~']) || path.contains(":\\") || path.starts_with("..") {
        let last = shell::base_name(path);
        return is_named(last).then(|| last.to_owned());
    }
    let path = path.strip_prefix("./").unwrap_or(path);
    let path = path.trim_end_matches('/');
    (is_named(path) && path.len() <= WORD_CHARS).then(|| path.to_owned())
}
