//! Tells whether a call is an occasion of a lesson, and under which keys the lessons are found that may say so.
//!
//! A call is an occasion if one of its acts is what the lesson warns of or is about, or is what it advises done in
//! another way, and if nothing in the call already is as the lesson says. Matching is exact; a store only has to find
//! the lessons that share a key with the call.

use super::{
    Sign, Trigger, TriggerKind, Triggers,
    act::{CallActs, FileUse, is_only_reading},
    command::CommandForm,
    path::{PathPattern, file_keys},
    signature::calls_tool,
    span::Act,
};
use crate::{
    limits,
    shell::{self, is_listed},
    tokens::QueryTerms,
    trace::call::ParsedCall,
};

/// What a call is to a lesson.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Occasion {
    /// The lesson comes up: what its words say of the call, and where.
    Due(Sign, String),
    /// The lesson would come up, but the call already is as this, which it advises.
    Kept(String),
    /// The lesson says nothing of it.
    None,
}

impl Occasion {
    /// Returns whether the lesson comes up.
    #[must_use]
    pub fn is_due(&self) -> bool {
        matches!(self, Self::Due(..))
    }
}

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

impl Triggers {
    /// Returns what a call is to the lesson. One with a failure of its own is shown at that failure, before a call only
    /// where the call alone confirms that it would fail.
    #[must_use]
    pub fn occasion(&self, acts: &CallActs, call: &ParsedCall, has_failure: bool) -> Occasion {
        let due = self
            .due()
            .find(|it| !has_failure && self.is_in_scope(it, acts) && it.is_done_by(acts, call));
        let found = match due {
            _ if !self.fits_tools(call) => None,
            _ if has_failure => self.confirmed_signature(acts, call),
            Some(trigger) => Some((trigger.sign, trigger.moment())),
            None => self.other_occasion(acts, call),
        };
        let Some((sign, moment)) = found else {
            return Occasion::None;
        };
        let kept = self
            .with_sign(Sign::Advised)
            .find(|it| it.is_kept_by(acts, call, due));
        match kept {
            Some(kept) => Occasion::Kept(kept.what.name().unwrap_or_default()),
            None => Occasion::Due(
                sign,
                moment.unwrap_or_else(|| "before a program that it mentions".to_owned()),
            ),
        }
    }

    /// Returns the occasion that the signature, advice done in another way, or the tool makes of a call.
    fn other_occasion(&self, acts: &CallActs, call: &ParsedCall) -> Option<(Sign, Option<String>)> {
        if self.signature.names(acts, call) {
            return Some((
                if self.warns {
                    Sign::Warned
                } else {
                    Sign::About
                },
                Some(format!("before `{}`", self.signature.head)),
            ));
        }
        let is_otherwise = |it: &&Trigger| !self.names_peer_of(it) && it.is_done_otherwise(acts);
        if let Some(advised) = self.with_sign(Sign::Advised).find(is_otherwise) {
            return Some((Sign::Advised, advised.other_way()));
        }
        self.is_about_tool(call).then(|| {
            (
                Sign::About,
                Some(format!("before the tool `{}`", call.tool)),
            )
        })
    }

    fn confirmed_signature(
        &self,
        acts: &CallActs,
        call: &ParsedCall,
    ) -> Option<(Sign, Option<String>)> {
        let is_it = self.signature.names(acts, call) && self.signature.is_confirmed(call);
        is_it.then(|| {
            (
                Sign::Warned,
                Some(format!("before `{}`", self.signature.head)),
            )
        })
    }

    /// Returns whether something is done where the lesson speaks of it: what it warns to write, in the folders that it
    /// names beside it, which alone are no occasion.
    fn is_in_scope(&self, trigger: &Trigger, acts: &CallActs) -> bool {
        let is_text =
            |it: &&Trigger| it.sign == Sign::Warned && matches!(it.what, TriggerKind::Text(_));
        let folders = || self.due().filter_map(Trigger::folder);
        if !self.due().any(|it| is_text(&it)) || folders().next().is_none() {
            return true;
        }
        let is_inside = || folders().any(|it| acts.files.iter().any(|(file, _)| it.contains(file)));
        trigger.folder().is_none() && (!is_text(&trigger) || acts.files.is_empty() || is_inside())
    }

