//! Reads what a lesson advises, as far as calls can be compared with it.
//!
//! It is taken from the code spans of the lesson's text, and from what can only be code though it is not marked
//! ([`prose`]): commands that it says to run, and options and variables that its command should or
//! should not have. A step of a command line follows the lesson when it is such a command: the same program, path as
//! written, the same subcommand, the same options. Text that merely contains the same words does not count, and
//! neither does a step that only asks (`--version`, `--collect-only`). If a lesson states its advice in other words,
//! it is unknown whether it was followed. What happened afterwards is found by [`outcome`](super::outcome).

use super::prose;
use crate::{
    lesson::LessonContent,
    shell::{self, ShellCommand, is_listed},
    trigger,
};

/// Most code spans of a text that are read.
const SPANS_MAX: usize = 8;
/// How many words before a span are read for what is meant by it.
const WORDS_BEFORE: usize = 3;
/// Words with which a text advises against what follows.
const NEGATING_WORDS: &str =
    "not never without avoid leave don't drop remove omit skip stop no nor than";
/// Words with which a text says to run what follows, even a single word.
const RUN_VERBS: &str = "run rerun use call execute try start invoke prefer";
/// Phrases that follow a command which is the failure, not the fix.
const FAILURE_PHRASES: &[&str] = &[
    "fail",
    "will fail",
    "is not",
    "isn't",
    "does not",
    "doesn't",
    "did not",
    "cannot",
    "can't",
    "is refused",
    "is missing",
    "is gone",
    "has no",
    "stops",
    "hangs",
    "breaks",
    "errors",
    "kept",
    "needs",
    "wants",
    "asks",
];
/// Phrases that offer something in place of the lesson's command.
const SUBSTITUTE_PHRASES: &[&str] = &["instead", "rather than", "in place of", "in its place"];
/// Phrases that ask for something to be done beforehand.
const BEFOREHAND_PHRASES: &[&str] = &["first", "before", "beforehand", "after it"];
/// Options of a step that only asks what would be done, or about the program.
const QUERY_OPTIONS: &str = "--version --help --collect-only --co --dry-run --dryrun --just-print --list \
    --list-tests --listTests --show-config --print-config --what-if --no-run";
/// Options that only ask if nothing else is given.
const LONE_QUERY_OPTIONS: &str = "-h -V -v -version -help version help";

/// What a lesson advises.
#[derive(Debug, Default)]
pub(super) struct Advice {
    /// The command of the lesson's signature, if it names one.
    about: Option<ShellCommand>,
    /// Commands that it says to run; any of them counts.
    commands: Vec<ShellCommand>,
    /// How it says to call the command that it is about.
    invocation: InvocationRules,
    /// Whether its advice replaces the command that it is about.
    is_substitute: bool,
}

/// Options and variables that a command should or should not have.
#[derive(Debug, Default, PartialEq)]
struct InvocationRules {
    required_flags: Vec<String>,
    forbidden_flags: Vec<String>,
    env: Vec<(String, String)>,
    sudo: Option<bool>,
}

impl Advice {
    /// Reads the advice from a lesson's words.
    pub(super) fn from_content(content: &LessonContent) -> Self {
        let mut advice = Self {
            about: parse_signature_command(content.signature.as_str()),
            ..Self::default()
        };
        let text = prose::mark_commands(content.text.as_str());
        for span in find_code_spans(&text) {
            advice.add_span(&span);
        }
        advice.is_substitute = advice.has_substitute(&text.to_lowercase());
        advice
    }

    /// Returns whether it contains nothing that a call could follow.
    pub(super) fn is_empty(&self) -> bool {
        self.commands.is_empty() && self.invocation == InvocationRules::default()
    }

    /// Returns whether a failure of its command speaks against the lesson after its advice was followed: not if it
    /// said to run something else.
    pub(super) fn is_liable_for_recurrence(&self) -> bool {
        !self.commands.is_empty() && !self.is_substitute
    }

    /// Returns whether a step does what the lesson advises.
    pub(super) fn is_followed_by(&self, step: &ShellCommand) -> bool {
        let is_run = self
            .commands
            .iter()
            .any(|wanted| is_wanted_command(wanted, step));
        is_run || self.is_invoked_as_advised(step)
    }

