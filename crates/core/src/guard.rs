//! Decides whether a draft becomes a lesson, or why not. The only bridge between the two.
//!
//! Whatever proposed the draft, every field is redacted again, held to its limit and stripped of the markers that
//! divide prompts. Then the text is judged: advice may be shown, an order in the disguise of advice waits for a
//! person. How strictly a draft is judged depends on the trust of its source. The guard does not know other lessons,
//! so duplicates and contradictions are left to [`change`](crate::change), and it does not render; but renderers use
//! [`neutralise()`]. `docs/design/guard.md` gives the reasons and the figures.

mod category;
mod comment;
mod copied;
mod deeds;
mod fields;
mod inspect;
mod languages;
mod marker;
mod meaning;
mod memo;
mod neutralise;
mod objection;
pub mod sentences;

pub use category::Category;
pub use comment::{BadComment, check_comment};
pub use copied::readmit_lesson;
pub use fields::normalise_tag;
pub use inspect::{InspectionVerdict, Reason, SuspicionLevel, inspect_text};
pub use marker::{Marker, MarkerKind, find_markers};
pub use memo::Memo;
pub(crate) use neutralise::neutralise_after_cut;
pub use neutralise::{neutralise, neutralise_within};
pub use objection::find_objection;
pub use sentences::keep_sentences;

use std::{borrow::Cow, fmt};

use hardwon_redact::{clean_derived, strip_own_blocks};

use self::fields::{DraftDesk, title_from_text};
use crate::{
    AdmittedLesson, CleanText, Draft, LessonContent, RawText, Slug, Status, Trust, TrustClass,
    lesson::TRIGGERS_ENTRY, limits, named_enum::named_enum,
};

/// Why a lesson waits that came from a file, if nothing else is against it.
const UNREVIEWED_FILE: &str = "it came from a file, and nobody has looked at it";
const UNTAGGED_REASON: &str = "over-broad: it has targets but no tag";
const TRAP_REASON: &str = "what it advises weakens a check, or sets up code to be run";

named_enum! {
    /// The state in which a lesson without any suspicion is admitted.
    EntryState {
        /// It may be recalled at once.
        Active = "active",
        /// It waits for review by a person.
        Pending = "pending",
    }
}

/// Settings of the guard that the owner of a store chooses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GuardPolicy {
    /// The state of clean lessons that a model wrote.
    pub distilled: EntryState,
    /// The state of clean lessons from files.
    pub imported: EntryState,
}

impl Default for GuardPolicy {
    fn default() -> Self {
        Self {
            distilled: EntryState::Active,
            imported: EntryState::Pending,
        }
    }
}

/// Why a draft cannot become a lesson.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Rejection {
    /// The draft has no text.
    #[error("a lesson needs a text")]
    NoText,
    /// The draft has no evidence.
    #[error("a lesson needs at least one piece of evidence with a reference")]
    NoEvidence,
    /// The confidence is not between 0 and 1.
    #[error("confidence must be between 0 and 1, not {0}")]
    InvalidConfidence(f64),
    /// A field is longer than its limit.
    #[error("the {field} has {chars} characters; at most {limit} are allowed")]
    TooLong {
        /// The name of the field.
        field: &'static str,
        /// Its length, in characters.
        chars: usize,
        /// Its limit, in characters.
        limit: usize,
    },
    /// A list is longer than its limit.
    #[error("there are {count} {field}; at most {limit} are allowed")]
    TooMany {
        /// The name of the list.
        field: &'static str,
        /// How many entries it has.
        count: usize,
        /// How many entries it may have.
        limit: usize,
    },
    /// Nothing says when the lesson applies: no signature, no tag, no word to search for.
    #[error("nothing in it could be searched for: it needs a signature, a tag or a word")]
    Overbroad,
    /// The text was recognised as an attack.
    #[error("{0}")]
    Refused(Reason),
}

