//! Says which lessons a listing of the in-memory store has, and in which order.

use hardwon_core::{CleanText, Lesson, LessonId};
use hardwon_store::{LessonListing, LessonOrder, StatusName};
use jiff::Timestamp;

/// Returns the sort key of a listing, the last page first.
pub(super) fn listing_position(lesson: &Lesson, order: LessonOrder) -> (Timestamp, LessonId) {
    match order {
        LessonOrder::NewestFirst => (Timestamp::MIN, lesson.id),
        LessonOrder::LastShownFirst => (
            lesson.counts.last_shown.unwrap_or(lesson.created),
            lesson.id,
        ),
    }
}

/// Returns whether a lesson is one that a listing asks for.
pub(super) fn matches_listing(lesson: &Lesson, listing: &LessonListing) -> bool {
    let content = &lesson.content;
    let texts = [&content.title, &content.signature, &content.text];
    let others = [&content.situation, &content.mistake].into_iter().flatten();
    let texts = texts.into_iter().chain(others).chain(&content.tags);
    let texts = [lesson.slug.as_str()]
        .into_iter()
        .chain(texts.map(CleanText::as_str));
    let texts: Vec<String> = texts.map(str::to_lowercase).collect();
    let has_tag = |wanted: &String| content.tags.iter().any(|tag| tag.as_str() == wanted);
    let holds = |word: &String| texts.iter().any(|text| text.contains(word));
    listing.within.includes(&lesson.scope)
        && listing
            .among
            .as_ref()
            .is_none_or(|among| among.contains(&lesson.id))
        && (lesson.counts.shown > 0 || !listing.only_shown)
        && listing.since.is_none_or(|since| lesson.created >= since)
        && listing
            .status
            .is_none_or(|status| StatusName::from_status(&lesson.status) == status)
        && listing.cause.is_none_or(|cause| lesson.cause == cause)
        && listing.tag.iter().all(has_tag)
        && listing.search_words().iter().all(holds)
}
