//! Complaints: the lines in which a shell, or a program of a command line, says what is wrong.
//!
//! A complaint must be attributable to a step of the line: to a program that names itself (`cat: x: No such file`), one
//! whose argument the error quotes (`unexpected argument '--x'`), a program that the shell did not find. A line that
//! merely begins with `error:` counts where a single program can have printed it, and never where another's text is
//! printed.

use hardwon_core::{
    ShellCommand,
    shell::{base_name, is_listed, is_python},
};

use super::{
    closing::{self, Closing, ClosingKind},
    role::{self, has_effect, is_checking, may_fail_unnamed, subcommand},
    speakers::Speakers,
};
use crate::transcript::{
    call_report,
    error_head::mentions_failure,
    text::{starts_with_any, strip_prefix_ci},
};

impl Speakers<'_> {
    /// Returns the step that a line reports as failed.
    pub(super) fn find_complaining_step(&self, said: &str) -> Option<usize> {
        if said.len() > 600 || is_harmless(said) {
            return None;
        }
        let by_shell = strip_shell_name(said);
        self.find_unknown_command(said, by_shell)
            .or_else(|| self.find_self_naming(by_shell.unwrap_or(said)))
            .or_else(|| self.find_quoted(said))
            .or_else(|| self.find_only_possible(said))
    }

    /// Returns whether a line mentions a failure that no step can have printed of texts from elsewhere, and none says that all
    /// went well.
    pub(super) fn reads_like_error(&self) -> bool {
        let is_own = |said: &&&str| !(self.prints || self.relays) || self.is_before_printers(said);
        let own: Vec<&str> = self.lines.iter().filter(is_own).copied().collect();
        let mut lines = self.lines.iter();
        read_like_error(&own) && !lines.any(|said| closing::is_all_passed(said))
    }

    /// Finds the step of a program that a shell did not find, or of a word that it could not parse.
    fn find_unknown_command(&self, said: &str, by_shell: Option<&str>) -> Option<usize> {
        let rest = by_shell.unwrap_or(said);
        let lower = rest.to_ascii_lowercase();
        const BEFORE: &str =
            "command not found|no matches found|permission denied|no such file or directory";
        const BEHIND: &str = "not found|No such file or directory|Permission denied";
        const WRAPPERS: &str = "timeout gtimeout sudo nice nohup stdbuf setsid env";
        let is_before = |mark: &str| {
            lower
                .strip_prefix(mark)?
                .starts_with(": ")
                .then_some(mark.len() + 2)
        };
        let at = by_shell.and_then(|_| BEFORE.split('|').find_map(is_before));
        let before = |end: &str| by_shell?.strip_suffix(end)?.strip_suffix(": ");
        let subject = at.map(|at| rest[at..].trim());
        let subject = subject
            .or_else(|| rest.strip_suffix(": command not found").map(str::trim))
            .or_else(|| BEHIND.split('|').find_map(before))
            .or_else(|| unrecognised_program(rest))?;
        let find_wrapped =
            || is_listed(WRAPPERS, subject).then(|| self.find_only(may_fail_unnamed))?;
        self.find_by_program(subject)
            .or_else(|| self.find_by_word(subject).filter(|_| by_shell.is_some()))
            .or_else(find_wrapped)
    }

    /// Finds the step whose program names itself before the error.
    fn find_self_naming(&self, said: &str) -> Option<usize> {
        if let Some(rest) = strip_prefix_ci(said, "npm err").filter(|ci| !ci.is_empty()) {
            let is_end = rest.starts_with(['!', 'o']);
            let npm = self.find_by_program("npm");
            let step = npm.or_else(|| self.find_by_program("npx"));
            return step.filter(|_| is_end);
        }
        if let Some(cmdlet) = cmdlet_of_record(said) {
            return self.find_by_program(cmdlet);
        }
        let (name, message) = said.split_once(": ")?;
        let builtin = name.strip_prefix("(eval):");
        let builtin = builtin.or_else(|| name.strip_prefix("zsh:"));
        let builtin = builtin.and_then(|name| name.split(':').next());
        let name = builtin.unwrap_or(name);
        let name = name.split(['[', '(']).next().unwrap_or(name).trim_end();
        let is_name = !name.is_empty() && name.len() <= 80 && !name.contains(char::is_whitespace);
        (is_name && is_complaint(message)).then(|| self.find_by_name(name))?
    }

    /// Finds the step of which the error quotes an argument, or names it behind a colon.
    fn find_quoted(&self, said: &str) -> Option<usize> {
        const USAGE: &str = "module not found|ambiguous argument|bad revision|invalid reference|\
            couldn't find remote ref|not a valid object name|unknown json field|unexpected argument|\
            unrecognized subcommand|unknown command|unknown flag|unknown shorthand|unknown option|\
            unrecognized argument|unrecognized option|invalid option|illegal option|no such option|\
            no such command|unknown subcommand|flag provided but not defined|invalid value|invalid choice|\
            invalid argument|missing script|script not found|unknown argument|unknown field|\
            no such subcommand|unknown switch|unrecognised option";
        let lower = said.to_ascii_lowercase();
        let mut marks = USAGE.split('|');
        let mark = marks.find_map(|mark| Some(lower.find(mark)? + mark.len()))?;
        if mark > 90 {
            return None;
        }
        let rest = &said[mark..];
        let words = rest.split([' ', ':', '"', '\'', '`', '‘', '’', '(', ')', ',', '.']);
        let quotations = rest.split(['"', '\'', '`']).skip(1).step_by(2);
        let words = quotations.chain(words).map(str::trim);
        let mut words = words.filter(|word| !word.is_empty());
        words.find_map(|word| self.find_by_word(word))
    }

    /// Finds the step that is the only one whose program can have printed the line.
    fn find_only_possible(&self, said: &str) -> Option<usize> {
        let is_git = |command: &ShellCommand| command.program() == "git";
        const PATHS: &str = "checkout switch restore add commit reset rm";
        const BY_GIT: [(&str, &str); 4] = [
            ("fatal: ", ""),
            ("error: failed to push", "push"),
            ("error: pathspec", PATHS),
            ("error: patch failed", "apply am"),
        ];
        let by_git = BY_GIT.iter().find(|(mark, _)| said.starts_with(mark));
        if let Some((_, verbs)) = by_git
            && (!verbs.is_empty() || !self.prints_git_output())
            && self.steps().any(|(_, it)| is_git(it))
        {
            let is_meant =
                |it: &ShellCommand| verbs.is_empty() || is_listed(verbs, &subcommand(it));
            return self.find_first_alike(said, |command| {
                is_git(command) && has_effect(command) && is_meant(command)
            });
        }
        if said.starts_with("husky - ") && said.contains("failed") {
            return self.find_only(|command| {
                is_git(command) && is_listed("commit push", &subcommand(command))
            });
        }
        self.find_by_known_line(said)
            .or_else(|| self.find_by_closing(said, closing::find_closing(said)?))
            .or_else(|| self.find_by_verdict(said))
    }

    /// Finds the step by a line that only one program ever prints.
    fn find_by_known_line(&self, said: &str) -> Option<usize> {
        const CONFLICTS: &str = "merge rebase cherry-pick stash pull revert am";
        const STARTING: &str = "start restart reload stop";
        if said.starts_with("CONFLICT (") {
            return self.find_only(|command| {
                command.program() == "git" && is_listed(CONFLICTS, &subcommand(command))
            });
        }
        if said.starts_with("Job for ") && said.contains(" failed because ") {
            let starts = |it: &ShellCommand| it.has_arg(|text| is_listed(STARTING, text));
            return self.find_only(|command| command.program() == "systemctl" && starts(command));
        }
        let of_gh = said.rfind("gh: ").map_or("", |at| &said[at..]);
        let by_gh =
            of_gh.contains("(HTTP 4") || (said.contains("GraphQL: ") && said.contains("failed"));
        by_gh.then(|| self.find_only(|command| command.program() == "gh"))?
    }

    /// Finds the step that ends with this closing line.
    fn find_by_closing(&self, said: &str, closing: Closing) -> Option<usize> {
        let is_anybodys = match closing.kind {
            ClosingKind::Crash => self.prints,
            _ => self.prints || self.relays,
        };
        let is_on_purpose = closing.kind == ClosingKind::Any
            && closing.is_sure
            && self.steps().any(|(_, it)| is_checking(it))
            && self.lines.iter().any(|line| closing::is_all_passed(line));
        if is_on_purpose || (is_anybodys && !self.is_beside_printers(said)) {
            return None;
        }
        let is_candidate = |it: &ShellCommand| can_close_with(it, closing);
        let named_acting = |it: &ShellCommand| is_candidate(it) && has_effect(it);
        let of_kind = |it: &ShellCommand| {
            let kind = role::closing_kind(it).filter(|_| may_fail_unnamed(it));
            kind == Some(closing.kind) || (closing.kind == ClosingKind::Any && kind.is_some())
        };
        let runs = |it: &ShellCommand| may_fail_unnamed(it) && role::closing_kind(it).is_some();
        let is_late = self.lines.iter().rev().take(2).any(|line| *line == said);
        let is_heard =
            |it: &ShellCommand| !it.muted && is_candidate(it) && (is_late || !is_checking(it));
        let is_known = self.steps().any(|(_, it)| is_candidate(it));
        let may_break = |it: &ShellCommand| {
            let is_any = may_fail_unnamed(it) && it.program() != "git" && !is_checking(it);
            is_any && !it.muted && !is_known
        };
        let is_of_kind = |it: &ShellCommand| {
            of_kind(it) && (closing.is_sure || role::closing_kind(it) != Some(ClosingKind::Any))
        };
        let named_of_kind = |it: &ShellCommand| is_candidate(it) && of_kind(it);
        let any = |it: &ShellCommand| {
            may_fail_unnamed(it) && closing.programs.is_empty() && closing.is_sure
        };
        let ranks: &[&dyn Fn(&ShellCommand) -> bool] = match closing.kind {
            ClosingKind::Crash => &[&is_heard, &may_break],
            ClosingKind::Any => &[&named_acting, &is_candidate, &is_of_kind],
            _ if closing.is_sure => &[
                &named_of_kind,
                &named_acting,
                &is_candidate,
                &of_kind,
                &runs,
                &any,
            ],
            _ => &[&is_of_kind],
        };
        let is_there =
            |is_it: &&&dyn Fn(&ShellCommand) -> bool| self.steps().any(|(_, it)| is_it(it));
        let rank = ranks.iter().find(is_there)?;
        match closing.kind {
            ClosingKind::Crash => self.find_broken(said, rank),
            _ => self.find_by_position(said, rank),
        }
    }

    /// Finds the lone program behind a verdict that has no form of its own.
    fn find_by_verdict(&self, said: &str) -> Option<usize> {
        const VERDICTS: &str = "error: |fatal: |fatal error: |error[|panic: |usage: ";
        const SIGNS: &str = "❌|✖|× ";
        let plain = said.trim_start_matches(['│', '|', ' ']);
        let is_at_end = self.lines.last() == Some(&said);
        let is_near_end = self.lines.iter().rev().take(4).any(|line| *line == said);
        let is_verdict = starts_with_any(plain, VERDICTS)
            || (is_at_end
                && call_report::opens_as_failure(plain)
                && !starts_with_any(plain, "error |fatal |failure "))
            || (is_near_end && starts_with_any(plain, SIGNS))
            || names_category(plain);
        let is_powershell =
            |it: &ShellCommand| is_listed("pwsh powershell", &role::listed_name(it));
        if names_category(plain) && self.steps().any(|(_, it)| is_powershell(it)) {
            return self.find_only(is_powershell);
        }
        if self.prints || self.relays || !is_verdict || self.steps().any(|(_, it)| is_checking(it))
        {
            return None;
        }
        // Where no other step can have printed it, a step that only shows a state did.
        let by_shower = || {
            let is_shower = |it: &ShellCommand| !has_effect(it) && it.program() != "git";
            let has_worker = self.steps().any(|(_, it)| may_fail_unnamed(it));
            self.find_only(is_shower).filter(|_| !has_worker)
        };
        self.find_first_alike(said, may_fail_unnamed)
            .or_else(by_shower)
    }
}

