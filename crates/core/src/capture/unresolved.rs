//! Failures that were not got over: when they came again, and what they tell all the same.
//!
//! A trouble without a remedy is worth a word only when its cause is plain from what the run itself
//! shows: a program that is not there, credentials nobody has, no way out to the network, a line the
//! shell misreads, one and the same call tried over and over.

use std::collections::BTreeMap;

use super::{Skip, parsed_run::ParsedRun};
use crate::{
    lesson::FailureKey,
    shell::is_listed,
    trace::{call::CallArgs, effect, failure::CallFailure, family::FailureFamily},
};

/// A failure that stayed.
#[derive(Debug, Clone, PartialEq)]
pub struct UnresolvedFailure {
    /// What failed.
    pub failure: CallFailure,
    /// How often, in this run; at least 1.
    pub failures: u32,
    /// What the run shows about the cause.
    pub diagnosis: Diagnosis,
    /// Names that the lesson is about: the command, the tool.
    pub names: Vec<String>,
}

/// What the run shows about a trouble that stayed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Diagnosis {
    /// The program is not there, and nothing took its place.
    MissingProgram,
    /// Several calls found no way out to the network, and none did.
    NoNetwork,
    /// `sudo` asks for a password that nobody can type.
    SudoPassword,
    /// Credentials are missing or not accepted.
    Credentials,
    /// The whole line stands in backticks, so the shell ran its output.
    Backticks,
    /// A pattern was expanded before the program saw it: the error names what the command does not.
    ExpandedPattern {
        /// Whether the pattern stood in quotes, and they did not help.
        quoted: bool,
    },
    /// Edits did not find their text, time and again.
    EditMismatch,
    /// Variants of one call failed in the same way, time and again.
    SameError,
}

/// A repeated failure and the calls that make it up.
pub(super) struct UnresolvedGroup {
    pub(super) unresolved: UnresolvedFailure,
    pub(super) call_indexes: Vec<usize>,
}

/// How often one and the same error must come before the error alone is worth a caution.
const SAME_ERROR_TIMES: usize = 4;
const EDIT_MISMATCH_TIMES: usize = 3;

/// Finds what can be said of the failures that no later call got over.
pub(super) fn find_unresolved(
    reading: &ParsedRun<'_>,
    open: &[(usize, Skip)],
) -> Vec<UnresolvedGroup> {
    let mut groups: BTreeMap<FailureKey, Vec<usize>> = BTreeMap::new();
    let lasting = open.iter().filter(|(_, reason)| may_be_unresolved(*reason));
    for (index, _) in lasting {
        if let Some(failure) = &reading.calls[*index].failure {
            groups.entry(group_key(failure)).or_default().push(*index);
        }
    }
    let mut found: Vec<UnresolvedGroup> = groups
        .into_values()
        .filter_map(|covers| build_group(reading, covers))
        .collect();
    found.sort_by_key(|found| found.call_indexes[0]);
    found
}

/// A slip, a guess or a question is over when it is over.
fn may_be_unresolved(reason: Skip) -> bool {
    matches!(
        reason,
        Skip::Unsolved | Skip::Transient | Skip::EditSlip | Skip::Unclear
    )
}

/// Offline troubles are one, whoever met them; so are edits that did not fit.
fn group_key(failure: &CallFailure) -> FailureKey {
    match failure.family {
        FailureFamily::Offline => FailureKey::new("offline".to_owned()),
        FailureFamily::EditMismatch => FailureKey::new("edit".to_owned()),
        _ => failure.key.clone(),
    }
}

fn build_group(reading: &ParsedRun<'_>, covers: Vec<usize>) -> Option<UnresolvedGroup> {
    let last = *covers.last()?;
    let seen = &reading.calls[last];
    let failure = seen.failure.clone()?;
    let diagnosis = diagnose(reading, &covers, &failure)?;
    let repeated = UnresolvedFailure {
        failures: u32::try_from(covers.len()).unwrap_or(u32::MAX),
        diagnosis,
        names: super::call_names(&seen.call, &failure),
        failure,
    };
    Some(UnresolvedGroup {
        unresolved: repeated,
        call_indexes: covers,
    })
}

