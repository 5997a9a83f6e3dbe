//! The keys under which a store finds the lessons that may come up at a call.
//!
//! A lesson has a key for each thing that it comes up at, and a call one for each thing that it does, so that whatever is
//! [due](super::occasion) shares one. Sharing one says no more.

use super::{
    Sign, Trigger, TriggerKind, Triggers,
    act::{CallActs, tool_name},
    alike::peers_of,
    command::{CommandForm, split_short_option},
    common_act::{common_acts, split_words},
    occasion::tool_words,
    path::{PathPattern, file_keys},
};
use crate::{
    limits, shell, text::floor_char_boundary, tokens::QueryTerms, trace::call::ParsedCall,
};

impl Triggers {
    /// Returns the keys under which a store finds the lesson.
    pub fn keys(&self) -> Vec<String> {
        let mut keys: Vec<String> = Vec::new();
        if let Some(command) = &self.signature.command {
            keys.extend(command.keys());
        }
        keys.extend(self.signature.path.iter().map(PathPattern::key));
        let tool = self.signature.head.split(' ').next().unwrap_or_default();
        let tools = self
            .tools
            .iter()
            .map(String::as_str)
            // A shell alone is what no lesson is about, and every command would share its key.
            .filter(|text| !shell::is_shell_name(text))
            .chain([tool])
            .filter(|text| !text.is_empty());
        keys.extend(tools.flat_map(|tool| tool_keys(&tool_name(tool))));
        for trigger in &self.all {
            match trigger.sign {
                Sign::Warned | Sign::About => keys.extend(trigger.due_keys()),
                Sign::Advised => keys.extend(trigger.otherwise_keys()),
                Sign::Exempt | Sign::Within => {}
            }
        }
        bound_keys(keys, limits::LESSON_KEYS)
    }
}

/// Cuts long keys, and leaves out empty and repeated ones and those beyond a number.
fn bound_keys(mut keys: Vec<String>, most: usize) -> Vec<String> {
    let mut distinct = std::collections::HashSet::new();
    for key in &mut keys {
        key.truncate(floor_char_boundary(key, limits::TERM_BYTES));
    }
    keys.retain(|key| {
        key.len() > 1 && !key.contains(char::is_whitespace) && distinct.insert(key.clone())
    });
    keys.truncate(most);
    keys
}

impl Trigger {
    /// Returns the keys of the calls at which it comes up.
    fn due_keys(&self) -> Vec<String> {
        let mut keys = vec![self.what.key()];
        match &self.what {
            TriggerKind::Command(form) if !form.words.is_empty() => keys.extend(form.keys()),
            TriggerKind::Command(form) if form.is_lone_word() => {
                keys.push(format!("={}", text_key(&form.program)));
            }
            TriggerKind::Program(name) => keys.push(format!("@{name}")),
            TriggerKind::Word(name) => {
                keys.extend([format!("@{name}"), format!("%{name}")]);
                if self.sign == Sign::Warned {
                    keys.push(format!("!{name}"));
                }
            }
            TriggerKind::Option { commands, .. } => {
                keys.extend(commands.iter().map(|(program, _)| format!("${program}")));
            }
            TriggerKind::Path(path) => {
                keys.extend(path.text.strip_prefix('*').map(|name| format!("/{name}")));
            }
            TriggerKind::Tool(name) => {
                let last = tool_words(name).last().filter(|_| name.contains('_'));
                keys.extend(last.map(|word| format!("@{word}")));
            }
            // `OpenOCD` is also the program of that name.
            TriggerKind::Text(text) => keys.push(format!("${}", text.to_lowercase())),
            TriggerKind::Act(_) | TriggerKind::Command(_) => {}
        }
        keys
    }

    pub(super) fn otherwise_keys(&self) -> Vec<String> {
        match &self.what {
            TriggerKind::Command(form) => form.otherwise_keys(),
            TriggerKind::Program(name) => peers_of(name).map(|peer| format!("${peer}")).collect(),
            _ => Vec::new(),
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
                None => format!("${}", name.split('=').next().unwrap_or_default()),
            },
            Self::Path(path) => path.key(),
            Self::Tool(name) => format!("@{name}"),
            Self::Act(act) => format!("!{act:?}"),
            Self::Text(text) => format!("={}", text_key(text)),
        }
    }
}

