//! `hardwon recall --explain`: every candidate with its numbers, and why it is shown or not.

use hardwon_api::v1::recall::explained::ExplanationDto;
use hardwon_core::rank::{Explanation, TermScore};
use hardwon_engine::{RecallCandidate, RecallOutcome};

use crate::{error::CliError, output};

/// Words named in one line.
const MAX_TERMS: usize = 8;

pub(super) fn print_explanation(
    recalled: &RecallOutcome,
    floor: f32,
    as_json: bool,
) -> Result<(), CliError> {
    let candidates = recalled.candidates();
    if as_json {
        return output::print_json(&ExplanationDto::from_candidates(
            recalled,
            &candidates,
            floor,
        ));
    }
    let silent = recalled.ranking.silence;
    let mut text = silent.map_or(String::new(), |why| format!("nothing is shown: {why}\n"));
    for candidate in &candidates {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&render_candidate(candidate));
    }
    if !candidates.is_empty() {
        let is_one_shown = candidates
            .iter()
            .any(|candidate| candidate.exclusion.is_none());
        text.push_str(&output::dim(&render_legend(floor, is_one_shown)));
    }
    output::print(&text)
}

/// Says what the numbers stand for, once for all candidates.
fn render_legend(floor: f32, is_one_shown: bool) -> String {
    let sums = format!(
        "
score      lessons are ranked by this
relevance  how well it matches the prompt; shown from {floor:.2} up
"
    );
    let parts = if is_one_shown { SCORE_LEGEND } else { "" };
    format!("{sums}{parts}All numbers of all candidates: --json\n")
}

/// What a score is made of.
const SCORE_LEGEND: &str = "\
words      what each word that it shares with the prompt brought
pairs      word pairs found in both
likeness   similar spelling
signature  share of its signature's words that are in the prompt
utility    how well runs went that were shown it; × 1.00 where nothing is known
freshness  how old it is
tool       whether it is about a tool in use
";

/// Writes one candidate: of one that is not shown, why.
fn render_candidate(candidate: &RecallCandidate<'_>) -> String {
    let it = candidate.explanation;
    let row = super::super::lesson::render_row(candidate.lesson);
    let sum = format!("score {:.2}, relevance {:.2}", it.score, it.relevance);
    match &candidate.exclusion {
        None => format!(
            "{}. {}: {row}\n     {sum}\n{}",
            it.position,
            output::green("shown"),
            render_numbers(it)
        ),
        Some(why) => format!(
            "{}. not shown: {row}\n     because {why}\n     {sum}\n",
            it.position
        ),
    }
}

/// Writes the numbers that a score is made of.
fn render_numbers(it: &Explanation) -> String {
    let mut text = String::new();
    let mut line = |parts: &[String]| {
        text.push_str(&format!("     {}\n", parts.join(", ")));
    };
    line(&[format!(
        "words {:.2}: {}",
        it.words_score(),
        list_terms(&it.matched_terms)
    )]);
    line(&[
        format!("pairs {:.2}", it.pairs),
        format!("likeness {:.2}", it.likeness),
        format!("signature {:.0} %", it.signature * 100.0),
    ]);
    line(&[
        format!("utility × {:.2}", it.utility),
        format!("freshness × {:.2}", it.freshness),
        format!("tool × {:.2}", it.tool),
    ]);
    if it.heed < 1.0 {
        line(&[format!(
            "heed × {:.2}: not followed in the last runs that were shown it",
            it.heed
        )]);
    }
    if it.is_by_task {
        line(&["its task was like this one".to_owned()]);
    }
    if let Some(near) = &it.similarity {
        line(&[format!(
            "nearness {:.2}: a cosine of {:.2}",
            near.boost, near.cosine
        )]);
    }
    text
}

fn list_terms(words: &[TermScore]) -> String {
    let terms: Vec<String> = words
        .iter()
        .take(MAX_TERMS)
        .map(|word| format!("{} {:.2}", word.term, word.score))
        .collect();
    let more = match words.len().saturating_sub(MAX_TERMS) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    output::to_one_line(&format!("{}{more}", terms.join(", ")))
}
