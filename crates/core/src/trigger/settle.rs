//! Settles the sign of each name in a rule by its place among the others, where the words around it say none.
//!
//! Beside something that is warned of, another command is the advice; beside a file, a command is what is owed after it;
//! what comes first is what the rule is about. Names that are only mentioned are left out.

use super::{
    Sign,
    common_act::Act,
    sign::SignedName,
    span::{self, Named},
};

/// Settles the signs of all names, and leaves out those that are only mentioned.
pub(super) fn settle(mut names: Vec<SignedName>, has_signature: bool) -> Vec<(Sign, Named)> {
    join_warned_options(&mut names);
    advise_runners(&mut names);
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
    let is_warned = |it: &&SignedName| {
        let is_word = matches!(&it.named, Named::Command(form) if form.is_lone_word());
        it.sign == Some(Sign::Warned) && !is_word
    };
    let place = Place {
        has_due: names.iter().any(|name| is_due(&name)) || has_signature,
        has_due_path: (names.iter())
            .any(|name| is_due(&name) && matches!(name.named, Named::Path(_))),
        has_warned_command: names
            .iter()
            .filter(is_warned)
            .any(|name| is_command(&name.named)),
        has_warned_word: (names.iter().filter(is_warned))
            .any(|name| matches!(name.named, Named::Word(_))),
        has_other_kind: names
            .iter()
            .filter(is_said)
            .any(|name| !is_command(&name.named)),
        has_program,
        has_topic: (names.iter()).any(SignedName::is_program_spoken_of),
        has_said: names.iter().any(|name| is_said(&name)),
        first: names
            .iter()
            .find(|name| name.sign.is_none() && is_said(name))
            .map(|name| name.sentence),
    };
    // Where a command is not to be run is no occasion of its own.
    let due_commands: Vec<usize> = (names.iter())
        .filter(|name| name.sign == Some(Sign::Warned))
        .filter(|name| !matches!(name.named, Named::Path(_) | Named::Word(_) | Named::Act(_)))
        .map(|name| name.sentence)
        .collect();
    let is_only_where = |it: &SignedName| {
        let is_said = matches!(it.sign, Some(Sign::Exempt | Sign::Advised));
        it.is_location
            && !is_said
            && matches!(it.named, Named::Path(_) | Named::Act(_))
            && due_commands.contains(&it.sentence)
    };
    let mut pairs: Vec<(Sign, Named)> = Vec::new();
    for name in names {
        if is_only_where(&name) {
            let is_path = matches!(name.named, Named::Path(_));
            pairs.extend(is_path.then_some((Sign::Within, name.named)));
            continue;
        }
        // `X and Y take long` speaks of both alike.
        let is_alike = name.is_joined && name.sign.is_none();
        let before = pairs
            .last()
            .filter(|(_, before)| is_alike && is_command(before) && is_command(&name.named));
        let sign = before
            .map(|(sign, _)| *sign)
            .or_else(|| place.settle_name(&name));
        pairs.extend(sign.map(|sign| (sign, name.named)));
    }
    pairs
}

/// What is not to be done with an option is warned of with it alone: `don't commit with --no-verify`.
fn join_warned_options(names: &mut Vec<SignedName>) {
    for at in (1..names.len()).rev() {
        let (before, rest) = names.split_at_mut(at);
        let Named::Option(option) = &rest[0].named else {
            continue;
        };
        let mut own = before.iter_mut().rev();
        let own = own.find(|name| !matches!(name.named, Named::Word(_)));
        let is_own =
            |own: &SignedName| own.sign == Some(Sign::Warned) && own.sentence == rest[0].sentence;
        let Some(own) = own.filter(|own| rest[0].is_with && is_own(own)) else {
            continue;
        };
        let command = match &own.named {
            Named::Command(form) => form.typed(),
            Named::Program(program) => program.clone(),
            Named::Act(act @ (Act::Commit | Act::Push | Act::Rebase | Act::Merge)) => {
                format!("git {}", act.typed())
            }
            // The option alone does the act, or is of one letter, which each program has.
            Named::Act(Act::SkipHooks | Act::ForcePush) => continue,
            _ if option.len() == 2 => continue,
            _ => String::new(),
        };
        match span::read_command(&format!("{command} {option}")) {
            Some(form) if !command.is_empty() => {
                own.named = Named::Command(form);
                names.remove(at);
            }
            // An act has many commands.
            _ => own.sign = None,
        }
    }
}

/// A command that runs another one is how to run that: what the rule says to run by it is no advice of its own.
fn advise_runners(names: &mut Vec<SignedName>) {
    let is_open = |name: &SignedName| {
        name.sign.is_none_or(|sign| sign == Sign::Advised)
            && !(name.opens_clause && name.is_spoken_of)
    };
    let mut runs: Vec<(usize, String)> = Vec::new();
    for name in names.iter_mut().filter(|name| is_open(name)) {
        if let Named::Command(form) = &name.named
            && !form.inner.is_empty()
        {
            let inner = form.inner.iter().map(|inner| inner.program.clone());
            runs.extend(inner.map(|program| (name.sentence, program)));
            (name.sign, name.is_weak) = (Some(Sign::Advised), false);
        }
    }
    let is_run = |program: &String, name: &SignedName| {
        name.sign == Some(Sign::Advised) && runs.contains(&(name.sentence, program.clone()))
    };
    names.retain(|name| match &name.named {
        Named::Program(program) => !is_run(program, name),
        Named::Command(form) => !form.inner.is_empty() || !is_run(&form.program, name),
        _ => true,
    });
}

