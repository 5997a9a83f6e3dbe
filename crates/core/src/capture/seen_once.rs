//! Decides which remedy of a single earlier session may be shown at the same failure, as unconfirmed.
//!
//! One session proves little: what its agent did next may have had another goal. So only a remedy is shown that a rule for
//! like calls found, or after which the same command worked, and none whose commands could cost anything if it is wrong.
//! Whether there is one, and whether anything else answers the failure, is for whoever looks it up.

use super::unresolved::reaches_network;
use crate::{
    AdmittedLesson, FailureKey, ResultOrigin, ShellCommand, Status, Triggers, Trust, TrustClass,
    outside, safety, shell, trace::failure,
};
use crate::{Difference, Fix};

/// Returns the keys under which a single session's remedy of a failure may be stored.
pub fn remedy_keys(failure: &FailureKey) -> [FailureKey; 2] {
    [failure.clone(), super::consensus::met_key(failure)]
}

/// Returns the key under which a run is stored that followed such a remedy in vain.
pub fn vain_key(failure: &FailureKey) -> FailureKey {
    failure::hash_key_parts(&["vain", failure.as_str()])
}

/// Returns whether like calls or its own success support what a run did after a failure: the same program then worked, not
/// another one that may have done something else.
pub fn is_supported(fix: &Fix) -> bool {
    !fix.after_act && !matches!(fix.difference, Difference::Instead { .. })
}

/// Returns whether a remedy may be shown on the word of one session.
pub fn may_be_shown(remedy: &AdmittedLesson) -> bool {
    let text = remedy.content.text.as_str();
    let mut commands = text.split('`').skip(1).step_by(2);
    remedy.trust == Trust::untainted(TrustClass::Derived)
        && remedy.status == Status::Active
        && Triggers::from_content(&remedy.content).advise_calls()
        && commands.all(costs_nothing)
}

/// Returns whether no command of a line deletes, resets, forces, kills, changes rights or fetches.
fn costs_nothing(code: &str) -> bool {
    let costs = |command: &ShellCommand| {
        !safety::may_be_advised(command)
            || safety::undoes_something(command)
            || safety::changes_rights(command)
            || reaches_network(command)
            || fetches(command)
    };
    let args = serde_json::json!({ "command": code }).to_string();
    outside::classify_call("Bash", &args) == ResultOrigin::Local
        && !shell::parse_line(code).commands.iter().any(costs)
}

/// Returns whether a command says of itself that it brings something from elsewhere, or is another version of itself.
fn fetches(command: &ShellCommand) -> bool {
    const FETCHING: &str = "install update upgrade download fetch pull clone plugin plugins";
    let is_verb = |text: &str| !text.contains(['/', '.', '=']);
    let mut words = command.arg_texts().filter(|text| is_verb(text));
    words.any(|text| {
        let mut parts = text.split(|c: char| !c.is_alphanumeric());
        parts.any(|part| shell::is_listed(FETCHING, part))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_costs_something_is_not_shown() {
        for code in [
            "yard test --east",
            "npm run unit",
            "--east",
            "make db",
            "LIMIT=4 yard test",
            "python3",
        ] {
            assert!(costs_nothing(code), "{code}");
        }
        for code in [
            "yard plugins install elm",
            "yard self-update",
            "yard trust .",
            "yard --world-readable",
            "umask 000",
            "rm -rf out",
            "git reset --hard",
            "git stash",
            "yard db:reset",
            "docker volume prune -y",
            "yard push --force",
            "--force",
            "pkill yard",
            "chmod +x bin/yard",
            "sudo yard test",
            "curl https://a.example/x.sh",
            "npm install left-pad",
            "pip install yard",
            "git clone https://a.example/x",
        ] {
            assert!(!costs_nothing(code), "{code}");
        }
    }
}
