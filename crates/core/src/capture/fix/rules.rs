//! One rule of likeness for each kind of trouble.
//!
//! Every rule gets the failed command and one later line that worked, and returns the difference if
//! the two are alike in its sense. The order matters: the first rule that applies wins.

use super::{alike, family_of, same_words, shown, workers};
use crate::{
    capture::{
        Difference, Skip,
        reading::{Reading, Seen},
        show,
    },
    event::CallStatus,
    trace::{
        effect::{self, Effect},
        failure::{self, Failure},
        family::Family,
        shell::{Command, Line, Word, base_name, is_listed},
    },
};

/// The failure that a remedy is looked for.
pub(super) struct Context<'a> {
    pub(super) reading: &'a Reading<'a>,
    pub(super) index: usize,
    pub(super) failure: &'a Failure,
    pub(super) line: &'a Line,
    pub(super) command: &'a Command,
}

impl Context<'_> {
    fn error(&self) -> &str {
        match &self.reading.calls[self.index].raw.status {
            CallStatus::Ok => "",
            CallStatus::Error(error) => error.as_str(),
        }
    }
}

/// Returns what the line at `later` did otherwise, if it is alike; an error ends the search.
pub(super) fn difference(
    context: &Context<'_>,
    later: usize,
    line: &Line,
) -> Result<Option<Difference>, Skip> {
    if let Some(found) = quoting(context, later, line) {
        return Ok(Some(found));
    }
    if let Some(found) = same_command(context, later, line)? {
        return Ok(Some(found));
    }
    let family = context.failure.family;
    if matches!(family, Family::CommandMissing | Family::ModuleMissing)
        && let Some(found) = runner(context, line).or_else(|| same_purpose(context, line))
    {
        return Ok(Some(found));
    }
    if family == Family::CommandMissing {
        return program(context, line);
    }
    if context.reading.edited_between(context.index, later) {
        return Ok(None);
    }
    if family == Family::ScriptMissing {
        return script(context, line);
    }
    let found = branch(context, line)
        .or_else(|| sudo(context, line))
        .or_else(|| options(context, line))
        .or_else(|| added_word(context, line))
        .or_else(|| word(context, line));
    Ok(found)
}

/// The same words worked: what was done between, or around them?
fn same_command(
    context: &Context<'_>,
    later: usize,
    line: &Line,
) -> Result<Option<Difference>, Skip> {
    let Some((place, same)) = line.commands.iter().enumerate().find(|(index, command)| {
        same_words(command, context.command) && super::is_certain(line, *index)
    }) else {
        return Ok(None);
    };
    if same.sudo != context.command.sudo || context.command.words.is_empty() {
        return Ok(None);
    }
    let between = &context.reading.calls[context.index + 1..later];
    let mends = |seen: &&Seen<'_>| {
        seen.call
            .line()
            .is_some_and(|line| is_all_setup(context, line))
    };
    if between
        .iter()
        .filter(|seen| !mends(seen))
        .any(|seen| seen.worked() && seen.effect == Effect::Edits)
    {
        return Err(Skip::OtherCause);
    }
    let command = shown(context.command);
    if let Some(variables) = new_variables(context.command, same, between) {
        return Ok(
            may_env(context.failure.family).then_some(Difference::Env { command, variables })
        );
    }
    if let Some(folder) = entered(context.line, line, between) {
        return Ok(may_folder(context).then_some(Difference::Folder { command, folder }));
    }
    match setups(context, between, &line.commands[..place]).as_slice() {
        [first] => Ok(Some(Difference::First {
            command,
            first: show::whole(first),
        })),
        _ => Err(Skip::OtherCause),
    }
}

