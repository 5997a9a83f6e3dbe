//! The steps of a line that may have printed an output, and which one printed a given line.
//!
//! A step whose output is redirected prints nothing; where a later step prints the file that it wrote, it prints there.
//! Where several steps may be meant, the position of the line in the output decides, or none is chosen: a wrong culprit
//! is worse than none. The content of a line is not read here.

use std::ops::Range;

use hardwon_core::{
    Join, ShellCommand, ShellLine,
    shell::{base_name, is_listed},
};

use super::{
    closing::{self, ClosingKind},
    role::{self, may_fail_unnamed, subcommand},
};

/// The steps of a line that may have printed an output.
pub(super) struct Speakers<'l> {
    /// In the order in which they printed.
    voices: Vec<StepVoice<'l>>,
    /// Whether one of them prints text from elsewhere.
    pub(super) prints: bool,
    /// Whether one of them is an inline script that processes text from elsewhere.
    pub(super) relays: bool,
    /// The lines that they printed.
    pub(super) lines: &'l [&'l str],
}

/// A step that may have printed.
struct StepVoice<'l> {
    step: usize,
    command: &'l ShellCommand,
    /// The command that it wraps, if it wraps one; else itself.
    inner: ShellCommand,
    prints: bool,
}

impl<'l> Speakers<'l> {
    pub(super) fn from_steps(
        line: &'l ShellLine,
        steps: Range<usize>,
        lines: &'l [&'l str],
    ) -> Self {
        let mut voices: Vec<StepVoice<'l>> = Vec::new();
        for step in steps.clone() {
            let command = &line.commands[step];
            let log_steps = find_logged_steps(line, step);
            let is_log = !log_steps.is_empty();
            let is_heard = !command.is_silenced() && !is_unreachable(line, step);
            for heard in log_steps.into_iter().chain(is_heard.then_some(step)) {
                let command = &line.commands[heard];
                let prints = if heard == step {
                    !is_log && role::prints_others(line, step)
                } else {
                    role::writes_others(command)
                };
                match voices.iter_mut().find(|voice| voice.step == heard) {
                    Some(known) => known.prints |= prints,
                    None => voices.push(StepVoice {
                        step: heard,
                        command,
                        inner: inner_command(command),
                        prints,
                    }),
                }
            }
        }
        Self {
            prints: voices.iter().any(|voice| voice.prints),
            relays: steps.clone().any(|step| role::relays_others(line, step)),
            voices,
            lines,
        }
    }

    pub(super) fn steps(&self) -> impl DoubleEndedIterator<Item = (usize, &ShellCommand)> {
        self.voices.iter().map(|voice| (voice.step, &voice.inner))
    }

    /// Returns whether a line is where no step that prints other texts can have printed it: before the output of the
    /// first of them, or after that of the last.
    pub(super) fn is_beside_printers(&self, said: &str) -> bool {
        const LAST: usize = 4;
        let is_work =
            |voice: &StepVoice<'_>| !voice.prints && role::closing_kind(&voice.inner).is_some();
        let mut loud = self.loud_voices();
        let is_last = loud
            .next_back()
            .filter(|_| loud.next().is_some())
            .is_some_and(is_work)
            && self.lines.iter().rev().take(LAST).any(|line| *line == said);
        self.is_before_printers(said) || is_last
    }

    /// Returns whether a line is the first one, and not that of a step that prints other texts.
    pub(super) fn is_before_printers(&self, said: &str) -> bool {
        let is_own = self.loud_voices().next().is_some_and(|loud| !loud.prints);
        is_own && self.lines.first() == Some(&said)
    }

    fn loud_voices(&self) -> impl DoubleEndedIterator<Item = &StepVoice<'l>> {
        let is_loud = |voice: &&StepVoice<'_>| may_fail_unnamed(&voice.inner) || voice.prints;
        self.voices.iter().filter(is_loud)
    }

    /// Returns the step of this kind; of several the first if the line comes first in the output, and the last if it
    /// comes last and that one always ends with words.
    pub(super) fn find_by_position(
        &self,
        said: &str,
        is_it: impl Fn(&ShellCommand) -> bool,
    ) -> Option<usize> {
        let candidates: Vec<(usize, &ShellCommand)> =
            self.steps().filter(|(_, it)| is_it(it)).collect();
        let [(first, _), .., (last, closer)] = candidates.as_slice() else {
            return candidates.first().map(|candidate| candidate.0);
        };
        let place = self.lines.iter().position(|line| *line == said)?;
        let closes = role::closing_kind(closer) == Some(ClosingKind::Tests);
        if place + 1 == self.lines.len() && closes {
            return Some(*last);
        }
        let mut all = candidates.iter();
        let is_same = all.all(|(_, command)| command.texts() == closer.texts());
        (place < 2 || is_same).then_some(*first)
    }

    /// Returns the step that crashed: the only one of its kind, or the one whose file the trace names.
    pub(super) fn find_broken(
        &self,
        said: &str,
        is_it: impl Fn(&ShellCommand) -> bool,
    ) -> Option<usize> {
        const LONGEST: usize = 24;
        let at = self.lines.iter().position(|line| *line == said)?;
        let trace = self.lines[at..].iter().take(LONGEST);
        let goes_on = |it: &&&str| {
            **it == said
                || closing::find_closing(it).is_none_or(|closing| {
                    closing.kind != ClosingKind::Crash || closing.programs == "python"
                })
        };
        let trace: Vec<&str> = trace.take_while(goes_on).copied().collect();
        let is_named = |command: &ShellCommand, names: fn(&str, &str) -> bool| {
            command.has_arg(|text| trace.iter().any(|trace| names(trace, text)))
        };
        self.find_only(&is_it)
            .or_else(|| self.find_only(|command| is_it(command) && is_named(command, names_file)))
            .or_else(|| {
                self.find_only(|command| is_it(command) && is_named(command, names_inline_code))
            })
    }

    /// Returns the step of this kind; of several with one label the first if the line comes first in the output.
    pub(super) fn find_first_alike(
        &self,
        said: &str,
        is_it: impl Fn(&ShellCommand) -> bool,
    ) -> Option<usize> {
        let candidates: Vec<(usize, &ShellCommand)> =
            self.steps().filter(|(_, it)| is_it(it)).collect();
        let [(first, command), rest @ ..] = candidates.as_slice() else {
            return None;
        };
        let is_same = rest.iter().all(|(_, it)| it.program() == command.program());
        let is_again = rest.iter().all(|(_, it)| it.texts() == command.texts());
        let is_told = is_again || (is_same && self.lines.first() == Some(&said));
        is_told.then_some(*first)
    }

    pub(super) fn prints_git_output(&self) -> bool {
        let shows = |command: &ShellCommand| {
            command.program() == "git"
                && is_listed("log show diff grep blame cat-file", &subcommand(command))
        };
        self.steps().any(|(_, command)| shows(command))
    }

    /// Returns the only step of this kind; `None` if there are several, even of the same name.
    pub(super) fn find_only(&self, is_it: impl Fn(&ShellCommand) -> bool) -> Option<usize> {
        let mut candidates = self.steps().filter(|(_, command)| is_it(command));
        let (step, _) = candidates.next()?;
        candidates.next().is_none().then_some(step)
    }

    pub(super) fn find_by_program(&self, program: &str) -> Option<usize> {
        let name = program_name(program);
        let is_named =
            |command: &ShellCommand| is_program(command, name) || command.words[0].text == program;
        let mut voices = self.voices.iter();
        voices
            .find(|voice| is_named(voice.command) || is_named(&voice.inner))
            .map(|voice| voice.step)
    }

    /// Returns the step whose program, or whose script, has this name.
    pub(super) fn find_by_name(&self, name: &str) -> Option<usize> {
        let file = base_name(name);
        let is_it = |text: &str| base_name(text) == file && text.contains('.');
        let is_script = |command: &ShellCommand| command.arg_texts().take(3).any(is_it);
        self.find_by_program(name).or_else(|| {
            let mut steps = self.steps();
            steps.find(|(_, it)| is_script(it)).map(|step| step.0)
        })
    }

    pub(super) fn find_by_word(&self, word: &str) -> Option<usize> {
        let holds = |text: &str| {
            let is_short = word.len() == 1
                && text.starts_with('-')
                && !text.starts_with("--")
                && text.contains(word);
            text == word
                || (word.len() > 1 && text.trim_start_matches('-') == word)
                || is_short
                || text.split(',').any(|part| part == word)
                || text.strip_prefix(word).unwrap_or_default().starts_with('=')
        };
        let has_word = |command: &ShellCommand| command.has_arg(holds);
        let speaks = |command: &ShellCommand| !is_listed("echo printf", command.program());
        let mut voices = self.voices.iter().map(|voice| (voice.step, voice.command));
        voices
            .find(|(_, it)| speaks(it) && has_word(it))
            .map(|voice| voice.0)
    }
}

