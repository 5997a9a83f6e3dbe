//! Finds repeated failures that were never fixed, and what the run shows about their cause.
//!
//! A failure without a fix is worth a caution only when its cause is plain from the run itself: a missing program,
//! missing credentials, no access to the network, the same call tried over and over.

use std::collections::BTreeMap;

use super::{
    Skip,
    parsed_run::{ParsedRun, RunCall},
};
use crate::{
    CallFailure, FailureKey, ShellCommand,
    shell::is_listed,
    trace::{effect, family::FailureFamily},
};

/// A failure that was not fixed in the run.
#[derive(Debug, Clone, PartialEq)]
pub struct UnresolvedFailure {
    /// The first failure of the group.
    pub failure: CallFailure,
    /// How often it occurred in this run; at least 1.
    pub failures: u32,
    /// What the run shows about the cause.
    pub diagnosis: Diagnosis,
    /// Names that the lesson is about: the command, the tool.
    pub names: Vec<String>,
}

/// The cause of an unresolved failure, as far as the run shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Diagnosis {
    /// The program is not installed, and nothing replaced it.
    MissingProgram,
    /// Several calls could not reach the network, and none could.
    NoNetwork,
    /// `sudo` asks for a password that no one is there to type.
    SudoPassword,
    /// Credentials are missing or were rejected.
    Credentials,
    /// Variants of one call failed repeatedly in the same way.
    SameError,
}

/// A repeated failure and the calls that make it up.
pub(super) struct UnresolvedGroup {
    pub(super) unresolved: UnresolvedFailure,
    pub(super) call_indexes: Vec<usize>,
}

/// How often the same error must occur before the error alone is worth a caution.
const SAME_ERROR_TIMES: usize = 4;

/// Finds what can be stated about the failures that no later call fixed.
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
    let mut groups: Vec<UnresolvedGroup> = groups
        .into_values()
        .filter_map(|covers| build_group(reading, covers))
        .collect();
    groups.sort_by_key(|groups| groups.call_indexes[0]);
    groups
}

/// Returns whether a skipped failure may be unresolved; a typo, a guess or a probe is not.
fn may_be_unresolved(reason: Skip) -> bool {
    matches!(reason, Skip::Unsolved | Skip::Transient | Skip::Unclear)
}

/// Returns the key under which failures are grouped: all offline failures are one.
fn group_key(failure: &CallFailure) -> FailureKey {
    match failure.family {
        FailureFamily::Offline => FailureKey::new("offline".to_owned()),
        _ => failure.key.clone(),
    }
}

fn build_group(reading: &ParsedRun<'_>, covers: Vec<usize>) -> Option<UnresolvedGroup> {
    let last = *covers.last()?;
    let call = &reading.calls[last];
    let failure = call.failure.clone()?;
    let diagnosis = diagnose(reading, &covers, &failure)?;
    let failure_group = UnresolvedFailure {
        failures: u32::try_from(covers.len()).unwrap_or(u32::MAX),
        diagnosis,
        names: super::call_names(&call.call, &failure),
        failure,
    };
    Some(UnresolvedGroup {
        unresolved: failure_group,
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
    // No call with this label worked after the first of these failures.
    let is_still_failing = !reading.worked_after(&failure.label, covers[0]);
    let (diagnosis, is_it) = match failure.family {
        FailureFamily::CommandMissing => {
            let is_it = is_still_failing && is_missing_program(reading, covers, failure);
            (Diagnosis::MissingProgram, is_it)
        }
        FailureFamily::Offline => {
            let is_it = is_offline_everywhere(reading, covers) && !has_reached_network(reading);
            (Diagnosis::NoNetwork, is_it)
        }
        FailureFamily::Auth if is_sudo_password(failure) => (Diagnosis::SudoPassword, true),
        FailureFamily::Auth => {
            let is_it = is_still_failing && is_listed(WITH_LOGIN, failure.program());
            (Diagnosis::Credentials, is_it)
        }
        FailureFamily::Usage
        | FailureFamily::OptionUnknown
        | FailureFamily::Rule
        | FailureFamily::Permission
        | FailureFamily::ModuleMissing => {
            let is_it = times >= SAME_ERROR_TIMES && line.is_some() && is_still_failing;
            (Diagnosis::SameError, is_it)
        }
        _ => return None,
    };
    is_it.then_some(diagnosis)
}

/// Programs whose lack of credentials lasts until a person logs in.
const WITH_LOGIN: &str = "git gh glab docker podman npm yarn pnpm aws gcloud az ssh scp rsync kubectl heroku vercel \
    netlify fly flyctl twine cargo gem psql mysql terraform pulumi wrangler firebase";

/// Returns whether the network is out of reach. One host that is not found may simply not exist; two programs, or an
/// installer repeatedly, that reach none mean that there is no access.
fn is_offline_everywhere(reading: &ParsedRun<'_>, covers: &[usize]) -> bool {
    const INSTALLERS: &str =
        "pip pip3 npm yarn pnpm apt apt-get cargo gem go brew apk dnf yum conda poetry uv";
    let calls = covers.iter().map(|index| &reading.calls[*index]);
    let failures = calls.filter_map(|run_call| run_call.failure.as_ref());
    let programs: Vec<&str> = failures.map(CallFailure::program).collect();
    let installs = programs
        .iter()
        .filter(|program| is_listed(INSTALLERS, program));
    installs.count() >= 2 || programs.iter().any(|program| *program != programs[0])
}

/// Programs whose absence is worth a caution. A model that writes prose where a command belongs also gets "command
/// not found", for words that are no programs.
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

/// Returns whether a program that never worked in the run is really missing, and no typo.
fn is_missing_program(reading: &ParsedRun<'_>, covers: &[usize], failure: &CallFailure) -> bool {
    let name = failure.label.as_str();
    let is_it = |command: &ShellCommand| command.program() == name;
    let was_called = |index: &usize| {
        let line = reading.calls[*index].call.line();
        line.is_some_and(|line| line.commands.iter().any(is_it))
    };
    is_listed(PROGRAMS, name) && covers.iter().all(was_called)
}

fn is_sudo_password(failure: &CallFailure) -> bool {
    let has = |word: &str| failure.gist.contains(word);
    has("password") && has("required") && has("sudo")
        || has("terminal is required to read the password")
}

/// Returns whether any call that needs the network worked.
fn has_reached_network(reading: &ParsedRun<'_>) -> bool {
    let online = |run_call: &RunCall<'_>| {
        let line = run_call.call.line();
        line.is_some_and(|line| line.commands.iter().any(reaches_network))
    };
    let mut calls = reading.calls.iter();
    calls.any(|run_call| run_call.has_worked() && (run_call.external || online(run_call)))
}

/// Returns whether a command fetches from elsewhere, or sends there.
pub(super) fn reaches_network(command: &ShellCommand) -> bool {
    const REACHING: &str = "curl wget pip pip3 npm yarn pnpm apt apt-get brew gem cargo go git docker ping uv poetry bun \
        composer conda dnf yum apk snap";
    const VERBS: &str = "install clone pull fetch push update download get add";
    let label = command.label();
    is_listed(REACHING, command.program())
        && (is_listed(VERBS, label.split(' ').next_back().unwrap_or_default())
            || is_listed("curl wget ping", command.program()))
}
