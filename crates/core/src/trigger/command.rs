//! Brings a command into the one form in which a rule and a call are compared.
//!
//! People write `git push -f` and `git push --force`, `npm i` and `npm install`, `pnpm run lint` and `pnpm lint`, and
//! agents put runners before a program: `npx tsc`, `poetry run alembic`, `python -m pytest`. Here each becomes the
//! same words. Which commands a line has is found by [`shell`]; nothing here decides what a lesson is about.

use crate::shell::{self, ShellCommand, ShellWord, is_group, is_listed, is_python, takes_value};

/// Runners that are followed by the program at once.
const RUNNERS: &str = "npx bunx uvx pipx fvm rtk xvfb-run dotenv cross-env dotenvx arch caffeinate rbenv manage.py artisan";
/// Runners that are followed by the program after one of these words.
const RUNNERS_WITH_VERB: &str = "pnpm npm yarn bun bundle poetry uv pipenv pdm hatch rye conda mamba mise direnv doppler op \
    nix devbox infisical asdf flox pixi dart flutter";
/// Programs that run a script, which is their first word.
const INTERPRETERS: &str = "node ruby php perl bash sh zsh tsx ts-node";
const RUN_VERBS: &str = "exec dlx run x develop activate";
/// Managers whose own commands are these; any other word is a script or an installed program.
const SCRIPT_MANAGERS: &str = "npm pnpm yarn bun";
const MANAGER_COMMANDS: &str = "install add remove uninstall update upgrade ci publish pack link unlink audit outdated list ls \
    why view info init create config cache login logout whoami version dedupe prune rebuild store patch exec dlx x pm \
    workspace workspaces set policies approve-builds fund ping search owner tag team token import deploy";
/// Words that are subcommands of many programs.
const VERBS: &str = "build test run start stop up down status log logs apply deploy plan exec get delete push pull check lint format \
    serve dev compile package clean verify";
/// Long options that take no value.
const FLAGS: &str = "--silent --recursive --quiet --verbose --debug --locked --offline --frozen --force --yes --dry-run --global --all \
    --workspaces --detach --save-dev --release";
/// Words of a subcommand that stand for another.
const VERB_ALIASES: &[(&str, &str, &str)] = &[
    ("npm pnpm bun", "i", "install"),
    ("npm", "add", "install"),
    ("npm pnpm", "t", "test"),
    ("npm pnpm", "rm", "uninstall"),
    ("cargo", "b", "build"),
    ("cargo", "t", "test"),
    ("cargo", "r", "run"),
    ("cargo", "c", "check"),
    ("terraform", "plan-destroy", "plan"),
    ("helm", "dep", "dependency"),
    ("rails bin/rails", "g", "generate"),
    ("rails bin/rails", "c", "console"),
    ("rails bin/rails", "s", "server"),
];
/// Options that mean the same, each with the programs that take them so; the last name stands for all.
#[rustfmt::skip]
const OPTION_ALIASES: &[(&str, &[&str])] = &[
    ("git", &["-A", "--all"]),
    ("git", &["-a", "--all"]),
    ("git", &["-m", "--message"]),
    ("grep egrep rg ls rm cp chmod chown", &["-R", "-r", "--recursive"]),
    ("npm pnpm yarn", &["-D", "--save-dev"]),
    ("npm pnpm yarn", &["-g", "--global"]),
    ("pnpm", &["-F", "--filter"]),
    ("make ninja cmake", &["-j", "--jobs"]),
    ("pip pip3 uv", &["-r", "--requirement"]),
    ("pip pip3 uv", &["-e", "--editable"]),
    ("cargo", &["-p", "--package"]),
    ("kubectl helm", &["-n", "--namespace"]),
    ("docker docker-compose podman", &["-d", "--detach"]),
    ("docker docker-compose podman", &["-v", "--volumes"]),
    ("docker docker-compose podman kubectl helm make tail gh", &["-f"]),
    ("curl", &["-k", "--insecure"]),
    ("tar", &["-f", "--file"]),
    ("tar", &["-x", "--extract"]),
    ("tar", &["-c", "--create"]),
    ("pytest", &["-n", "--numprocesses"]),
    ("", &["-f", "--force"]),
    ("", &["-v", "--verbose"]),
    ("", &["-q", "--quiet"]),
    ("", &["-y", "--yes"]),
];
/// Programs of which one dash begins a long option.
const LONG_WITH_ONE_DASH: &str = "go java javac terraform tofu find mvn mvnw ./mvnw clang gcc g++ clang++ xcodebuild ffmpeg convert \
    openssl packer consul vault nomad dart flutter php psql redis-cli";

