//! The order of lessons that hold all the words of a search.
//!
//! Somebody who searches knows the lesson and looks for it, so what stands nearest to the words as
//! they were typed comes first: those words in a row, then whole words, then words of the signature.
//! How well a lesson fits a prompt is another question, which recall answers.

use std::cmp::Reverse;

use crate::lesson::Lesson;

/// Puts the lessons first that are nearest to the words of a search; the newest of those alike.
pub fn order_found(lessons: &mut [Lesson], searched: &str) {
    let words: Vec<String> = words_of(searched).collect();
    lessons.sort_by_cached_key(|lesson| (Reverse(nearness(lesson, &words)), Reverse(lesson.id)));
}

/// Returns how near a lesson is: whether the words stand in a row in its signature, or in its title
/// or text; how many are whole words of it; how many stand in its signature.
fn nearness(lesson: &Lesson, words: &[String]) -> (bool, bool, usize, usize) {
    let content = &lesson.content;
    let signature: Vec<String> = words_of(content.signature.as_str()).collect();
    let text: Vec<String> = words_of(content.title.as_str())
        .chain(words_of(content.text.as_str()))
        .collect();
    let count = |is_in: &dyn Fn(&String) -> bool| words.iter().filter(|it| is_in(it)).count();
    (
        stands_in_row(&signature, words),
        stands_in_row(&text, words),
        count(&|word| signature.contains(word) || text.contains(word)),
        count(&|word| signature.contains(word)),
    )
}

fn stands_in_row(all: &[String], row: &[String]) -> bool {
    !row.is_empty() && all.windows(row.len()).any(|it| it == row)
}

/// Returns the words of a text, without the punctuation around them.
fn words_of(text: &str) -> impl Iterator<Item = String> {
    let is_around = |c: char| !c.is_alphanumeric() && !matches!(c, '-' | '_' | '/' | '%');
    let words = text.split_whitespace();
    words.map(move |word| word.trim_matches(is_around).to_lowercase())
}