/// Why a draft was rejected: at least one reason.
#[derive(Debug, Clone, PartialEq)]
pub struct Rejections(pub Vec<Rejection>);

impl fmt::Display for Rejections {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reasons: Vec<String> = self.0.iter().map(ToString::to_string).collect();
        f.write_str(&reasons.join("; "))
    }
}

/// The guard's decision about a draft: a lesson, active or pending, or why it is none.
pub type GuardVerdict = Result<Box<AdmittedLesson>, Rejections>;

/// Decides whether a draft becomes a lesson, and in which state.
///
/// The source matters twice. Over-long fields of a source that can write them again (a person, an agent, a file) are
/// rejected with the limit named; those of a machine are cut at a word, except for the text, which is never cut. And
/// a person's own lesson is active even if it reads like an order, because people may give orders; unless it contains
/// markers, sends data out, conceals something or is encoded, which people do not type but paste.
pub fn admit_draft(draft: Draft, policy: &GuardPolicy) -> GuardVerdict {
    admit_in_context(draft, &[], policy)
}

/// Does the same as [`admit_draft`] for one of many drafts, reusing results for texts that repeat.
pub fn admit_with_memo(draft: Draft, policy: &GuardPolicy, memo: &mut Memo) -> GuardVerdict {
    let decide = |trust, seen: &[Reason], flaws: &[&str]| decide_status(trust, seen, flaws, policy);
    examine_draft(draft, &[], memo, decide)
}

/// Does the same as [`admit_draft`] for a draft within a larger text, such as a file. The surrounding parts are
/// judged too, one by one, and are not stored by this.
pub fn admit_in_context(draft: Draft, around: &[&str], policy: &GuardPolicy) -> GuardVerdict {
    let decide = |trust, seen: &[Reason], flaws: &[&str]| decide_status(trust, seen, flaws, policy);
    examine_draft(draft, around, &mut Memo::default(), decide)
}

fn examine_draft(
    draft: Draft,
    around: &[&str],
    memo: &mut Memo,
    decide: impl FnOnce(Trust, &[Reason], &[&str]) -> Result<Status, Vec<Rejection>>,
) -> GuardVerdict {
    let references = list_references(&draft);
    let all_text = join_draft_text(&draft, &references);
    let all_text = all_text.map_err(|too_long| Rejections(vec![too_long]))?;
    let mut desk = DraftDesk {
        cuts_long_fields: matches!(
            draft.trust.class,
            TrustClass::Derived | TrustClass::Distilled
        ),
        rejections: Vec::new(),
    };
    let has_targets = !draft.content.targets.is_empty();
    let mut content = desk.clean_content(draft.content);
    if content.title.is_blank() {
        content.title = title_from_text(&content.text);
    }
    let evidence = desk.clean_evidence(draft.evidence);
    desk.check_completeness(&content, draft.confidence);
    let is_untagged = has_targets && content.tags.is_empty();
    let commands = memo.weigh_commands(&join_advice(&content, draft.trust.class));
    // A question at its end shows what a text is, and among the other fields that is no end.
    let asks = Some(content.text.as_str()).filter(|text| text.contains('?'));
    let shown_text = join_shown(&content);
    // What a source is called differs from draft to draft where all that they say is the same, and is no part of it.
    let names = references.iter().map(String::as_str);
    let around = around.iter().copied().chain(names).map(strip_own_blocks);
    let own_texts = [Some(&*all_text), asks, Some(&*shown_text)];
    let own_texts = own_texts.into_iter().flatten().map(Cow::Borrowed);
    let mut reasons: Vec<Reason> = Vec::new();
    for text in own_texts.chain(around) {
        for reason in memo.weigh_redacted(&text).into_reasons_beside(&commands) {
            if !reasons.contains(&reason) {
                reasons.push(reason);
            }
        }
    }
    // A rule only repeats what a run did: such advice must come from a person.
    let is_trap = draft.trust.class == TrustClass::Derived
        && crate::safety::advises_unsafe_command(content.text.as_str());
    if !is_trap {
        reasons.extend(commands.into_reasons());
    }
    let flaws: Vec<&str> = [(is_untagged, UNTAGGED_REASON), (is_trap, TRAP_REASON)]
        .into_iter()
        .filter_map(|(is_so, why)| is_so.then_some(why))
        .collect();
    let status = decide(draft.trust, &reasons, &flaws).unwrap_or_else(|refused| {
        desk.rejections.extend(refused);
        Status::Active
    });
    if !desk.rejections.is_empty() {
        return Err(Rejections(desk.rejections));
    }
    Ok(Box::new(AdmittedLesson {
        scope: draft.scope,
        slug: Slug::from_text(content.title.as_str()),
        content,
        cause: draft.cause,
        outcome: draft.outcome,
        evidence,
        trust: draft.trust,
        confidence: draft.confidence,
        failure: draft.failure,
        status,
        expires_at: draft.expires_at,
        supersedes: draft.supersedes,
        task: draft.task.as_ref().map(clean_task_words),
    }))
}