/// A command in the form in which it is compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CommandForm {
    /// The program as it was typed: `./gradlew`.
    pub(super) path: String,
    /// The program without its folder.
    pub(super) program: String,
    /// Its subcommand, script or first plain operand; empty if there is none.
    pub(super) verb: String,
    /// All words after the program, each in every form in which it may be meant.
    pub(super) words: Vec<String>,
    /// The forms of the command that this one only runs.
    pub(super) inner: Vec<Self>,
    /// Whether only a call that names nothing beyond these words is meant.
    pub(super) is_bare: bool,
    /// Whether it leaves a place to its reader: `pytest <file>`.
    pub(super) has_gap: bool,
    /// Whether only a call with the program's name as it is spelled here is meant.
    pub(super) is_spelled: bool,
}

impl CommandForm {
    /// Returns the form of a command, of each that it only runs, `npx tsc` is also `tsc`, and what else it may be called.
    pub(super) fn all_from(command: &ShellCommand) -> Vec<Self> {
        let (mut forms, others) = Self::runs_from(command);
        forms.extend(others);
        forms
    }

    /// Returns the form of a command and of each that it only runs, and what else they may be called.
    fn runs_from(command: &ShellCommand) -> (Vec<Self>, Vec<Self>) {
        const DEPTH: usize = 4;
        let (mut forms, mut others) = (Vec::new(), Vec::new());
        let mut words = command.words.clone();
        while forms.len() < DEPTH && !words.is_empty() {
            forms.push(Self::from_words(&words));
            others.extend(Self::with_other_verb(&words));
            match find_wrapped(command, &words) {
                Some(at) => drop(words.drain(..at)),
                None => break,
            }
        }
        (forms, others)
    }

    /// Returns the form of words of which the first that may be a subcommand may also be the value of the option before it:
    /// `docker compose -p shop down`.
    fn with_other_verb(words: &[ShellWord]) -> Option<Self> {
        let texts: Vec<&str> = texts_after_program(words).collect();
        let is_group = texts
            .first()
            .is_some_and(|first| is_group(&words[0].text, first));
        let skipped = usize::from(is_group);
        let at = skipped + find_first_verb(&texts[skipped..])?;
        let is_after_option =
            at > 0 && texts[at - 1].starts_with('-') && !texts[at - 1].contains('=');
        let mut rest = words.to_vec();
        rest.remove(at + 1);
        is_after_option.then(|| Self {
            verb: Self::from_words(&rest).verb,
            ..Self::from_words(words)
        })
    }

    /// Returns whether its verb is rather the value of the option before it: a subcommand follows, or it is no usual one and the
    /// option is a long one.
    fn has_value_for_verb(&self, other: &Self) -> bool {
        let mut pairs = self.words.iter().zip(self.words.iter().skip(1));
        let option = pairs.find(|(_, word)| **word == self.verb);
        let takes_value = option.is_some_and(|(option, _)| {
            option.len() > 2 && !option.starts_with("--no-") && !is_listed(FLAGS, option)
        });
        !is_listed(MANAGER_COMMANDS, &self.verb)
            && !is_listed(VERBS, &self.verb)
            && (takes_value || !other.verb.is_empty())
    }