impl CommandForm {
    /// Returns the key under which a lesson about this command is found.
    pub(super) fn key(&self) -> String {
        let first = if self.verb.is_empty() {
            let mut words = self.words.iter();
            words.find(|word| split_short_option(word).is_none())
        } else {
            Some(&self.verb)
        };
        verb_key(&self.program, first.map_or("", String::as_str))
    }

    /// Returns its key and one of each of its words: of many lessons about a subcommand the one that a call is about has most
    /// keys in common with it, and so is found first.
    fn keys(&self) -> impl Iterator<Item = String> {
        let words = self.words.iter().map(|word| verb_key(&self.program, word));
        std::iter::once(self.key()).chain(words)
    }

    fn otherwise_keys(&self) -> Vec<String> {
        let of = |form: &Self| verb_key(&form.program, &form.verb);
        let own = self.has_extras().then(|| of(self));
        let bare = self.bare_program().map(|name| format!("${name}"));
        peers_of(&self.program)
            .map(|peer| verb_key(peer, &self.verb))
            .chain(own)
            .chain(bare)
            .chain(self.inner.iter().map(of))
            .collect()
    }
}

/// Returns the key of a program with this subcommand, if there is one.
fn verb_key(program: &str, verb: &str) -> String {
    match verb {
        "" => format!("${program}"),
        verb => format!("${program}·{verb}"),
    }
}

/// Returns the word of a text under which it is found: the longest identifier in it.
fn text_key(text: &str) -> String {
    let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    words
        .max_by_key(|word| word.len())
        .unwrap_or_default()
        .to_lowercase()
}

/// The keys of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallKeys(Vec<String>);

impl CallKeys {
    /// Returns the keys of the lessons that may come up at a call, at most [`limits::CALL_KEYS`].
    pub fn from_call(acts: &CallActs, call: &ParsedCall) -> Self {
        // A line may have hundreds of operands, and few lessons are about one.
        let (mut keys, mut operands): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
        for form in acts.commands.iter().flatten() {
            let group = form.verb.split('·').next().unwrap_or_default();
            // `./mvnw deploy` is also `mvn deploy`.
            let wrapped_name = form.program.strip_suffix('w');
            for program in [form.program.as_str()].into_iter().chain(wrapped_name) {
                keys.push(format!("${program}"));
                keys.extend([&form.verb, group].map(|verb| format!("${program}·{verb}")));
                operands.extend(form.words.iter().map(|word| format!("${program}·{word}")));
            }
            let options = form.words.iter().filter(|word| word.starts_with('-'));
            keys.extend(options.map(|option| format!("${option}")));
            keys.extend(split_words(&form.verb).map(|word| format!("!{word}")));
        }
        for wrapper in ["timeout", "sudo", "nice", "nohup", "env", "time"] {
            if acts.line_words.iter().any(|line_word| line_word == wrapper) {
                keys.push(format!("${wrapper}"));
            }
        }
        let acts_done = common_acts().filter(|act| act.is_done_by(acts, call));
        keys.extend(acts_done.map(|act| format!("!{act:?}")));
        keys.extend(tool_keys(&call.tool));
        keys.extend(tool_words(&call.tool).map(|word| format!("@{word}")));
        keys.extend([format!("@{}", call.server), format!("={}", call.tool)]);
        keys.extend(acts.files.iter().flat_map(|(file, _)| file_keys(file)));
        keys.extend(acts.file_names().map(|name| format!("%{name}")));
        let changed_names = acts.changed_files().flat_map(identifiers);
        keys.extend(changed_names.map(|name| format!("={name}")));
        keys.extend(
            identifiers(&acts.said)
                .chain(identifiers(&acts.written))
                .take(limits::CALL_NAMES)
                .map(|identifier| format!("={identifier}")),
        );
        keys.extend(operands);
        Self(bound_keys(keys, limits::CALL_KEYS))
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the query that finds the lessons with any of these keys.
    pub fn into_query(self) -> QueryTerms {
        QueryTerms::from_keys(self.0)
    }

    /// Returns whether it has one of these keys.
    pub fn has_any(&self, keys: &[String]) -> bool {
        keys.iter().any(|key| self.0.contains(key))
    }
}

fn tool_keys(tool: &str) -> Vec<String> {
    let mut keys = vec![format!("@{tool}")];
    let parts = tool.match_indices('_').map(|(at, _)| &tool[at + 1..]);
    keys.extend(parts.map(|part| format!("@{part}")));
    keys
}

/// Returns the words of what is written that can be names.
pub(super) fn identifiers(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    words.filter(|word| word.len() >= 3).map(str::to_lowercase)
}
