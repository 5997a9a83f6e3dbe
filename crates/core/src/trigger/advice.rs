//! Tells whether a call does what a lesson advises.
//!
//! A step of a command line does if it is an advised command (the same program, path as written, with the same
//! subcommand and options) or the lesson's own command called as it says: with the options and variables that it advises
//! and without those that it warns of. Operands belong to the task that taught the lesson and are not compared. Neither
//! text that merely contains the same words nor a step that only asks (`--version`, `--dry-run`) counts. What happened
//! afterwards is for [`credit`](crate::credit).

use super::{
    Sign, Trigger, TriggerKind, Triggers,
    act::CallActs,
    command::CommandForm,
    cue::{self, Cue},
    occasion::Occasion,
    signature::calls_tool,
};
use crate::{
    lesson::LessonContent,
    shell::{self, ShellCommand, is_listed},
    trace::call::ParsedCall,
};

/// Options of a step that only asks what would be done, or about the program.
const QUERY_OPTIONS: &str = "--version --help --collect-only --co --dry-run --dryrun --just-print --list \
    --list-tests --listTests --show-config --print-config --what-if --no-run";
/// Options that only ask if nothing else is given.
const LONE_QUERY_OPTIONS: &str = "-h -V -v -version -help version help";

/// How a lesson says to call the command that it is about.
#[derive(Debug, Default, PartialEq)]
struct InvocationRules<'a> {
    required: Vec<&'a str>,
    forbidden: Vec<&'a str>,
    variables: Vec<(&'a str, &'a str)>,
    sudo: Option<bool>,
}

impl Triggers {
    /// Returns whether they advise anything that a call could do.
    pub(crate) fn advise_calls(&self) -> bool {
        let programs = self.with_sign(Sign::Advised);
        let mut programs =
            programs.filter(|program| matches!(program.what, TriggerKind::Program(_)));
        self.advised_commands().next().is_some()
            || programs.next().is_some()
            || self.invocation_rules() != InvocationRules::default()
            || self.advised_tools().next().is_some()
    }

    /// Returns whether a step of a command line does what they advise.
    pub(crate) fn are_followed_by(&self, step: &ShellCommand) -> bool {
        let forms = CommandForm::all_from(step);
        let is_run = |wanted: &CommandForm| {
            forms.iter().any(|form| wanted.is_called_by(form)) && !only_asks(step, Some(wanted))
        };
        self.advised_commands().any(is_run)
            || self.is_of_advised_program(step, &forms)
            || self.is_invoked_as_advised(step, &forms)
    }

    /// Returns whether a call that is no command line does what they advise: it uses the tool, or is as they say.
    pub(crate) fn are_followed_by_call(&self, acts: &CallActs, call: &ParsedCall) -> bool {
        call.line().is_none()
            && (self.advised_tools().any(|tool| calls_tool(tool, call))
                || matches!(self.occasion(acts, call, false), Occasion::Kept(_)))
    }

    /// Returns whether a failure of the lesson's own command speaks against it after its advice was followed: not if it
    /// said to run something else in its place.
    pub(crate) fn answer_for_own_command(&self, content: &LessonContent) -> bool {
        let text = content.text.as_str();
        let is_alike = |advised: &CommandForm| {
            let mut own = self.own_commands();
            own.any(|command| command.program == advised.program)
        };
        let is_substitute = cue::says_any(text, &[Cue::Instead, Cue::InPlaceOf, Cue::ReplacedBy])
            || self.advised_commands().any(is_alike)
                && !cue::says_any(text, &[Cue::First, Cue::When]);
        self.advised_commands().next().is_some() && !is_substitute
    }

    /// Returns whether the lesson warns of its own command only where its advice was not followed before: "fails without …".
    /// What it forbids by name stays forbidden.
    pub(crate) fn warn_without_advice(&self, content: &LessonContent) -> bool {
        let says = |cues: &[Cue]| cue::says_any(content.text.as_str(), cues);
        let is_error = |what: &TriggerKind| matches!(what, TriggerKind::Text(_));
        let mut warnings = self.with_sign(Sign::Warned);
        let forbids = warnings.any(|warning| !is_error(&warning.what));
        says(&[Cue::Lacking, Cue::Without, Cue::Except])
            || !forbids && says(&[Cue::First, Cue::When])
    }