    /// Returns the form of these words of a command.
    pub(super) fn from_words(words: &[ShellWord]) -> Self {
        let path = words.first().map_or("", |word| &word.text);
        let path = path.trim_start_matches("./").trim_end_matches(',');
        let program = match shell::base_name(path) {
            name if is_python(name) => "python".to_owned(),
            name => program_of(name).to_owned(),
        };
        // `mockgen@latest`
        let program = program
            .split_once('@')
            .map_or(program.clone(), |(name, _)| name.to_owned());
        let (program, group) = match split_old_name(&program) {
            Some((program, group)) => (program.to_owned(), Some(group)),
            None => (program, None),
        };
        let rest: Vec<&str> = group
            .into_iter()
            .chain(texts_after_program(words))
            .collect();
        let rest = drop_run_word(&program, &rest);
        let typed = words.first().map_or("", |word| &word.text);
        let verb = find_verb(&program, typed, &rest);
        let group = find_group_verb(&program, &verb, &rest);
        let words = rest.into_iter();
        let mut forms: Vec<String> = words
            .flat_map(|word| forms_of_word(&program, word))
            .collect();
        if let Some(alias) = forms.iter_mut().find(|word| **word == verb) {
            *alias = canonical_verb(&program, &verb);
        }
        // `git push -n` only asks.
        let skips_hooks =
            |word: &&mut String| program == "git" && verb == "commit" && *word == "-n";
        let options = forms.iter_mut().filter(skips_hooks);
        options.for_each(|word| *word = "--no-verify".to_owned());
        let verb = canonical_verb(&program, &verb);
        Self {
            verb: group.map_or(verb.clone(), |group| format!("{verb}·{group}")),
            path: typed.to_owned(),
            program,
            words: forms,
            inner: Vec::new(),
            is_bare: false,
            has_gap: false,
            is_spelled: false,
        }
    }

    /// Returns the form of a command with those of what it only runs.
    pub(super) fn with_inner(command: &ShellCommand) -> Option<Self> {
        let mut forms = Self::runs_from(command).0.into_iter();
        let outer = forms.next()?;
        let other = Self::with_other_verb(&command.words);
        let outer = other
            .filter(|other| outer.has_value_for_verb(other))
            .unwrap_or(outer);
        // What a manager runs by a name of its own is a script, and no program that one could run without it.
        let runs_script =
            is_listed(SCRIPT_MANAGERS, &outer.program) && !is_listed("exec dlx x", &outer.verb);
        Some(Self {
            inner: forms.filter(|_| !runs_script).collect(),
            ..outer
        })
    }

    /// Returns whether it has this option, by any of its names.
    pub(super) fn has_option(&self, option: &str) -> bool {
        self.has_word(option) || self.has_word(&canonical_option(&self.program, option))
    }

    /// Returns whether a command names anything beyond these words: an operand, and no option or value of one.
    pub(super) fn is_given_more(&self, given: &Self) -> bool {
        given
            .words
            .iter()
            .any(|word| !word.starts_with('-') && *word != given.verb && !self.has_word(word))
    }

    /// Returns whether it has a word of another command, letters of options in any order: `-xfd` for `-fdx`.
    pub(super) fn answers(&self, word: &str) -> bool {
        let (option, value) = split_short_option(word).unwrap_or_default();
        let is_apart = || self.has_option(option) && self.has_word(value);
        self.has_word(word) || are_letters(&self.program, word) || !option.is_empty() && is_apart()
    }

    /// Returns whether it has this value right behind an option of one letter: `-j8`.
    pub(super) fn attaches(&self, option: &str, value: &str) -> bool {
        let mut pairs = self
            .words
            .iter()
            .filter_map(|word| split_short_option(word));
        pairs.any(|(own, text)| text == value && canonical_option(&self.program, own) == option)
    }

    /// Returns whether it has this word, option or value, and an option with its value in one word or two.
    pub(super) fn has_word(&self, word: &str) -> bool {
        let has = |word: &str| self.words.iter().any(|other| other == word);
        let in_two = || {
            word.split_once('=').is_some_and(|(name, value)| {
                has(name) && (has(value) || self.attaches(name, value))
            })
        };
        has(word) || word.starts_with('-') && in_two()
    }
}