    /// Returns whether the lesson says itself of which other program it warns.
    pub(super) fn names_peer_of(&self, advised: &Trigger) -> bool {
        let program = |it: &Trigger| match &it.what {
            TriggerKind::Command(form) => form.program.clone(),
            TriggerKind::Program(name) => name.clone(),
            _ => String::new(),
        };
        let own = program(advised);
        let signed = self.signature.command.iter().map(|it| it.program.clone());
        let mut named = self.due().map(program).chain(signed);
        !own.is_empty() && named.any(|it| is_peer(&own, &it) || own == it)
    }

    /// Returns whether the call may use one of the tools that the lesson is about; true if it names none.
    fn fits_tools(&self, call: &ParsedCall) -> bool {
        let is_it = |tool: &str| {
            let is_command = call.line().is_some_and(|line| {
                let mut labels = line.commands.iter().map(shell::ShellCommand::label);
                labels.any(|label| {
                    label
                        .strip_prefix(tool)
                        .is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
                })
            });
            calls_tool(tool, call)
                || is_command
                || (call.line().is_some() && shell::is_shell_name(tool))
        };
        self.tools.is_empty() || self.tools.iter().any(|tool| is_it(tool))
    }

    /// Returns whether a lesson that names nothing else is about the called tool; never if that is a shell.
    fn is_about_tool(&self, call: &ParsedCall) -> bool {
        self.signature.is_empty()
            && call.line().is_none()
            && self.tools.iter().any(|it| calls_tool(it, call))
    }

    /// Returns the keys under which a store finds the lesson.
    #[must_use]
    pub fn keys(&self) -> Vec<String> {
        let mut keys: Vec<String> = Vec::new();
        if let Some(command) = &self.signature.command {
            keys.push(command.key());
        }
        keys.extend(self.signature.path.iter().map(PathPattern::key));
        let tool = self.signature.head.split(' ').next().unwrap_or_default();
        let tools = self
            .tools
            .iter()
            .map(String::as_str)
            .chain([tool])
            .filter(|it| !it.is_empty());
        keys.extend(tools.flat_map(|it| tool_keys(&super::act::tool_name(it))));
        for trigger in &self.all {
            match trigger.sign {
                Sign::Warned | Sign::About => keys.extend(trigger.due_keys()),
                Sign::Advised => keys.extend(trigger.otherwise_keys()),
            }
        }
        keys.retain(|it| {
            it.len() > 1 && it.len() <= limits::TERM_BYTES && !it.contains(char::is_whitespace)
        });
        keys.sort_unstable();
        keys.dedup();
        keys.truncate(limits::TRIGGERS);
        keys
    }
}

impl CommandForm {
    /// Returns whether a command is this one, with all its words.
    pub(super) fn is_within(&self, given: &Self) -> bool {
        self.is_same_program(given)
            && (self.verb.is_empty()
                || self.verb == given.verb
                || given
                    .verb
                    .strip_prefix(&self.verb)
                    .is_some_and(|it| it.starts_with('·')))
            && self.words.iter().all(|word| given.has_word(word))
    }

    /// Returns whether a command is called as this one advises: with its subcommand, its options and its first operands.
    /// A word after an option may be a value that the rule gives as an example.
    fn is_kept_by(&self, given: &Self) -> bool {
        let mut after_option = false;
        let required = self.words.iter().filter(|word| {
            let is_value = after_option && !word.starts_with('-');
            after_option = word.starts_with('-');
            !is_value
        });
        self.is_same_program(given)
            && (self.verb.is_empty()
                || self.verb == given.verb
                || given
                    .verb
                    .strip_prefix(&self.verb)
                    .is_some_and(|it| it.starts_with('·')))
            && required.into_iter().all(|word| given.has_word(word))
    }