/// Cleans the text of a task: nobody reads it, but all that is stored is cleaned.
fn clean_task_words(task: &RawText) -> CleanText {
    let clean = hardwon_redact::clean_to_chars(task, limits::TASK_CHARS);
    clean_derived(&neutralise(clean.as_str()))
}

/// Returns what following a lesson would do, "following it would …", if others than a person could not say so unreviewed.
pub fn describe_deed(content: &LessonContent) -> Option<String> {
    let reasons = inspect::weigh_commands(&join_advice(content, TrustClass::Person)).into_reasons();
    let reason = reasons.into_iter().next()?;
    (reason.level >= SuspicionLevel::Hold).then_some(reason.description)
}

/// Joins what stands in one line where a lesson is shown: its signature, and its text after it.
fn join_shown(content: &LessonContent) -> String {
    format!("{} {}", content.signature, content.text)
}

/// Joins what a lesson advises. The signature of a rule is what a run printed, and a mistake is what is not to be done; any other
/// signature is read with the text that follows it where a lesson is shown.
fn join_advice(content: &LessonContent, class: TrustClass) -> String {
    let is_printed = class == TrustClass::Derived || content.signature.is_blank();
    let shown_text = (!is_printed).then(|| join_shown(content));
    let fields = [content.title.as_str(), content.text.as_str()];
    let fields = fields.into_iter().chain(shown_text.as_deref());
    let fields: Vec<Cow<'_, str>> = fields
        .map(|field| ensure_full_stop(Cow::Borrowed(field)))
        .collect();
    fields.join("\n")
}

/// Returns what the sources of a draft are called, each as a sentence.
fn list_references(draft: &Draft) -> Vec<String> {
    let names = draft
        .evidence
        .iter()
        .map(|evidence| evidence.reference.expose());
    let names = names.filter(|name| !name.trim().is_empty());
    names
        .map(|name| ensure_full_stop(name.into()).into_owned())
        .collect()
}

