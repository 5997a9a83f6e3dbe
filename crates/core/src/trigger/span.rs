//! Tells what a name in a rule is of: a command, an option, a file, a tool, an identifier, or an act such as a commit.
//!
//! Code spans are read as they are; of plain prose only what can hardly be anything else. A name that no call ever has
//! does no harm: nothing matches it.

use super::{
    command::CommandForm,
    common_act::{Act, find_act},
    cue::{find_cues, is_unspaced},
};
use crate::{
    shell::{self, ShellCommand, ShellWord, is_listed},
    text::word_table::WordList,
    trace::client_refusal::is_client_tool,
};

/// Something that a rule names.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Named {
    /// A command; whether it was marked as code.
    Command(CommandForm),
    /// A program that is named alone in plain prose.
    Program(String),
    /// A word of prose that may be the name of a program.
    Word(String),
    /// An option of any program.
    Option(String),
    /// A file, a folder or a pattern.
    Path(String),
    /// A tool of a client or a server.
    Tool(String),
    /// An identifier, or a piece of what is written.
    Text(String),
    /// Something that one does in every project, by its usual name.
    Act(Act),
}

/// Endings of files whose names are written without a folder.
const EXTENSIONS: &str = "toml json jsonc json5 yaml yml md mdx rst rs py pyi ts tsx mts cts js jsx mjs cjs go java kt kts rb erb php c h \
    cc cpp hpp cs fs vb swift m mm sql sh bash zsh fish ps1 cmd bat xml html htm css scss sass less txt cfg ini conf env proto graphql \
    gql prisma tf tfvars resx csproj fsproj sln slnx props targets gradle ipynb lua dart vue svelte astro hcl nix tex csv tsv parquet \
    png jpg svg snap map mod sum patch diff lock plist xcconfig pbxproj xcodeproj entitlements arb po pot feature hbs ejs pug j2 jinja \
    tmpl tpl pem crt key bzl bazel cmake mk ex exs erl hs elm clj cljs scala sbt zig r rmd jl pl pm thrift avsc wasm dbml";
/// Files that are named without an ending.
const BARE_FILES: &str = "dockerfile makefile gnumakefile justfile gemfile rakefile procfile jenkinsfile vagrantfile brewfile codeowners \
    podfile fastfile caddyfile tiltfile earthfile containerfile cmakelists.txt";
/// Words at which a command in plain prose ends.
const PROSE_WORDS: &str = "is are was were be been being has have had do does did a an the this that these those it its he she we you they \
    i and or but nor so then than as at by for from in into of off on onto out over to up via with within without not no never always \
    only also just when while if unless until after before because since instead rather first here there directly yourself again \
    ever either neither too anymore cli must should can cannot may might will would needs need uses use run runs command commands itself alone anywhere everywhere \
    der die das den dem ein eine einen und oder nicht nie immer nur für mit von zu auf im am vor nach ist sind wird \
    le la les un une des et ou ne pas de du en sur pour avec sans est el los las una y o no en por con sin es um uma os e ou não em \
    и или не в на с без для по это";

pub(super) fn is_prose_word(word: &str) -> bool {
    static WORDS: WordList<256> = WordList::new(&[((), PROSE_WORDS)]);
    WORDS.contains(word)
}

/// Reads a code span.
pub(super) fn read_code(code: &str) -> Option<Named> {
    let code = code.trim().trim_start_matches("$ ");
    let code = code.trim_start_matches("-- ");
    let words: Vec<&str> = code.split_whitespace().collect();
    match words.as_slice() {
        [] => None,
        [word] => read_code_word(word),
        [first, value] if first.starts_with("--") && !value.starts_with('-') => {
            Some(Named::Option(read_option(&format!("{first}={value}"))))
        }
        [first, ..] if first.starts_with('-') && first.len() > 2 => {
            Some(Named::Option(read_option(first)))
        }
        [first, ..] if is_program_like(first) => read_command(code)
            .map(Named::Command)
            .or_else(|| Some(Named::Text(code.to_owned()))),
        _ => Some(Named::Text(code.to_owned())),
    }
}

