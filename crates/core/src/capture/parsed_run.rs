//! A trace prepared for comparison: every call parsed once, every failure classified once.
//!
//! A call that succeeded although steps of its line failed is read as the steps that ran, one after the other, so
//! that a failure and its fix in one line are compared like two calls. So is one whose output only reads like an error,
//! once the same command works without such words.

use std::{borrow::Cow, collections::HashMap, slice};

use crate::{
    AgentTurn, CallArgs, CallEffect, CallFailure, CallStatus, CleanText, FailedStep, Join,
    ParsedCall, ShellCommand, ShellLine, StepKind, ToolCall, Trace, TraceStep,
    shell::{self, is_listed},
    trace::{call, effect, family::FailureFamily},
    trigger::name_command,
};

/// One call of the run, or one step of a call's line.
pub(super) struct RunCall<'a> {
    /// The index, among the calls of the reading, of the call that this is or is a step of.
    pub(super) call_index: usize,
    /// Its position among all steps of the run.
    position: u32,
    /// How many steps before it were dropped from the trace.
    dropped_before: u32,
    /// The tool name as recorded.
    pub(super) tool: &'a str,
    /// The arguments as recorded; for a step, its words.
    pub(super) args: Cow<'a, str>,
    /// The first lines of its error; empty if it worked.
    pub(super) error: &'a str,
    /// Whether its result came from outside the machine.
    pub(super) external: bool,
    /// The parsed form of the call.
    pub(super) call: ParsedCall,
    /// Its failure, if it failed.
    pub(super) failure: Option<CallFailure>,
    /// What it may have changed.
    pub(super) effect: CallEffect,
}

impl<'a> RunCall<'a> {
    /// Returns the key that the same call has again: tool and trimmed arguments.
    pub(super) fn call_key(&self) -> (&'a str, Cow<'a, str>) {
        let args = match &self.args {
            Cow::Borrowed(args) => Cow::Borrowed(args.trim()),
            Cow::Owned(args) => Cow::Owned(args.trim().to_owned()),
        };
        (self.tool, args)
    }

    /// Returns whether the call ran a command with this label for which `is_it` holds.
    pub(super) fn runs_command(&self, label: &str, is_it: impl Fn(&ShellCommand) -> bool) -> bool {
        match self.call.line() {
            Some(line) => {
                (line.commands.iter()).any(|command| command.label() == label && is_it(command))
            }
            None => self.call.tool == label,
        }
    }

    pub(super) fn has_worked(&self) -> bool {
        self.failure.is_none()
    }
}

/// A message of the person.
pub(super) struct UserMessage<'a> {
    /// What.
    pub(super) text: &'a CleanText,
    /// What the agent had done before it.
    pub(super) after: AgentTurn,
    /// How many calls had been read before it.
    pub(super) calls_before: usize,
}

/// A run, or part of one, with every call parsed.
pub(super) struct ParsedRun<'a> {
    pub(super) calls: Vec<RunCall<'a>>,
    pub(super) messages: Vec<UserMessage<'a>>,
    /// The index of the last call in which a command of each label, and each program, worked.
    last_worked: HashMap<String, usize>,
    /// How often each pair of tool and arguments worked and failed.
    outcome_counts: HashMap<(&'a str, Cow<'a, str>), (u32, u32)>,
}

impl<'a> ParsedRun<'a> {
    pub(super) fn from_trace(trace: &'a Trace) -> Self {
        Self::from_steps(trace.steps())
    }

    /// Parses the steps of a run or of a part of it.
    pub(super) fn from_steps(steps: &'a [TraceStep]) -> Self {
        let mut reading = Self {
            calls: Vec::new(),
            messages: Vec::new(),
            last_worked: HashMap::new(),
            outcome_counts: HashMap::new(),
        };
        for (index, step) in steps.iter().enumerate() {
            let index = u32::try_from(index).unwrap_or(u32::MAX);
            match &step.kind {
                StepKind::Call(raw) => {
                    let later = &steps[index as usize + 1..];
                    reading.add_call(step.position, index, raw, later);
                }
                StepKind::UserMessage { text, after } => reading.messages.push(UserMessage {
                    text,
                    after: *after,
                    calls_before: reading.calls.len(),
                }),
            }
        }
        reading
    }