/// Splits a name that stands for a program and its subcommand: Compose was a program of its own once, and is called so still.
pub(super) fn split_old_name(program: &str) -> Option<(&str, &'static str)> {
    match program.strip_suffix("-compose") {
        Some(engine) => Some((engine, "compose")),
        None => (program == "gotestsum").then_some(("go", "test")),
    }
}

/// Returns the program that a product is called by: `psql` for Postgres.
pub(super) fn program_of(product: &str) -> &str {
    let row = PRODUCTS.iter().find(|(name, _)| *name == product);
    row.map_or(product, |(_, program)| program)
}

/// Products whose program has another name.
const PRODUCTS: &[(&str, &str)] = &[
    ("ansible", "ansible-playbook"),
    ("bigquery", "bq"),
    ("kubernetes", "kubectl"),
    ("maven", "mvn"),
    ("mongodb", "mongosh"),
    ("postgres", "psql"),
    ("redis", "redis-cli"),
    ("xcode", "xcodebuild"),
];

/// Returns the command that another one only runs, the innermost: `alembic upgrade` of `poetry run alembic upgrade`.
pub(crate) fn peel_runners(command: &ShellCommand) -> ShellCommand {
    const DEPTH: usize = 4;
    let mut words = command.words.clone();
    for _ in 0..DEPTH {
        match find_wrapped(command, &words).filter(|_| !runs_named_script(&words)) {
            Some(at) => drop(words.drain(..at)),
            None => break,
        }
    }
    ShellCommand {
        words,
        ..command.clone()
    }
}

/// Returns whether the words run a script of the project by its name, which is no program.
fn runs_named_script(words: &[ShellWord]) -> bool {
    let program = shell::base_name(&words[0].text);
    let verb = words.get(1).map_or("", |word| &word.text);
    is_listed(SCRIPT_MANAGERS, program) && !is_listed("exec dlx x", verb)
        || is_listed("manage.py artisan", verb)
}

/// A command by the names that stand for its words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CommandName {
    /// Its program, without a folder: `mvn` of `./mvnw`.
    pub(crate) program: String,
    /// What it is to do, with the subcommand of a group: `dependency·build` of `helm dep build`.
    pub(crate) verb: String,
}

/// Returns the name of a command, and the places of the words that make up its verb.
pub(crate) fn name_command(command: &ShellCommand) -> (CommandName, Vec<usize>) {
    let form = CommandForm::from_words(&command.words);
    let short = form.program.strip_suffix('w');
    let short = short.filter(|name| is_listed("mvn gradle", name));
    let program = short.unwrap_or(&form.program).to_owned();
    let mut places = Vec::new();
    for part in form.verb.split('·').filter(|part| !part.is_empty()) {
        let from = places.last().map_or(1, |last| last + 1);
        let mut words = command.words.iter().enumerate().skip(from);
        let is_it = |text: &str| text == part || canonical_verb(&program, text) == part;
        places.extend(words.find(|(_, word)| is_it(&word.text)).map(|(at, _)| at));
    }
    // `run` only says that a script follows.
    let run = places.first().map_or(0, |first| first - 1);
    if run > 0 && is_listed("run run-script", &command.words[run].text) {
        places.insert(0, run);
    }
    let verb = form.verb;
    (CommandName { program, verb }, places)
}

/// Returns an option by the name that stands for it, however it is spelled: `--noinput` for `--no-input`; any other word as it is.
pub(crate) fn name_option(program: &str, word: &str) -> String {
    if !word.starts_with('-') {
        return word.to_owned();
    }
    let end = word.find('=').unwrap_or(word.len());
    let name = canonical_option(program, &word[..end]);
    let dashes = name.len() - name.trim_start_matches('-').len();
    let (dashes, letters) = name.split_at(dashes);
    format!(
        "{dashes}{}{}",
        letters.replace(['-', '_'], ""),
        &word[end..]
    )
}

fn texts_after_program(words: &[ShellWord]) -> impl Iterator<Item = &str> {
    words.iter().skip(1).map(|word| word.text.as_str())
}

