//! Drafts the lesson that a model's words would be in the place of others.
//!
//! What the words need not say is added: evidence, topics, tools, audience, and when each lesson is due. Whether the
//! draft may take their place is decided in `merge`.

use hardwon_redact::clean_derived;

use hardwon_core::{
    Cause, CleanText, Draft, Evidence, Lesson, LessonContent, RawText, RunOutcome, TriggerEdit,
    Triggers, Trust, TrustClass, limits, trigger::describe_signature,
};

use super::MergeRefusal;
use crate::sweep::decide::rift::ReadLesson;

/// Drafts the lesson that a model's words would be: as little trusted as the least of what it was made of.
///
/// # Errors
///
/// That there is no room for all evidence.
pub(super) fn draft_merged(
    members: &[&ReadLesson<'_>],
    words: LessonContent<RawText>,
) -> Result<Draft, MergeRefusal> {
    let lessons: Vec<&Lesson> = members.iter().map(|member| member.lesson).collect();
    let first = lessons[0];
    let model = Trust::untainted(TrustClass::Distilled);
    let trust = lessons
        .iter()
        .fold(model, |trust, lesson| trust.combine_with(lesson.trust));
    let has_one_outcome = lessons.iter().all(|lesson| lesson.outcome == first.outcome);
    let ends: Option<Vec<_>> = lessons.iter().map(|lesson| lesson.expires_at).collect();
    let confidence = lessons.iter().map(|lesson| lesson.confidence);
    Ok(Draft {
        scope: first.scope.clone(),
        content: complete_words(members, words),
        cause: Cause::Merged,
        outcome: if has_one_outcome {
            first.outcome
        } else {
            RunOutcome::Mixed
        },
        evidence: unite_evidence(&lessons)?,
        trust,
        confidence: confidence.fold(1.0, f64::min),
        failure: first.failure.clone(),
        expires_at: ends.and_then(|ends| ends.into_iter().max()),
        supersedes: lessons.iter().map(|lesson| lesson.id).collect(),
        task: None,
    })
}

/// Adds to a model's words what they need not say.
fn complete_words(
    members: &[&ReadLesson<'_>],
    words: LessonContent<RawText>,
) -> LessonContent<RawText> {
    let raw = |text: &CleanText| RawText::from(text.as_str());
    let contents: Vec<&LessonContent> = members.iter().map(|row| &row.lesson.content).collect();
    let first = contents[0];
    let mut content = words;
    let tags = contents.iter().flat_map(|other| &other.tags);
    add_names(&mut content.tags, tags.map(raw), limits::TAGS);
    // One that is about all calls is not bound by what another one is about.
    if contents.iter().all(|other| !other.tools.is_empty()) {
        let tools = contents.iter().flat_map(|other| &other.tools);
        add_names(&mut content.tools, tools.map(raw), limits::TOOLS);
    }
    content.targets = first.map(raw).targets;
    let has_one_signature = contents
        .iter()
        .all(|other| other.signature == first.signature);
    content.signature = if has_one_signature {
        raw(&first.signature)
    } else {
        RawText::default()
    };
    add_occasions(&mut content, &contents);
    add_triggers(&mut content, members);
    content
}

/// Adds the signatures of lessons to the situation, as far as the words do not name them and there is room.
fn add_occasions(content: &mut LessonContent<RawText>, contents: &[&LessonContent]) {
    let words = content.situation.as_ref().map_or("", |text| text.expose());
    let mut situation = words.trim().trim_end_matches('.').to_owned();
    for other in contents {
        let signature = describe_signature(other.signature.as_str());
        let words = [content.signature.expose(), &situation].join(" ");
        let is_there = words.to_lowercase().contains(&signature.to_lowercase());
        let length = situation.chars().count() + signature.chars().count() + 2;
        if !is_there && length <= limits::SITUATION_CHARS {
            situation.push_str(if situation.is_empty() { "" } else { "; " });
            situation.push_str(&signature);
        }
    }
    content.situation = (!situation.is_empty()).then(|| RawText::from(situation.as_str()));
}

/// Has the words come up wherever a lesson does: new words name the same, but seldom as the same occasion.
fn add_triggers(content: &mut LessonContent<RawText>, members: &[&ReadLesson<'_>]) {
    // What is added for one lesson may make the words silent where another one comes up.
    for member in members.iter().chain(members) {
        let read = content.map(|text| clean_derived(text.expose()));
        let missing = Triggers::from_content(&read).list_lost(&member.triggers);
        if !missing.is_empty() {
            content.correct_triggers(&TriggerEdit {
                adds: missing.into_iter().map(RawText::from).collect(),
                removes: Vec::new(),
            });
        }
    }
}

fn add_names(names: &mut Vec<RawText>, more: impl Iterator<Item = RawText>, limit: usize) {
    for name in more {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.truncate(limit);
}

/// Returns the evidence of all lessons.
fn unite_evidence(lessons: &[&Lesson]) -> Result<Vec<Evidence<RawText>>, MergeRefusal> {
    let mut all: Vec<&Evidence> = Vec::new();
    for evidence in lessons.iter().flat_map(|lesson| &lesson.evidence) {
        let is_there = all
            .iter()
            .any(|other| other.kind == evidence.kind && other.reference == evidence.reference);
        if !is_there {
            all.push(evidence);
        }
    }
    if all.len() > limits::EVIDENCE_ENTRIES {
        return Err(MergeRefusal::LosesEvidence);
    }
    let raw = |evidence: &Evidence| evidence.map(|text| RawText::from(text.as_str()));
    Ok(all.into_iter().map(raw).collect())
}