    fn advised_commands(&self) -> impl Iterator<Item = &CommandForm> {
        self.with_sign(Sign::Advised)
            .filter_map(|trigger| match &trigger.what {
                TriggerKind::Command(form) if form.program != "sudo" => Some(form),
                _ => None,
            })
    }

    fn advised_tools(&self) -> impl Iterator<Item = &str> {
        self.with_sign(Sign::Advised)
            .filter_map(|trigger| match &trigger.what {
                TriggerKind::Tool(name) => Some(name.as_str()),
                _ => None,
            })
    }

    /// Returns the commands that the lesson is about.
    pub(super) fn own_commands(&self) -> impl Iterator<Item = &CommandForm> {
        let due = self.due().filter_map(|trigger| match &trigger.what {
            TriggerKind::Command(form) if form.program != "sudo" => Some(form),
            _ => None,
        });
        self.signature.command.iter().chain(due)
    }

    fn invocation_rules(&self) -> InvocationRules<'_> {
        let mut rules = InvocationRules::default();
        for Trigger { sign, what, .. } in &self.all {
            match (what, sign) {
                (_, Sign::About | Sign::Exempt | Sign::Within) => {}
                (TriggerKind::Option { name, .. }, Sign::Advised) => rules.required.push(name),
                (TriggerKind::Option { name, .. }, Sign::Warned) => rules.forbidden.push(name),
                (TriggerKind::Text(text), Sign::Advised) => {
                    rules.variables.extend(text.split_once('='));
                }
                (TriggerKind::Command(form), sign) if form.program == "sudo" => {
                    rules.sudo = Some(*sign == Sign::Advised);
                }
                _ => {}
            }
        }
        rules
    }

    /// Returns whether a command is one that they advise by its program alone: `use pnpm`.
    fn is_of_advised_program(&self, step: &ShellCommand, forms: &[CommandForm]) -> bool {
        let mut advice = self.with_sign(Sign::Advised);
        advice.any(|trigger| match &trigger.what {
            TriggerKind::Program(name) => {
                forms.iter().any(|form| form.program == *name) && !only_asks(step, None)
            }
            _ => false,
        })
    }

    fn is_invoked_as_advised(&self, step: &ShellCommand, forms: &[CommandForm]) -> bool {
        let rules = self.invocation_rules();
        let is_own = |own: &CommandForm| {
            forms.iter().any(|form| own.is_called_by(form)) && !only_asks(step, Some(own))
        };
        rules != InvocationRules::default()
            && self.own_commands().any(is_own)
            && rules.are_satisfied_by(step, forms)
    }
}

impl InvocationRules<'_> {
    fn are_satisfied_by(&self, step: &ShellCommand, forms: &[CommandForm]) -> bool {
        let has = |option: &str| forms.iter().any(|form| form.has_option(option));
        let is_set = |(name, value): &(&str, &str)| {
            let mut pairs = step.env.iter();
            pairs.any(|pair| pair.0 == *name && pair.1 == *value)
        };
        // What is left out is also named as what one called it with.
        let mut options_due = self
            .required
            .iter()
            .filter(|mark| !self.forbidden.contains(mark));
        options_due.all(|option| has(option))
            && !self.forbidden.iter().any(|option| has(option))
            && self.variables.iter().all(is_set)
            && self.sudo.is_none_or(|wanted| step.sudo == wanted)
    }
}

impl CommandForm {
    /// Returns whether a command only asks what this one would do, or what is there: `git stash list` is no `git stash`.
    pub(super) fn is_only_asked(&self, given: &Self) -> bool {
        let dry = |option: &str| given.has_word(option) && !self.has_word(option);
        (given.asking_word()).is_some_and(|word| !self.has_word(word))
            || ["--dry-run", "--list", "--help"].into_iter().any(dry)
            || given.program == "cmake" && dry("--build")
            || given.asks_about_itself()
    }