/// Returns at which word the program begins that these words only run.
fn find_wrapped(command: &ShellCommand, words: &[ShellWord]) -> Option<usize> {
    let program = shell::base_name(&words[0].text);
    let after = |from: usize| {
        let rest = words.iter().enumerate().skip(from);
        let mut rest = rest.skip_while(|(_, word)| word.text.starts_with('-'));
        rest.next().map(|(at, _)| at)
    };
    let second = words.get(1)?.text.as_str();
    if is_python(program) && second == "-m" {
        return (words.len() > 2).then_some(2);
    }
    if program == "go" && second == "run" {
        return words
            .get(2)
            .filter(|word| word.text.contains(['@', '/']))
            .map(|_| 2);
    }
    if is_listed(INTERPRETERS, program) || is_python(program) {
        return find_script(words);
    }
    if is_listed(RUNNERS, program) {
        return after(1);
    }
    if is_listed(RUNNERS_WITH_VERB, program) {
        let verb = words
            .iter()
            .take(6)
            .position(|word| is_run_verb(program, &word.text));
        if let Some(verb) = verb {
            return after(verb + 1);
        }
        let texts: Vec<&str> = texts_after_program(words).collect();
        let skipped = match texts.as_slice() {
            ["workspace", _, ..] => 2,
            _ => 0,
        };
        let at = skipped + find_first_verb(&texts[skipped..])?;
        let is_script =
            is_listed(SCRIPT_MANAGERS, program) && !is_listed(MANAGER_COMMANDS, texts[at]);
        return is_script.then_some(at + 1);
    }
    let inner = ShellCommand {
        words: words.to_vec(),
        ..command.clone()
    };
    let inner = inner.surely_wrapped_command()?;
    Some(words.len() - inner.words.len())
}

/// Returns at which word the file stands that an interpreter runs: `php -d memory_limit=1G bin/console`.
fn find_script(words: &[ShellWord]) -> Option<usize> {
    let mut at = 1;
    while let Some(option) = words.get(at).filter(|word| word.text.starts_with('-')) {
        if is_listed("-c -e -m -p -r --eval --print", &option.text) {
            return None;
        }
        at += 1 + usize::from(is_listed("-d -W -X", &option.text));
    }
    let file = words.get(at)?;
    file.text.contains(['.', '/']).then_some(at)
}

/// Returns whether a runner takes the program after this word; a manager of scripts runs a script after `run`.
pub(super) fn is_run_verb(program: &str, word: &str) -> bool {
    is_listed(RUN_VERBS, word) && !(word == "run" && is_listed(SCRIPT_MANAGERS, program))
}

/// Drops the words that say to run a script, or where: `npm run lint` is `npm lint`.
fn drop_run_word<'a>(program: &str, rest: &[&'a str]) -> Vec<&'a str> {
    let at = find_first_verb(rest).unwrap_or_default();
    match &rest[at.min(rest.len())..] {
        ["run" | "run-script", script, ..]
            if is_listed(SCRIPT_MANAGERS, program) && !script.starts_with('-') =>
        {
            [&rest[..at], &rest[at + 1..]].concat()
        }
        _ => rest.to_vec(),
    }
}

impl CommandForm {
    /// Returns whether a word is a script that npm, unlike its peers, runs after `run` only.
    pub(super) fn is_npm_script(&self, word: &str) -> bool {
        const OTHERS: &str = "test start stop restart run help doctor explain query";
        let is_verb = self.program == "npm" && self.verb == word;
        is_verb && !is_listed(OTHERS, word) && !is_listed(MANAGER_COMMANDS, word)
    }
}

/// Returns the subcommand: the first word that can be one.
fn find_verb(program: &str, typed: &str, rest: &[&str]) -> String {
    const OF_FILES: &str = "rm mv cp ln mkdir rmdir touch chmod chown";
    let is_known = shell::is_known_program(program) || is_listed(OF_FILES, program);
    let is_plain_tool = is_known && !shell::has_subcommands(program);
    if is_plain_tool && !typed.contains('/') {
        String::new()
    } else {
        first_verb(rest)
    }
}

/// Returns the first word that is no option and no value of one, if it can be a subcommand.
fn first_verb(rest: &[&str]) -> String {
    let at = find_first_verb(rest);
    at.map_or_else(String::new, |at| verb_of(rest[at]))
}