/// Reads a code span of one word.
fn read_code_word(word: &str) -> Option<Named> {
    let lower = word.to_lowercase();
    if word.len() > 1 && word.starts_with('-') {
        return Some(Named::Option(read_option(word)));
    }
    if let Some(named) = read_word(word) {
        return Some(named);
    }
    let is_plain = word.len() > 1
        && word.len() <= 30
        && (word.chars())
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '.' | '+'));
    if shell::is_known_program(&lower) || shell::has_subcommands(&lower) || is_plain {
        return Some(Named::Command(CommandForm::from_words(&[plain_word(word)])));
    }
    (word.len() > 2).then(|| Named::Text(word.to_owned()))
}

/// Reads a word of prose, or of code, that can be nothing but a name.
pub(super) fn read_word(word: &str) -> Option<Named> {
    if let Some(act) = find_act(word) {
        return Some(Named::Act(act));
    }
    let variable = shell::parse_assignment(word).map_or("", |(name, _)| name);
    let is_variable = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    let of_shell = word.strip_prefix('$').unwrap_or_default();
    let is_name = |name: &&str| {
        name.len() > 1
            && !name.starts_with(|c: char| c.is_ascii_digit())
            && name.chars().all(is_variable)
    };
    if [variable, of_shell].iter().any(is_name) {
        return Some(Named::Text(word.to_owned()));
    }
    let has_hump = (word.chars().skip(1)).any(|c| c.is_ascii_uppercase());
    if has_hump && is_client_tool(&word.to_lowercase()) {
        return Some(Named::Tool(word.to_owned()));
    }
    if word.starts_with("mcp_") {
        return Some(Named::Tool(word.trim_end_matches(['*', '_']).to_owned()));
    }
    if is_option(word) {
        return Some(Named::Option(read_option(word)));
    }
    if is_path(word) {
        return Some(if is_script_path(word) {
            Named::Command(CommandForm::from_words(&[plain_word(word)]))
        } else {
            Named::Path(word.trim_start_matches("./").to_owned())
        });
    }
    (is_identifier(word) || is_code_of_error(word) || is_port(word))
        .then(|| Named::Text(word.to_owned()))
}

/// Returns whether a word is a number that names something: a port.
fn is_port(word: &str) -> bool {
    word.len() == 4
        && word.bytes().all(|byte| byte.is_ascii_digit())
        && !word.starts_with("19")
        && !word.starts_with("20")
}

/// Returns whether a word is a code by which an error is known: `TS2304`, `ENOSPC`.
pub(super) fn is_code_of_error(word: &str) -> bool {
    const ERRNO: &str = "ENOSPC ECONNREFUSED ECONNRESET EACCES EADDRINUSE EADDRNOTAVAIL EEXIST EPERM EPIPE ENOENT ENOTDIR EISDIR EMFILE         ENOMEM ETIMEDOUT ENOTFOUND EAI_AGAIN EBUSY EINVAL ELOOP EXDEV ENOTEMPTY EHOSTUNREACH ERESOLVE EINTEGRITY EBADENGINE SIGKILL         SIGSEGV OOMKilled";
    let digits = word.trim_start_matches(|c: char| c.is_ascii_uppercase());
    let letters = word.len() - digits.len();
    let is_numbered = (1..=5).contains(&letters)
        && (3..=5).contains(&digits.len())
        && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_numbered || is_listed(ERRNO, word)
}

/// Programs that are run so often, or whose names are words, that a mention of one says little.
const EVERYDAY: &str = "git docker npm yarn pnpm bun python python3 node make go cargo pip pip3 bash sh zsh cat ls grep find sed awk curl wget \
    gh kubectl cd echo test time env sudo ssh cp mv rm mkdir touch head tail sort cut tree watch file host date top last who id man info \
    convert import compare script screen install patch link paste fold nice wait kill open start stat join split look more less code \
    just task fly service snap flask mix nix pod swift black jest mocha java ruby php perl docker-compose rails rake gem";

/// Returns whether a mention of a program says little.
pub(super) fn is_everyday(program: &str) -> bool {
    static NAMES: WordList<256> = WordList::new(&[((), EVERYDAY)]);
    NAMES.contains(program)
}

