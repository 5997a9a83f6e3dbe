//! Completes a model's words with what they leave out of single lessons, in the sentences of those.
//!
//! Words that tell what most of a group say often leave out what one of it names: another command, an error, a warning. That
//! lesson's own sentence is added then, as it stands, if the words speak of the lesson at all. What at least half of the lessons say must be in the words
//! themselves: words that leave it out say something else. A sentence of the words that names what only lessons do that
//! stay out of the group is left out, if another one stays.

use std::collections::BTreeSet;

use hardwon_redact::clean_derived;

use hardwon_core::{
    CleanText, LessonContent, RawText, Triggers, advice::may_forbid,
    guard::sentences::sentence_ends, tokens::collect_telling_terms,
};

use super::{SHARED_TERMS, find_lost_warning, join_words};
use crate::sweep::decide::{
    names::{find_invented_name, list_lost_names},
    rift::ReadLesson,
};

/// Returns the words with the sentences of lessons that they need, and without those about lessons that stay `apart`.
pub(super) fn complete_words(
    members: &[&ReadLesson<'_>],
    apart: &[&ReadLesson<'_>],
    mut words: LessonContent<RawText>,
) -> LessonContent<RawText> {
    let join = |lesson: &&ReadLesson<'_>| join_words(&lesson.lesson.content);
    let texts: Vec<String> = members.iter().map(join).collect();
    let own_text = texts.join("\n");
    let others: Vec<String> = apart.iter().map(join).collect();
    let all = format!("{own_text}\n{}", others.join("\n"));
    let strip = |text: &RawText| drop_foreign(text, &own_text, &all);
    words.text = strip(&words.text).unwrap_or(words.text);
    words.situation = words.situation.as_ref().and_then(strip);
    words.mistake = words.mistake.as_ref().and_then(strip);
    let word_terms: BTreeSet<String> = collect_telling_terms(words.text.expose());
    for member in members {
        let text = member.lesson.content.text.as_str();
        let own = collect_telling_terms(text);
        // Words that do not speak of a lesson do not tell it, whatever is added to them.
        let speaks = own.intersection(&word_terms).count() >= SHARED_TERMS.min(own.len());
        for sentence in split_sentences(text).filter(|_| speaks) {
            let now = words.map(|text| clean_derived(text.expose()));
            if is_missed(sentence, &now, members, &texts) {
                words.text = RawText::from(&*format!("{} {sentence}", words.text.expose().trim()));
            }
        }
    }
    words
}

/// Returns a text without its sentences that name what only lessons apart do; `None` if no other is left.
fn drop_foreign(text: &RawText, known: &str, all: &str) -> Option<RawText> {
    let is_own = |sentence: &&str| {
        let content = content_of(sentence);
        find_invented_name(&content, known).is_none() || find_invented_name(&content, all).is_some()
    };
    let own_sentences: Vec<&str> = split_sentences(text.expose()).filter(is_own).collect();
    (!own_sentences.is_empty()).then(|| RawText::new(own_sentences.join(" ")))
}

/// Returns whether the words leave out what a sentence names or warns of, and at most half of the lessons have it.
fn is_missed(
    sentence: &str,
    words: &LessonContent,
    members: &[&ReadLesson<'_>],
    texts: &[String],
) -> bool {
    let content = content_of(sentence);
    let is_rare = |count: usize| count * 2 <= members.len();
    let mut names = list_lost_names(&content, &join_words(words)).into_iter();
    let has_name =
        names.any(|name| is_rare(texts.iter().filter(|text| text.contains(&name)).count()));
    let triggers = Triggers::from_content(words);
    let warns = |member: &&&ReadLesson<'_>| find_lost_warning(&triggers, member).is_some();
    has_name
        || may_forbid(sentence)
            && triggers
                .find_unwarned(&Triggers::from_content(&content))
                .is_some()
            && is_rare(members.iter().filter(warns).count())
}

fn content_of(sentence: &str) -> LessonContent {
    LessonContent::new(CleanText::default(), clean_derived(sentence))
}

fn split_sentences(text: &str) -> impl Iterator<Item = &str> {
    let mut from = 0;
    sentence_ends(text).map(move |end| {
        let sentence = text[from..end].trim();
        from = end;
        sentence
    })
}
