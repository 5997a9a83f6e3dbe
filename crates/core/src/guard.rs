//! From a draft to a lesson, or to a reason why not. The only bridge between the two.
//!
//! Whatever proposed the draft, every field is scrubbed again, held to its limit and relieved of
//! the markers that divide prompts. Then the text is judged: advice may be shown, an order in the
//! clothes of advice waits for a person. How much suspicion a draft has to bear depends on whose
//! word it is. The guard does not know other lessons, so duplicates and contradictions are for
//! [`change`](crate::change), and it does not render; but what renders uses [`neutralise`].
//! `docs/design/guard.md` says why it looks like this, with the figures.

mod category;
mod encoded;
mod fields;
mod inspect;
mod languages;
mod marker;
mod meaning;
mod memo;
mod neutralise;
mod rules;
pub(crate) mod sentences;
mod prefilter;

pub use category::Category;
pub use inspect::{InspectionVerdict, Reason, SuspicionLevel, inspect_text};
pub use marker::{Marker, MarkerKind, find_markers};
pub use memo::Memo;
pub(crate) use neutralise::neutralise_after_cut;
pub use neutralise::{neutralise, neutralise_within};

use std::borrow::Cow;

use self::fields::{DraftDesk, title_from_text, wrap_clean};
use crate::{
    lesson::{AdmittedLesson, Draft, Slug, Status, Trust, TrustClass},
    limits,
    redact::{self, strip_own_blocks},
    text::{CleanText, RawText},
};

const UNTAGGED_REASON: &str = "over-broad: it has targets but no tag";
const TRAP_REASON: &str = "what it advises weakens a check, or sets up code to be run";

/// How a lesson that nothing speaks against enters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryState {
    /// It may be recalled at once.
    Active,
    /// It waits for a person.
    Pending,
}

/// What the owner of a store wants of the guard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GuardPolicy {
    /// How a clean lesson that a model wrote enters.
    pub distilled: EntryState,
    /// How a clean lesson from a file enters.
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
    /// Nothing is said.
    #[error("a lesson needs a text")]
    NoText,
    /// Nothing speaks for it.
    #[error("a lesson needs at least one piece of evidence with a reference")]
    NoEvidence,
    /// The author's belief is no share.
    #[error("confidence must be between 0 and 1, not {0}")]
    InvalidConfidence(f64),
    /// A field is over its limit.
    #[error("the {field} has {chars} characters; at most {limit} are allowed")]
    TooLong {
        /// Which field.
        field: &'static str,
        /// How long it is, in characters.
        chars: usize,
        /// How long it may be.
        limit: usize,
    },
    /// A list is over its limit.
    #[error("there are {count} {field}; at most {limit} are allowed")]
    TooMany {
        /// Which list.
        field: &'static str,
        /// How many it holds.
        count: usize,
        /// How many it may hold.
        limit: usize,
    },
    /// Nothing tells when it applies: no signature, no tag, no word to search for.
    #[error("nothing in it could be searched for: it needs a signature, a tag or a word")]
    Overbroad,
    /// The text was found to be an attack.
    #[error("{0}")]
    Refused(Reason),
}

/// What became of a draft.
#[derive(Debug, Clone, PartialEq)]
pub enum GuardVerdict {
    /// It is a lesson, active or pending.
    Admitted(Box<AdmittedLesson>),
    /// It is not, for these reasons; never an empty list.
    Rejected {
        /// Why not.
        reasons: Vec<Rejection>,
    },
}

/// Decides whether a draft becomes a lesson, and in which state it enters.
///
/// Who made it counts twice. Over-long fields of somebody who can write them again (a person, an
/// agent, a file) are turned away with the limit named; a machine's are cut at a word, but for the
/// text, which is never cut. And a person's own lesson is active even if it reads like an order,
/// because they may give orders; unless it holds markers, carries data off, hides something or
/// itself, which people do not type but paste.
#[must_use]
pub fn admit_draft(draft: Draft, policy: &GuardPolicy) -> GuardVerdict {
    admit_in_context(draft, &[], policy)
}

/// Does what [`admit_draft`] does for one of many drafts, of which some say the same.
#[must_use]
pub fn admit_with_memo(draft: Draft, policy: &GuardPolicy, memo: &mut Memo) -> GuardVerdict {
    examine_draft(draft, &[], policy, memo)
}

/// Does what [`admit_draft`] does for a draft that stands in a larger text, such as a file's: what stands
/// around it is judged too, part by part, and is not stored by this.
#[must_use]
pub fn admit_in_context(draft: Draft, around: &[&str], policy: &GuardPolicy) -> GuardVerdict {
    examine_draft(draft, around, policy, &mut Memo::default())
}