    /// A program that is written with a path is that very file, wherever its path begins.
    fn is_same_program(&self, given: &Self) -> bool {
        let bare = |path: &str| path.trim_start_matches("./").to_owned();
        let is_path = bare(&self.path).contains('/');
        match is_path {
            true => {
                let (wanted, given) = (bare(&self.path), bare(&given.path));
                given == wanted
                    || given
                        .strip_suffix(&wanted)
                        .is_some_and(|head| head.ends_with('/'))
            }
            false => self.program == given.program,
        }
    }

    /// Returns whether it is one word that need not be a program.
    fn is_lone_word(&self) -> bool {
        self.words.is_empty()
            && self.program.len() >= 4
            && !shell::is_known_program(&self.program)
            && !shell::has_subcommands(&self.program)
    }

    /// Returns the key under which a lesson about this command is found.
    pub(super) fn key(&self) -> String {
        let first = if self.verb.is_empty() {
            self.words.first()
        } else {
            Some(&self.verb)
        };
        match first {
            Some(word) => format!("${}·{word}", self.program),
            None => format!("${}", self.program),
        }
    }
}

impl TriggerKind {
    fn key(&self) -> String {
        match self {
            Self::Command(form) => form.key(),
            Self::Program(name) | Self::Word(name) => format!("${name}"),
            Self::Option { name, commands } => match commands.first() {
                Some((program, _)) => format!("${program}"),
                None => format!("${name}"),
            },
            Self::Path(path) => path.key(),
            Self::Tool(name) => format!("@{name}"),
            Self::Act(act) => format!("!{act:?}"),
            Self::Text(text) => format!("={}", text_key(text)),
        }
    }
}

/// Returns the word of a text under which it is found: the longest identifier in it.
fn text_key(text: &str) -> String {
    if let Some(stem) = example_stem(text) {
        return stem.to_lowercase();
    }
    let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    words
        .max_by_key(|word| word.len())
        .unwrap_or_default()
        .to_lowercase()
}

/// Returns what a name that is only an example has in common with those that are meant: `test_` of `test_hb123_what_it_shows`.
fn example_stem(name: &str) -> Option<&str> {
    let end = name.find('_')? + 1;
    let mut rest = name[end..].split('_');
    let is_number = |part: &str| part.len() >= 2 && part.ends_with(|c: char| c.is_ascii_digit());
    let is_word = name.chars().all(|c| c.is_alphanumeric() || c == '_');
    (end >= 4 && is_word && rest.next().is_some_and(is_number) && rest.next().is_some())
        .then_some(&name[..end])
}

impl Trigger {
    /// Returns the folder that it names, if it is one.
    fn folder(&self) -> Option<&PathPattern> {
        match &self.what {
            TriggerKind::Path(path) if path.is_folder() => Some(path),
            _ => None,
        }
    }

    /// Returns whether a call does this.
    pub(super) fn is_done_by(&self, acts: &CallActs, call: &ParsedCall) -> bool {
        let commands = || acts.commands.iter().flatten();
        match &self.what {
            TriggerKind::Command(form) => {
                let is_word = self.sign == Sign::Warned && form.is_lone_word();
                commands().any(|it| form.is_within(it))
                    || acts.is_wrapped_by(form)
                    || is_word && acts.says(&form.program)
            }
            TriggerKind::Program(name) => {
                acts.is_wrapped_in(name)
                    || commands()
                        .any(|it| it.program == *name || it.program.strip_suffix('w') == Some(name))
                    || call.server == *name
            }
            TriggerKind::Word(name) => {
                commands().any(|it| {
                    it.program == *name
                        || self.sign == Sign::Warned
                            && split_words(&it.verb).any(|part| part == name)
                }) || self.sign == Sign::Warned && acts.imports(name)
                    || call.server == *name && !only_asks(call)
            }
            TriggerKind::Option {
                name,
                commands: own,
            } => {
                let is_own = |it: &CommandForm| {
                    own.iter().any(|(program, verb)| {
                        it.program == *program && (verb.is_empty() || it.verb == *verb)
                    })
                };
                commands().any(|it| (own.is_empty() || is_own(it)) && it.has_option(name))
            }
            TriggerKind::Path(path) => {
                acts.files
                    .iter()
                    .any(|(file, use_)| path.matches(file, *use_))
                    || path.is_written_by(acts)
            }
            TriggerKind::Tool(name) => calls_tool(name, call) || call.server == *name,
            TriggerKind::Act(act) => act.is_done_by(acts, call),
            TriggerKind::Text(text) => {
                acts.says(text) || !text.contains(' ') && calls_tool(text, call)
            }
        }
    }

