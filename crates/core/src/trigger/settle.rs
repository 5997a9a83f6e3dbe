//! Settles the sign of each name in a rule by its place among the others, where the words around it say none.
//!
//! Beside something that is warned of, another command is the advice; beside a file, a command is what is owed after it;
//! what comes first is what the rule is about. Names that are only mentioned are left out.

use super::{
    Sign,
    command::CommandForm,
    common_act::Act,
    form,
    sign::SignedName,
    span::{self, Named},
};

/// Settles the signs of all names, and leaves out those that are only mentioned.
pub(super) fn settle(mut names: Vec<SignedName>, has_signature: bool) -> Vec<(Sign, Named)> {
    settle_options(&mut names);
    join_options(&mut names);
    let is_command = |it: &Named| {
        matches!(
            it,
            Named::Command(_) | Named::Option(_) | Named::Program(_) | Named::Act(_)
        )
    };
    let is_said =
        |it: &&SignedName| !matches!(it.named, Named::Act(_) | Named::Program(_) | Named::Word(_));
    let is_due = |it: &&SignedName| {
        matches!(it.sign, Some(Sign::Warned | Sign::About)) && !matches!(it.named, Named::Word(_))
    };
    let has_program = names
        .iter()
        .any(|name| matches!(name.named, Named::Program(_) | Named::Word(_)));
    let is_warned = |it: &&SignedName| it.sign == Some(Sign::Warned);
    let due_programs = names.iter().filter_map(|name| match &name.named {
        Named::Program(program) if name.sign == Some(Sign::Warned) => {
            Some((program.clone(), Sign::Warned))
        }
        Named::Program(program) if name.is_subject => Some((program.clone(), Sign::About)),
        _ => None,
    });
    let says_due = |name: &&SignedName| {
        name.sign == Some(Sign::About) && matches!(name.named, Named::Act(_) | Named::Command(_))
    };
    let place = Place {
        due_programs: due_programs.collect(),
        due_sentences: names
            .iter()
            .filter(says_due)
            .map(|name| name.sentence)
            .collect(),
        has_advised_option: names
            .iter()
            .any(|name| name.sign == Some(Sign::Advised) && matches!(name.named, Named::Option(_))),
        has_due: names.iter().any(|name| is_due(&name)) || has_signature,
        has_open_path: (names.iter())
            .any(|name| name.sign.is_none() && matches!(name.named, Named::Path(_))),
        has_due_path: (names.iter())
            .any(|name| is_due(&name) && matches!(name.named, Named::Path(_))),
        warned_programs: names
            .iter()
            .filter(is_warned)
            .filter_map(|name| name.program())
            .collect(),
        has_warned_command: names
            .iter()
            .filter(is_warned)
            .any(|name| is_command(&name.named)),
        has_other_kind: names
            .iter()
            .filter(is_said)
            .any(|name| !is_command(&name.named) && !matches!(name.named, Named::Tool(_)))
            || names
                .iter()
                .any(|name| is_subject(name) || is_rare_program(&name.named)),
        has_program,
        has_said: names.iter().any(|name| is_said(&name)),
        has_message: names.iter().any(|name| has_message(&name.named)),
        first: names
            .iter()
            .find(|name| name.sign.is_none() && is_said(name))
            .map(|name| name.sentence),
    };
    // A topic only says where the rest belongs, if the rest says what it is due at.
    let is_topic =
        |it: &SignedName| it.is_topic && matches!(it.named, Named::Program(_) | Named::Word(_));
    let says_more = names.iter().any(|name| is_due(&name) && !is_topic(name));
    // Where a command is not to be run is no occasion of its own.
    let due_commands: Vec<usize> = (names.iter())
        .filter(|name| name.sign == Some(Sign::Warned))
        .filter(|name| matches!(name.named, Named::Command(_) | Named::Program(_)))
        .map(|name| name.sentence)
        .collect();
    let is_only_where = |it: &SignedName| {
        let is_said = matches!(it.sign, Some(Sign::Exempt | Sign::Advised));
        it.is_location
            && !is_said
            && matches!(it.named, Named::Path(_))
            && due_commands.contains(&it.sentence)
    };
    let pairs = names
        .into_iter()
        .filter(|name| !(says_more && is_topic(name) || is_only_where(name)))
        .filter_map(|name| Some((place.settle_name(&name)?, name.named)));
    let mut pairs: Vec<(Sign, Named)> = pairs.collect();
    // A word that may be a program counts only where nothing else tells what the rule is about.
    if pairs
        .iter()
        .any(|(sign, named)| *sign != Sign::Advised && !matches!(named, Named::Word(_)))
    {
        pairs.retain(|(sign, named)| *sign != Sign::About || !matches!(named, Named::Word(_)));
    }
    add_siblings(&mut pairs);
    // Of a message that must not say something, or a command that must not have an option, only those that do are meant.
    let warns_of_text = pairs.iter().any(|(sign, named)| {
        *sign == Sign::Warned && matches!(named, Named::Text(_) | Named::Option(_))
    });
    if warns_of_text {
        pairs.retain(|(_, named)| {
            !matches!(
                named,
                Named::Act(Act::Commit | Act::Push | Act::PullRequest)
            )
        });
    }
    pairs
}

