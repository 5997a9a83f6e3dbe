//! Derives from what a lesson says at which calls it comes up, and tells whether a call is one of them.
//!
//! A lesson has words for a reader and [`Triggers`] for the machine: commands, options, files, tools, acts such as a
//! commit, and identifiers, each with a [`Sign`]. It comes up before what it warns of or is about, and before the same
//! thing done without what it advises; a call that already does as it says is no occasion. All of it is a pure function
//! of the lesson's words ([`VERSION`] numbers that function), so a store can keep the [keys](Triggers::keys) and make
//! them anew. Nothing here reads a bank, ranks, or judges whether the advice is good.

mod act;
mod advice;
mod ahead;
mod alike;
mod claim;
mod clause;
mod command;
mod common_act;
mod cue;
mod describe;
mod failure;
mod keep;
mod keys;
mod occasion;
mod opposite;
mod path;
mod prose;
mod repeated;
mod restate;
mod settle;
mod signature;
mod sign;
mod span;

pub use act::CallActs;
pub use claim::absent_programs;
pub(crate) use command::{CommandName, name_command, name_option, peel_runners};
pub use cue::says_not;
pub(crate) use cue::{begins_order, is_unspaced, says_instead, says_only};
pub use describe::{AT_START, describe_moments, describe_moments_if_broad, describe_occasion};
pub use failure::failure_words;
pub use keep::{describe_signature, keeps_failure};
pub use keys::CallKeys;
pub use occasion::Occasion;
pub use opposite::Stance;
pub use repeated::only_repeats;
pub use restate::restates;
pub(crate) use signature::{calls_for_lessons, may_be_signature};

use crate::{
    event::{CallStatus, ToolCall},
    lesson::LessonContent,
    limits, shell,
    text::CleanText,
    tokens::{self, DocTerms, TypedWord},
    trace::{
        call::{self, ParsedCall},
        client_refusal,
    },
};
use command::CommandForm;
use common_act::{Act, speaks_of_tests};
use path::PathPattern;
use serde_json::json;
use sign::SignedName;
use span::Named;

/// Increases whenever the same lesson would get other triggers or keys.
pub const VERSION: u32 = 21;

/// What a lesson says of something that it names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    /// It warns of it.
    Warned,
    /// It is about it: what it says is due there.
    About,
    /// It advises it.
    Advised,
    /// It lets it be, whatever else it says.
    Exempt,
    /// It is where what it says of something written holds.
    Within,
}

/// Something that a lesson names, with what it says of it.
#[derive(Debug, Clone, PartialEq)]
struct Trigger {
    sign: Sign,
    what: TriggerKind,
    /// Whether a person added it, for whom it comes up whatever else the lesson says.
    is_added: bool,
}

/// What a trigger matches.
#[derive(Debug, Clone, PartialEq)]
enum TriggerKind {
    /// A command with its words.
    Command(CommandForm),
    /// A program, however it is called.
    Program(String),
    /// A word that may be the name of a program or a server.
    Word(String),
    /// An option; of which programs, if one of one letter.
    Option {
        name: String,
        /// The commands that it belongs to, as programs and subcommands.
        commands: Vec<(String, String)>,
    },
    /// A file, folder or pattern.
    Path(PathPattern),
    /// A tool, by its name in lower case.
    Tool(String),
    /// An act, whatever the command.
    Act(Act),
    /// Words in what is written or in an error.
    Text(String),
}

/// All that a lesson comes up at.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Triggers {
    all: Vec<Trigger>,
    /// What the signature names, as its author put it.
    signature: signature::Signature,
    /// Whether its text speaks against what the signature names.
    warns: bool,
    /// Whether its text says what comes first, before what it is about.
    prepares: bool,
    /// Tools that the call must use.
    tools: Vec<String>,
}