    /// Returns whether a call does what this advises, but otherwise: the same command without what is advised, the
    /// same program not by its wrapper, or another program for the same.
    fn is_done_otherwise(&self, acts: &CallActs) -> bool {
        let mut commands = acts.commands.iter().flatten();
        match &self.what {
            TriggerKind::Command(form) => acts
                .commands
                .iter()
                .any(|forms| form.is_other_way_of(forms)),
            TriggerKind::Program(name) => commands.any(|it| is_peer(name, &it.program)),
            _ => false,
        }
    }

    /// Returns the keys of the calls at which it comes up.
    fn due_keys(&self) -> Vec<String> {
        let also = match &self.what {
            TriggerKind::Command(form) if form.is_lone_word() => Some(format!("={}", form.program)),
            TriggerKind::Program(name) | TriggerKind::Word(name) => Some(format!("@{name}")),
            _ => None,
        };
        let verb = match &self.what {
            TriggerKind::Word(name) if self.sign == Sign::Warned => {
                vec![format!("!{name}"), format!("={name}")]
            }
            TriggerKind::Text(text) => vec![format!("@{}", text.to_lowercase())],
            _ => Vec::new(),
        };
        [self.what.key()]
            .into_iter()
            .chain(also)
            .chain(verb)
            .collect()
    }

    pub(super) fn otherwise_keys(&self) -> Vec<String> {
        match &self.what {
            TriggerKind::Command(form) => form.otherwise_keys(),
            TriggerKind::Program(name) => peers_of(name).map(|it| format!("${it}")).collect(),
            _ => Vec::new(),
        }
    }

    /// Returns whether a call already is as this advises. Advice that is only the wider form of what is due says
    /// nothing of it: `git add <file>` beside `git add .`.
    fn is_kept_by(&self, acts: &CallActs, call: &ParsedCall, due: Option<&Self>) -> bool {
        match (&self.what, due.map(|it| &it.what)) {
            (TriggerKind::Command(form), Some(TriggerKind::Command(other)))
                if form.is_within(other) =>
            {
                false
            }
            (TriggerKind::Command(form), Some(TriggerKind::Option { .. }))
                if !form.has_extras() =>
            {
                false
            }
            (TriggerKind::Command(form), _) => {
                acts.commands.iter().flatten().any(|it| form.is_kept_by(it))
            }
            (TriggerKind::Text(text), _) => contains_text(&acts.args, text),
            (TriggerKind::Path(_), _) => false,
            (TriggerKind::Act(_), _) => false,
            (TriggerKind::Tool(name), _) => calls_tool(name, call),
            _ => self.is_done_by(acts, call),
        }
    }
}

impl CommandForm {
    /// Returns whether a command, given in all its forms, does the same as this one in another way.
    fn is_other_way_of(&self, forms: &[Self]) -> bool {
        let lacks_runner = self
            .inner
            .iter()
            .any(|inner| forms.iter().any(|it| inner.is_kept_by(it)));
        let is_this = forms.iter().any(|it| self.is_kept_by(it));
        !is_this && (lacks_runner || forms.iter().any(|it| self.is_other_form_of(it)))
    }