    /// Returns whether it only tells what is there: `gcloud auth list`, `kubectl config get-contexts`.
    pub(super) fn asks_what_is_there(&self) -> bool {
        self.asking_word().is_some()
    }

    /// Returns the word of its subcommand that only asks: the first one, or the second if nothing follows it.
    fn asking_word(&self) -> Option<&String> {
        // What is done to a thing of such a name asks nothing: `docker rm status`.
        const DOING: &str = "add apply create delete deploy exec install kill push remove restart rm run start stop update";
        const ASKING: &str = "list ls show showmigrations status help lookup devices get-contexts current-context get-value";
        let asks = |word: &&String| is_listed(ASKING, word.rsplit(':').next().unwrap_or(word));
        let has_verbs =
            shell::has_subcommands(&self.program) || !shell::is_known_program(&self.program);
        let mut plain = self.words.iter().filter(|word| !word.starts_with('-'));
        let (first, second) = (plain.next()?, plain.next());
        let is_last = plain.next().is_none();
        let second = second.filter(|_| is_last && !is_listed(DOING, first));
        [Some(first), second]
            .into_iter()
            .flatten()
            .find(asks)
            .filter(|_| has_verbs)
    }

    /// Returns whether it only tells what program it is.
    pub(super) fn asks_about_itself(&self) -> bool {
        matches!(self.words.as_slice(), [only] if is_listed("--version --help -V -h", only))
    }

    /// Returns whether a command is this one, whatever its operands.
    fn is_called_by(&self, given: &Self) -> bool {
        let first = self.words.iter().find(|word| !word.starts_with('-'));
        let is_command = |word: &&String| {
            self.verb.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase())
        };
        let options = self.words.iter().filter(|word| word.starts_with('-'));
        let mut words_due = options.chain(first.filter(is_command));
        self.is_same_program(given)
            && self.is_same_verb(given)
            && words_due.all(|word| given.has_word(word))
    }
}

/// Returns whether a step only asks, although the meant command does not.
fn only_asks(step: &ShellCommand, meant: Option<&CommandForm>) -> bool {
    let is_meant = |option: &str| meant.is_some_and(|meant_text| meant_text.has_option(option));
    let words = step.texts();
    let asks = |word: &&str| {
        let option = word.split('=').next().unwrap_or(word);
        is_listed(QUERY_OPTIONS, option) && !is_meant(option)
    };
    let asks_alone =
        matches!(words[..], [_, only] if is_listed(LONE_QUERY_OPTIONS, only) && !is_meant(only));
    asks_alone || words.iter().skip(1).any(asks)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::CleanText;

    fn content(signature: &str, text: &str) -> LessonContent {
        let clean = |text: &str| CleanText::from_stored(text.to_owned());
        LessonContent::new(clean(signature), clean(text))
    }

    /// Checks which lines have a step that follows the lesson.
    fn check(signature: &str, text: &str, followed: &[&str], not_followed: &[&str]) {
        let triggers = Triggers::from_content(&content(signature, text));
        let is_followed = |line: &str| {
            let line = shell::parse_line(line);
            line.commands
                .iter()
                .any(|step| triggers.are_followed_by(step))
        };
        for line in followed {
            assert!(is_followed(line), "{line}: {text} {triggers:?}");
        }
        for line in not_followed {
            assert!(!is_followed(line), "{line}: {text} {triggers:?}");
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
    }

    #[test]
    fn advice_in_plain_words_is_followed_by_the_same_command() {
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
        check(
            "pytest",
            "With -n auto it hangs.",
            &["pytest -q"],
            &["pytest -n auto", "pytest --version"],
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
            let triggers = Triggers::from_content(&content(signature, text));
            assert!(!triggers.advise_calls(), "{text} {triggers:?}");
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
            let triggers = Triggers::from_content(&content(signature, text));
            assert_eq!(
                triggers.answer_for_own_command(&content(signature, text)),
                expected,
                "{text} {triggers:?}"
            );
        }
    }
}
