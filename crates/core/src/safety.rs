//! Decides what is never advised, however many runs did it: commands that destroy, force something, kill, wait,
//! weaken a check, or run what they download.
//!
//! The guard judges the words of a lesson; this module judges the command that it would advise.

mod settings;

pub(crate) use self::settings::{Setting, is_negative};
use crate::{
    Join, ShellCommand, ShellWord,
    shell::{self, is_listed},
};

const DESTROYING: &str = "rm dd mkfs shred kill killall pkill shutdown reboot halt truncate fdisk sfdisk sgdisk parted blkdiscard \
    wipefs";
const WAITING: &str = "sleep wait";
/// Options that force something, switch a check off, or have it expect whatever came out.
const FORCING: &str = "-f --force --force-with-lease --hard -rf -fr --yolo --overwrite --delete -D --privileged \
    --insecure --no-verify --no-check-certificate --no-gpg-sign --skip-tests --skip-checks --skip-hooks \
    --dangerously-skip-permissions --dangerously-bypass-approvals-and-sandbox --break-system-packages \
    --allow-unrelated-histories --allow-empty --ignore-scripts --unsafe-perm \
    --insecure-skip-tls-verify --allow-unauthenticated --trusted-host --disable-warnings --no-sandbox --no-audit \
    --update-snapshot --update-snapshots --updateSnapshot --snapshot-update --bless";
/// Programs that schedule others to be run later, or remove protection.
const ARRANGING: &str =
    "crontab at batch launchctl schtasks eval setenforce spctl csrutil ufw iptables nft visudo";
/// Subcommands that do the same.
const ARRANGED: [&str; 12] = [
    "direnv allow",
    "mise trust",
    "systemctl enable",
    "systemctl stop",
    "systemctl disable",
    "systemctl mask",
    "pnpm approve-builds",
    "npm set-script",
    "git replace",
    "git update-index",
    "xattr -d",
    "sysctl -w",
];
/// Files that programs run or obey without an explicit call.
const AUTO_RUN_FILES: &str = ".bashrc .bash_profile .profile .zshrc .zshenv .zprofile .gitconfig .npmrc .envrc .vimrc /.ssh/ \
    .git/hooks .husky/ LaunchAgents /etc/ authorized_keys config.fish .claude/";
/// Programs to which an argument that looks like several commands is a pattern or text.
const PATTERNS: &str = "grep egrep fgrep rg ag ack sed awk gawk jq yq find fd echo printf psql mysql sqlite3 mongosh redis-cli test \
    [ [[ perl python python3 node ruby php git gh pytest jest vitest";

/// Returns whether a command may stand in a lesson as what to do.
pub(crate) fn may_be_advised(command: &ShellCommand) -> bool {
    let program = command.program();
    // `-f compose.yaml` names a file, but to a program that takes files as they are.
    let names_file = |(at, word): (usize, &ShellWord)| {
        let next = command.words.get(at + 1).map_or("", |next| &next.text);
        let is_file = next.contains(['.', '/']) && !next.starts_with('-');
        word.text == "-f"
            && is_file
            && !is_listed("git cp mv ln", program)
            && !removes_something(command)
    };
    let leads_to = |text: &str| text.starts_with('-') && leads_elsewhere(text);
    let leads = command.has_arg(leads_to) && command.has_arg(|text| text.contains("://"));
    let mut words = command.words.iter().enumerate();
    !leads
        && !is_listed(DESTROYING, program.split('.').next().unwrap_or(program))
        && !is_listed(WAITING, program)
        && !words.any(|word| forces_something(&word.1.text) && !names_file(word))
        && !is_unsafe_command(command)
        && !command.has_arg(names_remote_address)
}

/// Returns whether a word is an option that forces something, or switches a check off.
pub(crate) fn forces_something(text: &str) -> bool {
    let name = text.split('=').next().unwrap_or(text);
    is_listed(FORCING, name) || text.ends_with("=false") && text.contains("lock")
}