/// A rule that names nothing but a file that may be changed is about the others beside it: `only locales/en.json is ours`.
fn add_siblings(settled: &mut Vec<(Sign, Named)>) {
    let is_due =
        |sign: Sign, named: &Named| sign != Sign::Exempt && !matches!(named, Named::Word(_));
    if settled.iter().any(|(sign, named)| is_due(*sign, named)) {
        return;
    }
    let folder = settled.iter().find_map(|(_, named)| match named {
        Named::Path(path) => path.rsplit_once('/').filter(|(_, name)| name.contains('.')),
        _ => None,
    });
    let folder = folder.map(|(folder, _)| (Sign::About, Named::Path(format!("{folder}/"))));
    settled.extend(folder);
}

/// Of a command that must not have an option, only the calls with it are meant: what the sentence warns of before the option
/// only says of which command it is, and a command with the option is warned of as well.
fn settle_options(names: &mut Vec<SignedName>) {
    let is_warned = |name: &&SignedName| name.sign == Some(Sign::Warned) && name.is_after_cue;
    let options: Vec<(String, usize)> = (names.iter().filter(is_warned))
        .filter_map(|name| match &name.named {
            Named::Option(option) => Some((option.clone(), name.sentence)),
            _ => None,
        })
        .collect();
    for name in names {
        let SignedName { named, sign, .. } = name;
        match named {
            Named::Command(form) if options.iter().any(|(option, _)| form.has_option(option)) => {
                *sign = sign.or(Some(Sign::Warned));
            }
            Named::Command(_) | Named::Program(_)
                if *sign == Some(Sign::Warned)
                    && !name.is_after_cue
                    && options
                        .iter()
                        .any(|(_, sentence)| *sentence == name.sentence) =>
            {
                *sign = None;
            }
            _ => {}
        }
    }
}

/// Of a command that is to have an option, with nothing else that the sentence is about, the command with it is what is advised:
/// `run X with --y`, `pass --y to X`.
fn join_options(names: &mut [SignedName]) {
    let is_advised = |name: &SignedName| name.sign == Some(Sign::Advised) && !name.is_weak;
    let options: Vec<(String, usize)> = (names.iter())
        .filter(|name| name.sign == Some(Sign::Advised))
        .filter_map(|name| match &name.named {
            Named::Option(option) => Some((option.clone(), name.sentence)),
            _ => None,
        })
        .collect();
    for (option, sentence) in options {
        let has_other = names.iter().any(|name| {
            let is_due = matches!(name.sign, Some(Sign::Warned | Sign::About));
            name.sentence == sentence && is_due && !name.is_topic
        });
        let mut own =
            (names.iter_mut()).filter(|name| name.sentence == sentence && is_advised(name));
        let command = own.find_map(|name| {
            let text = match &name.named {
                Named::Command(form) => form.typed(),
                Named::Program(program) => program.clone(),
                _ => return None,
            };
            Some((name, text))
        });
        if let Some((name, text)) = command.filter(|_| !has_other) {
            let whole = span::read_command(&format!("{text} {option}"));
            whole
                .into_iter()
                .for_each(|form| name.named = Named::Command(form));
        }
    }
}

/// Returns whether a sentence speaks of it, and it is more than a word that may be a program.
fn is_subject(name: &SignedName) -> bool {
    name.is_subject && !matches!(name.named, Named::Word(_))
}

/// Returns whether it is a command with options of which the sentence does not speak: one says how by it, and would not write
/// out what is to be avoided without a word against it.
fn says_how(name: &SignedName) -> bool {
    !name.opens_clause && matches!(&name.named, Named::Command(form) if form.has_extras())
}

