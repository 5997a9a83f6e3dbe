//! Reads commands that stand in plain prose, without any marks: `never run npm install`, `go test needs -race`.
//!
//! Most names of programs are words too, so a word is one only where its place or what follows says so. Code spans and single
//! names are read in [`span`](super::span).

use super::{
    command::{CommandForm, is_run_verb, program_of},
    common_act::Act,
    cue::{Cue, find_cues, joins_names, strip_marks},
    span::{Named, is_content, is_option, is_place_word, is_prose_word, plain_word, read_command},
};
use crate::shell::{self, ShellWord, is_group, is_listed, takes_value};

/// Reads a word of prose as the program whose option the rule names, unless it is a word of every text: `jest needs -i`.
pub(super) fn read_program_in_prose(word: &str) -> Option<Named> {
    let lower = program_of(&word.to_lowercase()).to_owned();
    let is_program = shell::is_known_program(&lower) || shell::has_subcommands(&lower);
    let is_name = is_program && (word.len() > 2 || word != lower) && !is_listed(WORDS, &lower);
    is_name.then(|| Named::Command(CommandForm::from_words(&[plain_word(&lower)])))
}

/// Programs whose names are words.
const WORDS: &str = "find cat head tail script stack test node zig make go just task service fly mix nix pod bundle rake snap flask swift rails composer brew expo tox hatch";

/// Reads a command that stands in prose without any marks, and returns how many words it has. `is_joined` says that an
/// `and` or `or` joins it to a name.
pub(super) fn read_command_in_prose(
    before: &[&str],
    words: &[&str],
    is_joined: bool,
) -> Option<(Named, usize)> {
    let mention = Mention::new(before, words, is_joined);
    mention.read_phrase().or_else(|| mention.read_command())
}

/// Programs that install what they are told.
const INSTALLERS: &str =
    "npm pnpm yarn pip pip3 pipx brew apt apt-get dnf apk gem cargo conda choco winget";
/// Words before a program that say that it is run, or which one of its kind is meant.
const AT_HAND: &str =
    "calling running invoking executing launching touching from system global host";

/// Reads what a program does, said as what is done: `Helm upgrades`, `terraform applies`.
fn read_deeds(word: &str) -> Option<String> {
    const DEEDS: &str = "apply build deploy install plan publish pull push release upgrade";
    let verb = match word.strip_suffix("ies") {
        Some(stem) => format!("{stem}y"),
        None => word.strip_suffix('s')?.to_owned(),
    };
    is_listed(DEEDS, &verb).then_some(verb)
}

/// How many words beside a program may speak of it.
const JUDGED_WORDS: usize = 5;

/// A word of prose that may be the name of a program, with what stands beside it.
struct Mention<'a> {
    words: &'a [&'a str],
    /// The word without marks, and in lower case.
    word: &'a str,
    program: String,
    /// What stands before it on its line.
    before: &'a [&'a str],
    /// The words before and after it, in lower case.
    previous: String,
    next: String,
    /// Whether a mark follows it.
    ends: bool,
    is_joined: bool,
}