impl Triggers {
    /// Derives the triggers of a lesson.
    pub fn from_content(content: &LessonContent) -> Self {
        if let Some(corrections) = content.later_corrections() {
            let mut all = Vec::new();
            correct(&mut all, &corrections);
            return Self {
                all,
                ..Self::default()
            };
        }
        let corrections = content.trigger_corrections();
        let mut signature = signature::Signature::parse(content.signature.as_str());
        let is_named = |what: &str| {
            let call = call_from_text(what);
            signature.head == what || signature.names(&CallActs::from_call(&call), &call)
        };
        if corrections
            .iter()
            .any(|(is_one_more, what)| !is_one_more && is_named(what))
        {
            signature = signature::Signature::default();
        }
        let mut names = sign::read_names(content.text.as_str());
        if let Some(situation) = &content.situation {
            let about = sign::read_names(situation.as_str()).into_iter();
            names.extend(about.map(SignedName::into_occasion));
        }
        let mut all = settle_triggers(names, content.text.as_str(), &signature);
        correct(&mut all, &corrections);
        let has_signature = !signature.is_empty();
        all.truncate(limits::TRIGGERS);
        Self {
            all,
            signature,
            warns: has_signature && cue::says_not(content.text.as_str()),
            prepares: has_signature && cue::says_any(content.text.as_str(), &[cue::Cue::First]),
            tools: content
                .tools
                .iter()
                .map(|tool| tool.as_str().to_owned())
                .collect(),
        }
    }

    /// Returns whether the lesson names nothing that a call could be about: it is a convention, and lives at starts and
    /// prompts.
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
            && !self.signature.is_certain()
            && !self.all.iter().any(Trigger::is_clear)
    }

    /// Returns whether a prompt mentions a tool that the lesson is about. The clients' own tools are no topic of a prompt.
    pub fn are_topic_of(&self, prompt: &str) -> bool {
        let prompt = prompt.to_lowercase();
        let is_said = |tool: &String| {
            let tool = tool.to_lowercase();
            !client_refusal::is_client_tool(&tool)
                && !shell::is_shell_name(&tool)
                && prompt.contains(&tool)
        };
        self.tools.iter().any(is_said)
    }

    fn with_sign(&self, sign: Sign) -> impl Iterator<Item = &Trigger> {
        self.all.iter().filter(move |trigger| trigger.sign == sign)
    }

    /// Returns the triggers that bring the lesson up: what it warns of and what it is about.
    fn due(&self) -> impl Iterator<Item = &Trigger> {
        self.all.iter().filter(|trigger| trigger.is_due())
    }
}

/// How many times as many names are compared with each other as become triggers.
const SETTLED_TRIGGERS: usize = 4;

/// Makes triggers of the names in a lesson, without those that its other words make void.
fn settle_triggers(
    names: Vec<SignedName>,
    text: &str,
    signature: &signature::Signature,
) -> Vec<Trigger> {
    let has_path = names
        .iter()
        .any(|name| matches!(name.named, Named::Path(_)));
    let reading = path::says_reading(if has_path { text } else { "" });
    let pairs = settle::settle(names, !signature.is_empty()).into_iter();
    let pairs = pairs.take(SETTLED_TRIGGERS * limits::TRIGGERS);
    let mut all: Vec<Trigger> =
        (pairs.map(|(sign, named)| Trigger::new(sign, named, reading))).collect();
    bind_short_options(&mut all, signature);
    bind_spellings(&mut all);
    let warnings = all.iter().filter(|trigger| trigger.sign == Sign::Warned);
    let warnings: Vec<TriggerKind> = warnings.map(|warning| warning.what.clone()).collect();
    let is_void = |it: &TriggerKind| {
        let command = signature.command.as_ref();
        command.is_some_and(|command| it.is_command(command))
    };
    let is_missing = signature.missing_program().is_some();
    all.retain(|trigger| match &trigger.what {
        TriggerKind::Option { name, .. } if !trigger.is_due() => !warnings
            .iter()
            .any(|warning| matches!(warning, TriggerKind::Command(form) if form.has_option(name))),
        // Of a program that is not there only the signature speaks: a runner may bring it.
        what => trigger.sign != Sign::Advised && !is_missing || !is_void(what),
    });
    // How tests are written has no name of its own: where nothing else tells when, it is when one is.
    if signature.is_empty() && !all.iter().any(Trigger::is_clear) && speaks_of_tests(text) {
        all.push(Trigger {
            sign: Sign::About,
            what: TriggerKind::Act(Act::TestCode),
            is_added: false,
        });
    }
    all
}