fn diagnose(reading: &ParsedRun<'_>, covers: &[usize], failure: &CallFailure) -> Option<Diagnosis> {
    let last = &reading.calls[*covers.last()?];
    let times = covers.len();
    let line = last.call.line();
    if line.is_some_and(effect::is_probe) {
        return None;
    }
    if covers
        .iter()
        .all(|index| is_in_backticks(&reading.calls[*index].call.args))
    {
        return (times >= 2).then_some(Diagnosis::Backticks);
    }
    if times >= 2
        && covers
            .iter()
            .all(|index| was_pattern_expanded(reading, *index))
    {
        let quoted = covers
            .iter()
            .all(|index| is_pattern_quoted(&reading.calls[*index].call.args));
        return Some(Diagnosis::ExpandedPattern { quoted });
    }
    match failure.family {
        FailureFamily::CommandMissing => {
            is_missing_program(reading, covers, failure).then_some(Diagnosis::MissingProgram)
        }
        FailureFamily::Offline => (is_offline_everywhere(reading, covers)
            && !has_reached_network(reading))
        .then_some(Diagnosis::NoNetwork),
        FailureFamily::Auth if is_sudo_password(failure) => Some(Diagnosis::SudoPassword),
        FailureFamily::Auth => (is_listed(WITH_LOGIN, program_of(failure))
            && is_still_failing(reading, covers, failure))
        .then_some(Diagnosis::Credentials),
        FailureFamily::EditMismatch => (times >= EDIT_MISMATCH_TIMES
            && failure.client_refusal.is_none())
        .then_some(Diagnosis::EditMismatch),
        FailureFamily::Usage
        | FailureFamily::OptionUnknown
        | FailureFamily::Rule
        | FailureFamily::Permission
        | FailureFamily::ModuleMissing => (times >= SAME_ERROR_TIMES
            && line.is_some()
            && is_still_failing(reading, covers, failure))
        .then_some(Diagnosis::SameError),
        _ => None,
    }
}

/// Programs whose refusal for want of credentials lasts until a person does something.
const WITH_LOGIN: &str = "git gh glab docker podman npm yarn pnpm aws gcloud az ssh scp rsync kubectl heroku vercel \
    netlify fly flyctl twine cargo gem psql mysql terraform pulumi wrangler firebase";

fn program_of(failure: &CallFailure) -> &str {
    failure.label.split(' ').next().unwrap_or_default()
}

/// One host that is not found may simply not exist. Two programs, or an installer time and again, that
/// find none mean that there is no way out.
fn is_offline_everywhere(reading: &ParsedRun<'_>, covers: &[usize]) -> bool {
    const INSTALLERS: &str =
        "pip pip3 npm yarn pnpm apt apt-get cargo gem go brew apk dnf yum conda poetry uv";
    let failures = covers
        .iter()
        .filter_map(|index| reading.calls[*index].failure.as_ref());
    let mut programs: Vec<&str> = failures.map(program_of).collect();
    let installs = programs
        .iter()
        .filter(|program| is_listed(INSTALLERS, program))
        .count();
    programs.sort_unstable();
    programs.dedup();
    programs.len() >= 2 || installs >= 2
}

/// Programs that are worth missing. A model that writes prose where a command belongs also gets
/// "command not found", for words that are no programs.
const PROGRAMS: &str = "ack ag ansible aws awk az bat bazel bc binwalk black brew bun bundle bunzip2 cargo clang clang-format \
    cmake composer conda convert convertx cppcheck crontab curl dc deno dig docker docker-compose dotnet dpkg dot eslint exa \
    exiftool expect eza fd ffmpeg ffprobe file finger flake8 foremost fzf g++ gawk gcc gcloud gdb gem gh git glab gnuplot go \
    gofmt golangci-lint gpg gradle gunzip hashcat head helm hexdump hg host htop http hyperfine ifconfig iostat ip iperf isort \
    java javac jest john jq just kubectl killall latexmk ldd less lighttpd lint-staged ln locate lsb_release lsof ltrace lua \
    lynx magick mail make mariadb md5 meson mitmproxy mocha mongosh mtr mvn mypy mysql mysqldump nano nc ncat netcat netstat \
    nginx ninja nmap node nodejs nox npm npx nslookup objdump od openssl p7zip pandoc parallel patch pdflatex pdftotext perl \
    pgrep php phpunit ping pip pip3 pipenv pipx pkg-config pkill playwright pm2 pnpm podman poetry pre-commit prettier protoc \
    psql pstree pylint pyright pytest python python2 python3 qemu-img r2 radare2 rake readelf redis-cli redis-server rename rg \
    rsync ruby ruff rustc rustup scp screen sendmail service shellcheck shfmt shasum sha256sum shuf socat sops sqlite3 sqlmap \
    ss ssh sshpass steghide strace strings stress svn systemctl tac tcpdump telnet terraform tesseract tmux tox traceroute tree \
    tsc tshark tsx unrar unzip uv uvx uuidgen valgrind vim vi vitest wget which whois wrk xmllint xsltproc xxd yamllint yarn \
    yq zip zsh zstd 7z";