/// Returns whether a word of prose may be the name of a program, a server or the like: it is no word of every text.
pub(super) fn may_be_program(word: &str) -> bool {
    (3..=20).contains(&word.len())
        && word
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
        && !is_prose_word(word)
        && !is_everyday(word)
        && find_cues(word, "").is_empty()
        && !crate::tokens::is_common_word(word)
}

/// Returns whether a word is none of those that hold a sentence together.
pub(super) fn is_content(word: &str) -> bool {
    !is_prose_word(word) && find_cues(word, "").is_empty()
}

/// Returns whether a word of prose has a meaning of its own.
pub(super) fn is_content_word(word: &str) -> bool {
    word.chars().all(char::is_alphabetic) && is_content(word) && !word.chars().any(is_unspaced)
}

pub(super) fn plain_word(word: &str) -> ShellWord {
    ShellWord {
        raw: word.to_owned(),
        text: word.to_owned(),
    }
}

/// Reads a command as a pattern: what stands for something else in it is left out.
pub(super) fn read_command(code: &str) -> Option<CommandForm> {
    let (code, has_gap) = mask_placeholders(code);
    let line = shell::parse_line(&code);
    let (_, command) = line.acting_commands().next_back().or_else(|| {
        let only = line.commands.first()?;
        Some((0, only))
    })?;
    let words: Vec<ShellWord> = (command.words.iter().enumerate())
        .filter(|(at, word)| *at == 0 || !is_placeholder(word))
        .map(|(_, word)| word.clone())
        .collect();
    let form = CommandForm::with_inner(&ShellCommand {
        words,
        ..command.clone()
    })?;
    Some(CommandForm { has_gap, ..form })
}

/// The word that takes the place of what a reader fills in.
const PLACEHOLDER: &str = "…";

/// Puts one word in the place of `<file>`, `[options]` and the like; returns whether there was any.
fn mask_placeholders(code: &str) -> (String, bool) {
    let mut plain = String::new();
    let mut rest = code;
    let mut has_any = false;
    while let Some(at) = rest.find('<') {
        let inside = &rest[at + 1..];
        let end = inside
            .find('>')
            .filter(|end| *end > 0 && !inside[..*end].contains(['<', '\n', '&']));
        plain.push_str(&rest[..at]);
        match end {
            Some(end) => {
                plain.push_str(PLACEHOLDER);
                rest = &inside[end + 1..];
                has_any = true;
            }
            None => {
                plain.push('<');
                rest = inside;
            }
        }
    }
    plain.push_str(rest);
    (plain, has_any)
}

/// Returns whether a word of a command stands for whatever the reader puts there.
fn is_placeholder(word: &ShellWord) -> bool {
    let text = word.text.as_str();
    let is_quoted = word.raw.starts_with(['"', '\'']);
    let is_capital = !text.is_empty() && text.chars().all(|c| c.is_ascii_uppercase() || c == '_');
    is_quoted
        || is_capital
        || text.contains(PLACEHOLDER)
        || text.starts_with(['[', '{', '$'])
        || text == "..."
        || text.ends_with("=…")
        || text.ends_with("=...")
}

/// Returns whether a word may be the program of a command.
fn is_program_like(word: &str) -> bool {
    const KEYWORDS: &str = "import from const let var async await def class fn pub use return export select insert update alter drop \
        create static public private type struct enum func package";
    let can_be = word
        .starts_with(|c: char| c.is_ascii_lowercase() || matches!(c, '.' | '/' | '~' | '$'))
        && !word.contains(['(', '{', '"', '\'', ';', '<', ','])
        && !word.ends_with(':');
    can_be && (!is_listed(KEYWORDS, word) || shell::is_known_program(word))
}

pub(super) fn is_option(word: &str) -> bool {
    let Some(rest) = word.strip_prefix("--") else {
        let short = word.strip_prefix('-').unwrap_or_default();
        return short.starts_with(|c: char| c.is_ascii_alphabetic()) && !short.contains('/');
    };
    rest.len() >= 2 && rest.starts_with(|c: char| c.is_ascii_alphabetic())
}

/// Returns an option with its value, unless that is the reader's to choose: `--filter=…`.
fn read_option(word: &str) -> String {
    let word = word.split(' ').next().unwrap_or(word);
    let (name, value) = word.split_once('=').unwrap_or((word, ""));
    let is_value = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | ':' | ',');
    let is_chosen = value.is_empty()
        || !value.chars().all(is_value)
        || !value.contains(|c: char| c.is_lowercase() || c.is_ascii_digit());
    if is_chosen { name } else { word }.to_owned()
}