/// A command with an option that the rule warns of is warned of as well.
fn settle_options(names: &mut [SignedName]) {
    let warned_names = names.iter().filter(|name| name.sign == Some(Sign::Warned));
    let options: Vec<String> = (warned_names.filter(|name| name.is_after_cue))
        .filter_map(|name| match &name.named {
            Named::Option(option) => Some(option.clone()),
            _ => None,
        })
        .collect();
    for SignedName { named, sign, .. } in names {
        if let Named::Command(form) = named
            && options.iter().any(|option| form.has_option(option))
        {
            *sign = sign.or(Some(Sign::Warned));
        }
    }
}

/// Of a command that is to have an option, with nothing else that the sentence is about, the command with it is what is advised:
/// `run X with --y`, `pass --y to X`.
fn join_options(names: &mut [SignedName]) {
    let is_advised = |name: &SignedName| match name.sign {
        Some(sign) => sign == Sign::Advised,
        None => matches!(name.named, Named::Command(_)),
    };
    let options: Vec<(String, usize)> = (names.iter())
        .filter(|name| name.sign == Some(Sign::Advised))
        .filter_map(|name| match &name.named {
            Named::Option(option) => Some((option.clone(), name.sentence)),
            _ => None,
        })
        .collect();
    for (option, sentence) in options {
        let mut own =
            (names.iter_mut()).filter(|name| name.sentence == sentence && is_advised(name));
        let command = own.find_map(|name| {
            let Named::Command(form) = &name.named else {
                return None;
            };
            let text = form.typed();
            Some((name, text))
        });
        if let Some((name, text)) = command {
            let whole = span::read_command(&format!("{text} {option}"));
            whole.into_iter().for_each(|form| {
                (name.named, name.sign) = (Named::Command(form), Some(Sign::Advised));
                name.is_weak = false;
            });
        }
    }
}

/// What a name's place among the others says of it.
struct Place {
    has_due: bool,
    has_due_path: bool,
    has_warned_command: bool,
    /// Whether a word that may be a program is warned of.
    has_warned_word: bool,
    /// Whether something that is no command is named, which a command is then done about.
    has_other_kind: bool,
    /// Whether a program is mentioned.
    has_program: bool,
    /// Whether a program is what a sentence speaks of.
    has_topic: bool,
    /// Whether anything is named but acts and programs in plain prose.
    has_said: bool,
    /// The sentence of the first name without a sign.
    first: Option<usize>,
}

impl SignedName {
    /// Returns whether it is an option, or a command with one: then the same without it is another way.
    fn has_option(&self) -> bool {
        match &self.named {
            Named::Command(form) => form.has_extras(),
            named => matches!(named, Named::Option(_)),
        }
    }

    /// Returns whether it is a program of which no word says anything, and which is no mere mention.
    fn is_program_spoken_of(&self) -> bool {
        match &self.named {
            Named::Program(program) if self.sign.is_none() => {
                self.is_subject || !span::is_everyday(program)
            }
            _ => false,
        }
    }
}

impl Place {
    /// Returns the sign of a name; `None` if it is only mentioned.
    fn settle_name(&self, name: &SignedName) -> Option<Sign> {
        let has_due = self.has_due || self.has_other_kind;
        match name.sign {
            Some(Sign::Advised) if name.is_weak && matches!(name.named, Named::Word(_)) => {
                return None;
            }
            Some(Sign::Advised)
                if name.is_weak
                    && !has_due
                    && !self.has_topic
                    && !self.has_warned_word
                    && !name.has_option() =>
            {
                return Some(Sign::About);
            }
            Some(sign) => return Some(sign),
            None => {}
        }
        match &name.named {
            Named::Act(_) if self.has_warned_command => None,
            Named::Program(_) => name.is_program_spoken_of().then_some(Sign::About),
            Named::Word(_) => name.is_subject.then_some(Sign::About),
            Named::Act(_) => {
                (name.is_subject || !self.has_due && !self.has_said).then_some(Sign::About)
            }
            Named::Path(_) => {
                let is_other = self.first.is_some_and(|first| first != name.sentence);
                (name.is_subject || !self.has_due_path && !is_other).then_some(Sign::About)
            }
            Named::Text(_) if name.is_subject => Some(Sign::About),
            Named::Text(_) if self.has_due => Some(Sign::Advised),
            Named::Text(_) => {
                let is_other =
                    self.first.is_some_and(|first| first != name.sentence) || name.follows_words;
                Some(if is_other { Sign::Advised } else { Sign::About })
            }
            Named::Command(_)
                if name.is_subject || name.opens_clause && name.is_spoken_of && !self.has_due =>
            {
                Some(Sign::About)
            }
            Named::Tool(_) if name.opens_clause => Some(Sign::About),
            Named::Command(_) | Named::Option(_) | Named::Tool(_) => {
                let is_option = matches!(name.named, Named::Option(_)) && self.has_program;
                let is_other =
                    has_due || is_option || self.first.is_some_and(|first| first != name.sentence);
                Some(if is_other { Sign::Advised } else { Sign::About })
            }
        }
    }
}