/// Returns the place of the first word that is no option and no value of one.
fn find_first_verb(rest: &[&str]) -> Option<usize> {
    let mut index = 0;
    while let Some(word) = rest.get(index) {
        match word {
            _ if takes_value(word) => index += 2,
            _ if word.starts_with(['-', '+']) => index += 1,
            _ if index > 0 && may_be_value(rest[index - 1], word) => index += 1,
            _ => return Some(index),
        }
    }
    None
}

/// Returns whether a word can only be the value of the option before it: `adb -s R3CN90 uninstall`.
fn may_be_value(before: &str, word: &str) -> bool {
    let is_verb_byte = |byte: u8| byte.is_ascii_lowercase() || matches!(byte, b'-' | b'_' | b':');
    before.starts_with('-') && !before.contains('=') && !word.bytes().all(is_verb_byte)
}

/// Returns the word after a subcommand that is only a group of commands: the `create` of `gh pr create`.
fn find_group_verb(program: &str, verb: &str, rest: &[&str]) -> Option<String> {
    let at = rest
        .iter()
        .position(|word| *word == verb)
        .filter(|_| is_group(program, &canonical_verb(program, verb)))?;
    Some(first_verb(&rest[at + 1..])).filter(|text| !text.is_empty())
}

/// Returns a word if it can be a subcommand, a script or a target.
fn verb_of(word: &str) -> String {
    let is_verb = word.starts_with(|c: char| c.is_ascii_alphabetic() || c == ':')
        && word.len() <= 60
        && (word.chars()).all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':' | '.'));
    if is_verb {
        word.to_owned()
    } else {
        String::new()
    }
}

fn canonical_verb(program: &str, verb: &str) -> String {
    let alias = VERB_ALIASES
        .iter()
        .find(|(programs, short, _)| *short == verb && is_listed(programs, program));
    alias.map_or(verb, |alias| alias.2).to_owned()
}

/// Returns a word in every form in which it may be meant: `-rn` is `-r` and `-n`, `--filter=web` is `--filter` and `web`.
pub(super) fn forms_of_word(program: &str, word: &str) -> Vec<String> {
    let Some(dashed) = word.strip_prefix('-').filter(|rest| !rest.is_empty()) else {
        return vec![word.trim_start_matches("./").to_owned()];
    };
    let mut found = vec![canonical_option(program, word)];
    if let Some((name, value)) = word.split_once('=') {
        found.push(canonical_option(program, name));
        found.push(value.to_owned());
    }
    let is_long = dashed.starts_with('-') || is_listed(LONG_WITH_ONE_DASH, program);
    if !is_long && dashed.len() > 1 {
        let letters = dashed.chars().take_while(char::is_ascii_alphabetic);
        found.extend(letters.map(|letter| canonical_option(program, &format!("-{letter}"))));
    }
    found
}

/// Splits an option of one letter from what stands right behind it.
pub(super) fn split_short_option(word: &str) -> Option<(&str, &str)> {
    let (option, value) = word.split_at_checked(2)?;
    let is_short = option.starts_with('-') && option.ends_with(|c: char| c.is_ascii_alphabetic());
    (is_short && !value.is_empty()).then_some((option, value))
}

/// Returns whether a word is several options of one letter, each of which is among the [forms](forms_of_word) of the word.
pub(super) fn are_letters(program: &str, word: &str) -> bool {
    let letters = word.strip_prefix('-').unwrap_or_default();
    letters.len() > 1
        && letters.bytes().all(|byte| byte.is_ascii_alphabetic())
        && !is_listed(LONG_WITH_ONE_DASH, program)
}

/// Returns the name that stands for an option.
fn canonical_option(program: &str, option: &str) -> String {
    let row = OPTION_ALIASES.iter().find(|(programs, names)| {
        names.contains(&option) && (programs.is_empty() || is_listed(programs, program))
    });
    let name = row.and_then(|(_, names)| names.last());
    name.map_or_else(|| option.to_owned(), |name| (*name).to_owned())
}