/// Returns the earlier steps whose output a step prints from the file that they wrote.
fn find_logged_steps(line: &ShellLine, step: usize) -> Vec<usize> {
    let command = &line.commands[step];
    let shows = role::prints_others(line, step) || is_listed("echo printf", command.program());
    let is_shown = |earlier: &usize| command.shows_output_of(&line.commands[*earlier]);
    (0..step).filter(|at| shows && is_shown(at)).collect()
}

fn inner_command(command: &ShellCommand) -> ShellCommand {
    let inner = command.wrapped_command();
    inner.unwrap_or_else(|| command.clone())
}

/// Returns whether a line of a trace names a file that is an argument of the program.
fn names_file(said: &str, arg: &str) -> bool {
    let is_file = arg.contains('.') && arg.len() > 3;
    (is_file && said.contains(base_name(arg))) || quoted_files(said).any(|file| arg.contains(file))
}

/// Returns whether a line of a trace says that the code came from the source that an option names.
fn names_inline_code(said: &str, arg: &str) -> bool {
    match arg {
        "-c" => said.contains("\"<string>\""),
        "-" => said.contains("\"<stdin>\""),
        "-e" | "--eval" | "-p" => said.contains("[eval]"),
        _ => false,
    }
}

/// Returns the names of the files that a line quotes.
fn quoted_files(said: &str) -> impl Iterator<Item = &str> {
    let quotations = said.split(['\'', '"', '`']).skip(1).step_by(2);
    let names = quotations.map(base_name);
    names.filter(|word| word.len() > 3 && word.contains('.'))
}

