//! Derives what following a lesson would do, from the commands that it names.
//!
//! A command means the same however it is praised, so it is read by the [shell's reader](crate::shell) and not by its
//! surroundings: what it installs and from where, what it sends away, what it runs, writes and switches off. Of the
//! prose only this counts: whether it advises the command or warns of it. What happens to such a lesson is decided by
//! the guard. What a rule may advise of its own accord is a narrower question, answered by [`safety`](crate::safety).

mod checks;
mod fetched;
mod installs;
mod named_lines;
mod prose;
mod removals;
mod sends;
mod tables;
mod weak_code;
mod writes;

use self::{named_lines::NamedLine, prose::ToldLine};
use crate::{
    ShellLine,
    guard::sentences::{sentence_ranges, strip_reason},
    shell::{self, is_listed},
};

/// What following a command would do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Deed {
    /// Whether a lesson with it waits. Another deed is common in honest work, and waits only if it is to become a habit.
    pub(super) is_grave: bool,
    /// It, behind "following it".
    pub(super) sentence: &'static str,
}

impl Deed {
    const fn grave(sentence: &'static str) -> Self {
        Self {
            is_grave: true,
            sentence,
        }
    }

    /// Returns it as one that is common in honest work, if it is one.
    const fn lightened_if(self, is_light: bool) -> Self {
        Self {
            is_grave: self.is_grave && !is_light,
            ..self
        }
    }
}

/// Returns the gravest deed that a text advises, if it advises any. Two that are common in honest work, of two kinds, are
/// grave together, and so is one that is to become a habit.
pub(super) fn find_deed(text: &str) -> Option<Deed> {
    let told_lines = prose::find_told_lines(text);
    let lines = find_advised_lines(text, &told_lines);
    // What one line fetches or packs another may run or send.
    let all: Vec<&str> = lines.iter().map(|line| line.line).collect();
    let all = read_line(&all.join("\n"));
    let together = [fetched::runs_left_file(&all), sends::sends_left_file(&all)];
    let deeds = lines.iter().flat_map(judge_line);
    let deeds: Vec<Deed> = deeds.chain(together.into_iter().flatten()).collect();
    let worst = deeds.iter().max_by_key(|deed| deed.is_grave)?;
    let is_mixed = deeds.iter().any(|deed| deed.sentence != worst.sentence);
    Some(Deed {
        is_grave: worst.is_grave || is_mixed || makes_habit(text),
        ..*worst
    })
}

/// Returns the command lines that a text advises, by name or in other words.
fn find_advised_lines<'a>(text: &'a str, told_lines: &'a [ToldLine]) -> Vec<NamedLine<'a>> {
    let mut lines = named_lines::find_named_lines(text);
    let told_lines = told_lines.iter();
    lines.extend(told_lines.map(|told| NamedLine::in_words(text, told)));
    lines.retain(|line| line.is_advised());
    lines
}

/// Returns whether a text asks for something always. Why it does is no part of that.
fn makes_habit(text: &str) -> bool {
    let mut orders = sentence_ranges(text).map(|range| strip_reason(&text[range]));
    orders.any(|order| tables::TABLES.has_part("habits", &order.to_ascii_lowercase()))
}

/// Returns what the commands of one line do.
fn judge_line(named: &NamedLine<'_>) -> Vec<Deed> {
    let line = read_line(named.line);
    // Of deeds of one weight the last is told: the one that says most.
    let judges = [
        checks::judge_line,
        weak_code::judge_line,
        removals::judge_line,
        writes::judge_mention,
        writes::judge_line,
        sends::judge_line,
        installs::judge_line,
        fetched::judge_line,
    ];
    let deeds = judges.iter().filter_map(|judge| judge(&line, named));
    deeds.filter_map(|deed| weigh_place(deed, named)).collect()
}

/// Returns a deed as heavy as it is for the place that it is done to, if it matters there at all.
fn weigh_place(deed: Deed, named: &NamedLine<'_>) -> Option<Deed> {
    let is = |other: Deed| other.sentence == deed.sentence;
    if is(removals::DELETES) || is(weak_code::OPENS_CODE) {
        return (!named.is_on_trial()).then_some(deed);
    }
    if !is(checks::WEAKENS) {
        return Some(deed);
    }
    // Whoever skips a formatter risks a red build, whoever skips what looks for secrets risks them.
    let protects_others = tables::TABLES.has_part("scanners", &named.sentence.to_ascii_lowercase());
    let is_light = !deed.is_grave && !protects_others || named.is_on_trial();
    Some(checks::WEAKENS.lightened_if(is_light))
}

/// Parses a line. What feeds a file, `<(…)`, is read like what feeds a word; assignments alone,
/// which run nothing, as the surroundings of an empty command, also those of settings: `name = value`, `name: value`.
fn read_line(text: &str) -> ShellLine {
    let mut text = text.replace("<(", "$(");
    let setting = text.split_once(" = ").or(text.split_once(": "));
    let setting = setting.or(text.split_once(' ').filter(|setting| is_switch(*setting)));
    if let Some((name, value)) = setting
        && !name.contains(char::is_whitespace)
    {
        text = format!("{name}={value}");
    }
    let line = shell::parse_line(&text);
    let first = text.split_whitespace().next().unwrap_or_default();
    if line.commands.is_empty() && shell::parse_assignment(first).is_some() {
        shell::parse_line(&format!("{text} :"))
    } else {
        line
    }
}

/// Returns whether two words are a setting and whether it is on: `PermitRootLogin yes`. A program has no capitals.
fn is_switch((name, value): (&str, &str)) -> bool {
    name.contains(|c: char| c.is_ascii_uppercase()) && is_listed("yes no on off true false", value)
}

#[cfg(test)]
mod tests;