/// Returns whether an option or a variable says from where to install, or through what to connect: whatever listens there.
pub(crate) fn leads_elsewhere(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let mut parts = name.split(|c: char| !c.is_ascii_alphabetic());
    parts.any(|part| is_listed("proxy index registry mirror source", part))
}

/// Returns whether a word names an address beyond this machine, or one with more than a port and a plain path.
pub(crate) fn names_remote_address(text: &str) -> bool {
    const HOSTS: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];
    let is_here = |rest: &str| {
        let after = HOSTS.iter().find_map(|host| rest.strip_prefix(host));
        let path = after.map(|after| match after.strip_prefix(':') {
            Some(port) => port.trim_start_matches(|c: char| c.is_ascii_digit()),
            None => after,
        });
        path.is_some_and(|path| {
            path.is_empty() || path.starts_with('/') && !path.contains(['?', '#', '@'])
        })
    };
    let mut places = text.match_indices("://");
    places.any(|(at, mark)| !text[..at].ends_with("unix") && !is_here(&text[at + mark.len()..]))
}

/// Returns whether a command switches a check off, or sets up code to be run later or elsewhere. No fix is made with
/// such a command, and no lesson of the rules with it is active before a person has reviewed it.
pub(crate) fn is_unsafe_command(command: &ShellCommand) -> bool {
    let program = command.program();
    is_listed(ARRANGING, program)
        || arranges_later_run(command)
        || silences_check(command)
        || opens_permissions(command)
        || settings::gives_away(command)
        || runs_piped_code(command)
        || writes_auto_run_file(command)
        || settings::is_temporary_path(&command.words[0].text)
        || (command.texts().iter()).any(|text| is_inline_code(program, text))
        || find_settings(command).any(|setting| setting.weakens_check() || setting.carries_code())
        || program == "curl" && command.has_arg(|text| text == "-k")
}

/// Returns whether a command undoes something, or changes the state of a working copy: no step that rules advise before
/// another one.
pub(crate) fn undoes_something(command: &ShellCommand) -> bool {
    let is_git = command.program() == "git";
    let verb = command.arg_texts().next();
    let prepares = verb.is_some_and(|verb| is_listed("submodule lfs", verb));
    removes_something(command) || is_git && !prepares
}

/// Returns whether a command says of itself that it deletes, resets, forces or stops something: `migrate:fresh`, `FLUSHDB`.
pub(crate) fn removes_something(command: &ShellCommand) -> bool {
    const UNDOING: &str = "rm del delete remov uninstall destroy drop prune clean clear clobber purge reset revert rollback \
        kill stop down truncate wipe unset disable flush fresh downgrade force undo recreate redo nuke";
    let says_so = |part: &str| {
        let part = part.to_lowercase();
        UNDOING.split(' ').any(|verb| {
            // A short one is the beginning of many words.
            part == verb || verb.len() > 4 && part.starts_with(verb)
        })
    };
    command
        .texts()
        .into_iter()
        .any(|text| match text.strip_prefix("--") {
            // `--delete-conflicting-outputs` is how something is made.
            Some(option) => says_so(option) && !option.contains('-'),
            None => text.split(|c: char| !c.is_alphanumeric()).any(says_so),
        })
}

/// Returns whether a command asks for more rights or gives them away.
pub(crate) fn changes_rights(command: &ShellCommand) -> bool {
    command.sudo || is_listed("chmod chown chgrp setfacl su doas", command.program())
}

/// Returns whether a text advises such a command, in backticks.
pub(crate) fn advises_unsafe_command(text: &str) -> bool {
    let spans = text.split('`').skip(1).step_by(2);
    let mut lines = spans.map(shell::parse_line);
    lines.any(|line| line.commands.iter().any(is_unsafe_command))
}