    fn is_other_form_of(&self, given: &Self) -> bool {
        let is_same_verb = self.verb.is_empty() || self.verb == given.verb;
        let lacks_words = || {
            self.is_same_program(given)
                && is_same_verb
                && !self.is_kept_by(given)
                && self.has_extras()
        };
        let is_bare = !given.path.contains('/') && self.bare_program() == Some(&given.program);
        lacks_words()
            || is_bare
            || (is_peer(&self.program, &given.program) && is_peer_verb(self, given))
    }

    /// Returns whether it has words beyond its subcommand.
    pub(super) fn has_extras(&self) -> bool {
        self.words
            .iter()
            .any(|it| *it != self.verb && it.starts_with('-'))
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
            None => (stem != self.program || self.path.contains('/')).then_some(stem),
        }
    }

    fn otherwise_keys(&self) -> Vec<String> {
        let of = |program: &str| match self.verb.as_str() {
            "" => format!("${program}"),
            verb => format!("${program}·{verb}"),
        };
        let own = self.has_extras().then(|| of(&self.program));
        let bare = self.bare_program().map(|it| format!("${it}"));
        let inner = self.inner.iter().map(Self::key);
        peers_of(&self.program)
            .map(of)
            .chain(own)
            .chain(bare)
            .chain(inner)
            .collect()
    }
}

pub(super) fn peers_of(program: &str) -> impl Iterator<Item = &'static str> {
    let row = PEERS
        .iter()
        .find(|row| is_listed(row, program))
        .copied()
        .unwrap_or_default();
    row.split(' ')
        .filter(move |it| *it != program && !it.is_empty())
}

fn is_peer(program: &str, other: &str) -> bool {
    peers_of(program).any(|it| it == other)
}

fn is_peer_verb(advised: &CommandForm, given: &CommandForm) -> bool {
    advised.verb.is_empty() || advised.verb == given.verb
}

impl CallActs {
    /// Returns whether a call writes this, says it to a program or a tool, or changes a file of this name.
    fn says(&self, text: &str) -> bool {
        let changed = self.files.iter().filter(|it| it.1 == FileUse::Changes);
        let has_such = |stem: &str| {
            let mut words = identifiers(&self.written);
            words.any(|it| it.len() > stem.len() && it.starts_with(stem))
        };
        contains_text(&self.written, text)
            || example_stem(text).is_some_and(has_such)
            || contains_text(&self.said, text)
            || changed
                .into_iter()
                .any(|(file, _)| contains_text(file, text))
    }

    /// Returns whether a call writes a line that imports this.
    fn imports(&self, name: &str) -> bool {
        const STARTS: [&str; 7] = [
            "import ", "from ", "use ", "#include", "require ", "@import", "using ",
        ];
        self.written.lines().any(|line| {
            let line = line.trim_start();
            (STARTS.iter().any(|it| line.starts_with(it)) || line.contains("require("))
                && contains_text(line, name)
        })
    }

    /// Returns whether a line puts this program before others: `timeout 300 make`.
    fn is_wrapped_by(&self, form: &CommandForm) -> bool {
        form.words.is_empty() && self.is_wrapped_in(&form.program)
    }

    fn is_wrapped_in(&self, program: &str) -> bool {
        is_listed("timeout sudo nice nohup env time", program)
            && self.line_words.iter().any(|it| it == program)
    }
}

/// Returns whether a call of a server's tool only asks for something.
fn only_asks(call: &ParsedCall) -> bool {
    let mut words = call.tool.split(['_', '-']);
    is_only_reading(call)
        || words.any(|it| is_listed("get list read search find describe query fetch show", it))
}