    fn add_call(&mut self, at: u32, index: u32, raw: &'a ToolCall<CleanText>, later: &[TraceStep]) {
        let call = call::parse_call(raw);
        let call_index = self.calls.last().map_or(0, |last| last.call_index + 1);
        let new_call =
            |args: Cow<'a, str>, call: ParsedCall, failed: Option<(&'a str, CallFailure)>| {
                let effect = effect::classify_call(&call);
                let (error, failure) = failed.unzip();
                RunCall {
                    call_index,
                    position: at,
                    dropped_before: at.saturating_sub(index),
                    tool: raw.tool.as_str(),
                    args,
                    error: error.unwrap_or_default(),
                    external: raw.outside.is_some(),
                    call,
                    failure,
                    effect,
                }
            };
        let whole = Cow::Borrowed(raw.args.as_str());
        let failed_steps = match &raw.status {
            CallStatus::Error(error) => {
                let failure = CallFailure::from_error(&call, error.as_str());
                return self.push_call(new_call(whole, call, Some((error.as_str(), failure))));
            }
            CallStatus::PartlyFailed(failed) => failed,
            CallStatus::Doubtful(step)
                if self.has_failed_so(&call, step) || works_later(later, &call, step) =>
            {
                slice::from_ref(step)
            }
            CallStatus::Doubtful(_) | CallStatus::Ok => {
                return self.push_call(new_call(whole, call, None));
            }
        };
        let steps = call.line().map(|line| steps_that_ran(line, failed_steps));
        for (step, error) in steps.unwrap_or_default() {
            let (args, call) = step_as_call(&call, step);
            let failure = error.map(|error| {
                let last = call.line().map_or(0, |line| line.commands.len() - 1);
                (error, CallFailure::from_step_error(&call, last, error))
            });
            self.push_call(new_call(Cow::Owned(args), call, failure));
        }
    }

    /// Returns whether a command failed before with the very error that it may have printed now.
    fn has_failed_so(&self, call: &ParsedCall, step: &FailedStep<CleanText>) -> bool {
        let failure = CallFailure::from_step_error(call, step.step, step.error.as_str());
        let mut known = self.calls.iter().filter_map(|known| known.failure.as_ref());
        !failure.gist.is_empty() && known.any(|known| known.key == failure.key)
    }

    fn push_call(&mut self, run_call: RunCall<'a>) {
        let tally = self.outcome_counts.entry(run_call.call_key()).or_default();
        match run_call.failure {
            None => tally.0 += 1,
            Some(_) => tally.1 += 1,
        }
        if run_call.failure.is_none()
            && let Some(line) = run_call.call.line()
        {
            for command in &line.commands {
                let names = [command.label(), command.program().to_owned()];
                let named = names.into_iter().map(|name| (name, self.calls.len()));
                self.last_worked.extend(named);
            }
        }
        self.calls.push(run_call);
    }

    /// Returns how often exactly this call worked and failed in the run.
    pub(super) fn outcome_counts(&self, run_call: &RunCall<'a>) -> (u32, u32) {
        let counts = self.outcome_counts.get(&run_call.call_key());
        counts.copied().unwrap_or_default()
    }

    /// Returns the commands that failed as one did: what one of them has, or lacks, as the working call does made no
    /// difference. None where the error itself names what was wrong.
    pub(super) fn same_failures(
        &self,
        failure: &CallFailure,
    ) -> impl Iterator<Item = &ShellCommand> {
        let is_named = failure.family == FailureFamily::OptionUnknown;
        let failed_calls = self.calls.iter().filter(move |_| !is_named);
        failed_calls.filter_map(|run_call| {
            let own = run_call
                .failure
                .as_ref()
                .filter(|own| own.key == failure.key)?;
            run_call.call.line()?.commands.get(own.culprit?)
        })
    }

    /// Returns whether a line with a command of this label worked after the call at `index`.
    pub(super) fn worked_after(&self, label: &str, index: usize) -> bool {
        let last = self.last_worked.get(label);
        last.is_some_and(|last| *last > index)
    }

    /// Returns whether a call of this tool worked after the one at `index`.
    pub(super) fn tool_worked_after(&self, tool: &str, index: usize) -> bool {
        let mut later = self.calls[index + 1..].iter();
        later.any(|run_call| run_call.call.tool == tool && run_call.has_worked())
    }

    /// Returns whether no step between two calls was dropped from the trace.
    pub(super) fn has_no_gap(&self, from: usize, to: usize) -> bool {
        self.calls[from].dropped_before == self.calls[to].dropped_before
    }

    /// Returns the position in the run of the first of these calls.
    pub(super) fn first_position(&self, calls: &[usize]) -> u32 {
        let first = calls.iter().min().and_then(|first| self.calls.get(*first));
        first.map_or(u32::MAX, |run_call| run_call.position)
    }

    /// Returns whether the later of two calls has a value that the person gave after the first one, or hides one: it was given
    /// for this task.
    pub(super) fn was_given_value(&self, from: usize, to: usize) -> bool {
        let is_between = |said: &&UserMessage<'_>| (from + 1..=to).contains(&said.calls_before);
        let mut messages = self.messages.iter().filter(is_between).peekable();
        let later = &self.calls[to].args;
        let is_hidden = messages.peek().is_some() && later.contains("[REDACTED");
        let is_value = |word: &str| word.len() > 3 && word.contains(|c: char| c.is_ascii_digit());
        let is_end = |c: char| c.is_whitespace() || "=:,;'\"`()".contains(c);
        let mut words = messages.flat_map(|said| said.text.as_str().split(is_end));
        let known = &self.calls[from].args;
        is_hidden
            || words.any(|word| is_value(word) && later.contains(word) && !known.contains(word))
    }

    /// Returns whether a call between the two worked and edited files.
    pub(super) fn edited_between(&self, from: usize, to: usize) -> bool {
        let mut between = self.calls[from + 1..to].iter();
        between.any(|run_call| run_call.has_worked() && run_call.effect == CallEffect::Edits)
    }

    /// Returns whether a call between the two worked and did something else by the same program.
    pub(super) fn acted_between(&self, from: usize, to: usize, command: &ShellCommand) -> bool {
        let is_other = |other: &ShellCommand| {
            other.program() == command.program() && other.texts().get(1) != command.texts().get(1)
        };
        let mut between = self.calls[from + 1..to].iter();
        between.any(|run_call| {
            let line = run_call.call.line().filter(|_| run_call.has_worked());
            let acts = run_call.effect != CallEffect::Reads;
            acts && line.is_some_and(|line| line.commands.iter().any(is_other))
        })
    }

    /// Returns whether content from outside may have had a part: it came within five calls before the first of these
    /// calls, or between them.
    pub(super) fn is_external_around(&self, calls: &[usize]) -> bool {
        const BEFORE: usize = 5;
        let first = calls.iter().min().map_or(0, |at| at.saturating_sub(BEFORE));
        let last = calls.iter().max().copied().unwrap_or_default();
        let mut around = self.calls.iter().take(last + 1).skip(first);
        around.any(|run_call| run_call.external)
    }

    pub(super) fn has_external_call(&self) -> bool {
        self.calls.iter().any(|run_call| run_call.external)
    }
}