/// Binds options of one letter to the commands that the lesson names, because each program has its own; without any the
/// option is left out.
fn bind_short_options(all: &mut Vec<Trigger>, signature: &signature::Signature) {
    let pair = |form: &CommandForm| (form.program.clone(), form.verb.clone());
    let programs = all.iter().filter_map(|trigger| match &trigger.what {
        TriggerKind::Command(form) => Some(pair(form)),
        TriggerKind::Program(name) | TriggerKind::Word(name) => Some((name.clone(), String::new())),
        _ => None,
    });
    let own: Vec<(String, String)> = programs.chain(signature.command.iter().map(pair)).collect();
    all.retain_mut(|trigger| match &mut trigger.what {
        TriggerKind::Option { name, commands } if name.len() == 2 => {
            commands.clone_from(&own);
            !own.is_empty()
        }
        _ => true,
    });
}

/// Binds a command that is warned of to the name that its program has there, where the rule advises another name of the same,
/// or names nothing but an old one: `docker compose`, not `docker-compose`.
fn bind_spellings(all: &mut [Trigger]) {
    let advised = |trigger: &Trigger| match &trigger.what {
        TriggerKind::Command(form) if trigger.sign == Sign::Advised => Some(form.clone()),
        _ => None,
    };
    let advice: Vec<CommandForm> = all.iter().filter_map(advised).collect();
    for trigger in all {
        if let (Sign::Warned, TriggerKind::Command(form)) = (trigger.sign, &mut trigger.what) {
            let is_other =
                |other: &CommandForm| form.is_within(other) && !form.is_spelled_as(other);
            let is_old = command::split_old_name(&form.path).is_some() && form.typed() == form.path;
            form.is_spelled = is_old || advice.iter().any(is_other);
        }
    }
}

/// Carries out a person's corrections: one more comes first, and one less leaves out whatever brings the lesson up there.
fn correct(all: &mut Vec<Trigger>, corrections: &[(bool, String)]) {
    let read_named = |text: &str| {
        let act = Act::from_name(text).map(span::Named::Act);
        let code = act.or_else(|| span::read_code(text))?;
        Some(Trigger::new(
            Sign::About,
            code,
            path::ReadingWords::any_use(),
        ))
    };
    for (is_one_more, what) in corrections {
        let text = what.trim_matches('`');
        if *is_one_more {
            let added = read_named(text).map(|trigger| Trigger {
                is_added: true,
                ..trigger
            });
            all.splice(0..0, added);
        } else {
            let call = call_from_text(text);
            let acts = CallActs::from_call(&call);
            let same = read_named(text);
            all.retain(|trigger| {
                let is_same = same
                    .as_ref()
                    .is_some_and(|other| other.what == trigger.what);
                let brings_up = match trigger.sign {
                    Sign::Advised => trigger.is_done_otherwise(&acts),
                    Sign::Warned | Sign::About => trigger.is_done_by(&acts, &call),
                    Sign::Exempt | Sign::Within => false,
                };
                !is_same && !brings_up
            });
        }
    }
}

/// Returns the call that a text stands for, parsed.
fn call_from_text(what: &str) -> ParsedCall {
    call::parse_call(&tool_call_from_text(what))
}