/// Returns whether a text has this piece, not within a word.
pub(super) fn contains_text(text: &str, piece: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == ':' && piece.contains(':');
    let piece = piece.trim_end_matches("()");
    if piece.bytes().all(|byte| byte.is_ascii_uppercase())
        && text.is_ascii()
        && text.bytes().any(|byte| byte.is_ascii_lowercase())
        && piece.len() >= 4
    {
        return contains_text(&text.to_ascii_uppercase(), piece);
    }
    text.match_indices(piece).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + piece.len()..].chars().next();
        let starts = !piece.starts_with(is_part) || !before.is_some_and(is_part);
        starts && (!piece.ends_with(is_part) || !after.is_some_and(is_part))
    })
}

impl Act {
    /// Returns whether a call does this.
    fn is_done_by(self, acts: &CallActs, call: &ParsedCall) -> bool {
        let runs = |program: &str, verb: &str| {
            acts.commands
                .iter()
                .flatten()
                .any(|it| it.program == program && it.verb == verb)
        };
        let has_verb = |words: &[&str]| {
            let mut forms = acts.commands.iter().flatten();
            forms.any(|it| split_words(&it.verb).any(|word| words.contains(&word)))
        };
        match self {
            Self::Commit => runs("git", "commit"),
            Self::Amend => acts
                .commands
                .iter()
                .flatten()
                .any(|it| it.program == "git" && it.has_word("--amend")),
            Self::Push => runs("git", "push"),
            Self::Rebase => runs("git", "rebase"),
            Self::Merge => runs("git", "merge") || has_gh(acts, "pr", "merge"),
            Self::Stash => acts
                .commands
                .iter()
                .flatten()
                .any(|it| it.program == "git" && it.verb.starts_with("stash")),
            Self::Tag => runs("git", "tag"),
            Self::Worktree => acts
                .commands
                .iter()
                .flatten()
                .any(|it| it.verb == "worktree·add"),
            Self::PullRequest => {
                has_gh(acts, "pr", "create")
                    || has_gh(acts, "mr", "create")
                    || call.tool.contains("create_pull_request")
            }
            Self::Deploy => {
                has_verb(&["deploy"])
                    || acts
                        .commands
                        .iter()
                        .flatten()
                        .any(|it| it.program.starts_with("deploy"))
            }
            Self::Migration => {
                let changes = |(file, use_): &(String, FileUse)| {
                    *use_ == FileUse::Changes
                        && file
                            .to_lowercase()
                            .split('/')
                            .any(|it| it.starts_with("migrat"))
                };
                let mut forms = acts.commands.iter().flatten();
                forms.any(|it| {
                    it.words.iter().take(4).any(|word| {
                        !word.starts_with('-')
                            && split_words(word)
                                .any(|it| it.starts_with("migrat") || it == "makemigrations")
                    })
                }) && !is_only_reading(call)
                    || acts.files.iter().any(changes)
            }
            Self::Changelog => acts.files.iter().any(|(file, use_)| {
                *use_ == FileUse::Changes && file.to_lowercase().contains("changelog")
            }),
            Self::Dependency => {
                acts.files
                    .iter()
                    .any(|(file, use_)| *use_ == FileUse::Changes && is_manifest(file))
                    || runs("pip", "install")
            }
        }
    }
}

fn is_manifest(file: &str) -> bool {
    is_listed(
        "package.json Cargo.toml pyproject.toml go.mod Gemfile composer.json requirements.txt",
        shell::base_name(file),
    )
}

fn has_gh(acts: &CallActs, group: &str, verb: &str) -> bool {
    let mut forms = acts.commands.iter().flatten();
    forms.any(|it| is_listed("gh glab", &it.program) && it.verb == format!("{group}·{verb}"))
}

/// Returns the parts of a script's or target's name: `db:migrate` is `db` and `migrate`.
fn split_words(name: &str) -> impl Iterator<Item = &str> {
    name.split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|it| !it.is_empty())
}

/// The keys of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallKeys(Vec<String>);