fn has_message(named: &Named) -> bool {
    matches!(named, Named::Act(Act::Commit | Act::PullRequest))
}

fn is_rare_program(named: &Named) -> bool {
    matches!(named, Named::Program(program) if !span::is_everyday(program))
}

/// What a name's place among the others says of it.
struct Place {
    /// Programs in plain prose that the rule warns of or is about.
    due_programs: Vec<(String, Sign)>,
    has_advised_option: bool,
    /// The sentences that say at which act or command the rule is due.
    due_sentences: Vec<usize>,
    has_due: bool,
    has_due_path: bool,
    /// Whether a path without a sign is named, which is what the rule is about.
    has_open_path: bool,
    /// Programs that it warns of.
    warned_programs: Vec<String>,
    has_warned_command: bool,
    /// Whether something that is no command is named, which a command is then done about.
    has_other_kind: bool,
    /// Whether a program is mentioned.
    has_program: bool,
    /// Whether anything is named but acts and programs in plain prose.
    has_said: bool,
    /// Whether it names an act that has a message.
    has_message: bool,
    /// The sentence of the first name without a sign.
    first: Option<usize>,
}

impl Place {
    /// Returns the sign of the program that this is a command of.
    fn due_sign(&self, form: &CommandForm) -> Option<Sign> {
        self.due_programs
            .iter()
            .find(|(program, _)| *program == form.program)
            .map(|due_program| due_program.1)
    }

    /// Returns the sign of a name; `None` if it is only mentioned.
    fn settle_name(&self, name: &SignedName) -> Option<Sign> {
        let has_due = self.has_due || self.has_other_kind;
        match name.sign {
            Some(Sign::Advised) if matches!(name.named, Named::Word(_)) => return None,
            Some(Sign::About)
                if matches!(name.named, Named::Option(_))
                    && self.due_sentences.contains(&name.sentence) =>
            {
                return Some(Sign::Advised);
            }
            Some(Sign::Advised) if name.is_setting() => return Some(Sign::Advised),
            Some(Sign::Advised) if name.is_weak && !has_due && !says_how(name) => {
                return Some(Sign::About);
            }
            Some(Sign::Advised)
                if matches!(name.named, Named::Path(_)) && !self.has_due && !self.has_open_path =>
            {
                return Some(Sign::About);
            }
            Some(sign) => return Some(sign),
            None => {}
        }
        match &name.named {
            Named::Program(_) | Named::Act(_) if name.is_alone && self.has_warned_command => {
                Some(Sign::Advised)
            }
            // `ruff does it; black is not set up`
            Named::Program(program)
                if self.warned_programs.iter().any(|other| other != program) =>
            {
                Some(Sign::Advised)
            }
            Named::Act(_) if self.has_warned_command => None,
            Named::Program(program) => {
                (name.is_subject || !span::is_everyday(program)).then_some(Sign::About)
            }
            Named::Word(_) => name.is_subject.then_some(Sign::About),
            Named::Act(_) => {
                (name.is_subject || !self.has_due && !self.has_said).then_some(Sign::About)
            }
            Named::Path(_) => {
                let is_other = self.first.is_some_and(|first| first != name.sentence);
                (!self.has_due_path && !is_other).then_some(Sign::About)
            }
            Named::Text(_) if name.is_setting() => Some(Sign::Advised),
            Named::Text(text) if self.has_message && form::is_form(text) => Some(Sign::Advised),
            Named::Text(_) if name.is_subject => Some(Sign::About),
            Named::Text(_) if self.has_due => Some(Sign::Advised),
            Named::Text(_) => {
                let is_other = self.first.is_some_and(|first| first != name.sentence);
                Some(if is_other { Sign::Advised } else { Sign::About })
            }
            Named::Command(_) if name.is_subject || name.is_first && self.has_advised_option => {
                Some(Sign::About)
            }
            Named::Command(form) if self.due_sign(form).is_some() => self.due_sign(form),
            Named::Command(_) if says_how(name) => Some(Sign::Advised),
            Named::Command(_) | Named::Option(_) | Named::Tool(_) => {
                let is_option = matches!(name.named, Named::Option(_)) && self.has_program;
                let is_other = has_due
                    || is_option
                    || name.is_due_then
                    || self.first.is_some_and(|first| first != name.sentence);
                Some(if is_other { Sign::Advised } else { Sign::About })
            }
        }
    }
}
