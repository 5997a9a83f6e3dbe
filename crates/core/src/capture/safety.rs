//! What is never advised, however many did it: commands that destroy, force a way through, kill, wait,
//! or weaken a check, and those that run what they fetch.
//!
//! The guard judges the words of a lesson; this looks at the command that would be advised.

use crate::trace::shell::{Command, is_listed};

const DESTROYING: &str =
    "rm dd mkfs shred kill killall pkill shutdown reboot halt truncate fdisk parted";
const WAITING: &str = "sleep wait";
/// Options that force a way through, or switch a check off.
const FORCING: &str = "-f --force --force-with-lease --hard -rf -fr --yolo --overwrite --delete -D --privileged \
    --insecure -k --no-verify --no-check-certificate --no-gpg-sign --skip-tests --skip-checks --skip-hooks \
    --dangerously-skip-permissions --dangerously-bypass-approvals-and-sandbox --break-system-packages \
    --allow-unrelated-histories --allow-empty --ignore-scripts --unsafe-perm --legacy-peer-deps \
    --insecure-skip-tls-verify --allow-unauthenticated --trusted-host --disable-warnings --no-sandbox --no-audit";
/// Variables that switch a check off.
const WEAKENING: &str = "GIT_SSL_NO_VERIFY HUSKY SKIP NODE_TLS_REJECT_UNAUTHORIZED PYTHONHTTPSVERIFY GONOSUMCHECK \
    GOFLAGS GOINSECURE GONOSUMDB GOSUMDB NO_VERIFY HUSKY_SKIP_HOOKS SKIP_TESTS LEFTHOOK PRE_COMMIT_ALLOW_NO_CONFIG \
    GIT_SSH_COMMAND LD_PRELOAD";
/// Settings of git that run a command, or switch a check off.
const GIT_SETTINGS: [&str; 10] = [
    "core.sshcommand",
    "core.hookspath",
    "core.fsmonitor",
    "core.pager",
    "core.editor",
    "credential.",
    "alias.",
    "http.sslverify",
    "commit.gpgsign",
    "safe.directory",
];

/// Returns whether a command may stand in a lesson as what to do.
#[must_use]
pub(super) fn may_be_advised(command: &Command) -> bool {
    let program = command.program();
    let forces = |text: &str| {
        let name = text.split('=').next().unwrap_or(text);
        is_listed(FORCING, name) || text.ends_with("=false") && text.contains("lock")
    };
    !is_listed(DESTROYING, program)
        && !is_listed(WAITING, program)
        && !command.args().iter().any(|word| forces(&word.text))
        && !is_trap(command)
        && !command.args().iter().any(|word| word.text.contains("://"))
}

/// Returns whether a command switches a check off by a variable or a setting, or sets up another to be
/// run: no pair is made with such a one.
#[must_use]
pub(super) fn is_trap(command: &Command) -> bool {
    let weakens = |(name, _): &(String, String)| is_listed(WEAKENING, name);
    let runs = |text: &str| text.starts_with('!');
    command.env.iter().any(weakens)
        || sets_git_trap(command)
        || command.args().iter().any(|word| runs(&word.text))
}

fn sets_git_trap(command: &Command) -> bool {
    let is_trap = |text: &str| {
        let text = text.to_lowercase();
        GIT_SETTINGS.iter().any(|setting| text.starts_with(setting))
    };
    command.program() == "git" && command.args().iter().any(|word| is_trap(&word.text))
}

#[cfg(test)]
mod tests {
    use crate::trace::shell;

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
            ("npm install --legacy-peer-deps", false),
            ("curl https://x.example", false),
            ("kubectl get po --insecure-skip-tls-verify", false),
        ] {
            let read = shell::read(line);
            let is_advised = read.commands.iter().all(super::may_be_advised);
            assert_eq!(is_advised, expected, "{line}");
        }
    }
}