impl<'a> Mention<'a> {
    fn new(before: &'a [&'a str], words: &'a [&'a str], is_joined: bool) -> Self {
        let bare = |word: &str| strip_marks(word).1.to_lowercase();
        let (_, word, after) = strip_marks(words[0]);
        let word = word.trim_end_matches("'s").trim_end_matches("’s");
        Self {
            words,
            word,
            program: word.to_lowercase(),
            previous: before.last().map(|word| bare(word)).unwrap_or_default(),
            before,
            next: words.get(1).map(|next| bare(next)).unwrap_or_default(),
            ends: !after.is_empty(),
            is_joined,
        }
    }

    /// Reads two words that together name something.
    fn read_phrase(&self) -> Option<(Named, usize)> {
        let command = |program| Named::Command(CommandForm::from_words(&[plain_word(program)]));
        let named = match (self.program.as_str(), self.next.as_str()) {
            ("gradle", "wrapper") => command("./gradlew"),
            ("maven", "wrapper") => command("./mvnw"),
            ("pull" | "merge", next) if next.starts_with("request") => Named::Act(Act::PullRequest),
            (program, deeds) if shell::has_subcommands(program) => {
                let verb = read_deeds(deeds)?;
                Named::Command(read_command(&format!("{program} {verb}"))?)
            }
            _ => return None,
        };
        (!self.ends).then_some((named, 2))
    }

    fn read_command(&self) -> Option<(Named, usize)> {
        let is_named = self.is_named();
        if !is_named && !shell::has_subcommands(&self.program) {
            return None;
        }
        // What a program is let do is no subcommand: `let terraform touch it`.
        let count = if self.ends || self.previous == "let" {
            1
        } else {
            count_command_words(self.words)
        };
        match count {
            1 => is_named.then(|| (self.name_program(), 1)),
            _ if is_named || self.is_told() || !is_listed(WORDS, &self.program) => {
                let bare = (self.words[..count].iter()).map(|word| bare_command_word(word).0);
                let form = read_command(&bare.collect::<Vec<_>>().join(" "))?;
                Some((Named::Command(form), count))
            }
            _ => None,
        }
    }

    /// Returns the program that is named alone; one of two names is a command, which has both.
    fn name_program(&self) -> Named {
        let installs = |word: &&str| is_listed("install installs installing", &word.to_lowercase());
        let is_installed_with = is_listed(INSTALLERS, &self.program)
            && self.before.iter().rev().take(JUDGED_WORDS).any(installs);
        let verb = is_installed_with.then(|| plain_word("install"));
        let words: Vec<ShellWord> = [plain_word(&self.program)]
            .into_iter()
            .chain(verb)
            .collect();
        let form = CommandForm::from_words(&words);
        if form.words.is_empty() && form.program == self.program {
            Named::Program(form.program)
        } else {
            Named::Command(form)
        }
    }

    /// Returns whether it is the name of a program, and no other word.
    fn is_named(&self) -> bool {
        const SHELL_PROGRAMS: &str = "sudo rm mv cp ssh chmod chown";
        let is_program = shell::has_subcommands(&self.program)
            || shell::is_known_program(&self.program)
            || is_listed(SHELL_PROGRAMS, &self.program);
        // `eslint --fix rewrites …` is a command with its option.
        let has_option = !self.ends && is_option(&self.next);
        let is_told = has_option || self.is_pointed_at() || self.is_judged();
        self.program == self.word && is_program && is_told
    }

    /// Returns whether it stands right after a word of what to do or not to do or by what, or is joined to a name.
    fn is_pointed_at(&self) -> bool {
        let cues = find_cues(&self.previous, "");
        let points = |cue: &Cue| match cue {
            Cue::Do | Cue::Not | Cue::InPlaceOf => true,
            Cue::By => !is_listed(WORDS, &self.program),
            _ => false,
        };
        let is_cued = cues.iter().any(points);
        is_cued || self.is_joined || is_listed(AT_HAND, &self.previous)
    }

    /// Returns whether what follows says something of it and of what is joined to it: `python goes through uv`, `black and
    /// isort are gone`.
    fn is_judged(&self) -> bool {
        let bare: Vec<String> = (self.words[1..].iter().take(JUDGED_WORDS))
            .map(|word| strip_marks(word).1.to_lowercase())
            .collect();
        let is_other = |word: &&String| joins_names(word) || shell::is_known_program(word);
        let others = bare.iter().take_while(is_other).count();
        let says = |at: usize, cue: Cue| {
            let word = |at: usize| bare.get(at).map_or("", String::as_str);
            find_cues(word(at), word(at + 1)).contains(&cue)
        };
        let is_state =
            (bare.get(others)).is_some_and(|word| is_listed("is are was were has have", word));
        let says =
            says(0, Cue::Do) || says(others, Cue::Not) || is_state && says(others + 1, Cue::Not);
        says && !self.ends && !is_listed(WORDS, &self.program)
    }

    /// Returns whether a command follows for certain: `make`, `go` and `just` are words else.
    fn is_told(&self) -> bool {
        const OF_GO: &str = "test build vet run generate mod get install tool";
        is_listed("run rerun execute invoke", &self.previous)
            || self.word == "go" && is_listed(OF_GO, &self.next)
    }
}

/// Returns a word of a command in prose without the marks around it, and whether those end the command.
fn bare_command_word(word: &str) -> (&str, bool) {
    let (before, bare, after) = strip_marks(word);
    // `docker compose (v2)`
    let bare = if before.is_empty() { bare } else { "" };
    (bare, !after.is_empty())
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
            && bare.contains(char::is_alphanumeric)
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

/// Returns whether a word of prose belongs to the command before it.
fn continues_command(word: &str, may_be_verb: bool) -> bool {
    let is_code = word.starts_with('-') && word.len() > 1;
    let is_verb = || {
        word.bytes().all(|byte| {
            byte.is_ascii_lowercase() || matches!(byte, b'-' | b':' | b'.' | b'0'..=b'9')
        }) && word.len() <= 24
            && !is_plural(word)
            && !is_prose_word(word)
            && !is_place_word(word)
            && !find_cues(word, "").iter().any(|cue| *cue != Cue::Do)
    };
    is_code || (may_be_verb && is_verb())
}

/// Returns whether a word of prose is the plural of what a program works on, and none of its subcommands: `dbt models`.
fn is_plural(word: &str) -> bool {
    word.ends_with('s')
        && !word.ends_with("ss")
        && !is_listed("status ls ps logs deps hooks events tags", word)
}