/// Returns whether a word is a path: it has folders, or the ending or name of a file.
pub(super) fn is_path(word: &str) -> bool {
    let is_plain = |c: char| {
        c.is_alphanumeric()
            || matches!(
                c,
                '/' | '.' | '_' | '-' | '*' | '@' | '~' | '{' | '}' | ',' | '[' | ']' | '+'
            )
    };
    if word.contains("://")
        || is_listed("process.env import.meta.env", word)
        || !word.chars().all(is_plain)
        || word.len() > 120
    {
        return false;
    }
    has_file_name(word) || has_folders(word)
}

fn has_file_name(word: &str) -> bool {
    let name = shell::base_name(word);
    if is_listed(BARE_FILES, &name.to_lowercase()) {
        return true;
    }
    let is_dotfile = name
        .strip_prefix('.')
        .is_some_and(|rest| rest.len() >= 2 && rest.starts_with(|c: char| c.is_ascii_lowercase()))
        && (word.starts_with('.') || word.contains('/'));
    let extension = name.rsplit_once('.').map_or("", |parts| parts.1);
    let stem = name.rsplit_once('.').map_or("", |parts| parts.0);
    let is_file = !stem.is_empty() && is_listed(EXTENSIONS, &extension.to_lowercase());
    is_dotfile || is_file
}

fn has_folders(word: &str) -> bool {
    if let Some(rest) = word.strip_prefix("./") {
        return !rest.is_empty();
    }
    if !word.contains('/') {
        return false;
    }
    let segments = || word.split('/').filter(|part| !part.is_empty());
    let can_be = |it: &str| !it.is_empty() && it.chars().any(|c| c.is_alphanumeric() || c == '*');
    segments().count() > 0 && segments().all(can_be)
}

/// Returns whether a word says where something is.
pub(super) fn is_place_word(word: &str) -> bool {
    is_listed(
        "in inside into within on under below im dans sous en no na",
        word,
    )
}

/// Returns whether a path is that of a program in the project.
fn is_script_path(word: &str) -> bool {
    let name = shell::base_name(word);
    let is_data = name.contains('.')
        && !is_listed(
            "sh cmd bat ps1 bash py rb js mjs ts pl",
            name.rsplit('.').next().unwrap_or_default(),
        );
    let stands_in = word.split('/').rev().nth(1).unwrap_or_default();
    let is_program_folder = is_listed("bin script scripts tools . hack ci .venv/bin", stands_in);
    !word.ends_with('/')
        && !word.contains('*')
        && !is_data
        && (word.starts_with("./") || is_program_folder || name.ends_with(".sh"))
}

/// Returns whether a word is an identifier: it has a mark that words of prose have not.
pub(super) fn is_identifier(word: &str) -> bool {
    let body = word.trim_end_matches("()").trim_start_matches('@');
    let is_target = body.split_once(':').is_some_and(|(a, b)| {
        a.len() >= 2
            && b.len() >= 2
            && word
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || matches!(byte, b':' | b'-'))
    });
    let has_mark = is_target
        || body.starts_with('#')
        || body.contains('_')
        || body.contains("::")
        || body.len() < word.len() && word.len() > 3
        || has_inner_dot(body);
    let is_name = body.len() >= 4
        && body.chars().any(char::is_alphabetic)
        && body
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '_' | ':' | '.' | '#' | '!' | '-'));
    let has_hump = body
        .chars()
        .zip(body.chars().skip(1))
        .any(|(a, b)| a.is_lowercase() && b.is_uppercase());
    is_name && body.is_ascii() && (has_mark || has_hump && body.len() >= 6)
}

fn has_inner_dot(word: &str) -> bool {
    let dots = word.match_indices('.').filter(|(at, _)| {
        let before = word[..*at].chars().next_back();
        let after = word[at + 1..].chars().next();
        before.is_some_and(|c| c.is_ascii_alphabetic())
            && after.is_some_and(|c| c.is_ascii_alphabetic())
    });
    dots.count() > 0
}
