//! What must hold of each answer to a recall, whatever the stores hold.

use anyhow::ensure;
use hardwon_core::{Scope, guard::find_markers, limits};
use hardwon_engine::{RecallOutcome, RecallRequest};

use super::{
    agent::{self, PLACES},
    bounds::BUDGET,
};

/// Checks a block of lessons: whole, within its budget, and nothing in it but lines of advice.
pub(super) fn check_preamble(text: &str) -> anyhow::Result<()> {
    let most = BUDGET.bytes.min(BUDGET.tokens * limits::TOKEN_BYTES);
    ensure!(text.len() <= most, "a preamble of {} bytes", text.len());
    let lines: Vec<&str> = text.lines().collect();
    let [first, lines @ .., last] = &lines[..] else {
        ensure!(text.is_empty(), "half a preamble: {text}");
        return Ok(());
    };
    ensure!(
        first.starts_with("[KNOWN PITFALLS"),
        "it begins with {first}"
    );
    ensure!(*last == "[END KNOWN PITFALLS]", "it ends with {last}");
    for line in lines {
        ensure!(line.starts_with("- "), "a line breaks out: {line}");
        ensure!(find_markers(line).is_empty(), "a marker survived: {line}");
    }
    Ok(())
}

/// Checks that a recall shows only what is visible from its scope.
pub(super) fn check_recall(recalled: &RecallOutcome, ask: &RecallRequest) -> anyhow::Result<()> {
    check_preamble(&recalled.preamble.text)?;
    let shown = recalled.ranking.shown.iter().map(|showing| &showing.lesson);
    let others = recalled
        .ranking
        .excluded
        .iter()
        .map(|candidate| &candidate.lesson);
    for lesson in shown.chain(others) {
        ensure!(
            lesson.scope.is_visible_from(&ask.scope),
            "{} of {:?} was found from {:?}",
            lesson.id,
            lesson.scope,
            ask.scope
        );
    }
    check_visible_words(&recalled.preamble.text, &ask.scope)
}

/// Checks that a text holds no word that is only used where one cannot see from here.
pub(super) fn check_visible_words(text: &str, scope: &Scope) -> anyhow::Result<()> {
    for (place, (.., word)) in PLACES.iter().enumerate() {
        let is_visible = agent::scope_of_place(place).is_visible_from(scope);
        ensure!(
            is_visible || !text.contains(word),
            "{word} is not of here: {text}"
        );
    }
    Ok(())
}