/// Returns whether a command is one of the programs that end so, or runs one by its name.
fn can_close_with(command: &ShellCommand, closing: Closing) -> bool {
    let name = role::listed_name(command);
    let is_it = |word: &str| is_listed(closing.programs, word);
    let runs_it = || command.arg_texts().take(3).any(is_it);
    let is_python = || {
        let is_script = || command.program().ends_with(".py");
        is_it("python") && (is_python(&name) || is_listed("pytest uv py", &name) || is_script())
    };
    let is_runner = || is_listed("npx bunx npm pnpm yarn bun", &name);
    is_it(&name) || is_python() || (is_runner() && runs_it())
}

/// Returns the program that a Windows shell did not find.
fn unrecognised_program(said: &str) -> Option<&str> {
    let (before, _) = said.split_once("' is not recognized as ")?;
    before.rsplit('\'').next()
}

/// Returns whether a line begins with an error category of `PowerShell`.
fn names_category(said: &str) -> bool {
    const CATEGORIES: &str = "InvalidOperation ParserError ObjectNotFound InvalidArgument OperationStopped MetadataError \
        PermissionDenied ResourceUnavailable MethodInvocationException WriteError";
    said.split_once(": ")
        .is_some_and(|(name, _)| is_listed(CATEGORIES, name))
}

