//! Finds commands that switch a check off: of certificates, signatures and hashes, of permissions, of what a sandbox or
//! a firewall lets pass. What skips a hook or a test once is common in honest work.

use super::{
    Deed, installs,
    named_lines::NamedLine,
    tables::{TABLES, has_letter, join_letters},
};
use crate::{
    Join, ShellCommand, ShellLine,
    outside::host,
    safety::{self, Setting},
    shell::is_listed,
};

pub(super) const WEAKENS: Deed = Deed::grave("would weaken a check");

pub(super) fn judge_line(line: &ShellLine, named: &NamedLine<'_>) -> Option<Deed> {
    let worst = line
        .commands
        .iter()
        .filter_map(judge_command)
        .max_by_key(|deed| deed.is_grave);
    let mut pairs = line.commands.iter().zip(line.commands.iter().skip(1));
    let hides_failure = pairs.any(|(check, next)| {
        let mut words = check.texts().into_iter();
        let checks = words.any(|text| TABLES.lists("checkers", text));
        next.join == Join::Or && is_listed("true :", next.program()) && checks
    });
    let hides_failure = hides_failure || named.line.starts_with("|| true");
    worst.or(hides_failure.then_some(WEAKENS.lightened()))
}

fn judge_command(command: &ShellCommand) -> Option<Deed> {
    let is_remote = command.has_arg(host::names_other_machine);
    let skips_check = command.program() == "curl" && command.has_arg(|text| has_letter(text, 'k'));
    if skips_check && is_remote {
        return Some(WEAKENS);
    }
    let is_local = command.has_arg(|text| text.contains("localhost") || text.contains("127.0.0.1"));
    let settings = safety::find_settings(command);
    let weak = settings.filter(|setting| setting.weakens_check() || opens_access(*setting));
    let deeds = weak.map(|setting| {
        if is_grave(setting) && !is_local {
            WEAKENS
        } else {
            WEAKENS.lightened()
        }
    });
    deeds.max_by_key(|deed| deed.is_grave)
}

/// Returns whether a setting lets in whom nobody knows: `PermitRootLogin yes`.
fn opens_access(setting: Setting<'_>) -> bool {
    let value = setting.value.unwrap_or_default();
    TABLES.has_part("openings", &join_letters(setting.name)) && !safety::is_negative(value)
}

/// Returns whether a setting that weakens a check weakens one that protects from others.
fn is_grave(setting: Setting<'_>) -> bool {
    const VALUE_CHARS: usize = 60;
    let name = join_letters(setting.name);
    let value = setting.value.unwrap_or_default();
    let is_usual_host =
        name == "trustedhost" && installs::is_known_installer(&format!("https://{value}"));
    let is_named = name == "verify" || TABLES.has_part("checks", &name) || opens_access(setting);
    // Whoever takes the first key, and no other after it, does what a person would answer; one process is no setting.
    let is_usual =
        is_usual_host || value == "accept-new" || setting.name.ends_with("-ExecutionPolicy");
    !is_usual
        && (is_named
            || value.len() < VALUE_CHARS && TABLES.has_part("checks", &join_letters(value)))
}