/// Returns whether one of the next calls runs the command of a step, and does not say the same failure. What only looks
/// fails at nothing, and where a check failed at the work, it has to be run in another form.
fn works_later(later: &[TraceStep], call: &ParsedCall, step: &FailedStep<CleanText>) -> bool {
    const CALLS: usize = 12;
    let Some(doubted) = call.line().and_then(|line| line.commands.get(step.step)) else {
        return false;
    };
    let calls = later.iter().filter_map(|step| match &step.kind {
        StepKind::Call(call) => Some(call),
        StepKind::UserMessage { .. } => None,
    });
    let failure = CallFailure::from_step_error(call, step.step, step.error.as_str());
    // What it prints later may mention a failure as well, but not this one; or it came as far as the work.
    let read_again =
        |later: &CleanText| CallFailure::from_step_error(call, step.step, later.as_str());
    let is_work = |later: &CleanText| {
        let again = read_again(later);
        again.key != failure.key && again.family.is_the_work()
    };
    let is_past = |later: &&ToolCall<CleanText>| match &later.status {
        CallStatus::Ok => true,
        CallStatus::Doubtful(later) => read_again(&later.error).key != failure.key,
        CallStatus::Error(later) => is_work(later),
        CallStatus::PartlyFailed(steps) => steps.iter().all(|later| is_work(&later.error)),
    };
    let worked = calls.take(CALLS).filter(is_past);
    let is_the_work = failure.family.is_the_work();
    let runs = |call: &ToolCall<CleanText>| {
        let call = call::parse_call(call);
        let commands = call.line().map_or(&[][..], |line| &line.commands);
        let is_again = |(at, command): (usize, &ShellCommand)| {
            // Something was set or done before it.
            let is_prepared = commands[..at].iter().any(|before| before.program() != "cd");
            let is_new_try = is_prepared || !is_same_try(doubted, command);
            is_same_command(doubted, command) && (is_new_try || !is_the_work)
        };
        commands.iter().enumerate().any(is_again)
    };
    effect::classify_command(doubted) != CallEffect::Reads && worked.into_iter().any(runs)
}

