//! `hardwon recall --explain`: every candidate with its numbers, and why it is shown or not.

use hardwon_api::v1::recall::explained::ExplanationDto;
use hardwon_core::{Explanation, TermScore};
use hardwon_engine::{RecallCandidate, RecallOutcome};

use crate::{Result, output};

/// Words named in one line.
const MAX_TERMS: usize = 8;

pub(super) fn print_explanation(recalled: &RecallOutcome, floor: f32, as_json: bool) -> Result<()> {
    let candidates = recalled.candidates();
    let answer = ExplanationDto::from_candidates(recalled, &candidates, floor);
    output::print_answer(as_json, &answer, || {
        let silent = recalled.ranking.silence;
        let silent = silent.map(|why| format!("nothing is shown: {why}\n"));
        let parts: Vec<String> = silent
            .into_iter()
            .chain(candidates.iter().map(render_candidate))
            .collect();
        let mut text = parts.join("\n");
        if !candidates.is_empty() {
            text += &output::dim(&format!(
                "\nranked by score, shown from a relevance of {floor:.2} up; all numbers of all candidates: --json\n"
            ));
        }
        text
    })
}

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

/// Writes what a score is made of: the words in common, and what added to them or multiplied the sum.
fn render_numbers(it: &Explanation) -> String {
    let parts = [
        ("pairs of words", it.pairs, 0.0),
        ("likeness", it.likeness, 0.0),
        ("signature", it.signature, 0.0),
        ("utility ×", it.utility, 1.0),
        ("freshness ×", it.freshness, 1.0),
        ("tool ×", it.tool, 1.0),
        ("not followed lately ×", it.heed, 1.0),
    ];
    let counts = |(_, value, neutral): &(&str, f32, f32)| (value - neutral).abs() >= 0.005;
    let parts = parts.into_iter().filter(counts);
    let near = it
        .similarity
        .as_ref()
        .map(|near| format!("nearness {:.2}: a cosine of {:.2}", near.boost, near.cosine));
    let by_task = it.is_by_task.then(|| hardwon_engine::LIKE_TASK.to_owned());
    let parts = parts.map(|(name, value, _)| format!("{name} {value:.2}"));
    let parts: Vec<String> = parts.chain(near).chain(by_task).collect();
    let words = list_terms(&it.matched_terms);
    let mut text = format!("     words {:.2}: {words}\n", it.words_score());
    if !parts.is_empty() {
        text += &format!("     {}\n", parts.join(", "));
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
