//! Orders the lessons that contain all the words of a search.
//!
//! A person who searches knows the lesson and looks for it, so the closest match to the typed words comes first:
//! those words in sequence, then whole words, then words of the signature. How well a lesson matches a prompt is
//! another question, which recall answers.

use std::cmp::Reverse;

use hardwon_core::Lesson;

/// Sorts lessons by how closely they match the words of a search; of equals the newest first.
pub(crate) fn sort_search_matches(lessons: &mut [Lesson], searched: &str) {
    let words: Vec<String> = split_words(searched).collect();
    lessons
        .sort_by_cached_key(|lesson| (Reverse(match_quality(lesson, &words)), Reverse(lesson.id)));
}

/// Returns how closely a lesson matches: whether the words stand in sequence in its signature, or in its title or
/// text; how many are whole words of it, its situation, mistake or tags; how many stand in its signature.
fn match_quality(lesson: &Lesson, words: &[String]) -> (bool, bool, usize, usize) {
    let content = &lesson.content;
    let signature: Vec<String> = split_words(content.signature.as_str()).collect();
    let text: Vec<String> = split_words(content.title.as_str())
        .chain(split_words(content.text.as_str()))
        .collect();
    let others = [&content.situation, &content.mistake].into_iter().flatten();
    let others: Vec<String> = others
        .chain(&content.tags)
        .flat_map(|other| split_words(other.as_str()))
        .collect();
    let count = |is_in: &dyn Fn(&String) -> bool| words.iter().filter(|word| is_in(word)).count();
    (
        has_consecutive(&signature, words),
        has_consecutive(&text, words),
        count(&|word| {
            [&signature, &text, &others]
                .iter()
                .any(|words| words.contains(word))
        }),
        count(&|word| signature.contains(word)),
    )
}

fn has_consecutive(all: &[String], row: &[String]) -> bool {
    !row.is_empty() && all.windows(row.len()).any(|pair| pair == row)
}

/// Returns the words of a text, without the punctuation around them.
fn split_words(text: &str) -> impl Iterator<Item = String> {
    let is_around = |c: char| !c.is_alphanumeric() && !matches!(c, '-' | '_' | '/' | '%');
    let words = text.split_whitespace();
    words.map(move |word| word.trim_matches(is_around).to_lowercase())
}