/// A program that never worked in the run and was no slip of the pen.
fn is_missing_program(reading: &ParsedRun<'_>, covers: &[usize], failure: &CallFailure) -> bool {
    let name = failure.label.as_str();
    let is_name = is_listed(PROGRAMS, name);
    let was_called = covers.iter().all(|index| {
        let call = &reading.calls[*index].call;
        call.line().is_some_and(|line| {
            line.commands
                .iter()
                .any(|command| command.program() == name)
        })
    });
    is_name && was_called && is_still_failing(reading, covers, failure)
}

/// Returns whether nothing of this label worked after the first of these failures.
fn is_still_failing(reading: &ParsedRun<'_>, covers: &[usize], failure: &CallFailure) -> bool {
    !reading.worked_after(&failure.label, covers[0])
}

fn is_sudo_password(failure: &CallFailure) -> bool {
    failure.gist.contains("password")
        && failure.gist.contains("required")
        && failure.gist.contains("sudo")
        || failure
            .gist
            .contains("terminal is required to read the password")
}

/// Returns whether any call that needs the network worked.
fn has_reached_network(reading: &ParsedRun<'_>) -> bool {
    const REACHING: &str =
        "curl wget pip pip3 npm yarn pnpm apt apt-get brew gem cargo go git docker ping";
    let online = |seen: &super::parsed_run::RunCall<'_>| {
        seen.call.line().is_some_and(|line| {
            line.commands.iter().any(|command| {
                let label = command.label();
                is_listed(REACHING, command.program())
                    && ([
                        "install", "clone", "pull", "fetch", "push", "update", "download", "get",
                        "add",
                    ]
                    .iter()
                    .any(|verb| label.ends_with(verb))
                        || is_listed("curl wget ping", command.program()))
            })
        })
    };
    reading
        .calls
        .iter()
        .any(|seen| seen.has_worked() && (seen.external || online(seen)))
}

/// Returns whether `find` complains of a path that the command does not hold, while it holds a pattern.
fn was_pattern_expanded(reading: &ParsedRun<'_>, index: usize) -> bool {
    let seen = &reading.calls[index];
    let CallArgs::Shell(text, _) = &seen.call.args else {
        return false;
    };
    let Some((_, rest)) = seen.error.split_once("paths must precede expression: ") else {
        return false;
    };
    let rest = rest.trim_start_matches(['`', '\'', '‘']);
    let named: String = rest
        .chars()
        .take_while(|c| !matches!(c, '\'' | '’' | '\n'))
        .collect();
    text.contains('*') && named.len() > 1 && !text.contains(named.as_str())
}

/// Returns whether every word with a pattern stood in quotes.
fn is_pattern_quoted(args: &CallArgs) -> bool {
    let CallArgs::Shell(_, line) = args else {
        return false;
    };
    let words = line.commands.iter().flat_map(|command| &command.words);
    words
        .filter(|word| word.text.contains('*'))
        .all(|word| word.raw.starts_with(['"', '\'']))
}

/// Returns whether the whole line is one command in backticks.
fn is_in_backticks(args: &CallArgs) -> bool {
    match args {
        CallArgs::Shell(text, _) => {
            let text = text.trim();
            text.len() > 2
                && text.starts_with('`')
                && text.ends_with('`')
                && text.matches('`').count() == 2
        }
        CallArgs::Named(_) | CallArgs::Text(_) => false,
    }
}