    fn is_invoked_as_advised(&self, step: &ShellCommand) -> bool {
        let Some(about) = &self.about else {
            return false;
        };
        self.invocation != InvocationRules::default()
            && about.program() == step.program()
            && has_same_subcommand(about, step)
            && !is_query_only(step, about)
            && self.invocation.is_satisfied_by(step)
    }

    fn add_span(&mut self, span: &CodeSpan<'_>) {
        let words: Vec<&str> = span.code.split_whitespace().collect();
        if words.is_empty() {
        } else if words == ["sudo"] {
            self.invocation.sudo = Some(!span.is_against);
        } else if words
            .iter()
            .all(|word| word.len() > 1 && word.starts_with('-'))
        {
            let options = match span.is_against {
                true => &mut self.invocation.forbidden_flags,
                false => &mut self.invocation.required_flags,
            };
            options.extend(words.into_iter().map(str::to_owned));
        } else if !span.is_against {
            self.add_command(span, words.len() > 1);
        }
    }

    fn add_command(&mut self, span: &CodeSpan<'_>, has_words: bool) {
        let line = shell::parse_line(span.code);
        let Some((_, wanted)) = line.acting_commands().next_back() else {
            self.invocation.env.extend(parse_assignments(span.code));
            return;
        };
        let is_known = |about: &ShellCommand| is_wanted_command(wanted, about);
        let is_meant = looks_like_program(wanted) && (has_words || span.follows_verb);
        if is_meant && !self.about.as_ref().is_some_and(is_known) {
            self.commands.push(wanted.clone());
        }
    }

    fn has_substitute(&self, text: &str) -> bool {
        let holds = |words: &[&str]| words.iter().any(|word| text.contains(word));
        let is_alike = |about: &ShellCommand| {
            self.commands
                .iter()
                .any(|it| it.program() == about.program())
        };
        holds(SUBSTITUTE_PHRASES)
            || (self.about.as_ref().is_some_and(is_alike) && !holds(BEFOREHAND_PHRASES))
    }
}

impl InvocationRules {
    fn is_satisfied_by(&self, step: &ShellCommand) -> bool {
        let flags = step.flags();
        self.required_flags
            .iter()
            .all(|flag| has_flag(&flags, flag))
            && !self
                .forbidden_flags
                .iter()
                .any(|flag| has_flag(&flags, flag))
            && self.env.iter().all(|pair| step.env.contains(pair))
            && self.sudo.is_none_or(|sudo| sudo == step.sudo)
    }
}

/// Returns whether a step is the wanted command, perhaps with more operands or options.
fn is_wanted_command(wanted: &ShellCommand, step: &ShellCommand) -> bool {
    let flags = step.flags();
    is_same_program(wanted, step)
        && has_same_subcommand(wanted, step)
        && wanted.flags().iter().all(|flag| has_flag(&flags, flag))
        && wanted.env.iter().all(|pair| step.env.contains(pair))
        && (step.sudo || !wanted.sudo)
        && !is_query_only(step, wanted)
}

/// Returns whether both name the same program. A program named by a path is that very file, wherever its path begins.
fn is_same_program(wanted: &ShellCommand, step: &ShellCommand) -> bool {
    let path = |command: &ShellCommand| {
        let text = command
            .words
            .first()
            .map_or("", |word| &word.text)
            .to_owned();
        let inner = text.strip_prefix("./").filter(|rest| rest.contains('/'));
        inner.map_or_else(|| text.clone(), str::to_owned)
    };
    let (wanted, step) = (path(wanted), path(step));
    let is_below = || {
        step.strip_suffix(&wanted)
            .is_some_and(|head| head.ends_with('/'))
    };
    wanted == step || (wanted.contains('/') && is_below())
}

/// Returns whether a step has the subcommand of the meant command, if that has one.
fn has_same_subcommand(meant: &ShellCommand, step: &ShellCommand) -> bool {
    let told = find_subcommand(meant);
    told.is_none() || told == find_subcommand(step)
}

