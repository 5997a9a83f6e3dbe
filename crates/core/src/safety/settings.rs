//! Decides whether a name and its value switch a check off, or have code run later or elsewhere.
//!
//! Options, variables and settings are judged by the words that their names are made of.

use crate::{ShellCommand, shell::is_listed, tokens::split_name_words};

/// Words that mean by themselves that a check is off.
const BOLD: &str = "insecure unsafe unverified unauthenticated untrusted unsigned nocheck noverify yolo dangerously danger \
    bypass skip skips privileged unconfined approve allow allowall trusted deselect unrestricted permissive force-yes \
    suppress bypasspermissions disable";
/// Parts of words that name a check.
const CHECKS: &str = "enforce verif valid check gpgsign signature ssl tls cert secur strict trust sumdb sandbox integrity \
    audit hook husky protect seccomp unauthorized apparmor provenance attest quarantine";
/// Whole words that name a check; as parts of words they would mean other things.
const CHECK_WORDS: &str = "sign signing lock lint hash hashes auth policy selinux confirm frozen scan test tests sum rule rules \
    warn warnings review lints guard guards gate";
/// Values that disable a check.
const NEGATIVE: &str = "0 false no off none never disable disabled ignore skip * .* accept-new warn allow permissive update any";

/// Words for settings that run code behind a call, whatever their value.
const RUNNING: &str = "helper hookspath alias sshcommand proxycommand localcommand fsmonitor textconv askpass preload \
    pythonstartup javaagent agentpath insertlibraries bashenv";
/// Words that do so only if the value is a path to a program or a command of several words.
const MAY_RUN: &str = "command cmd exec eval wrapper linker editor pager runner ssh";
/// Words for places that may well lie in a temporary folder.
const SCRATCH: &str = "tmp tmpdir temp cache out output log logs target report reports dest prefix basetemp artifacts dir home o";

/// A name with its value, if the value is known.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Setting<'a> {
    pub(crate) name: &'a str,
    pub(crate) value: Option<&'a str>,
}

impl Setting<'_> {
    /// Returns whether the setting switches a check off.
    pub(crate) fn weakens_check(self) -> bool {
        let words = split_name_words(self.name);
        let is_negative = self.value.is_some_and(is_negative);
        let has_any = |list: &str| words.iter().any(|word| is_listed(list, word));
        let is_check = has_any(CHECK_WORDS) || words.iter().any(|word| holds_any(CHECKS, word));
        let is_bold = has_any(BOLD);
        let ignores = has_any("ignore") && !has_any("case space blank whitespace eol scripts");
        let denies = has_any("no");
        let runs_together = ["noverify", "nosum", "sslno", "skiptest", "safedirectory"];
        let text = words.concat();
        let says_off = self.value.is_some_and(|value| {
            is_check
                && (value.contains("\"off\"") || value.contains(":off") || value.contains("=off"))
        });
        (is_bold || ignores) && !is_negative
            || is_check && (is_negative || denies)
            || runs_together.iter().any(|part| text.contains(part))
            || says_off
            || self.value.is_some_and(value_weakens_check)
    }

    /// Returns whether the setting has code run later, elsewhere, or behind the call.
    pub(crate) fn carries_code(self) -> bool {
        let words = split_name_words(self.name);
        let text = words.concat();
        let value = self.value.unwrap_or_default();
        let is_program = value.contains(['/', '\\', ' '])
            && !is_listed("/bin/true /bin/cat /usr/bin/less", value);
        let has_any = |list: &str| words.iter().any(|word| is_listed(list, word));
        let is_scratch = has_any(SCRATCH);
        holds_any(RUNNING, &text)
            || is_program && has_any(MAY_RUN)
            || value.starts_with('!')
            || is_temporary_path(value) && !is_scratch
    }
}

/// Returns whether a command says of itself that it lets in more than before: everybody, whatever cannot be shown to be right,
/// or its caller as root.
pub(super) fn gives_away(command: &ShellCommand) -> bool {
    const TRUSTING: &str = "trust grant override impersonate elevate permissive";
    const LETTING: &str = "accept allow trust permit grant";
    let is_place = |text: &str| text.contains(['/', '.', '@']) && !text.starts_with('-');
    let variables = command.env.iter().map(|(name, _)| name.as_str());
    let words = command.arg_texts().filter(|text| !is_place(text));
    let says_so = |text: &str| {
        let name = text.split('=').next().unwrap_or(text);
        let words = split_name_words(text);
        let has_any = |list: &str| words.iter().any(|word| is_listed(list, word));
        let is_as_root = words.windows(2).any(|pair| pair == ["as", "root"]);
        has_any(TRUSTING)
            || has_any("any all everyone everybody anyone") && has_any(LETTING)
            || is_as_root
            || name.starts_with('-') && (has_any("world") || is_listed("--public -public", name))
    };
    words.chain(variables).any(says_so)
}

/// Returns whether the value itself switches a check off: `seccomp=unconfined`.
fn value_weakens_check(value: &str) -> bool {
    const LONGEST: usize = 200;
    const BOLD_VALUES: &str =
        "insecure unsafe unconfined danger dangerously bypass bypasspermissions unrestricted";
    let words = split_name_words(value);
    let is_bold = words.iter().any(|word| is_listed(BOLD_VALUES, word));
    value.len() <= LONGEST && !value.contains("://") && is_bold
}

/// Returns whether a text has one of the parts in it, which have blanks between them.
pub(super) fn holds_any(parts: &str, text: &str) -> bool {
    parts
        .split_ascii_whitespace()
        .any(|part| text.contains(part))
}

/// Returns whether a value disables what it is set for.
pub(crate) fn is_negative(value: &str) -> bool {
    let value = value.trim_matches(['"', '\'']).to_ascii_lowercase();
    value.is_empty() || is_listed(NEGATIVE, &value)
}

/// Returns whether a path lies in a folder that everybody can write to.
pub(super) fn is_temporary_path(path: &str) -> bool {
    path.split([':', ',', '=', ' ']).any(|part| {
        let part = part.strip_prefix("/private").unwrap_or(part);
        ["/tmp/", "/var/tmp/", "/dev/shm/"]
            .iter()
            .any(|place| part.starts_with(place))
    })
}