/// Returns whether a command does what another one does, also put behind another program: `nix develop -c cabal test` for `cabal
/// test`.
fn is_same_command(one: &ShellCommand, other: &ShellCommand) -> bool {
    // Of an unknown program the label says nothing of what it does.
    let verbs = find_verb(one).zip(find_verb(other));
    let verbs = verbs.filter(|_| one.program() == other.program());
    if verbs.is_some() || one.label() == other.label() {
        return verbs.is_none_or(|(own, theirs)| own == theirs);
    }
    let (own, all) = (telling_words(one), other.texts());
    let is_there = |word: &&str| all.contains(word);
    let mut pairs = own.windows(2);
    own.len() == 1 && own.iter().all(is_there) || pairs.any(|pair| pair.iter().all(is_there))
}

/// Returns whether two commands are the same words under the same settings.
fn is_same_try(one: &ShellCommand, other: &ShellCommand) -> bool {
    one.texts() == other.texts() && one.env == other.env
}

/// Returns the word behind a program that may say what is done.
fn find_verb(command: &ShellCommand) -> Option<String> {
    let name = name_command(command).0;
    let verb = name.verb.split('·').next().unwrap_or_default();
    let is_verb = !verb.is_empty() && verb.chars().all(|c| c.is_ascii_alphabetic());
    is_verb.then(|| verb.to_owned())
}

/// Returns the first words of a command that are no options, and do not only say to run what follows.
fn telling_words(command: &ShellCommand) -> Vec<&str> {
    const RUNNING: &str = "run exec x dlx";
    const FIRST: usize = 3;
    let texts = command.texts();
    // What follows an option may be its value.
    let is_value = |at: usize| at > 0 && texts[at - 1].starts_with('-') && texts[at - 1] != "-m";
    let is_telling = |at: &usize| {
        !texts[*at].starts_with('-') && !is_value(*at) && !is_listed(RUNNING, texts[*at])
    };
    let places = (0..texts.len()).filter(is_telling).take(FIRST);
    places.map(|at| texts[at]).collect()
}

/// Returns the steps of a line that ran and do its work, each with its error if it failed.
fn steps_that_ran<'a>(
    line: &ShellLine,
    failed: &'a [FailedStep<CleanText>],
) -> Vec<(usize, Option<&'a str>)> {
    let error = |step: usize| {
        let step_failure = failed.iter().find(|failure| failure.step == step);
        step_failure.map(|step_failure| step_failure.error.as_str())
    };
    let mut steps = Vec::new();
    let mut has_worked = true;
    for (step, command) in line.commands.iter().enumerate() {
        let runs = match command.join {
            Join::Then | Join::Pipe => true,
            Join::And => has_worked,
            Join::Or => !has_worked,
        };
        if runs {
            let error = error(step);
            has_worked = error.is_none();
            if error.is_some() || !line.is_helper(step) {
                steps.push((step, error));
            }
        }
    }
    steps
}

/// Turns one step of a line into a call of its own, with the preceding `cd`, `export` and the like.
fn step_as_call(call: &ParsedCall, step: usize) -> (String, ParsedCall) {
    const SCENE: &str = "cd pushd export source .";
    let commands = call.line().map_or(&[][..], |line| &line.commands);
    let scene = commands[..step].iter();
    let scene = scene.filter(|command| shell::is_listed(SCENE, command.program()));
    let mut commands: Vec<ShellCommand> = scene.chain(&commands[step..=step]).cloned().collect();
    for (index, command) in commands.iter_mut().enumerate() {
        command.join = if index == 0 { Join::Then } else { Join::And };
    }
    let words = commands.iter().map(ShellCommand::typed_text);
    let text = words.collect::<Vec<_>>().join(" && ");
    let line = ShellLine {
        commands,
        branches: false,
        heredoc: call.line().is_some_and(|line| line.heredoc),
    };
    let call = ParsedCall {
        server: String::new(),
        tool: call.tool.clone(),
        args: CallArgs::Shell(text.clone(), line),
    };
    (text, call)
}