/// Returns whether a text is a command and no error: it begins with a known program, and says nothing after a colon.
pub fn is_command_text(text: &str) -> bool {
    let program = text.split_whitespace().next().unwrap_or_default();
    shell::is_known_program(program) && !text.contains(": ")
}

/// Returns the call that a text stands for: an edit of a file, the call of a tool, or a command. It worked.
pub fn tool_call_from_text(what: &str) -> ToolCall<CleanText> {
    let is_word = !what.contains(char::is_whitespace);
    let is_client_tool = || {
        what.starts_with(char::is_uppercase) && client_refusal::is_client_tool(&what.to_lowercase())
    };
    let (tool, args) = if is_word && (what.starts_with("mcp__") || is_client_tool()) {
        (what, json!({}))
    } else if is_word && span::is_path(what) {
        (
            "Edit",
            json!({ "file_path": what, "old_string": "", "new_string": "" }),
        )
    } else {
        ("Bash", json!({ "command": what }))
    };
    ToolCall {
        turn: 0,
        tool: CleanText::from_stored(tool.to_owned()),
        args: CleanText::from_stored(args.to_string()),
        status: CallStatus::Ok,
        outside: None,
    }
}

impl TriggerKind {
    /// Returns whether it is this command, word for word.
    fn is_command(&self, command: &CommandForm) -> bool {
        match self {
            Self::Command(form) => form.program == command.program && form.words == command.words,
            Self::Program(name) => command.words.is_empty() && *name == command.program,
            _ => false,
        }
    }
}

impl Trigger {
    /// Returns whether it brings the lesson up by itself.
    fn is_due(&self) -> bool {
        matches!(self.sign, Sign::Warned | Sign::About)
    }

    /// Returns whether a call alone tells that it is an occasion.
    fn is_clear(&self) -> bool {
        match self.sign {
            Sign::Advised => self.other_way().is_some(),
            Sign::Warned | Sign::About => self.what.is_known(),
            Sign::Exempt | Sign::Within => false,
        }
    }

    fn new(sign: Sign, named: Named, reading: path::ReadingWords) -> Self {
        let kind = match named {
            Named::Command(form) => TriggerKind::Command(form),
            Named::Program(name) => TriggerKind::Program(name),
            Named::Word(name) => TriggerKind::Word(name),
            Named::Option(name) => TriggerKind::Option {
                name,
                commands: Vec::new(),
            },
            Named::Path(path) => {
                TriggerKind::Path(PathPattern::new(&path, reading, sign == Sign::Warned))
            }
            Named::Tool(name) => TriggerKind::Tool(act::tool_name(&name)),
            Named::Act(act) => TriggerKind::Act(act),
            Named::Text(text) => TriggerKind::Text(text),
        };
        Self {
            sign,
            what: kind,
            is_added: false,
        }
    }
}

/// Returns the terms by which a store finds a lesson: its words, those of its task, and its keys.
pub fn index_terms(content: &LessonContent, task: Option<&CleanText>) -> DocTerms {
    DocTerms::from_content(content, task).with_keys(&index_keys(content))
}

/// The key of a lesson that no call brings up, which no call has.
const CONVENTION_KEY: &str = "~convention";

/// Returns the keys by which a store finds a lesson beside its words: those of its triggers and of its tags.
pub fn index_keys(content: &LessonContent) -> Vec<String> {
    let tags = content.tags.iter().map(CleanText::as_str);
    let triggers = Triggers::from_content(content);
    let mut keys = triggers.keys();
    if triggers.is_empty() && !content.is_kept_from_calls() {
        keys.push(CONVENTION_KEY.to_owned());
    }
    keys.extend(tokens::tag_keys(tags));
    keys
}

/// Returns the word by which a store finds the lessons that no call brings up, unless a person kept them from calls.
pub fn convention_word() -> TypedWord {
    TypedWord::from_key(CONVENTION_KEY)
}

#[cfg(test)]
mod tests;
