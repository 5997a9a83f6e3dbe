//! The same words worked later: finds what was done before or around them.

use super::{
    super::{alike, asks_for_help, has_same_words, is_success_certain},
    FixContext,
};
use crate::{
    CallEffect, Difference, ShellCommand, ShellLine,
    capture::{Skip, parsed_run::RunCall, show},
    safety,
    shell::is_listed,
    trace::{effect, family::FailureFamily, normalize},
};

/// Matches the same words with a set-up command, variables, a folder or `sudo` that made the difference.
pub(super) fn match_same_command(
    context: &FixContext<'_>,
    later: usize,
    line: &ShellLine,
) -> Result<Option<Difference>, Skip> {
    let Some((place, same)) = line.commands.iter().enumerate().find(|(index, command)| {
        has_same_words(command, context.command) && is_success_certain(line, *index)
    }) else {
        return Ok(None);
    };
    if same.sudo != context.command.sudo || context.command.words.is_empty() {
        return Ok(None);
    }
    let between = &context.reading.calls[context.index + 1..later];
    let edits = |run_call: &RunCall<'_>| {
        let line = run_call.call.line();
        let mends = || line.is_some_and(|line| is_all_setup(context, line));
        run_call.has_worked() && run_call.effect == CallEffect::Edits && !mends()
    };
    if between.iter().any(edits) {
        return Err(Skip::OtherCause);
    }
    let command = render_failed_command(context);
    let before = &line.commands[..place];
    if let Some(variables) = find_new_variables(context.command, same, between, before) {
        return Ok(may_be_variable(context.failure.family)
            .then_some(Difference::Env { command, variables }));
    }
    if let Some(folder) = find_entered_folder(context.line, line, between) {
        return Ok(may_be_folder(context).then_some(Difference::Folder { command, folder }));
    }
    match find_setups(context, between, before).as_slice() {
        [first] => Ok(Some(Difference::First {
            command,
            first: render_first_command(context, first),
        })),
        _ => Err(Skip::OtherCause),
    }
}

/// Renders the failed command without options and operands of the task: whichever they are, an error that can be told is the
/// same failure, and the lesson the same.
fn render_failed_command(context: &FixContext<'_>) -> String {
    let (failure, shown) = (context.failure, show::render_bare(context.command));
    if failure.gist.is_empty() {
        return shown;
    }
    let own = shown
        .strip_prefix(&failure.label)
        .map_or(0, |_| failure.label.len());
    let end = shown[own..].find(" -").map_or(shown.len(), |at| own + at);
    let words = shown[..end].split(' ').filter(|word| *word != "…");
    words.collect::<Vec<_>>().join(" ")
}

/// Renders the command to run first: a set-up command with what it installs, another as the error names it.
fn render_first_command(context: &FixContext<'_>, first: &ShellCommand) -> String {
    let program = first.texts().get(1).copied().unwrap_or_default();
    let shown = if is_preparation(context, first) {
        show::render_whole(first)
    } else {
        show::render_command(first, |word| {
            word.text == program && !normalize::is_identifier(program)
        })
    };
    show::render_variables(&first.env) + &shown
}

/// Returns the set-up commands between, if they alone can explain the difference.
fn find_setups<'a>(
    context: &FixContext<'_>,
    between: &'a [RunCall<'_>],
    before: &'a [ShellCommand],
) -> Vec<&'a ShellCommand> {
    let mut setups: Vec<&ShellCommand> = Vec::new();
    let acts =
        |run_call: &&RunCall<'_>| run_call.has_worked() && run_call.effect != CallEffect::Reads;
    for run_call in between.iter().filter(acts) {
        let line = run_call.call.line();
        let Some(line) = line.filter(|line| !line.branches && !line.heredoc) else {
            return Vec::new();
        };
        let commands = line.acting_commands().map(|(_, command)| command);
        setups.extend(commands.filter(|command| !asks_for_help(command)));
    }
    let was_there = |command: &ShellCommand| {
        let mut known = context.line.commands.iter();
        known.any(|known| has_same_words(known, command))
    };
    setups.extend(before.iter().filter(|command| {
        !is_listed("cd export source . set echo", command.program()) && !was_there(command)
    }));
    let mut all = setups.iter();
    if !all.all(|command| prepares_failed_command(context, command)) {
        return Vec::new();
    }
    // Of the same words the last ones count, which may have other variables.
    setups.reverse();
    setups.dedup_by(|one, two| one.texts() == two.texts());
    setups
}