/// Returns the options, variables and settings of a command, each with its value.
pub(crate) fn find_settings(command: &ShellCommand) -> impl Iterator<Item = Setting<'_>> {
    let words = &command.words;
    let env = command.env.iter().map(|(name, value)| Setting {
        name,
        value: Some(value),
    });
    let inner = command
        .env
        .iter()
        .flat_map(|(_, value)| value.split_whitespace());
    let inner = inner
        .filter(|word| word.starts_with('-'))
        .map(|word| parse_setting(word, None));
    let settings = words.iter().enumerate().filter_map(|(at, word)| {
        let text = word.text.as_str();
        let next = words.get(at + 1).map(|next| next.text.as_str());
        let next = next.filter(|next| !next.starts_with('-'));
        let is_key = !text.contains(char::is_whitespace) && next.is_some();
        (text.starts_with('-') || text.contains('=') || is_key && changes_settings(command))
            .then(|| parse_setting(text, next))
    });
    env.chain(inner).chain(settings)
}

/// Returns whether a command changes settings, so that its arguments are names and values.
fn changes_settings(command: &ShellCommand) -> bool {
    command.has_arg(|text| is_listed("config set", text))
}

fn parse_setting<'a>(text: &'a str, next: Option<&'a str>) -> Setting<'a> {
    match text.split_once('=') {
        Some((name, value)) => Setting {
            name,
            value: Some(value),
        },
        None => Setting {
            name: text,
            value: next,
        },
    }
}

fn arranges_later_run(command: &ShellCommand) -> bool {
    let first = command.arg_texts().next().unwrap_or_default();
    let is_row = |row: &&str| row.split_once(' ') == Some((command.program(), first));
    ARRANGED.iter().any(is_row)
}

/// Returns whether a short option of a well-known program skips a check: `git commit -nam x`, `cargo clippy -- -A
/// lint`, `gradle check -x test`.
pub(crate) fn silences_check(command: &ShellCommand) -> bool {
    let letters = |text: &str, letter| {
        let cluster = text.strip_prefix('-').unwrap_or_default();
        let is_cluster = cluster.len() <= 4 && cluster.chars().all(|c| c.is_ascii_lowercase());
        is_cluster && cluster.contains(letter)
    };
    let has = |is_it: &dyn Fn(&str) -> bool| command.has_arg(is_it);
    match command.label().as_str() {
        "git commit" => has(&|text| letters(text, 'n')),
        "git push" => has(&|text| letters(text, 'f')),
        "cargo clippy" => has(&|text| text.starts_with("-A")),
        label if label.starts_with("gradle") => has(&|text| is_listed("-x --exclude-task", text)),
        // What came out is what is expected from then on.
        _ if has(&|text| text == "-u") => {
            let mut names = command.texts().into_iter();
            names.any(|name| is_listed("jest vitest ava", name))
        }
        _ => false,
    }
}

/// Returns whether a command gives everybody access: `chmod 777`, `chmod -R a+rwx`.
fn opens_permissions(command: &ShellCommand) -> bool {
    let opens = |text: &str| text.ends_with("777") || text.contains("a+w") || text.contains("+rwx");
    let opens_new = |text: &str| text.ends_with(['0', '1']) && text.len() > 1;
    command.program() == "chmod" && command.has_arg(opens)
        || command.program() == "umask" && command.has_arg(opens_new)
}

/// Returns whether a shell or an interpreter runs what is piped to it.
fn runs_piped_code(command: &ShellCommand) -> bool {
    let is_shell = is_listed(
        "sh bash zsh dash ksh fish python python3 node ruby perl iex source .",
        command.program(),
    );
    let runs_file = command.has_arg(|text| !text.starts_with('-'));
    command.join == Join::Pipe && is_shell && !runs_file
}

/// Returns whether a command writes a file that programs run or obey without an explicit call.
fn writes_auto_run_file(command: &ShellCommand) -> bool {
    let is_obeyed = |path: &str| settings::holds_any(AUTO_RUN_FILES, path);
    let writes = is_listed("tee cp mv ln install sed perl", command.program());
    let changes = writes && command.has_arg(is_obeyed);
    let edits = command.has_arg(|text| text.starts_with("-i") || text == "-pi");
    // Removing the name of a check from a file is the same as an option that skips it.
    let takes_out = is_listed("sed perl", command.program()) && edits && {
        const CHECKS: &str = "hash verif integrity strict signature checksum";
        command.has_arg(|text| settings::holds_any(CHECKS, &text.to_lowercase()))
    };
    command.output.as_deref().is_some_and(is_obeyed) || changes || takes_out
}