fn program_name(program: &str) -> &str {
    let name = base_name(program);
    name.strip_suffix(".exe").unwrap_or(name)
}

/// Returns whether a command is a program of this name, or of its aliases in Windows shells.
fn is_program(command: &ShellCommand, name: &str) -> bool {
    const ALIASES: [(&str, &str); 9] = [
        ("get-content", "cat type gc"),
        ("get-childitem", "ls dir gci"),
        ("remove-item", "rm del rmdir erase ri"),
        ("copy-item", "cp copy"),
        ("move-item", "mv move"),
        ("set-location", "cd chdir sl"),
        ("select-string", "sls"),
        ("new-item", "ni mkdir md"),
        ("invoke-webrequest", "iwr curl wget"),
    ];
    let program = program_name(command.program());
    let is_alias = |(cmdlet, known): &(&str, &str)| {
        cmdlet.eq_ignore_ascii_case(name) && is_listed(known, &program.to_ascii_lowercase())
    };
    let is_cmdlet = || program.contains('-') && program.eq_ignore_ascii_case(name);
    program == name || is_cmdlet() || ALIASES.iter().any(is_alias)
}

/// Returns whether a step cannot have run: it is the alternative to a filter that never fails.
fn is_unreachable(line: &ShellLine, step: usize) -> bool {
    let is_piped = |at: &usize| line.commands[*at].join == Join::Pipe;
    let mut head = (0..=step).rev().skip_while(is_piped);
    let alternative = head.next().filter(|at| line.commands[*at].join == Join::Or);
    alternative.is_some_and(|at| {
        at > 0 && line.commands[at - 1].is_filter() && passes_any_input(&line.commands[at - 1])
    })
}

/// Returns whether a filter succeeds whatever it reads.
fn passes_any_input(command: &ShellCommand) -> bool {
    const FILTERS: &str = "tail head cat tee sort uniq wc tr cut sed awk column fold";
    is_listed(FILTERS, command.program())
}
