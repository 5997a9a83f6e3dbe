//! Tables of what programs read from elsewhere. A program in no row is local unless an address or path among its
//! arguments says otherwise.

use super::host;
use crate::{ShellCommand, ShellWord, shell::is_listed};

/// Programs that fetch the address that they are given.
pub(super) const FETCHERS: &str = "curl curlie wget wget2 http https httpie xh xhs lynx w3m links elinks aria2c axel \
    iwr irm invoke-webrequest invoke-restmethod start-bitstransfer httpx-cli grpcurl websocat wscat yt-dlp youtube-dl \
    gallery-dl monolith";
/// Programs that connect to the host in their first operand.
pub(super) const REMOTE_CLIENTS: &str = "ssh mosh telnet nc ncat netcat socat ftp sftp lftp whois finger dig nslookup drill host \
    ssh-keyscan winrs et rsh";
/// Programs that copy from `host:path`.
pub(super) const REMOTE_COPIERS: &str = "scp rsync rclone unison sshfs";
/// Clients of databases and the like, which get the host as an option.
pub(super) const DATABASE_CLIENTS: &str = "psql mysql mariadb mongosh mongo redis-cli valkey-cli clickhouse-client clickhouse sqlcmd \
    sqlplus cqlsh influx pgcli mycli litecli usql pg_dump mysqldump mongoexport ldapsearch etcdctl consul nats kcat kafkacat \
    rabbitmqadmin mqtt mosquitto_sub";
/// Programs that read what other people wrote (mail, tickets, messages, news, registries of images) or content that
/// was copied from anywhere.
const MESSAGE_READERS: &str = "himalaya mutt neomutt mail mailx mbox notmuch fetchmail mbsync offlineimap mu isync aerc alpine s-nail \
    getmail jira linear acli slack slackcat discord tg telegram-cli signal-cli newsboat rsstail toot gcalcli trello \
    skopeo crane oras regctl cosign pbpaste xclip xsel wl-paste get-clipboard";
/// Programs whose arguments are text: they do not fetch addresses in it.
const TEXT_PROGRAMS: &str = "echo printf grep egrep fgrep rg ag ack sed awk gawk cat test [ [[ export set read tee jq yq true false \
    say logger write-host write-output set-content add-content out-file select-string cd alias declare local unset case \
    git git-lfs hardwon touch mkdir which type command";

/// A program whose subcommands differ in what they read.
struct ProgramRow {
    programs: &'static str,
    /// Subcommands that read from elsewhere; `*` for all but those of `local`.
    outside: &'static str,
    /// Subcommands that do not.
    local: &'static str,
}

#[rustfmt::skip]
const PROGRAM_ROWS: &[ProgramRow] = &[
    row("git", "clone fetch pull ls-remote submodule subtree fetch-pack archive-remote", ""),
    row("gh glab hub tea berg bb", "*", "auth config alias completion version help extension"),
    row(
        "npm pnpm yarn bun cnpm",
        "view info show v search s find docs bugs repo home outdated owner access dist-tag dlx create init-from \
        exec-from explore whoami profile star stars team deprecate pack",
        "",
    ),
    row("pip pip3 uv poetry pdm conda mamba pixi pipx", "index search show download info repoquery", ""),
    row("cargo", "search info owner", ""),
    row(
        "gem bundle bundler composer mix dart flutter nuget choco winget scoop brew apt apt-get apt-cache \
        aptitude dnf yum zypper pacman apk snap flatpak port nix guix opam cabal stack luarocks cpan cpanm conan \
        vcpkg",
        "info show search specification browse home policy showpkg changelog view details open why-not",
        "",
    ),
    row("docker podman nerdctl", "pull search login manifest imagetools", ""),
    row("kubectl oc k9s stern kubetail", "*", "config version completion kustomize help options plugin"),
    row("helm", "search show inspect pull repo get history status list ls", ""),
    row(
        "aws gcloud az doctl heroku vercel netlify fly flyctl wrangler firebase supabase ibmcloud oci linode-cli \
        hcloud s3cmd s5cmd gsutil bq mc railway render scw eksctl databricks snowsql sentry-cli newrelic \
        datadog-ci",
        "*",
        "configure version help completion dev serve build local start stop status init emulators emulator types \
        gen functions:serve login logout",
    ),
    row("ansible ansible-console", "*", "localhost"),
    row("svn hg fossil bzr", "checkout co update up pull clone incoming cat-remote", ""),
    row("helix-docs tldr cht.sh cheat howdoi pydoc pydoc3 perldoc ri", "*", ""),
];