/// Returns the set-up commands between, if they alone can have made the difference.
fn setups<'a>(
    context: &Context<'_>,
    between: &'a [Seen<'_>],
    before: &'a [Command],
) -> Vec<&'a Command> {
    let mut setups: Vec<&Command> = Vec::new();
    for seen in between
        .iter()
        .filter(|seen| seen.worked() && seen.effect != Effect::Reads)
    {
        let Some(line) = seen
            .call
            .line()
            .filter(|line| !line.branches && !line.heredoc)
        else {
            return Vec::new();
        };
        let acting = line
            .commands
            .iter()
            .enumerate()
            .filter(|(index, _)| !failure::is_helper(line, *index));
        for (_, command) in acting {
            if !prepares(context, command) {
                return Vec::new();
            }
            setups.push(command);
        }
    }
    for command in before
        .iter()
        .filter(|command| !is_listed("cd export source . set echo", command.program()))
    {
        let was_there = context
            .line
            .commands
            .iter()
            .any(|known| same_words(known, command));
        if !was_there && !prepares(context, command) {
            return Vec::new();
        }
        if !was_there {
            setups.push(command);
        }
    }
    setups.dedup_by(|one, two| one.texts() == two.texts());
    naming_subject(context.failure, setups)
}

/// Returns whether a command puts something in place for the one that failed. For git that includes
/// bringing the working copy into the state it asked for.
fn prepares(context: &Context<'_>, command: &Command) -> bool {
    const OF_GIT: &[&str] = &[
        "git pull",
        "git fetch",
        "git rebase",
        "git merge",
        "git stash",
        "git submodule",
        "git remote add",
    ];
    alike::sets_up(command)
        || (context.command.program() == "git" && OF_GIT.contains(&command.label().as_str()))
}

fn is_all_setup(context: &Context<'_>, line: &Line) -> bool {
    let mut acting = (0..line.commands.len())
        .filter(|index| !failure::is_helper(line, *index))
        .peekable();
    acting.peek().is_some() && acting.all(|index| prepares(context, &line.commands[index]))
}

/// Of several set-up commands, the one that names the missing thing.
fn naming_subject<'a>(failure: &Failure, setups: Vec<&'a Command>) -> Vec<&'a Command> {
    let Some(subject) = failure.subject.as_deref().filter(|_| setups.len() > 1) else {
        return setups;
    };
    let root = base_name(subject)
        .split('.')
        .next()
        .unwrap_or(subject)
        .to_lowercase();
    let naming: Vec<&Command> = setups
        .iter()
        .filter(|command| {
            command
                .args()
                .iter()
                .any(|word| word.text.to_lowercase().contains(&root))
        })
        .copied()
        .collect();
    if naming.len() == 1 { naming } else { setups }
}

fn may_env(family: Family) -> bool {
    !matches!(family, Family::FileMissing | Family::Permission)
}

fn may_folder(context: &Context<'_>) -> bool {
    matches!(
        context.failure.family,
        Family::NotInProject | Family::ScriptMissing | Family::FileMissing | Family::ModuleMissing
    )
}

