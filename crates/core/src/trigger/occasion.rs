//! Tells whether a call is an occasion of a lesson.
//!
//! A call is an occasion if one of its acts is what the lesson warns of or is about, or is what it advises done in
//! another way, and if nothing in the call already is as the lesson says. Matching is exact; the lessons that may be
//! due are found by their [`keys`](super::keys).

use super::{
    Sign, Trigger, TriggerKind, Triggers,
    act::{CallActs, FileUse},
    alike::is_peer,
    command::CommandForm,
    common_act::split_words,
    path::PathPattern,
    signature::calls_tool,
};
use crate::{
    shell::{self, is_listed},
    trace::call::ParsedCall,
};

/// What a call is to a lesson.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Occasion {
    /// The lesson comes up: what its words say of the call, and where.
    Due(Sign, String),
    /// The lesson would come up, but the call already is as this, which it advises.
    Kept(String),
    /// It is done in another way than the lesson advises, as too many of the project's calls are.
    TooBroad,
    /// The lesson says nothing of it.
    None,
}

impl Occasion {
    /// Returns whether the lesson comes up.
    pub fn is_due(&self) -> bool {
        matches!(self, Self::Due(..))
    }
}

impl Triggers {
    /// Returns what a call is to the lesson. One with a failure of its own is shown at that failure, before a call only
    /// where the call alone confirms that it would fail, or where a person wants it.
    pub fn occasion(&self, acts: &CallActs, call: &ParsedCall, has_failure: bool) -> Occasion {
        let mut due = (self.due()).filter(|due| !has_failure || due.is_added);
        let due = due.find(|due| due.is_done_by(acts, call) && self.holds_there(due, acts));
        let occasion = match due {
            _ if !self.fits_tools(call) => None,
            Some(trigger) => Some((trigger.sign, self.moment_of(trigger))),
            None if has_failure => self.confirmed_signature(acts, call),
            None => self.other_occasion(acts, call),
        };
        let Some((sign, moment)) = occasion else {
            return Occasion::None;
        };
        // What takes the place of a missing program may be another form of it: `python3` for `python`.
        let mut steps = acts.commands.iter();
        let calls_missing = steps.any(|forms| self.signature.calls_missing(forms));
        let keeper = self
            .with_sign(Sign::Advised)
            .find(|advice| !calls_missing && advice.is_kept_by(acts, call, due))
            .or_else(|| self.find_exempt(acts, call, due))
            .filter(|_| !due.is_some_and(|due| due.is_added));
        match keeper {
            Some(keeper) => Occasion::Kept(keeper.what.name().unwrap_or_default()),
            None => Occasion::Due(
                sign,
                moment.unwrap_or_else(|| "before a program that it mentions".to_owned()),
            ),
        }
    }

    /// Returns whether something is written where the lesson says that it matters: `no any under src/api`.
    fn holds_there(&self, due: &Trigger, acts: &CallActs) -> bool {
        let mut places = self.with_sign(Sign::Within).peekable();
        let is_there = |place: &Trigger| match &place.what {
            TriggerKind::Path(path) => {
                let mut files = acts.changed_files();
                files.any(|file| path.contains(&file.to_lowercase()))
            }
            _ => false,
        };
        let is_written =
            matches!(due.what, TriggerKind::Text(_)) && acts.changed_files().next().is_some();
        !is_written || places.peek().is_none() || places.any(is_there)
    }

    /// Returns what the lesson lets be of a call. What is only the wider form of what is due excuses nothing: `bazel clean` is
    /// none of `bazel clean --expunge`.
    fn find_exempt(
        &self,
        acts: &CallActs,
        call: &ParsedCall,
        due: Option<&Trigger>,
    ) -> Option<&Trigger> {
        let mut exempt = self.with_sign(Sign::Exempt);
        let is_wider = |name: &Trigger, due: &Trigger| match (&name.what, &due.what) {
            // A push is let be, and one with `--force` is not.
            (TriggerKind::Act(_), TriggerKind::Option { .. }) => true,
            (own, other) => own.covers(other),
        };
        // `terraform plan` is let be, and not what follows it in the same line.
        let is_other_step = |name: &Trigger| {
            let TriggerKind::Word(word) = &name.what else {
                return false;
            };
            let is_due = |forms: &[CommandForm]| due.is_some_and(|due| due.is_of(forms));
            let mut steps = acts.commands.iter();
            steps.any(|forms| !is_due(forms) && forms.iter().any(|form| form.verb == *word))
        };
        exempt.find(|name| {
            name.is_met_by(acts, call)
                && !due.is_some_and(|due| is_wider(name, due))
                && !is_other_step(name)
        })
    }