const fn row(programs: &'static str, outside: &'static str, local: &'static str) -> ProgramRow {
    ProgramRow {
        programs,
        outside,
        local,
    }
}

/// Returns whether a program is in a row of those that read from elsewhere.
pub(super) fn is_fetching_program(program: &str) -> bool {
    let lists = [FETCHERS, REMOTE_CLIENTS, REMOTE_COPIERS, MESSAGE_READERS];
    let rows = PROGRAM_ROWS.iter().map(|row| row.programs);
    lists
        .into_iter()
        .chain(rows)
        .any(|list| is_listed(list, program))
}

/// Returns whether a program takes its arguments as text, not as addresses to fetch.
pub(super) fn takes_plain_text(program: &str) -> bool {
    is_listed(TEXT_PROGRAMS, program)
}

/// Returns whether a program, or its subcommand, reads what other people wrote.
pub(super) fn program_reads_outside(command: &ShellCommand) -> bool {
    let program = command.program().to_ascii_lowercase();
    if is_version_or_help(command) {
        return false;
    }
    if is_listed(MESSAGE_READERS, &program) {
        return true;
    }
    let mut rows = PROGRAM_ROWS
        .iter()
        .filter(|row| is_listed(row.programs, &program));
    let Some(row) = rows.next() else {
        return false;
    };
    let mut words = operand_words(command);
    let first = words.next().unwrap_or_default();
    let is_outside = match row.outside {
        "*" => !first.is_empty() && !is_listed(row.local, first),
        outside => {
            is_listed(outside, first)
                || words
                    .take(2)
                    .any(|word| is_group_subcommand(first) && is_listed(outside, word))
        }
    };
    is_outside && !names_local_target(command) && !takes_local_path(command)
}

/// Returns whether a command is one of a program that asks a service for everything, and runs and prints nothing that others
/// wrote.
pub(super) fn asks_service(command: &ShellCommand) -> bool {
    const PASSED_ON: &str = "exec run logs log ssh attach api view rsh debug";
    let asks = |row: &&ProgramRow| row.outside == "*" && !row.local.is_empty();
    let mut rows = PROGRAM_ROWS.iter().filter(asks);
    rows.any(|row| is_listed(row.programs, command.program()))
        && !operand_words(command).any(|word| is_listed(PASSED_ON, word))
}

/// Returns whether a subcommand only names a group: `uv pip show`, `git remote update`, `docker buildx imagetools`.
fn is_group_subcommand(word: &str) -> bool {
    is_listed(
        "pip tool pub buildx image images registry npm remote hex compose",
        word,
    )
}

/// Returns whether a command only prints its version or its help. What follows the host or the package of one that
/// runs others is theirs.
pub(super) fn is_version_or_help(command: &ShellCommand) -> bool {
    let args = command.args();
    let runs_others = is_listed(REMOTE_CLIENTS, command.program()) || runs_fetched_package(command);
    let asks = |word: &ShellWord| is_listed("--version -V --help -h help version", &word.text);
    args.len() <= if runs_others { 1 } else { 2 } && args.iter().any(asks)
}

/// Returns whether a program runs a local cluster, to which the command after it connects.
pub(super) fn runs_local_cluster(program: &str) -> bool {
    is_listed("minikube kind k3d microk8s k3s", program)
}