fn examine_draft(
    draft: Draft,
    around: &[&str],
    policy: &GuardPolicy,
    memo: &mut Memo,
) -> GuardVerdict {
    let all_text = match join_draft_text(&draft) {
        Ok(text) => text,
        Err(too_long) => {
            return GuardVerdict::Rejected {
                reasons: vec![too_long],
            };
        }
    };
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
    let untagged = has_targets && content.tags.is_empty();
    let mut seen = memo.inspect_redacted(&all_text);
    // A question at its end tells what a text is, and among the other fields that is no end.
    let asks = Some(content.text.as_str()).filter(|text| text.contains('?'));
    // Where a lesson is shown, its text follows its signature in one line.
    let shown = format!("{} {}", content.signature, content.text);
    let around = around.iter().map(|text| strip_own_blocks(text));
    let stored = asks.into_iter().chain([&*shown]).map(Cow::Borrowed);
    for text in around.chain(stored) {
        for reason in memo.inspect_redacted(&text) {
            if !seen.contains(&reason) {
                seen.push(reason);
            }
        }
    }
    // What a rule read off a run is advice of nobody: these only a person may give.
    let is_trap = draft.trust.class == TrustClass::Derived
        && crate::safety::advises_unsafe_command(content.text.as_str());
    let flaws: Vec<&str> = [(untagged, UNTAGGED_REASON), (is_trap, TRAP_REASON)]
        .into_iter()
        .filter_map(|(is_so, why)| is_so.then_some(why))
        .collect();
    let status = decide_status(draft.trust, &seen, &flaws, policy).unwrap_or_else(|refused| {
        desk.rejections.extend(refused);
        Status::Active
    });
    if !desk.rejections.is_empty() {
        return GuardVerdict::Rejected {
            reasons: desk.rejections,
        };
    }
    GuardVerdict::Admitted(Box::new(AdmittedLesson {
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

/// Cleans the words of a task: nobody reads them, but whatever is stored is.
fn clean_task_words(task: &RawText) -> CleanText {
    let clean = redact::clean_to_chars(task, limits::TASK_CHARS);
    CleanText::assume_clean(neutralise(clean.as_str()).into_owned())
}

/// Everything a draft says, one field a line.
fn join_draft_text(draft: &Draft) -> Result<String, Rejection> {
    let content = &draft.content;
    let fields: Vec<&str> = [&content.signature, &content.title, &content.text]
        .into_iter()
        .chain(&content.situation)
        .chain(&content.mistake)
        .chain(&content.reference)
        .chain(&content.tools)
        .chain(content.targets.iter().map(|target| &target.glob))
        .chain(
            draft
                .evidence
                .iter()
                .flat_map(|it| [Some(&it.reference), it.note.as_ref()])
                .flatten(),
        )
        .map(RawText::expose)
        .filter(|field| !field.trim().is_empty())
        .collect();
    // Tags are read in a row, and dashes are their blanks.
    let tags: Vec<&str> = content.tags.iter().map(RawText::expose).collect();
    let tags = tags.join(" ").replace(['-', '_'], " ");
    let tags = Some(tags).filter(|tags| !tags.trim().is_empty());
    let text = fields
        .into_iter()
        .map(Cow::Borrowed)
        .chain(tags.map(Cow::Owned));
    // Each begins a sentence, whatever the one before it ends with.
    let fields: Vec<Cow<'_, str>> = text.map(ensure_full_stop).collect();
    let breaks = fields.len().saturating_sub(1);
    let chars = breaks
        + fields
            .iter()
            .map(|field| field.chars().count())
            .sum::<usize>();
    if chars > limits::DRAFT_CHARS {
        return Err(Rejection::TooLong {
            field: "draft",
            chars,
            limit: limits::DRAFT_CHARS,
        });
    }
    // A block of ours does not reach from one field into another: each is stored without its own.
    let fields: Vec<Cow<'_, str>> = fields.iter().map(|field| strip_own_blocks(field)).collect();
    Ok(fields.join("\n"))
}

/// Ends a field that ends in a word.
fn ensure_full_stop(field: Cow<'_, str>) -> Cow<'_, str> {
    match field.ends_with(char::is_alphanumeric) {
        true => Cow::Owned(field.into_owned() + "."),
        false => field,
    }
}

/// Decides the state a draft enters in, or why it does not.
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
    let held: Vec<&Reason> = seen.iter().filter(weighs).collect();
    let outside =
        trust.tainted || matches!(trust.class, TrustClass::Distilled | TrustClass::Imported);
    let refused = held
        .iter()
        .filter(|reason| reason.level == SuspicionLevel::Refuse);
    let refused: Vec<Rejection> = refused
        .map(|reason| Rejection::Refused((*reason).clone()))
        .collect();
    if outside && !refused.is_empty() {
        return Err(refused);
    }
    let mut why: Vec<String> = held.iter().map(ToString::to_string).collect();
    if trust.tainted {
        why.push("content from outside had a part in it".to_owned());
    }
    why.extend(flaws.iter().map(|flaw| (*flaw).to_owned()));
    why.extend(
        policy_hold_reason(trust.class, policy)
            .filter(|_| why.is_empty())
            .map(str::to_owned),
    );
    Ok(if why.is_empty() {
        Status::Active
    } else {
        Status::Pending {
            why: wrap_clean(&neutralise(&why.join("; "))),
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
        TrustClass::Imported if policy.imported == EntryState::Pending => {
            Some("it came from a file, and nobody has looked at it")
        }
        TrustClass::Imported
        | TrustClass::Distilled
        | TrustClass::Derived
        | TrustClass::Agent
        | TrustClass::Person => None,
    }
}

#[cfg(test)]
mod tests;