/// Returns whether a command sets something up for the one that failed. For git that includes bringing the working
/// copy into the state that the error asked for.
fn prepares_failed_command(context: &FixContext<'_>, command: &ShellCommand) -> bool {
    !safety::removes_something(command)
        && (is_preparation(context, command) || is_asked_by_error(context, command))
}

fn is_preparation(context: &FixContext<'_>, command: &ShellCommand) -> bool {
    const OF_GIT: &str =
        "git pull; git fetch; git rebase; git merge; git submodule; git remote add";
    let label = command.label();
    alike::is_setup_command(command)
        || context.command.program() == "git" && OF_GIT.split("; ").any(|known| known == label)
}

/// Returns whether the error names a command, by its first two words, as the one to run.
fn is_asked_by_error(context: &FixContext<'_>, command: &ShellCommand) -> bool {
    let texts = command.texts();
    let Some(first) = texts.get(..2) else {
        return false;
    };
    let name = first.join(" ");
    let after = ["run ", "Run ", "run: ", "try ", "`", "'", "\""];
    let is_named = |before: &&str| context.error().contains(&format!("{before}{name}"));
    after.iter().any(is_named)
        && !context.command.texts().starts_with(first)
        && safety::may_be_advised(command)
}

fn is_all_setup(context: &FixContext<'_>, line: &ShellLine) -> bool {
    let mut acting = line.acting_commands().peekable();
    acting.peek().is_some() && acting.all(|(_, it)| prepares_failed_command(context, it))
}

fn may_be_variable(family: FailureFamily) -> bool {
    !matches!(
        family,
        FailureFamily::FileMissing | FailureFamily::Permission
    )
}

fn may_be_folder(context: &FixContext<'_>) -> bool {
    matches!(
        context.failure.family,
        FailureFamily::NotInProject
            | FailureFamily::ScriptMissing
            | FailureFamily::FileMissing
            | FailureFamily::ModuleMissing
    )
}

/// Returns the variables that were set only for the command that worked: with it, before it in its line, or by a call of
/// their own.
pub(in crate::capture::fix) fn find_new_variables(
    failed: &ShellCommand,
    worked: &ShellCommand,
    between: &[RunCall<'_>],
    before: &[ShellCommand],
) -> Option<Vec<String>> {
    const IDLE: &str = "RUST_BACKTRACE RUST_LOG DEBUG VERBOSE NO_COLOR TERM COLUMNS PYTHONUNBUFFERED FORCE_COLOR LOG_LEVEL";
    let calls = between.iter().filter(|run_call| run_call.has_worked());
    let calls = calls.filter_map(|run_call| match run_call.call.line()?.commands.as_slice() {
        [only] => Some(only),
        _ => None,
    });
    let exports = calls.chain(before);
    let exports = exports.filter(|command| command.program() == "export");
    let exports = exports.flat_map(|command| &command.words[1..]);
    let exports = exports.filter_map(|word| {
        let (name, value) = word.text.split_once('=')?;
        Some((name.to_owned(), value.to_owned()))
    });
    let is_set = |name: &str| failed.env.iter().any(|(known, _)| known == name);
    let variables: Vec<String> = worked
        .env
        .iter()
        .cloned()
        .chain(exports)
        // An empty value takes a variable away.
        .filter(|(name, value)| !is_set(name) && !is_listed(IDLE, name) && !value.is_empty())
        .map(|(name, value)| show::render_variable(&name, &value))
        // Whatever was put on it is not shown.
        .filter(|variable| variable != "PATH=…")
        .collect();
    (!variables.is_empty()).then_some(variables)
}

/// Returns the folder that was entered only for the line that worked.
pub(in crate::capture::fix) fn find_entered_folder(
    failed: &ShellLine,
    worked: &ShellLine,
    between: &[RunCall<'_>],
) -> Option<String> {
    let target = |line: &ShellLine| {
        let mut entered = line
            .commands
            .iter()
            .filter(|command| command.program() == "cd");
        // After a second one, as where it was left again, what followed ran elsewhere.
        let command = entered.next().filter(|_| entered.next().is_none())?;
        command.words.get(1).map(|word| word.text.clone())
    };
    let apart = || {
        let calls = between.iter().filter(|run_call| run_call.has_worked());
        let mut folders = calls.filter_map(|run_call| effect::entered_folder(&run_call.call));
        folders.next_back().map(str::to_owned)
    };
    let to = target(worked).or_else(apart)?;
    // From where it failed, if it is below.
    let below = target(failed).and_then(|from| Some(to.strip_prefix(&from)?.to_owned()));
    match below.as_deref() {
        Some("" | "/") => None,
        Some(rest) if rest.starts_with('/') => show::render_folder(&rest[1..]),
        _ => show::render_folder(&to),
    }
}