impl CallKeys {
    /// Returns the keys of the lessons that may come up at a call, at most [`limits::CALL_KEYS`].
    #[must_use]
    pub fn from_call(acts: &CallActs, call: &ParsedCall) -> Self {
        const ACTS: [Act; 13] = [
            Act::Tag,
            Act::Commit,
            Act::Amend,
            Act::Push,
            Act::Rebase,
            Act::Merge,
            Act::Stash,
            Act::Worktree,
            Act::PullRequest,
            Act::Deploy,
            Act::Migration,
            Act::Changelog,
            Act::Dependency,
        ];
        let mut keys: Vec<String> = Vec::new();
        for form in acts.commands.iter().flatten() {
            keys.push(format!("${}", form.program));
            keys.extend(
                form.words
                    .iter()
                    .map(|word| format!("${}·{word}", form.program)),
            );
            keys.push(format!("${}·{}", form.program, form.verb));
            keys.push(format!(
                "${}·{}",
                form.program,
                form.verb.split('·').next().unwrap_or_default()
            ));
            keys.extend(
                form.words
                    .iter()
                    .filter(|it| it.starts_with('-'))
                    .map(|it| format!("${it}")),
            );
            keys.extend(split_words(&form.verb).map(|it| format!("!{it}")));
            keys.extend(form.program.strip_suffix('w').map(|it| format!("${it}")));
        }
        for wrapper in ["timeout", "sudo", "nice", "nohup", "env", "time"] {
            if acts.line_words.iter().any(|it| it == wrapper) {
                keys.push(format!("${wrapper}"));
            }
        }
        keys.extend(
            ACTS.iter()
                .filter(|it| it.is_done_by(acts, call))
                .map(|it| format!("!{it:?}")),
        );
        keys.extend(tool_keys(&call.tool));
        keys.push(format!("@{}", call.server));
        keys.extend(acts.files.iter().flat_map(|(file, _)| file_keys(file)));
        let changed = acts.files.iter().filter(|it| it.1 == FileUse::Changes);
        keys.extend(
            changed
                .flat_map(|(file, _)| identifiers(file))
                .map(|it| format!("={it}")),
        );
        keys.extend(
            identifiers(&acts.said)
                .chain(stems(&acts.written))
                .chain(identifiers(&acts.written))
                .take(limits::CALL_NAMES)
                .map(|it| format!("={it}")),
        );
        keys.extend(script_files(&acts.written));
        keys.retain(|it| it.len() <= limits::TERM_BYTES && !it.contains(char::is_whitespace));
        let mut seen = std::collections::HashSet::new();
        keys.retain(|it| seen.insert(it.clone()));
        keys.truncate(limits::CALL_KEYS);
        Self(keys)
    }

    /// Returns whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the query that finds the lessons with any of these keys.
    #[must_use]
    pub fn into_query(self) -> QueryTerms {
        QueryTerms::from_keys(self.0)
    }

    /// Returns whether it has one of these keys.
    #[must_use]
    pub fn has_any(&self, keys: &[String]) -> bool {
        keys.iter().any(|it| self.0.contains(it))
    }
}

/// Returns the keys of the files that a written text names.
fn script_files(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/')));
    let names = words.filter(|it| it.contains('.') && it.len() >= 5 && it.len() <= 120);
    names.map(|it| format!("/{}", shell::base_name(it).to_lowercase()))
}

fn tool_keys(tool: &str) -> Vec<String> {
    let mut keys = vec![format!("@{tool}")];
    let parts = tool.match_indices('_').map(|(at, _)| &tool[at + 1..]);
    keys.extend(parts.map(|it| format!("@{it}")));
    keys
}

/// Returns the words of what is written that can be names.
fn identifiers(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    words.filter(|it| it.len() >= 3).map(str::to_lowercase)
}

/// Returns the first parts of such words, by which names like an example are found.
fn stems(text: &str) -> impl Iterator<Item = String> {
    identifiers(text).filter_map(|it| Some(it[..=it.find('_')?].to_owned()))
}