/// Returns the cmdlet that a `PowerShell` error record is about.
fn cmdlet_of_record(said: &str) -> Option<&str> {
    let category = said.split_once("CategoryInfo")?.1;
    let (name, _) = category.split_once('[')?.1.split_once(']')?;
    (!name.is_empty()).then_some(name)
}

/// Returns the text after a shell's own name; `None` if the line is not a shell's.
fn strip_shell_name(said: &str) -> Option<&str> {
    let (shell, mut rest) = said.split_once(": ").or_else(|| said.split_once(':'))?;
    let shell = shell.trim_start_matches('-');
    let (name, line) = shell.split_once(':').unwrap_or((shell, ""));
    let is_shell = is_listed("bash sh zsh dash ksh (eval)", base_name(name));
    if !is_shell || !line.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    while let Some((number, after)) = rest.split_once(": ") {
        let digits = number.trim_start_matches("line ");
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        if !is_number && number != "-c" {
            break;
        }
        rest = after;
    }
    Some(rest.trim())
}

/// Returns whether a shell says that it cannot read the words of a command, which no redirection of the command hides.
pub(super) fn is_about_words(said: &str) -> bool {
    const MARKS: &str = "no matches found: |bad pattern: |parse error near |bad substitution";
    let rest = strip_shell_name(said).map(str::to_ascii_lowercase);
    rest.is_some_and(|rest| MARKS.split('|').any(|mark| rest.contains(mark)))
}