/// Returns a command's subcommand, or a first operand that is a plain word.
fn find_subcommand(command: &ShellCommand) -> Option<String> {
    let label = command.subcommand_indexes();
    if !label.is_empty() {
        let words = label
            .iter()
            .map(|place| command.words[*place].text.as_str());
        return Some(words.collect::<Vec<_>>().join(" "));
    }
    let first = command.operands().first().copied()?;
    let is_word = first.starts_with(|c: char| c.is_ascii_lowercase())
        && first
            .chars()
            .all(|c| c.is_ascii_lowercase() || matches!(c, '-' | '_' | ':'));
    is_word.then(|| first.to_owned())
}

/// Returns whether a step only asks, although the meant command does not.
fn is_query_only(step: &ShellCommand, meant: &ShellCommand) -> bool {
    let is_asking = |word: &&str| is_listed(QUERY_OPTIONS, word.split('=').next().unwrap_or(word));
    let is_meant = |word: &&str| meant.texts().contains(word);
    let words = step.texts();
    let asks_alone = matches!(words[..], [_, only] if is_listed(LONE_QUERY_OPTIONS, only));
    words
        .iter()
        .skip(1)
        .any(|word| is_asking(word) && !is_meant(word))
        || (asks_alone && meant.texts() != words)
}

/// Returns whether an option is among those given, with a value or without.
fn has_flag(given: &[&str], flag: &str) -> bool {
    let is_it = |it: &&str| {
        *it == flag
            || it
                .strip_prefix(flag)
                .is_some_and(|rest| rest.starts_with('='))
    };
    given.iter().any(is_it)
}

fn looks_like_program(command: &ShellCommand) -> bool {
    let program = command.words.first().map_or("", |word| word.text.as_str());
    program.starts_with(|c: char| c.is_ascii_lowercase() || matches!(c, '.' | '/' | '~' | '_'))
        && !program.contains(['<', '(', '{', '*', '=', ',', '\'', '"'])
        && !program.ends_with(':')
}

/// Returns the variable assignments that a span consists of.
fn parse_assignments(span: &str) -> Vec<(String, String)> {
    let pairs = span
        .split_whitespace()
        .filter_map(|word| word.split_once('='));
    pairs
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

/// Returns the command that a signature names, without the error in parentheses.
fn parse_signature_command(signature: &str) -> Option<ShellCommand> {
    let head = signature.split(" (").next().unwrap_or(signature);
    let head = head.trim().trim_matches('`');
    let line = shell::parse_line(trigger::find_command_in_sentence(head).unwrap_or(head));
    line.commands.into_iter().next()
}

/// A code span with what the text says about it.
struct CodeSpan<'a> {
    /// The code, up to an omission.
    code: &'a str,
    /// Whether the text advises against it.
    is_against: bool,
    /// Whether the text says to run it.
    follows_verb: bool,
}

fn find_code_spans(text: &str) -> Vec<CodeSpan<'_>> {
    let parts: Vec<&str> = text.split('`').collect();
    let triples: Vec<&[&str]> = parts.windows(3).step_by(2).take(SPANS_MAX).collect();
    let mut spans: Vec<CodeSpan<'_>> = Vec::new();
    for (place, triple) in triples.iter().enumerate() {
        let (before, code) = (triple[0], triple[1]);
        let words = last_clause_words(before);
        let listed_with = spans.last().filter(|_| is_list_separator(before));
        let is_against = match listed_with {
            Some(listed_with) => listed_with.is_against,
            None => is_advised_against(&words, is_named_as_failure(&triples[place..])),
        };
        let follows_verb = listed_with.is_some_and(|it| it.follows_verb)
            || words.iter().any(|word| is_listed(RUN_VERBS, word));
        spans.push(CodeSpan {
            code: code.split('…').next().unwrap_or(code).trim(),
            is_against,
            follows_verb,
        });
    }
    spans
}

/// Returns whether a text advises against a span, from the words before it and after it.
fn is_advised_against(before: &[String], is_troubled: bool) -> bool {
    let last = |count: usize| before[before.len().saturating_sub(count)..].join(" ");
    match last(1).as_str() {
        // The text describes what goes wrong without it, so it is advised.
        "without" => !is_troubled,
        _ if matches!(last(2).as_str(), "instead of" | "written as") => true,
        _ => is_troubled || before.iter().any(|word| is_listed(NEGATING_WORDS, word)),
    }
}