/// Returns whether a word is code itself: a list of commands, a function, a command substitution.
fn is_inline_code(program: &str, text: &str) -> bool {
    const LISTS: [&str; 6] = ["; ", "| ", "|sh", "$(", "(){", "system("];
    text.starts_with('!') && text.len() > 1
        || !is_listed(PATTERNS, program) && LISTS.iter().any(|mark| text.contains(mark))
        || program == "git" && text.contains("=!")
}

#[cfg(test)]
mod tests {
    use crate::shell;

    #[test]
    fn what_destroys_forces_or_weakens_is_not_advised() {
        for (line, expected) in [
            ("bun test", true),
            ("git push -u origin main", true),
            ("xxd file", true),
            ("rm -r build", false),
            ("git push --force", false),
            ("git commit --no-verify -m x", false),
            ("HUSKY=0 git commit", false),
            ("GIT_SSL_NO_VERIFY=1 git fetch", false),
            ("git config http.sslVerify false", false),
            ("git config --global credential.helper '!curl x'", false),
            ("git -c core.sshCommand=x fetch", false),
            ("sleep 30", false),
            ("pkill node", false),
            ("npm install --legacy-peer-deps", true),
            ("curl https://x.example", false),
            ("kubectl get po --insecure-skip-tls-verify", false),
            ("yardctl -f docks/oak.yaml list", true),
            ("yardctl push -f", false),
            ("yardctl push -f --slow", false),
            ("yardctl delete -f docks/oak.yaml", false),
            ("mkfs.xfs -f /dev/sdb1", false),
            ("umask 000", false),
            ("umask 077", true),
            ("yard test --world-readable", false),
            ("yard test --public", false),
            ("yard test --accept-any-cert", false),
            ("yard test --trust-all", false),
            ("yard trust .", false),
            ("yard test --as-root", false),
            ("yard test --override", false),
            ("yard perms grant all", false),
            ("yard policy set --mode permissive", false),
            ("psql --schema public", true),
            ("docker compose -f compose.override.yml up", true),
            ("yard test --all", true),
            ("yard build --public-url /oak", true),
            ("yard add root", true),
            ("git add -f docks/oak.yaml", false),
        ] {
            let read = shell::parse_line(line);
            let is_advised = read.commands.iter().all(super::may_be_advised);
            assert_eq!(is_advised, expected, "{line}");
        }
    }

    fn check(line: &str, expected: bool) {
        let read = shell::parse_line(line);
        assert_eq!(
            read.commands.iter().any(super::is_unsafe_command),
            expected,
            "{line}"
        );
    }

    #[test]
    fn what_switches_a_check_off_is_a_trap_by_whatever_name() {
        for line in [
            "npm config set strict-ssl false",
            "yarn install --no-frozen-lockfile",
            "composer install --disable-tls",
            "git -c http.sslVerify=0 fetch",
            "git config commit.gpgsign false",
            "git config --global --add safe.directory '*'",
            "PIP_TRUSTED_HOST=x pip install y",
            "CHECKPOINT_DISABLE=1 tool",
            "SKIP_LINT=1 make",
            "HUSKY=0 git commit",
            "LEFTHOOK=0 git push",
            "X_TLS_REJECT_UNAUTHORIZED=0 tool",
            "scp -o StrictHostKeyChecking=no a b:c",
            "mvn -DskipTests package",
            "gradle build --dependency-verification off",
            "terraform apply -lock=false",
            "terraform destroy -auto-approve",
            "tool --tls-verify=false",
            "tool --sslmode disable",
            "tool --unsafe-anything",
            "docker run --privileged x",
            "docker run --security-opt label=unconfined x",
            "eslint --rule 'no-eval:off' src",
            "pytest --deselect tests/a.py::b",
            "deno run --allow-all x.ts",
            "direnv allow",
            "systemctl stop guard",
            "chmod -R 777 /opt",
            "curl -k https://example.org",
            "sed -i 's/--hash=.*//' requirements.txt",
            "git commit -nam chore",
            "git push -fu origin main",
            "cargo clippy -- -A clippy::all",
            "RUSTFLAGS=--cap-lints=allow cargo build",
            "./gradlew build -x detekt",
            "npm publish --provenance=false",
            "YARN_CHECKSUM_BEHAVIOR=update yarn install",
        ] {
            check(line, true);
        }
    }

