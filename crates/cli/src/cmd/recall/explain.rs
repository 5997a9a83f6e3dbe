//! `hardwon recall --explain`: every candidate with its numbers, and why it is shown or not.

use hardwon_core::{
    lesson::Lesson,
    rank::{Explanation, Nearness, TermScore},
};
use hardwon_engine::Recalled;
use serde::Serialize;

use crate::{error::Failure, output};

/// Words named in one line.
const WORDS: usize = 8;

/// One candidate, shown or not.
struct Candidate<'a> {
    lesson: &'a Lesson,
    why_not: Option<String>,
    explanation: &'a Explanation,
}

pub(super) fn print(recalled: &Recalled, floor: f32, as_json: bool) -> Result<(), Failure> {
    let candidates = candidates(recalled);
    let silent = recalled.ranking.silence.map(|why| why.to_string());
    if as_json {
        return output::json(&Dto {
            candidates: candidates.iter().map(CandidateDto::from).collect(),
            floor,
            silent,
        });
    }
    let mut text = silent.map_or(String::new(), |why| format!("nothing is shown: {why}\n"));
    for candidate in &candidates {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&block(candidate, floor));
    }
    output::print(&text)
}

fn candidates(recalled: &Recalled) -> Vec<Candidate<'_>> {
    let shown = recalled.ranking.shown.iter().map(|it| Candidate {
        lesson: &it.lesson,
        why_not: left_out(recalled, &it.lesson),
        explanation: &it.explanation,
    });
    let others = recalled.ranking.passed_over.iter().map(|it| Candidate {
        lesson: &it.lesson,
        why_not: Some(it.why.to_string()),
        explanation: &it.explanation,
    });
    let mut all: Vec<Candidate<'_>> = shown.chain(others).collect();
    all.sort_by_key(|candidate| candidate.explanation.place);
    all
}

/// Returns why the preamble has no line for a lesson that was chosen.
fn left_out(recalled: &Recalled, lesson: &Lesson) -> Option<String> {
    let left_out = &recalled.preamble.left_out;
    let found = left_out.iter().find(|(id, _)| *id == lesson.id);
    found.map(|(_, why)| why.why().to_owned())
}

/// Writes one candidate with its numbers, each with what it stands for.
fn block(candidate: &Candidate<'_>, floor: f32) -> String {
    let it = candidate.explanation;
    let what = match candidate.why_not {
        None => "shown",
        Some(_) => "not shown",
    };
    let row = super::super::lesson::row(candidate.lesson);
    let mut text = format!("{}. {what}: {row}\n", it.place);
    if let Some(why) = &candidate.why_not {
        text.push_str(&format!("     because {why}\n"));
    }
    let mut line = |name: &str, value: &str, note: &str| {
        let line = format!("     {name:<10} {value:>8}  {note}");
        text.push_str(line.trim_end());
        text.push('\n');
    };
    let number = |number: f32| format!("{number:.2}");
    let factor = |number: f32| format!("× {number:.2}");
    line("score", &number(it.score), "what it is ranked by");
    let least = format!("how surely it is about this; shown from {floor:.2} on");
    line("relevance", &number(it.relevance), &least);
    if it.is_by_task {
        line("task", "", "this is a task like the one that taught it");
    }
    line("words", &number(it.words_score()), &named(&it.words));
    line(
        "pairs",
        &number(it.pairs),
        "words that are neighbours in both",
    );
    line("likeness", &number(it.likeness), "letters that are alike");
    let share = format!("{:.0} %", it.signature * 100.0);
    line("signature", &share, "of its words are in the prompt");
    if let Some(near) = &it.near {
        line("nearness", &number(near.worth), &nearness(near));
    }
    line("utility", &factor(it.utility), "how it fared so far");
    if it.heed < 1.0 {
        let note = "not followed in the last runs that were shown it";
        line("heed", &factor(it.heed), note);
    }
    line("freshness", &factor(it.freshness), "how old it is");
    line(
        "tool",
        &factor(it.tool),
        "whether it is about a tool in hand",
    );
    text
}

/// Says what each side made of a lesson.
fn nearness(near: &Nearness) -> String {
    let by_words = match near.place_by_words {
        Some(place) => format!("no. {place} by words"),
        None => "no word in common".to_owned(),
    };
    format!(
        "no. {} by nearness (similarity {:.2}, {:+.1} deviations), {by_words}",
        near.place, near.similarity, near.standing
    )
}

fn named(words: &[TermScore]) -> String {
    let named: Vec<String> = words
        .iter()
        .take(WORDS)
        .map(|word| format!("{} {:.2}", word.term, word.score))
        .collect();
    let more = match words.len().saturating_sub(WORDS) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    output::one_line(&format!("{}{more}", named.join(", ")))
}

/// An explained recall as JSON shows it.
#[derive(Debug, Serialize)]
struct Dto<'a> {
    candidates: Vec<CandidateDto<'a>>,
    floor: f32,
    silent: Option<String>,
}

/// A candidate as JSON shows it.
#[derive(Debug, Serialize)]
struct CandidateDto<'a> {
    id: i64,
    #[serde(rename = "ref")]
    reference: Option<&'a str>,
    shown: bool,
    why: Option<&'a str>,
    score: f32,
    relevance: f32,
    words: Vec<WordDto<'a>>,
    pairs: f32,
    likeness: f32,
    signature: f32,
    #[serde(skip_serializing_if = "Option::is_none")]
    nearness: Option<NearnessDto>,
    utility: f32,
    heed: f32,
    freshness: f32,
    tool: f32,
}

/// What an embedding made of a candidate, as JSON shows it.
#[derive(Debug, Serialize)]
struct NearnessDto {
    worth: f32,
    similarity: f32,
    standing: f32,
    place: usize,
    place_by_words: Option<usize>,
}

/// What one word brought, as JSON shows it.
#[derive(Debug, Serialize)]
struct WordDto<'a> {
    term: &'a str,
    score: f32,
}

impl<'a> From<&'a Candidate<'a>> for CandidateDto<'a> {
    fn from(candidate: &'a Candidate<'a>) -> Self {
        let it = candidate.explanation;
        let word = |word: &'a TermScore| WordDto {
            term: &word.term,
            score: word.score,
        };
        Self {
            id: candidate.lesson.id.0,
            reference: super::reference(candidate.lesson),
            shown: candidate.why_not.is_none(),
            why: candidate.why_not.as_deref(),
            score: it.score,
            relevance: it.relevance,
            words: it.words.iter().map(word).collect(),
            pairs: it.pairs,
            likeness: it.likeness,
            signature: it.signature,
            nearness: it.near.map(|near| NearnessDto {
                worth: near.worth,
                similarity: near.similarity,
                standing: near.standing,
                place: near.place,
                place_by_words: near.place_by_words,
            }),
            utility: it.utility,
            heed: it.heed,
            freshness: it.freshness,
            tool: it.tool,
        }
    }
}
