//! Finds commands that switch a check off: of certificates, signatures and hashes, of permissions, of what a sandbox or
//! a firewall lets pass. What skips a hook or a test once is common in honest work.

use super::{
    Deed,
    named_lines::NamedLine,
    tables::{TABLES, has_letter, join_letters},
};
use crate::{
    ShellCommand, ShellLine,
    outside::host,
    safety::{self, Setting},
    shell::is_listed,
};

pub(super) const WEAKENS: Deed = Deed::grave("would weaken a check");

pub(super) fn judge_line(line: &ShellLine, named: &NamedLine<'_>) -> Option<Deed> {
    let in_code = named.is_marked.then(|| judge_code(named.line)).flatten();
    let deeds = line.commands.iter().filter_map(judge_command);
    deeds.chain(in_code).max_by_key(|deed| deed.is_grave)
}

fn judge_command(command: &ShellCommand) -> Option<Deed> {
    let is_remote = command.has_arg(host::names_other_machine);
    let skips_check = command.program() == "curl" && command.has_arg(|text| has_letter(text, 'k'));
    if skips_check && is_remote {
        return Some(WEAKENS);
    }
    let deeds = safety::find_settings(command).filter_map(judge_setting);
    let worst = deeds.max_by_key(|deed| deed.is_grave);
    let silences = || safety::silences_check(command).then_some(WEAKENS.lightened_if(true));
    worst.or_else(silences)
}

/// Returns what the settings within code do: `{"verify_signature": False}`, `Config{SkipVerify: true}`.
fn judge_code(line: &str) -> Option<Deed> {
    let joined = [" = ", ": ", ":=", "=>"]
        .iter()
        .fold(line.replace("\": ", "\"="), |text, mark| {
            text.replace(mark, "=")
        });
    let ends = |c: char| c.is_whitespace() || ",;(){}".contains(c);
    let pairs = joined.split(ends).filter_map(|pair| pair.split_once('='));
    let settings = pairs.map(|(name, value)| Setting {
        name: name.trim_matches(['"', '\'']),
        value: Some(value),
    });
    let deeds = settings.filter_map(judge_setting);
    deeds.max_by_key(|deed| deed.is_grave)
}

fn judge_setting(setting: Setting<'_>) -> Option<Deed> {
    let weakens = setting.weakens_check() || opens_access(setting) || lifts_guard(setting);
    weakens.then(|| WEAKENS.lightened_if(!is_grave(setting)))
}

/// Returns whether a setting lets in whom nobody knows: `PermitRootLogin yes`, `"Principal": "*"`, an empty password.
fn opens_access(setting: Setting<'_>) -> bool {
    let value = setting.value.unwrap_or_default();
    let name = join_letters(setting.name);
    TABLES.has_part("openings", &name) && !setting.value.is_some_and(safety::is_negative)
        || TABLES.has_part("entrances", &name)
            && is_listed("* [*] .*", &value.replace(['"', '\''], ""))
        || TABLES.has_part("variables", &setting.name.to_ascii_lowercase())
            && is_listed("'' \"\" admin changeme 1234 123456", value)
}

/// Returns whether a setting takes a guard away that is there for others: `httpOnly: false`.
fn lifts_guard(setting: Setting<'_>) -> bool {
    // What only tells of a breach does not stop it.
    let is_off = |value: &str| {
        safety::is_negative(value) || is_listed("audit privileged", &value.to_ascii_lowercase())
    };
    TABLES.has_part("guards", &join_letters(setting.name)) && setting.value.is_some_and(is_off)
}

/// Returns whether a setting that weakens a check weakens one that protects from others.
fn is_grave(setting: Setting<'_>) -> bool {
    let name = join_letters(setting.name);
    let is_named = name.starts_with("verify")
        || TABLES.has_part("checks", &name)
        || opens_access(setting)
        || lifts_guard(setting);
    // One process is no setting.
    is_named && !setting.name.ends_with("-ExecutionPolicy")
}