/// Returns whether a line begins with the program's name, or is its usage line.
pub(super) fn is_said_by(program: &str, said: &str) -> bool {
    let (name, rest) = said.split_once(": ").unwrap_or((said, ""));
    let explains = name.eq_ignore_ascii_case("usage");
    let caller = rest.split_whitespace().next().unwrap_or_default();
    base_name(name) == program || (explains && base_name(caller) == program)
}

/// Returns whether a line begins with the program's name, and says that something is wrong.
pub(super) fn names_itself(program: &str, said: &str) -> bool {
    let (name, message) = said.split_once(": ").unwrap_or((said, ""));
    base_name(name) == program && is_complaint(message)
}

/// Returns whether a program's message says that something is wrong.
fn is_complaint(message: &str) -> bool {
    const WORDS: &str = "error fatal failed fails failure cannot can't couldn't unable invalid illegal unknown unrecognized \
        unrecognised unexpected unsupported missing refused denied rejected required requires must no not unmatched \
        aborted abort expected exists exceeded bad wrong undefined unterminated *** conflict locked expired unauthorized \
        forbidden already expects held busy";
    const NOTES: &str = "warning|note|info|debug|hint|ok|done|no error|0 error|no change";
    let lower = message.to_ascii_lowercase();
    if starts_with_any(&lower, NOTES) {
        return false;
    }
    let words = lower.split(|c: char| !(c.is_alphanumeric() || matches!(c, '\'' | '*')));
    let mut words = words.filter(|word| !word.is_empty()).take(24);
    words.any(|word| is_listed(WORDS, word))
}

/// Returns whether one of the lines mentions a failure, and none says that all went well.
pub(super) fn read_like_error(lines: &[&str]) -> bool {
    let mentions = |said: &&str| mentions_failure(said) && !is_harmless(said);
    let is_well = |said: &&str| closing::is_all_passed(said);
    lines.iter().any(mentions) && !lines.iter().any(is_well)
}

/// Returns whether a line mentions errors only because there were none.
fn is_harmless(said: &str) -> bool {
    const PHRASES: &str = "0 error|0 fail|no error|without error|no failures";
    const COUNTS: &str = "fail 0|failed 0|failed: 0|failures: 0|errors: 0";
    let lower = said.to_ascii_lowercase();
    let is_whole = |at: usize| !lower[..at].ends_with(|c: char| c.is_ascii_digit());
    let says = |phrase| lower.match_indices(phrase).any(|(at, _)| is_whole(at));
    let is_zero = |(at, count): &(usize, &str)| {
        !lower[at + count.len()..].starts_with(|c: char| c.is_ascii_digit() || c == '.')
    };
    let zeros = COUNTS
        .split('|')
        .map(|count| lower.match_indices(count).filter(is_zero).count());
    let mentions = ["fail", "error"].map(|word| lower.matches(word).count());
    let zeros: usize = zeros.sum();
    let is_count = lower.trim_start().starts_with("0 warning");
    is_count || PHRASES.split('|').any(says) || zeros > 0 && zeros == mentions[0] + mentions[1]
}