/// Joins everything a draft says beside these references, one field a line; an error if all of it together is too long.
fn join_draft_text(draft: &Draft, references: &[String]) -> Result<String, Rejection> {
    let content = &draft.content;
    let fields: Vec<&str> = [&content.signature, &content.title, &content.text]
        .into_iter()
        .chain(&content.situation)
        .chain(&content.mistake)
        .chain(&content.reference)
        .chain(&content.tools)
        .chain(content.metadata.get(TRIGGERS_ENTRY))
        .chain(content.targets.iter().map(|target| &target.glob))
        .chain(
            draft
                .evidence
                .iter()
                .filter_map(|evidence| evidence.note.as_ref()),
        )
        .map(RawText::expose)
        .filter(|field| !field.trim().is_empty())
        .collect();
    // Tags are read as a sequence of words, and dashes as spaces.
    let tags: Vec<&str> = content.tags.iter().map(RawText::expose).collect();
    let tags = tags.join(" ").replace(['-', '_'], " ");
    let tags = Some(tags).filter(|tags| !tags.trim().is_empty());
    let text = fields
        .into_iter()
        .map(Cow::Borrowed)
        .chain(tags.map(Cow::Owned));
    // Each field begins a sentence, whatever the one before it ends with.
    let fields: Vec<Cow<'_, str>> = text.map(ensure_full_stop).collect();
    let names = references.iter().map(String::as_str);
    let all: Vec<&str> = fields.iter().map(|field| &**field).chain(names).collect();
    let breaks = all.len().saturating_sub(1);
    let chars = breaks + all.iter().map(|text| text.chars().count()).sum::<usize>();
    if chars > limits::DRAFT_CHARS {
        return Err(Rejection::TooLong {
            field: "draft",
            chars,
            limit: limits::DRAFT_CHARS,
        });
    }
    // One of our own blocks cannot reach from one field into another: each is stored without its own.
    let fields: Vec<Cow<'_, str>> = fields.iter().map(|field| strip_own_blocks(field)).collect();
    Ok(fields.join("\n"))
}

/// Adds a full stop to a field that ends in a word.
fn ensure_full_stop(field: Cow<'_, str>) -> Cow<'_, str> {
    if field.ends_with(char::is_alphanumeric) {
        Cow::Owned(field.into_owned() + ".")
    } else {
        field
    }
}

/// Decides in which state a draft is admitted, or why it is rejected.
fn decide_status(
    trust: Trust,
    seen: &[Reason],
    flaws: &[&str],
    policy: &GuardPolicy,
) -> Result<Status, Vec<Rejection>> {
    let person = trust.class == TrustClass::Person && !trust.tainted;
    let weighs = |reason: &&Reason| {
        reason.level >= SuspicionLevel::Hold && (!person || is_probably_pasted(reason.category))
    };
    let weighty: Vec<&Reason> = seen.iter().filter(weighs).collect();
    let outside =
        trust.tainted || matches!(trust.class, TrustClass::Distilled | TrustClass::Imported);
    let refusals = weighty
        .iter()
        .filter(|reason| reason.level == SuspicionLevel::Refuse);
    let refusals: Vec<Rejection> = refusals
        .map(|reason| Rejection::Refused((*reason).clone()))
        .collect();
    if outside && !refusals.is_empty() {
        return Err(refusals);
    }
    let mut reasons: Vec<String> = weighty.iter().map(ToString::to_string).collect();
    if trust.tainted {
        reasons.push("content from outside may have had a part in it".to_owned());
    }
    reasons.extend(flaws.iter().map(|flaw| (*flaw).to_owned()));
    reasons.extend(
        policy_hold_reason(trust.class, policy)
            .filter(|_| reasons.is_empty())
            .map(str::to_owned),
    );
    Ok(if reasons.is_empty() {
        Status::Active
    } else {
        Status::Pending {
            why: clean_derived(&neutralise(&reasons.join("; "))),
        }
    })
}

/// Returns whether a person has no reason to type such a thing, so that it was probably pasted.
fn is_probably_pasted(category: Category) -> bool {
    matches!(
        category,
        Category::Marker | Category::Exfiltration | Category::Concealment | Category::Encoded
    )
}

fn policy_hold_reason(class: TrustClass, policy: &GuardPolicy) -> Option<&'static str> {
    match class {
        TrustClass::Distilled if policy.distilled == EntryState::Pending => {
            Some("a model wrote it, and nobody has looked at it")
        }
        TrustClass::Imported if policy.imported == EntryState::Pending => Some(UNREVIEWED_FILE),
        TrustClass::Imported
        | TrustClass::Distilled
        | TrustClass::Derived
        | TrustClass::Agent
        | TrustClass::Person => None,
    }
}

#[cfg(test)]
mod tests;