/// Returns the variables that were set for the command that worked and not for the other.
fn new_variables(failed: &Command, worked: &Command, between: &[Seen<'_>]) -> Option<Vec<String>> {
    const IDLE: &str = "RUST_BACKTRACE RUST_LOG DEBUG VERBOSE NO_COLOR CI TERM COLUMNS PYTHONUNBUFFERED FORCE_COLOR \
        LOG_LEVEL LANG LC_ALL NODE_ENV PAGER GIT_PAGER";
    let exported = between
        .iter()
        .filter(|seen| seen.worked())
        .filter_map(|seen| match seen.call.line()?.commands.as_slice() {
            [only] if only.program() == "export" => {
                let (name, value) = only.words.get(1)?.text.split_once('=')?;
                Some((name.to_owned(), value.to_owned()))
            }
            _ => None,
        });
    let known = |name: &str| failed.env.iter().any(|(known, _)| known == name);
    let variables: Vec<String> = worked
        .env
        .iter()
        .cloned()
        .chain(exported)
        .filter(|(name, _)| !known(name) && !is_listed(IDLE, name))
        .map(|(name, value)| {
            let value = if show::is_harmless(&value) || value == "." {
                value
            } else {
                "…".to_owned()
            };
            format!("{name}={value}")
        })
        .collect();
    (!variables.is_empty()).then_some(variables)
}

/// Returns the folder that was entered for the line that worked and not for the other.
fn entered(failed: &Line, worked: &Line, between: &[Seen<'_>]) -> Option<String> {
    let target = |line: &Line| {
        let command = line
            .commands
            .iter()
            .find(|command| command.program() == "cd")?;
        command.words.get(1).map(|word| word.text.clone())
    };
    let apart = || {
        let mut entered = between
            .iter()
            .filter(|seen| seen.worked())
            .filter_map(|seen| effect::enters(&seen.call));
        entered.next_back().map(str::to_owned)
    };
    let to = target(worked).or_else(apart)?;
    if target(failed).as_ref() == Some(&to) {
        return None;
    }
    show::folder(&to)
}

/// The same words worked behind a runner, or by another path to the program.
fn runner(context: &Context<'_>, line: &Line) -> Option<Difference> {
    const RUNNERS: [&str; 10] = [
        "uv run",
        "poetry run",
        "pipenv run",
        "pdm run",
        "hatch run",
        "npx",
        "pnpm exec",
        "bundle exec",
        "npm exec",
        "conda run",
    ];
    let failed = context.command;
    workers(line).find_map(|(_, worked)| {
        let texts = worked.texts();
        let own = failed.texts();
        let tail = texts.strip_suffix(own.as_slice());
        let by_runner = tail.is_some_and(|front| {
            !front.is_empty()
                && RUNNERS
                    .iter()
                    .any(|runner| front.join(" ").starts_with(runner))
        });
        let by_module = is_module_of(worked, failed);
        let by_path = worked.program() == failed.program()
            && worked.words[0].text.contains('/')
            && !worked.words[0].text.starts_with(['/', '~'])
            && texts[1..] == own[1..];
        (by_runner || by_module || by_path).then(|| Difference::Runner {
            from: short_name(failed),
            to: show::command(worked, |word| word.text == own[0]),
        })
    })
}

fn short_name(command: &Command) -> String {
    shown(command)
}

/// Another tool of the same purpose (tests, formatting, …) did the work of one that is missing.
fn same_purpose(context: &Context<'_>, line: &Line) -> Option<Difference> {
    let subject = context.failure.subject.as_deref()?;
    let is_tool = context.failure.family == Family::CommandMissing
        || context.command.label().ends_with(&format!("-m {subject}"));
    let purpose = alike::purpose(subject).filter(|_| is_tool && alike::is_tool(subject))?;
    let (_, worked) = workers(line).find(|(_, worked)| {
        let label = worked.label();
        let name = label.rsplit(' ').next().unwrap_or_default();
        name != subject && alike::purpose(name) == Some(purpose)
    })?;
    Some(Difference::Program {
        missing: subject.to_owned(),
        used: worked.label(),
        shown: show::bare(worked),
    })
}

/// Returns whether one command is `python -m` with the other.
fn is_module_of(worked: &Command, failed: &Command) -> bool {
    let texts = worked.texts();
    texts.len() > 2
        && family_of(worked.program()) == "python"
        && texts[1] == "-m"
        && texts[2] == failed.program()
        && texts[3..] == failed.texts()[1..]
}

/// Another program did the work of one that is missing.
fn program(context: &Context<'_>, line: &Line) -> Result<Option<Difference>, Skip> {
    let missing = context.failure.label.as_str();
    if missing == "sudo" {
        return Ok(without_sudo(context, line));
    }
    for (_, worked) in workers(line) {
        let used = worked.program();
        if used == missing {
            continue;
        }
        let goal = goal_words(context.line, context.command);
        let shares = alike::share_goal(&goal, &goal_words(line, worked));
        let same = alike::has_same_interface(missing, used)
            && worked.texts()[1..] == context.command.texts()[1..];
        if same || (alike::can_replace(missing, used) && (shares || is_compose(worked))) {
            return Ok(Some(Difference::Program {
                missing: missing.to_owned(),
                used: if is_compose(worked) {
                    worked.label()
                } else {
                    used.to_owned()
                },
                shown: show::bare(worked),
            }));
        }
        if alike::is_typo(missing, used) {
            return Err(Skip::Typo);
        }
    }
    Ok(None)
}

fn is_compose(command: &Command) -> bool {
    command.label().starts_with("docker compose")
}

/// The words that tell what a command works on, with those of a command that feeds it.
fn goal_words<'a>(line: &'a Line, command: &'a Command) -> Vec<&'a str> {
    let fed = command.join == crate::trace::shell::Join::Pipe;
    let feeding = line.commands.iter().filter(|_| fed).flat_map(Command::args);
    command
        .args()
        .iter()
        .chain(feeding)
        .map(|word| word.text.as_str())
        .collect()
}

fn without_sudo(context: &Context<'_>, line: &Line) -> Option<Difference> {
    workers(line)
        .find(|(_, worked)| !worked.sudo && same_words(worked, context.command))
        .map(|(_, worked)| Difference::SudoDropped {
            command: shown(worked),
        })
}

/// Another script did the work of one that is missing.
fn script(context: &Context<'_>, line: &Line) -> Result<Option<Difference>, Skip> {
    let Some(missing) = context.failure.subject.as_deref() else {
        return Ok(None);
    };
    let failed = context.command;
    let alike_programs = |one: &str, two: &str| {
        one == two
            || (is_listed("npm yarn pnpm bun", one)
                && is_listed("npm yarn pnpm bun npx node bunx", two))
    };
    for (_, worked) in workers(line) {
        if !alike_programs(failed.program(), worked.program()) {
            continue;
        }
        let label = worked.label();
        let name = label.rsplit(' ').next().unwrap_or_default();
        if alike::is_typo(missing, name) {
            return Err(Skip::Typo);
        }
        let same_purpose =
            alike::purpose(missing).is_some() && alike::purpose(missing) == alike::purpose(name);
        let longer = missing.len() >= 3 && name != missing && name.contains(missing);
        if name != missing && (same_purpose || longer) {
            return Ok(Some(Difference::Script {
                from: failed.label(),
                to: label,
            }));
        }
    }
    Ok(None)
}

/// The repository's main branch has another of the usual names.
fn branch(context: &Context<'_>, line: &Line) -> Option<Difference> {
    const NAMES: &str = "main master develop trunk dev";
    if context.failure.family != Family::RefMissing || context.command.program() != "git" {
        return None;
    }
    let named = |command: &Command| {
        let names: Vec<String> = command
            .operands()
            .iter()
            .map(|text| text.strip_prefix("origin/").unwrap_or(text))
            .filter(|name| is_listed(NAMES, name))
            .map(str::to_owned)
            .collect();
        match names.as_slice() {
            [only] => Some(only.clone()),
            _ => None,
        }
    };
    let from = named(context.command)?;
    let worked = workers(line)
        .find(|(_, worked)| worked.label() == context.command.label())?
        .1;
    let to = named(worked).filter(|to| *to != from)?;
    Some(Difference::Branch { from, to })
}

/// The same letters worked with other quotes.
fn quoting(context: &Context<'_>, later: usize, line: &Line) -> Option<Difference> {
    let failed = &context.reading.calls[context.index].raw.args;
    let worked = &context.reading.calls[later].raw.args;
    let letters = |text: &str| -> String {
        text.chars()
            .filter(|c| !matches!(c, '\'' | '"' | '\\') && !c.is_whitespace())
            .collect()
    };
    if context.failure.family != Family::ShellSyntax
        || letters(failed.as_str()) != letters(worked.as_str())
    {
        return None;
    }
    let pairs = context.line.commands.iter().zip(&line.commands);
    let words = pairs.flat_map(|(one, two)| one.words.iter().zip(&two.words));
    let (from, to) = words.clone().find(|(one, two)| one.raw != two.raw)?;
    let short = |word: &Word| show::is_plain(word).then(|| word.raw.clone());
    Some(Difference::Quoting {
        from: short(from)?,
        to: short(to)?,
    })
}

/// The same words worked as root.
fn sudo(context: &Context<'_>, line: &Line) -> Option<Difference> {
    if context.command.sudo {
        return matches!(
            context.failure.family,
            Family::Auth | Family::Permission | Family::Other
        )
        .then(|| without_sudo(context, line))
        .flatten();
    }
    if context.failure.family != Family::Permission {
        return None;
    }
    workers(line)
        .any(|(_, worked)| worked.sudo && same_words(worked, context.command))
        .then(|| Difference::SudoAdded {
            command: shown(context.command),
        })
}

/// Options that only talk, or that force a way through; neither is advice.
const IDLE_OPTIONS: &str = "-v -vv -vvv --verbose -q --quiet -s --silent --no-color --color -x --debug -d --progress --trace -h --help";
const FORCING_OPTIONS: &str = "-f --force --force-with-lease --no-verify --hard --privileged -rf -fr -k --insecure \
    --no-check-certificate --dangerously-skip-permissions --break-system-packages -D --allow-unrelated-histories --yolo \
    --skip-tests --no-gpg-sign --allow-empty --legacy-peer-deps-force --unsafe-perm --ignore-scripts --overwrite --delete";

/// The same command and operands worked with other options.
fn options(context: &Context<'_>, line: &Line) -> Option<Difference> {
    let failed = context.command;
    let allowed = matches!(
        context.failure.family,
        Family::OptionUnknown
            | Family::Usage
            | Family::Rule
            | Family::Other
            | Family::RefMissing
            | Family::NotInProject
    ) || context
        .failure
        .gist
        .to_lowercase()
        .contains("is a directory");
    if !allowed {
        return None;
    }
    let (_, worked) = workers(line).find(|(_, worked)| worked.label() == failed.label())?;
    let own = failed.flags();
    let other = worked.flags();
    let is_idle = |flag: &str| is_listed(IDLE_OPTIONS, flag);
    let minus = |one: &[&str], two: &[&str]| -> Vec<String> {
        one.iter()
            .filter(|flag| !two.contains(*flag))
            .map(|flag| (*flag).to_owned())
            .collect()
    };
    let removed = minus(&own, &other);
    let added = minus(&other, &own);
    let destroys = is_listed(
        "rm dd mkfs kill killall pkill shred shutdown reboot",
        failed.program(),
    );
    let clustered = |flag: &String| {
        is_listed("ln cp mv git tar", failed.program())
            && !flag.starts_with("--")
            && flag.contains('f')
    };
    let forces = destroys
        || added.iter().any(|flag| {
            is_listed(FORCING_OPTIONS, flag) || (clustered(flag) && failed.program() != "tar")
        });
    let talks = |flags: &[String]| !flags.is_empty() && flags.iter().all(|flag| is_idle(flag));
    if (removed.is_empty() && added.is_empty())
        || forces
        || talks(&added)
        || removed.len() + added.len() > 4
    {
        return None;
    }
    if is_interpreter(failed.program()) || !same_operands(failed, worked, context.failure.family) {
        return None;
    }
    if let ([wrong], [right]) = (removed.as_slice(), added.as_slice())
        && alike::is_typo(wrong, right)
    {
        return None;
    }
    if context.failure.family == Family::OptionUnknown && !blames(context.failure, &removed) {
        return None;
    }
    if !removed
        .iter()
        .chain(&added)
        .all(|flag| flag.chars().count() <= 40 && !flag.contains([' ', '\n', '`']))
    {
        return None;
    }
    Some(Difference::Options {
        command: failed.label(),
        removed,
        added,
    })
}

/// A word that the program asked for was added: "missing argument to `-exec`" wants `\;`.
fn added_word(context: &Context<'_>, line: &Line) -> Option<Difference> {
    let failed = context.command;
    let asks = context
        .failure
        .gist
        .starts_with("find: missing argument to");
    let (_, worked) = workers(line).find(|(_, worked)| asks && worked.label() == failed.label())?;
    let mut own = failed.words.iter().peekable();
    let mut extra = worked
        .words
        .iter()
        .filter(|word| own.next_if(|own| own.text == word.text).is_none());
    let word = extra.next().filter(|word| show::is_plain(word))?;
    (extra.next().is_none() && own.next().is_none()).then(|| Difference::Options {
        command: failed.label(),
        removed: Vec::new(),
        added: vec![word.raw.clone()],
    })
}

/// With an unknown option, its value may have gone too; otherwise the operands must be the same.
fn same_operands(failed: &Command, worked: &Command, family: Family) -> bool {
    let own = failed.operands();
    let other = worked.operands();
    if family == Family::OptionUnknown {
        let shared = other.iter().filter(|word| own.contains(*word)).count();
        return shared == other.len().min(own.len()) && own.len().abs_diff(other.len()) <= 1;
    }
    own == other
}

/// Programs whose options are the agent's own code or business.
fn is_interpreter(program: &str) -> bool {
    family_of(program) == "python" || is_listed("node ruby perl php deno", program)
}

/// Returns whether the error names one of the options that went.
fn blames(failure: &Failure, removed: &[String]) -> bool {
    let Some(subject) = failure.subject.as_deref() else {
        return false;
    };
    let name = subject.trim_start_matches('-');
    removed.iter().any(|flag| {
        let bare = flag.trim_start_matches('-');
        let bare = bare.split('=').next().unwrap_or(bare);
        bare == name
            || (flag.starts_with('-')
                && !flag.starts_with("--")
                && name.len() == 1
                && bare.contains(name))
    })
}

/// The same line worked with one other word, and the error is about that word.
fn word(context: &Context<'_>, line: &Line) -> Option<Difference> {
    if is_interpreter(context.command.program())
        || line.commands.len() < context.line.commands.len()
    {
        return None;
    }
    let mut differing = context
        .line
        .commands
        .iter()
        .zip(&line.commands)
        .filter(|(one, two)| !same_words(one, two));
    let (failed, worked) = differing.next()?;
    let place = line.commands.iter().position(|known| known == worked)?;
    if !super::is_certain(line, place) {
        return None;
    }
    if differing.next().is_some()
        || failed != context.command
        || failed.words.len() != worked.words.len()
    {
        return None;
    }
    let mut words = failed
        .words
        .iter()
        .zip(&worked.words)
        .enumerate()
        .filter(|(_, (one, two))| one.text != two.text);
    let (index, (from, to)) = words.next()?;
    let plain =
        show::is_plain(from) && show::is_plain(to) && !differs_in_data(&from.text, &to.text);
    if words.next().is_some() || index == 0 || !plain {
        return None;
    }
    let is_slip = context.failure.family == Family::Other && alike::is_typo(&from.text, &to.text);
    if from.text.starts_with('-') || is_slip {
        return None;
    }
    let option = failed
        .words
        .get(index - 1)
        .map(|word| word.text.as_str())
        .filter(|text| text.starts_with('-'));
    if !is_about_word(
        context,
        &from.text,
        option.is_some() || from.text.contains('='),
    ) {
        return None;
    }
    let with_option = |word: &Word| {
        option.map_or_else(
            || word.raw.clone(),
            |option| format!("{option} {}", word.raw),
        )
    };
    Some(Difference::Word {
        command: failed.label(),
        from: with_option(from),
        to: with_option(to),
    })
}

/// Returns whether the error is the program's own about how this word is put. The value of an option
/// may also simply be unknown to it; an operand that is not there is only a guess.
fn is_about_word(context: &Context<'_>, word: &str, is_option_value: bool) -> bool {
    let value = word.rsplit('=').next().unwrap_or(word);
    let names = context.error().contains(value);
    let speaks = context
        .failure
        .gist
        .starts_with(&format!("{}:", context.command.program()));
    match context.failure.family {
        Family::Usage => names || speaks,
        Family::OptionUnknown | Family::Rule => names,
        Family::Other => names && is_option_value,
        _ => false,
    }
}

/// Two words that differ in digits, are long or are files are data, not usage.
fn differs_in_data(one: &str, two: &str) -> bool {
    let letters = |text: &str| -> String { text.chars().filter(|c| !c.is_ascii_digit()).collect() };
    let is_file = |text: &str| text.contains('/') && !text.starts_with('/') || text.contains('@');
    letters(one) == letters(two)
        || one.chars().count() > 40
        || two.chars().count() > 40
        || is_file(one)
        || is_file(two)
}