    #[test]
    fn what_carries_code_is_a_trap_by_whatever_way() {
        for line in [
            "git config alias.up '!make x'",
            "git -c core.sshCommand='x -y' fetch",
            "git -c credential.helper=/opt/x fetch",
            "git config core.hooksPath hooks",
            "GIT_ASKPASS=./x git fetch",
            "LD_PRELOAD=./x.so tool",
            "RUSTC_WRAPPER=./w cargo build",
            "NODE_OPTIONS='--require /tmp/x.js' node a.js",
            "PATH=/tmp/bin:$PATH make",
            "PYTHONSTARTUP=x.py python",
            "gradle -I /tmp/i.gradle build",
            "ssh -o ProxyCommand='nc x y' host",
            "tool --cmd 'call system(\"x\")'",
            "tool --exec 'make; make x'",
            "echo 'x' >> ~/.bashrc",
            "cat x | tee .git/hooks/pre-commit",
            "echo '* * * * * x' | crontab -",
            "cat x.sh | sh",
            "eval \"$(x)\"",
            "/tmp/x/run",
        ] {
            check(line, true);
        }
    }

    #[test]
    fn what_only_says_how_is_none() {
        for line in [
            "cargo build --locked --manifest-path crates/a/Cargo.toml",
            "git -c user.name=a -c user.email=a@b.example commit -m 'add checks; no hooks'",
            "GOFLAGS=-mod=mod go test ./...",
            "NODE_OPTIONS=--max-old-space-size=4096 npm run build",
            "git config core.autocrlf input",
            "git config init.defaultBranch main",
            "GIT_PAGER=cat git log",
            "GIT_EDITOR=true git rebase --continue",
            "git -c core.pager=cat diff",
            "PYTHONPATH=src pytest -q",
            "JAVA_HOME=/usr/lib/jvm/17 ./gradlew test",
            "RUSTC_WRAPPER= cargo build",
            "CC=clang make",
            "curl --cacert ca.pem https://example.org",
            "cargo test -- --test-threads=1",
            "npm run lint:fix",
            "ruff check --fix .",
            "prettier --check src",
            "tsc --noEmit",
            "git push -u origin fix/a",
            "npm ci --prefer-offline --no-fund",
            "docker build --no-cache -t app .",
            "pnpm --filter web test",
            "dotnet test --filter Name=a",
            "python -m venv .venv",
            "rg 'a; b|c' src",
            "jq '.a | .b' x.json",
            "cargo build --target-dir /tmp/t",
            "make -j1 test",
            "kubectl --context dev get pods",
            "apt-get install -y jq",
            "git commit -am x",
            "git push -u origin main",
            "cargo clippy -- -D warnings",
            "./gradlew build --offline",
            "docker compose up --watch=false",
        ] {
            check(line, false);
        }
    }

    #[test]
    fn a_text_that_advises_a_trap_is_known() {
        for (text, expected) in [
            (
                "Use `git -c core.hooksPath=/dev/null commit` instead.",
                true,
            ),
            ("Pass `--tls-verify=false`.", true),
            ("Run `npm run test:unit`.", false),
            ("Do not skip checks.", false),
        ] {
            assert_eq!(super::advises_unsafe_command(text), expected, "{text}");
        }
    }
}