    /// Returns the occasion that the signature, advice done in another way, or the tool makes of a call.
    fn other_occasion(&self, acts: &CallActs, call: &ParsedCall) -> Option<(Sign, Option<String>)> {
        let is_expected = self.signature.is_expected(call, self.prepares);
        if is_expected && self.signature.names(acts, call) {
            return Some((
                if self.warns {
                    Sign::Warned
                } else {
                    Sign::About
                },
                Some(format!("before `{}`", self.signature.head)),
            ));
        }
        let is_otherwise =
            |it: &&Trigger| !self.tells_occasion_of(it) && it.is_done_otherwise(acts);
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

    /// Returns the occasion that the signature makes of a call that alone shows that it would fail.
    pub(super) fn confirmed_signature(
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

    /// Returns whether the lesson says itself where an advice is due: of which other program it warns, or what comes after it.
    pub(super) fn tells_occasion_of(&self, advised: &Trigger) -> bool {
        if self.prepares {
            return true;
        }
        let program = |it: &Trigger| match &it.what {
            TriggerKind::Command(form) => form.program.clone(),
            TriggerKind::Program(name) => name.clone(),
            TriggerKind::Act(act) => act.typed().split(' ').next().unwrap_or_default().to_owned(),
            _ => String::new(),
        };
        let own = program(advised);
        let own_programs = self
            .signature
            .command
            .iter()
            .map(|command| command.program.clone());
        let mut programs = self.due().map(program).chain(own_programs);
        !own.is_empty() && programs.any(|program| is_peer(&own, &program) || own == program)
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
            && self.tools.iter().any(|tool| calls_tool(tool, call))
    }
}

impl Trigger {
    /// Returns whether a call does this.
    pub(super) fn is_done_by(&self, acts: &CallActs, call: &ParsedCall) -> bool {
        let commands = || acts.commands.iter().flatten();
        match &self.what {
            TriggerKind::Command(form) => {
                let is_program = || commands().any(|given| given.program == form.program);
                let is_word = form.is_lone_word() && !is_program();
                let is_it =
                    |given: &CommandForm| form.is_within(given) && !form.is_only_asked(given);
                commands().any(is_it)
                    || form.words.is_empty() && acts.is_wrapped_in(&form.program)
                    || is_word && acts.says(&form.program)
            }
            TriggerKind::Program(name) => {
                acts.is_wrapped_in(name)
                    || commands().any(|command| {
                        command.program == *name
                            && !command.asks_about_itself()
                            && !command.asks_what_is_there()
                    })
            }
            TriggerKind::Word(name) => {
                commands().any(|command| {
                    command.program == *name
                        && !command.asks_about_itself()
                        && !command.asks_what_is_there()
                        || self.sign == Sign::Warned
                            && !command.only_asks()
                            && split_words(&command.verb).any(|part| part == name)
                }) || call.server == *name && !only_asks(call)
                    || acts.file_names().any(|file_name| file_name == name)
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
                commands()
                    .any(|command| (own.is_empty() || is_own(command)) && command.has_option(name))
            }
            TriggerKind::Path(path) => {
                let mut files = acts.files.iter();
                files.any(|(file, use_)| path.matches(file, *use_))
            }
            TriggerKind::Tool(name) => {
                calls_tool(name, call) || call.server == *name || does_as(call, name)
            }
            TriggerKind::Act(act) => act.is_done_by(acts, call),
            TriggerKind::Text(text) => {
                let is_program = |form: &CommandForm| form.program.eq_ignore_ascii_case(text);
                acts.says(text) || calls_tool(text, call) || commands().any(is_program)
            }
        }
    }

    /// Returns whether it is this command.
    fn is_of(&self, forms: &[CommandForm]) -> bool {
        matches!(&self.what, TriggerKind::Command(own) if forms.iter().any(|form| own.is_within(form)))
    }

    /// Returns whether a call does what this advises, but otherwise: the same command without what is advised, the
    /// same program not by its wrapper, or another program for the same.
    pub(super) fn is_done_otherwise(&self, acts: &CallActs) -> bool {
        let mut commands = acts.commands.iter().flatten();
        match &self.what {
            TriggerKind::Command(form) => acts
                .commands
                .iter()
                .any(|forms| form.is_other_way_of(forms)),
            TriggerKind::Program(name) => commands.any(|command| is_peer(name, &command.program)),
            _ => false,
        }
    }

    /// Returns whether a call already is as this advises. Advice that is only the wider form of what is due says
    /// nothing of it: `git add <file>` beside `git add .`.
    fn is_kept_by(&self, acts: &CallActs, call: &ParsedCall, due: Option<&Self>) -> bool {
        match (&self.what, due.map(|due| &due.what)) {
            (TriggerKind::Command(form), Some(TriggerKind::Command(other)))
                if form.is_within(other) || other.is_spelled && form.is_same_program(other) =>
            {
                false
            }
            (TriggerKind::Command(form), _) => {
                let mut commands = acts.commands.iter().flatten();
                let is_same = |other: &TriggerKind| matches!(other, TriggerKind::Command(other) if form.is_same_program(other));
                // Beside another way of the same command its values tell.
                let is_kept = |given: &CommandForm| match due {
                    Some(due) if is_same(&due.what) => {
                        form.is_within(given) && form.leaves_no_gap(given)
                    }
                    _ => form.is_kept_by(given),
                };
                commands.any(is_kept)
                    || form.is_lone_word() && contains_text(&acts.args, &form.path)
            }
            (TriggerKind::Text(text), _) => contains_text(&acts.args, text),
            (TriggerKind::Path(_) | TriggerKind::Act(_), _) => false,
            _ => self.is_done_by(acts, call),
        }
    }

    /// Returns whether a call is this, or where this is.
    fn is_met_by(&self, acts: &CallActs, call: &ParsedCall) -> bool {
        match &self.what {
            TriggerKind::Path(path) => acts.is_within(path),
            TriggerKind::Word(word) => contains_text(&acts.args.to_lowercase(), word),
            TriggerKind::Text(text) => contains_text(&acts.args, text),
            _ => self.is_done_by(acts, call),
        }
    }
}

impl CallActs {
    /// Returns whether all that a call does is done to such files, or where it says so: `-chdir=envs/sandbox`.
    fn is_within(&self, path: &PathPattern) -> bool {
        let is_there = |file: &str| path.contains(&file.to_lowercase());
        let is_said = || {
            contains_text(&self.args, &path.text) || self.files.iter().any(|file| is_there(&file.0))
        };
        match self.changed_files().next() {
            Some(_) => self.changed_files().all(is_there),
            None => is_said(),
        }
    }

    /// Returns whether a call writes this, says it to a program or a tool, or changes a file of this name.
    fn says(&self, text: &str) -> bool {
        contains_text(&self.written, text)
            || contains_text(&self.said, text)
            || self.changed_files().any(|file| contains_text(file, text))
    }

    /// Returns the names of the files that a call changes, or hands to a program: a host, a branch. What may be an ordinary word
    /// is handed over for many reasons.
    pub(super) fn file_names(&self) -> impl Iterator<Item = &str> {
        self.files.iter().flat_map(|(file, use_)| {
            let name = shell::base_name(file);
            let least = if name.contains('-') {
                FileUse::Uses
            } else {
                FileUse::Changes
            };
            // `package-lock` is `package-lock.json`.
            let stem = name.split('.').next().filter(|stem| stem.contains('-'));
            let names = [Some(name), stem.filter(|stem| *stem != name)];
            names.into_iter().flatten().filter(move |_| *use_ >= least)
        })
    }

    /// Returns whether a line puts this program before others: `timeout 300 make`.
    fn is_wrapped_in(&self, program: &str) -> bool {
        is_listed("timeout sudo nice nohup env time", program)
            && self.line_words.iter().any(|line_word| line_word == program)
    }
}

/// Returns whether a server's tool does what two words say, in one number or the other: `send_email` for `send emails`.
fn does_as(call: &ParsedCall, deed: &str) -> bool {
    let has = |word: &str| tool_words(&call.tool).any(|own| own == word);
    !call.server.is_empty() && deed.contains('_') && tool_words(deed).all(has)
}

/// Returns the words of a tool's name, each in the singular.
pub(super) fn tool_words(name: &str) -> impl Iterator<Item = &str> {
    split_words(name).map(|word| word.strip_suffix('s').unwrap_or(word))
}

/// Returns whether a call of a server's tool only asks for something.
fn only_asks(call: &ParsedCall) -> bool {
    let mut words = call.tool.split(['_', '-']);
    words.any(|word| is_listed("get list read search find describe query fetch show", word))
}

/// Returns whether a text has this piece, not within a word.
pub(super) fn contains_text(text: &str, piece: &str) -> bool {
    let piece = piece.trim_end_matches("()");
    if piece.is_empty() {
        return false;
    }
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(piece).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + piece.len()..].chars().next();
        let starts = !piece.starts_with(is_word) || !before.is_some_and(is_word);
        starts && (!piece.ends_with(is_word) || !after.is_some_and(is_word))
    })
}
