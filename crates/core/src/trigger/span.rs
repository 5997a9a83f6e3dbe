//! Tells what a name in a rule is of: a command, an option, a file, a tool, an identifier, or an act such as a commit.
//!
//! Code spans are read as they are; of plain prose only what can hardly be anything else. A name that no call ever has
//! does no harm: nothing matches it.

use super::{
    command::{CommandForm, is_run_verb},
    common_act::{Act, find_act},
    cue::{Cue, find_cues, is_unspaced, strip_marks},
};
use crate::{
    shell::{self, ShellCommand, ShellWord, is_group, is_listed, takes_value},
    text::word_table::WordList,
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
    ever must should can cannot may might will would needs need uses use run runs command commands itself alone anywhere everywhere \
    der die das den dem ein eine einen und oder nicht nie immer nur für mit von zu auf im am vor nach ist sind wird \
    le la les un une des et ou ne pas de du en sur pour avec sans est el los las una y o no en por con sin es um uma os e ou não em \
    и или не в на с без для по это";

fn is_prose_word(word: &str) -> bool {
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
        [first, ..] if first.starts_with('-') && first.len() > 2 => {
            Some(Named::Option(first_option(first)))
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
        return Some(Named::Option(first_option(word)));
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
    if word.starts_with("mcp__") || word.starts_with("mcp_") {
        return Some(Named::Tool(word.trim_end_matches(['*', '_']).to_owned()));
    }
    if is_option(word) {
        return Some(Named::Option(first_option(word)));
    }
    if is_path(word) {
        return Some(if is_script_path(word) {
            Named::Command(CommandForm::from_words(&[plain_word(word)]))
        } else {
            Named::Path(word.trim_start_matches("./").to_owned())
        });
    }
    (is_identifier(word) || is_capitals(word) || is_code_of_error(word) || is_port(word))
        .then(|| Named::Text(word.to_owned()))
}

/// Returns whether a word is a keyword in capitals, and no ordinary word that is said with stress.
fn is_capitals(word: &str) -> bool {
    let lower = word.to_lowercase();
    word.len() >= 5
        && word.bytes().all(|byte| byte.is_ascii_uppercase())
        && find_cues(&lower, "").is_empty()
        && !is_prose_word(&lower)
        && !crate::tokens::is_common_word(&lower)
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

/// Reads a word of prose as the program whose option the rule names, unless it is a word of every text: `jest needs -i`.
pub(super) fn read_program_in_prose(word: &str) -> Option<Named> {
    let lower = word.to_lowercase();
    let is_program = shell::is_known_program(&lower) || shell::has_subcommands(&lower);
    let is_name = is_program && (word.len() > 2 || word != lower) && !is_listed(WORDS, &lower);
    is_name.then(|| Named::Command(CommandForm::from_words(&[plain_word(&lower)])))
}

/// Reads the words before a colon, in a rule that names an option, as the command that it is one of: `bq query`, `idf.py`.
pub(super) fn read_topic(words: &[&str]) -> Option<Named> {
    let is_name = |word: &&str| {
        word.bytes().all(|byte| {
            byte.is_ascii_lowercase() || matches!(byte, b'-' | b'_' | b'.' | b'0'..=b'9')
        })
    };
    let program = words.first()?;
    let is_program = program.ends_with(".py") || may_be_program(&format!("{program:-<3}"));
    (is_program && words.iter().all(is_name)).then(|| {
        let words: Vec<ShellWord> = words.iter().map(|word| plain_word(word)).collect();
        Named::Command(CommandForm::from_words(&words))
    })
}

/// Programs whose names are words.
const WORDS: &str = "find cat head tail script stack test node zig make go just task service fly mix nix pod bundle rake snap flask swift rails composer brew expo tox hatch";

/// Reads a command that stands in prose without any marks, and returns how many words it has.
pub(super) fn read_command_in_prose(previous: &str, words: &[&str]) -> Option<(Named, usize)> {
    let (_, first, after) = strip_marks(words[0]);
    let first = first.trim_end_matches("'s").trim_end_matches("’s");
    let lower = first.to_lowercase();
    let next = words
        .get(1)
        .map_or(String::new(), |word| strip_marks(word).1.to_lowercase());
    if is_listed("pull merge", &lower) && next.starts_with("request") && after.is_empty() {
        return Some((Named::Act(Act::PullRequest), 2));
    }
    let takes_verb = shell::has_subcommands(&lower);
    // The name of a program that is a word too, right after a word of what to do or not to do.
    let is_pointed_at = || {
        let previous = strip_marks(previous).1.to_lowercase();
        let is_cued = find_cues(&previous, "")
            .iter()
            .any(|cue| matches!(cue, Cue::Do | Cue::Not | Cue::InPlaceOf));
        is_cued && !is_listed("make go just find open kill sort cut watch test", &lower)
    };
    const SHELL_PROGRAMS: &str = "sudo rm mv cp ssh chmod chown";
    let is_program = shell::is_known_program(&lower) || is_listed(SHELL_PROGRAMS, &lower);
    let takes_option = |word: &&str| word.starts_with('-') && word.len() > 1;
    let is_named =
        lower == first && is_program && (is_pointed_at() || words.get(1).is_some_and(takes_option));
    if !is_named && !takes_verb {
        return None;
    }
    let count = if after.is_empty() {
        count_command_words(words)
    } else {
        1
    };
    // `make`, `go` and `just` are words unless a command follows.
    let is_told = is_listed("run rerun execute invoke", strip_marks(previous).1);
    let is_certain = is_named || is_told || !is_listed(WORDS, &lower);
    match count {
        // Calls have one name for all of its versions, so the one that is meant is told by its path.
        1 if is_named && shell::is_python(&lower) => {
            Some((Named::Command(read_command(&lower)?), 1))
        }
        1 => is_named.then_some((Named::Program(lower), 1)),
        _ if is_certain => {
            let bare = words[..count].iter().map(|word| bare_command_word(word).0);
            let form = read_command(&bare.collect::<Vec<_>>().join(" "))?;
            Some((Named::Command(form), count))
        }
        _ => None,
    }
}

/// Returns a word of a command in prose without the marks around it, and whether those end the command.
fn bare_command_word(word: &str) -> (&str, bool) {
    match word.trim_end_matches([',', ';', ':', ')']) {
        "." => (".", word.len() > 1),
        _ => {
            let (_, bare, after) = strip_marks(word);
            (bare, !after.is_empty())
        }
    }
}

/// Returns how many words belong to the command at the beginning of prose: its subcommand, its options and what can be nothing
/// but a value of one.
fn count_command_words(words: &[&str]) -> usize {
    const MOST: usize = 8;
    let mut program = strip_marks(words[0]).1.to_owned();
    let (mut verb, mut before) = (String::new(), "");
    for (at, word) in words.iter().enumerate().take(MOST).skip(1) {
        let (bare, ends) = bare_command_word(word);
        let is_last = ends || at + 1 == words.len();
        let may_be_verb = match verb.as_str() {
            "" => shell::has_subcommands(&program),
            verb => before == verb && is_group(&program, verb),
        };
        let is_value = before.starts_with('-')
            && (takes_value(before) || is_last || bare.contains(|c: char| !c.is_alphabetic()))
            && is_content(bare);
        let is_inner = is_run_verb(&program, before) && shell::is_known_program(bare);
        let is_run = at == 1 && may_be_verb && is_listed("run exec dlx", bare);
        let goes_on = is_inner || is_value || is_run || continues_command(bare, may_be_verb);
        if bare.is_empty() || !goes_on {
            return at;
        }
        if is_inner {
            (program, verb) = (bare.to_owned(), String::new());
        } else if verb.is_empty() && !is_value && !bare.starts_with('-') {
            verb = bare.to_owned();
        }
        if ends {
            return at + 1;
        }
        before = bare;
    }
    words.len().min(MOST)
}

/// Returns whether a word is none of those that hold a sentence together.
fn is_content(word: &str) -> bool {
    !is_prose_word(word) && find_cues(word, "").is_empty()
}

/// Returns whether a word of prose belongs to the command before it.
fn continues_command(word: &str, may_be_verb: bool) -> bool {
    let is_code = word.starts_with('-') && word.len() > 1 || word == "." || word == "./...";
    let is_verb = || {
        word.bytes()
            .all(|byte| byte.is_ascii_lowercase() || matches!(byte, b'-' | b':' | b'0'..=b'9'))
            && word.len() <= 24
            && !is_prose_word(word)
            && !is_place_word(word)
            && !find_cues(word, "").iter().any(|cue| *cue != Cue::Do)
    };
    is_code || (may_be_verb && is_verb())
}

/// Returns whether a word of prose has a meaning of its own.
pub(super) fn is_content_word(word: &str) -> bool {
    word.chars().all(char::is_alphabetic) && is_content(word) && !word.chars().any(is_unspaced)
}

fn plain_word(word: &str) -> ShellWord {
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
        return short.len() != 2
            && short.starts_with(|c: char| c.is_ascii_alphabetic())
            && !short.contains('/');
    };
    rest.len() >= 2 && rest.starts_with(|c: char| c.is_ascii_alphabetic())
}

fn first_option(word: &str) -> String {
    word.split(['=', ' ']).next().unwrap_or(word).to_owned()
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
        || word.starts_with('@') && !word.contains('/')
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
    let is_glob_ending = name.starts_with("*.") && name.len() > 2;
    is_dotfile || is_file || is_glob_ending
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
    let is_script = name.ends_with(".sh")
        || name.ends_with(".cmd")
        || name.ends_with(".bat")
        || name.ends_with(".ps1");
    !word.ends_with('/')
        && !word.contains('*')
        && !is_data
        && (word.starts_with("./") || is_program_folder || is_script)
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
