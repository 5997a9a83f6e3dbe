//! Compares commands: whether one is another, is called as it advises, or does the same in another way.
//!
//! Both sides are in the form of [`command`](super::command). What a lesson says of a command is not known here.

use super::command::CommandForm;
use crate::shell::{self, is_listed};

/// Managers of packages of one language, of which a project has one.
const PEERS: &[&str] = &[
    "npm yarn pnpm bun",
    "pip pip3 poetry pipenv uv conda pdm rye",
    "grep rg ag ack egrep",
    "find fd",
    "mvn gradle",
    "jest vitest mocha",
    "docker podman",
    "terraform tofu",
];

/// Options whose value is each call's own: a name, a text, a part of the project.
const CHOSEN_VALUES: &str = "--message --name --title --body --description --comment --filter --scope --workspace --package \
    --grep --tests -k -w -t";

impl CommandForm {
    /// Returns whether a command is this one, with all its words.
    pub(super) fn is_within(&self, given: &Self) -> bool {
        self.is_same_program(given)
            && self.is_same_verb(given)
            && self.has_words_in(given, |_| true)
            && !(self.is_bare && self.is_given_more(given))
            && (!self.is_spelled || self.is_spelled_as(given))
    }

    /// Returns whether both call their program by the same name.
    pub(super) fn is_spelled_as(&self, given: &Self) -> bool {
        shell::base_name(&self.path) == shell::base_name(&given.path)
    }

    /// Returns whether a command is called as this one advises: with its subcommand, its options and its first operands.
    /// A name, a text or a part of the project that it gives to an option is an example.
    pub(super) fn is_kept_by(&self, given: &Self) -> bool {
        self.is_same_program(given)
            && self.is_same_verb(given)
            && self.has_words_in(given, |before| !is_listed(CHOSEN_VALUES, before))
            && self.leaves_no_gap(given)
    }

    /// Returns whether a command has all of its words, an option in any of its forms, values only of the options that count.
    fn has_words_in(&self, given: &Self, counts: impl Fn(&str) -> bool) -> bool {
        let mut before = "";
        self.words.iter().all(|word| {
            let option = std::mem::replace(&mut before, word);
            let is_value = option.starts_with('-') && !word.starts_with('-');
            is_value && (!counts(option) || given.attaches(option, word)) || given.answers(word)
        })
    }

    /// Returns whether a command has something in the place of what this one leaves to its reader: `<file>`.
    pub(super) fn leaves_no_gap(&self, given: &Self) -> bool {
        let is_operand = |word: &&String| !word.starts_with('-') && **word != self.verb;
        let mut operands = given.words.iter().filter(is_operand);
        !self.has_gap || operands.any(|word| !self.has_word(word))
    }

    /// Returns whether a command has this one's subcommand, perhaps with one below it, if this one has any.
    pub(super) fn is_same_verb(&self, given: &Self) -> bool {
        let below = given.verb.strip_prefix(&self.verb);
        self.verb.is_empty()
            || below.is_some_and(|below| below.is_empty() || below.starts_with('·'))
    }

    /// A program that is written with a path is that very file, wherever its path begins.
    pub(super) fn is_same_program(&self, given: &Self) -> bool {
        let bare = |path: &str| path.trim_start_matches("./").to_owned();
        let is_path = bare(&self.path).contains('/');
        if is_path {
            let (wanted, given) = (bare(&self.path), bare(&given.path));
            given == wanted
                || given
                    .strip_suffix(&wanted)
                    .is_some_and(|head| head.ends_with('/'))
        } else {
            self.program == given.program || given.wraps(&self.program)
        }
    }

    /// Returns whether it only asks what there is, or what would be done, or goes on with what was begun.
    pub(super) fn only_asks(&self) -> bool {
        const QUERIES: &str =
            "--list --help --version --dry-run --check --continue --abort --skip --quit";
        self.words.iter().any(|word| is_listed(QUERIES, word))
    }

    /// Returns whether it is the wrapper that a project has of a program: `./mvnw`.
    pub(super) fn wraps(&self, program: &str) -> bool {
        is_listed("mvnw gradlew", &self.program) && self.bare_program() == Some(program)
    }