/// Returns the words just before a span, in its own clause, in lower case.
fn last_clause_words(before: &str) -> Vec<String> {
    let ends = ['.', ',', ';', ':', '!', '?', '(', '\n'];
    let clause = before.rsplit(ends).next().unwrap_or(before);
    let words: Vec<String> = clause.split_whitespace().map(str::to_lowercase).collect();
    words[words.len().saturating_sub(WORDS_BEFORE)..].to_vec()
}

/// Returns whether a span only continues the list that the one before it began.
fn is_list_separator(between: &str) -> bool {
    matches!(
        between.trim(),
        "," | "and" | "or" | ", and" | ", or" | "/" | "+" | "&"
    )
}

/// Returns whether the text next calls the first of these spans, or the list that it begins, the failure.
fn is_named_as_failure(rest: &[&[&str]]) -> bool {
    let after = rest.iter().map(|triple| triple[2]);
    let end = after
        .into_iter()
        .find(|after| !is_list_separator(after))
        .unwrap_or_default();
    FAILURE_PHRASES
        .iter()
        .any(|start| end.trim_start().starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::CleanText;

    fn advice(signature: &str, text: &str) -> Advice {
        let clean = |text: &str| CleanText::assume_clean(text.to_owned());
        Advice::from_content(&LessonContent::new(clean(signature), clean(text)))
    }

    /// Checks which lines have a step that follows the lesson.
    fn check(signature: &str, text: &str, followed: &[&str], not_followed: &[&str]) {
        let advice = advice(signature, text);
        let is_followed = |line: &str| {
            let line = shell::parse_line(line);
            line.commands.iter().any(|step| advice.is_followed_by(step))
        };
        for line in followed {
            assert!(is_followed(line), "{line}: {text} {advice:?}");
        }
        for line in not_followed {
            assert!(!is_followed(line), "{line}: {text} {advice:?}");
        }
    }

    #[test]
    fn a_command_is_followed_by_the_same_command() {
        check(
            "pytest (command not found)",
            "`pytest` is not installed here. Use `.venv/bin/pytest -q` instead.",
            &[
                ".venv/bin/pytest -q",
                "cd a && ./.venv/bin/pytest tests -q -x | tail -3",
                "/home/ada/a/.venv/bin/pytest -q; echo $?",
                "timeout 60 .venv/bin/pytest -q",
            ],
            &[
                "pytest -q",
                "pytest --version",
                ".venv/bin/pytest",
                ".venv/bin/pytest --version -q",
                ".venv/bin/pytest -q --collect-only; true",
                "python -m pytest -q",
                "echo .venv/bin/pytest -q",
                "cat .venv/bin/pytest",
                "x.venv/bin/pytest -q",
            ],
        );
        check(
            "npm test (Missing script: \"test\")",
            "`npm test` fails with *missing script*. Run `npm run test:unit` instead.",
            &["npm run test:unit", "CI=1 npm run test:unit -- -w"],
            &["npm test", "npm run test", "npm run", "npm run test:e2e"],
        );
        check(
            "bin/stage push",
            "A push needs an open stage: run `bin/stage open` first, then `bin/stage push` again.",
            &["bin/stage open", "./bin/stage open --quiet out/x"],
            &[
                "bin/stage push out/x",
                "bin/stage --help",
                "bin/stage close",
                "stage open",
            ],
        );
        check(
            "",
            "Use `tar czf …`, since zip is not there.",
            &["tar czf a.tgz a"],
            &["tar xf a", "zip a", "tar"],
        );
        check(
            "make (dry)",
            "Look before: `make --dry-run` shows what it would do.",
            &["make --dry-run all"],
            &["make all"],
        );
    }

    #[test]
    fn advice_in_plain_words_is_followed_by_the_same_command() {
        check(
            "bin/stage push is refused (code 71)",
            "run bin/stage open first",
            &["bin/stage open", "cd x && ./bin/stage open; bin/stage push"],
            &[
                "bin/stage push out/x",
                "bin/stage open --help",
                "stage open",
            ],
        );
        check(
            "npm install",
            "This is a workspace: use pnpm instead of npm.",
            &["pnpm install", "pnpm add x"],
            &["npm install", "pnpm --version", "cat pnpm-lock.yaml"],
        );
        check(
            "npm test fails when the database is down",
            "Start it: run make db-up before the tests.",
            &["make db-up"],
            &["make", "make db-down", "npm test", "make db-up --dry-run"],
        );
        check(
            "cargo test (file not found)",
            "Pass --workspace, or the examples are not built.",
            &["cargo test --workspace"],
            &["cargo test", "cargo build --workspace"],
        );
        check(
            "grep (invalid option)",
            "Leave -P out.",
            &["grep x f"],
            &["grep -P x f", "rg x"],
        );
    }

    #[test]
    fn a_command_is_followed_by_how_it_is_called() {
        check(
            "npm install (ERESOLVE)",
            "`npm install` without `--legacy-peer-deps` fails with *ERESOLVE*. Add `--legacy-peer-deps`; with it the same command worked.",
            &["npm install --legacy-peer-deps"],
            &[
                "npm install",
                "npm ci --legacy-peer-deps",
                "npm install --legacy-peer-deps --dry-run",
            ],
        );
        check(
            "grep (invalid option)",
            "`grep` with `-P` and `-z` fails with *invalid option*. Leave `-P` and `-z` out; the rest of the command works.",
            &["grep -n x f", "ls | grep x"],
            &["grep -P x f", "grep -z x", "rg x"],
        );
        check(
            "grep (invalid option)",
            "`grep` with `-P` fails with *invalid option*. Use `-E` instead; with it the command worked.",
            &["grep -E x f"],
            &["grep x f", "grep -P -E x f"],
        );
        check(
            "mise install (rate limit)",
            "`mise install` fails with *rate limit*. Set `MISE_OFFLINE=1` for it; then it works.",
            &[
                "MISE_OFFLINE=1 mise install node",
                "env MISE_OFFLINE=1 mise install",
            ],
            &[
                "mise install",
                "MISE_OFFLINE=0 mise install",
                "MISE_OFFLINE=1 mise ls",
            ],
        );
        check(
            "apt install (Permission denied)",
            "`apt install` fails with *Permission denied*. It needs root here: run it with `sudo`.",
            &["sudo apt install x"],
            &["apt install x"],
        );
        check(
            "apt install (a password is required)",
            "`sudo` does not work here (*a password is required*). Run `apt install` without it; that works.",
            &["apt install x"],
            &["sudo apt install x"],
        );
    }

    #[test]
    fn what_is_advised_against_or_merely_named_is_no_advice() {
        for (signature, text) in [
            ("", "Ask before you push."),
            ("npm test", "Needs a database."),
            ("npm test", "`npm test` needs a database."),
            ("", "Do not run `git push --force`."),
            ("", "Never use `rm -rf build` here."),
            ("", "Never run git push --force; ask me."),
            (
                "npm test",
                "Do not pass it on, and do not run npm test here.",
            ),
            ("pytest", "With -n auto it hangs."),
            (
                "the deploy is slow",
                "Use the staging account, and run it again later.",
            ),
            (
                "psql",
                "The column is `user_id`, of type `INTEGER NOT NULL`.",
            ),
            ("", "`src/lib.rs` is made by a script."),
            (
                "zip",
                "`zip` is not installed here (*command not found*). Use another program.",
            ),
            (
                "git push (no such branch)",
                "There is no branch `main of it` in this repository.",
            ),
        ] {
            let advice = advice(signature, text);
            assert!(advice.is_empty(), "{text} {advice:?}");
        }
    }

    #[test]
    fn what_takes_a_commands_place_does_not_answer_for_it() {
        for (signature, text, expected) in [
            ("npm test", "Run `make db` before `npm test`.", true),
            (
                "npm test",
                "`npm test` needs packages. Run `npm install` first.",
                true,
            ),
            ("pytest", "It needs a database: run `make db`.", true),
            (
                "npm test",
                "There is no such script. Run `npm run test:unit` instead.",
                false,
            ),
            ("pytest -q", "Use `.venv/bin/pytest -q`.", false),
            ("npm test", "Use `pnpm test` rather than `npm test`.", false),
            ("grep", "`grep` with `-P` fails. Leave `-P` out.", false),
        ] {
            let advice = advice(signature, text);
            assert_eq!(
                advice.is_liable_for_recurrence(),
                expected,
                "{text} {advice:?}"
            );
        }
    }
}