/// Returns whether `git clone` clones a path of this machine, or `npm pack` packs the project.
fn takes_local_path(command: &ShellCommand) -> bool {
    let mut words = operand_words(command);
    let is_here = |path: &str| path.starts_with(['.', '/', '~']) || path.starts_with("file://");
    match (command.program(), words.next()) {
        ("git", Some("clone")) => words.next().is_some_and(is_here),
        ("npm" | "pnpm" | "yarn" | "bun", Some("pack")) => words.next().is_none_or(is_here),
        _ => false,
    }
}

/// Returns whether a command explicitly targets a cluster or endpoint on this machine.
pub(super) fn names_local_target(command: &ShellCommand) -> bool {
    const CLUSTERS: &str =
        "kind- k3d- minikube docker-desktop orbstack colima rancher-desktop microk8s localhost";
    const PLACES: &str =
        "--context --kube-context --endpoint-url --endpoint --server -s --url --host";
    option_values(command, PLACES).any(|value| {
        let host = host::parse_host(value);
        CLUSTERS.split(' ').any(|name| value.starts_with(name))
            || host.is_some_and(host::is_local_host)
    })
}

/// Returns the values of the options with these names, from `--name value` and `--name=value`.
pub(super) fn option_values<'a>(
    command: &'a ShellCommand,
    names: &'static str,
) -> impl Iterator<Item = &'a str> {
    let args = command.args();
    args.iter().enumerate().filter_map(move |(at, word)| {
        let (name, value) = match word.text.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (word.text.as_str(), None),
        };
        let next = || args.get(at + 1).map(|next| next.text.as_str());
        is_listed(names, name).then(|| value.or_else(next))?
    })
}

/// Options before a subcommand that are followed by a value.
const BEFORE_SUBCOMMAND: &str = "-C -c --git-dir --work-tree --namespace -n --context --kubeconfig --profile --region \
    --endpoint-url --project --repo -R --cluster --prefix --dir --cwd --filter -w -F --config -H --host --output --log-level";

/// Returns the words that are no options, the subcommand first.
fn operand_words(command: &ShellCommand) -> impl Iterator<Item = &str> {
    let args = command.args();
    let is_value = |at: usize| {
        at > 0
            && args
                .get(at - 1)
                .is_some_and(|arg| is_listed(BEFORE_SUBCOMMAND, &arg.text))
    };
    let words = args.iter().enumerate();
    let words =
        words.filter(move |(at, word)| !word.text.starts_with(['-', '+']) && !is_value(*at));
    words.map(|(_, word)| word.text.as_str())
}

/// Returns whether a package is fetched and run: `npx -y tool`, `uvx tool@2`, `pnpm dlx tool`, `go run host/tool@v1`.
pub(super) fn runs_fetched_package(command: &ShellCommand) -> bool {
    let program = command.program();
    let args = command.args();
    let has = |names: &str| args.iter().any(|word| is_listed(names, &word.text));
    let is_versioned = |word: &ShellWord| {
        let name = word.text.trim_start_matches('@');
        !word.text.starts_with('-') && name.contains('@') && !name.contains("://")
    };
    match program {
        "npx" | "bunx" | "uvx" | "pipx" => {
            has("-y --yes") || args.first().is_some_and(is_versioned)
        }
        "go" => has("run install") && args.iter().any(is_versioned) || reads_go_docs(args),
        "docker" | "podman" => {
            has("run create") && args.iter().any(|word| is_remote_image(&word.text))
        }
        _ => false,
    }
}

/// Returns whether `go doc` or `go list -m -versions` reads a module outside the standard library.
fn reads_go_docs(args: &[ShellWord]) -> bool {
    let is_module = |word: &ShellWord| {
        let first = word.text.split('/').next().unwrap_or_default();
        first.contains('.') && !first.starts_with('.') && word.text.contains('/')
    };
    args.first()
        .is_some_and(|arg| is_listed("doc list", &arg.text))
        && args.iter().any(is_module)
}

/// Returns whether an image's name contains a registry.
fn is_remote_image(word: &str) -> bool {
    let is_path = word
        .split_once('/')
        .is_some_and(|(_, rest)| !rest.is_empty());
    is_path && !word.contains('$') && host::looks_like_host(word) && host::names_other_machine(word)
}