    /// Returns whether it is one word that need not be a program.
    pub(super) fn is_lone_word(&self) -> bool {
        self.words.is_empty()
            && self.program.len() >= 3
            && !shell::is_known_program(&self.program)
            && !shell::has_subcommands(&self.program)
    }

    /// Returns whether a command, given in all its forms, does the same as this one in another way.
    pub(super) fn is_other_way_of(&self, forms: &[Self]) -> bool {
        let is_inner =
            |inner: &Self, form: &Self| inner.is_same_program(form) && inner.is_same_verb(form);
        let lacks_runner = self
            .inner
            .iter()
            .any(|inner| forms.iter().any(|form| is_inner(inner, form)));
        let is_this = forms.iter().any(|form| self.is_kept_by(form));
        !is_this && (lacks_runner || forms.iter().any(|form| self.is_other_form_of(form)))
    }

    fn is_other_form_of(&self, given: &Self) -> bool {
        let is_same_verb = self.verb.is_empty() || self.verb == given.verb;
        let lacks_words = || {
            self.is_same_program(given)
                && is_same_verb
                && !self.is_kept_by(given)
                && !self.is_only_asked(given)
                && self.has_extras()
        };
        let is_bare = !given.path.contains('/') && self.bare_program() == Some(&given.program);
        lacks_words()
            || is_bare
            || (self.inner.is_empty()
                && is_peer(&self.program, &given.program)
                && (self.verb.is_empty() || self.verb == given.verb))
    }

    /// Returns the commands that are this one done in another way.
    pub(super) fn other_calls(&self) -> Vec<Self> {
        let bare = self.bare_program().map(|bare| Self {
            verb: String::new(),
            words: Vec::new(),
            ..self.with_program(bare)
        });
        let peers = peers_of(&self.program).map(|peer| self.with_program(peer));
        let plain = self.has_extras().then(|| Self {
            path: self.path.clone(),
            ..self.with_program(&self.program)
        });
        let inner = self.inner.iter().cloned();
        inner.chain(bare).chain(peers).chain(plain).collect()
    }

    /// Returns the subcommand alone, of this or of another program.
    pub(super) fn with_program(&self, program: &str) -> Self {
        let words = self.verb.split('·').filter(|word| !word.is_empty());
        Self {
            path: program.to_owned(),
            program: program.to_owned(),
            verb: self.verb.clone(),
            words: words.map(str::to_owned).collect(),
            is_bare: self.is_bare,
            has_gap: false,
            is_spelled: false,
            inner: Vec::new(),
        }
    }

    /// Returns whether it has more than its subcommand: options, or a place for an operand.
    pub(super) fn has_extras(&self) -> bool {
        let mut words = self.words.iter();
        self.has_gap || words.any(|word| *word != self.verb && word.starts_with('-'))
    }

    /// Returns the program that this one in the project only wraps: `gradle` for `./gradlew`, `dotnet` for `dotnet.sh`, `pytest`
    /// for `.venv/bin/pytest`.
    pub(super) fn bare_program(&self) -> Option<&str> {
        let stem = self
            .program
            .trim_end_matches(".sh")
            .trim_end_matches(".cmd");
        let is_of_gradle = is_listed("gradlew mvnw", stem);
        match stem.strip_suffix('w').filter(|_| is_of_gradle) {
            Some(bare) => Some(bare),
            None if stem != self.program => shell::is_known_program(stem).then_some(stem),
            // A file with an ending is no program of that name.
            None => (self.path.contains('/') && !stem.contains('.')).then_some(stem),
        }
    }
}

pub(super) fn peers_of(program: &str) -> impl Iterator<Item = &'static str> {
    let row = PEERS
        .iter()
        .find(|row| is_listed(row, program))
        .copied()
        .unwrap_or_default();
    row.split(' ')
        .filter(move |part| *part != program && !part.is_empty())
}

pub(super) fn is_peer(program: &str, other: &str) -> bool {
    peers_of(program).any(|peer| peer == other)
}
