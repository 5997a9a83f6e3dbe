//! A reviewer's verdict: one JSON object, wherever in the reply it stands, in one form.
//!
//! It counts only with the nonce that its reviewer was given: a branch may hold the text of a verdict, which a reply quotes,
//! but nobody who wrote the branch knows the nonce. Of several the strictest counts.
//!
//! Whatever contradicts itself is no verdict: one that approves and names fixes, or that fixed nothing it could show.

use serde::{Deserialize, Serialize};

use hardwon_core::{CleanText, RawText, limits, named_enum};
use hardwon_redact::{clean_to_chars, quote_error};

use super::places::{DiffAnchor, DiffPlaces};

named_enum! {
    /// What a reviewer decided.
    FinalVerdict {
        /// It may be delivered as it is.
        Approved = "approved",
        /// It may be delivered with the reviewer's fixes.
        Fixed = "fixed",
        /// It must not be delivered.
        Blocked = "blocked",
    }
}

/// One thing that a reviewer says. What is read from JSON has texts that nobody cleaned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewFinding<T> {
    /// What it is.
    pub what: T,
    /// Why it matters.
    pub why: Option<T>,
    /// Where, as far as the diff shows it: `path:line` or `path:first-last`.
    pub anchors: Vec<String>,
}

/// One thing that a reviewer says, clean.
pub type Finding = ReviewFinding<CleanText>;

impl<T> ReviewFinding<T> {
    /// Returns it with other texts.
    pub fn map<U>(&self, text: impl Fn(&T) -> U) -> ReviewFinding<U> {
        ReviewFinding {
            what: text(&self.what),
            why: self.why.as_ref().map(text),
            anchors: self.anchors.clone(),
        }
    }
}

/// A verdict that holds together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FinalReview {
    /// The verdict.
    pub verdict: FinalVerdict,
    /// What was fixed.
    pub fixes: Vec<Finding>,
    /// What stands in the way of a delivery.
    pub blockers: Vec<Finding>,
    /// What is left as it is, and should be known.
    pub risks: Vec<Finding>,
    /// Places that were named and are not in the diff.
    pub dropped_anchors: Vec<String>,
    /// The places that the reviewer edited, in all.
    pub edits: Vec<String>,
}

/// Why a reply is no verdict.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum VerdictFlaw {
    /// There is no such object in it.
    #[error("it has no JSON object with a `verdict` and the nonce that it was given")]
    Missing,
    /// An object has another form.
    #[error("its verdict has another form: {0}")]
    OffSchema(String),
    /// It contradicts itself.
    #[error("it says `{0}`, {1}")]
    Contradiction(&'static str, &'static str),
    /// It claims fixes and shows none in the diff.
    #[error("it claims fixes, and none of the places that it names is in the diff")]
    NoAnchor,
}

#[derive(Deserialize)]
struct VerdictForm {
    verdict: String,
    #[serde(default)]
    nonce: String,
    #[serde(default)]
    fixes: Vec<FindingForm>,
    #[serde(default)]
    blockers: Vec<FindingForm>,
    #[serde(default)]
    residual_risks: Vec<FindingForm>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum FindingForm {
    Words(String),
    Whole {
        what: String,
        why: Option<String>,
        #[serde(default)]
        anchors: Vec<String>,
    },
}

/// Parses a reply, and keeps only places that the diff shows; `nonce` is what the reviewer was given, no empty one.
///
/// # Errors
/// Why it is no verdict that could be acted on.
pub fn parse_verdict(
    reply: &RawText,
    nonce: &str,
    places: &DiffPlaces,
) -> Result<FinalReview, VerdictFlaw> {
    let (verdict, form) = find_strictest(reply.expose(), nonce)?;
    let mut losses = Vec::new();
    let mut read = |entries: Vec<FindingForm>| read_findings(entries, places, &mut losses);
    let review = FinalReview {
        verdict,
        fixes: read(form.fixes),
        blockers: read(form.blockers),
        risks: read(form.residual_risks),
        dropped_anchors: losses,
        edits: Vec::new(),
    };
    review.check_consistency()?;
    Ok(review)
}

impl FinalReview {
    fn check_consistency(&self) -> Result<(), VerdictFlaw> {
        let contradiction = |why| Err(VerdictFlaw::Contradiction(self.verdict.name(), why));
        match self.verdict {
            FinalVerdict::Approved if !self.fixes.is_empty() => contradiction("and names fixes"),
            FinalVerdict::Fixed if self.fixes.is_empty() => contradiction("and names no fix"),
            FinalVerdict::Blocked if self.blockers.is_empty() => {
                contradiction("and names no blocker")
            }
            FinalVerdict::Approved | FinalVerdict::Fixed if !self.blockers.is_empty() => {
                contradiction("and names blockers")
            }
            FinalVerdict::Fixed if self.fixes.iter().all(|fix| fix.anchors.is_empty()) => {
                Err(VerdictFlaw::NoAnchor)
            }
            _ => Ok(()),
        }
    }
}

/// Finds the strictest verdict of a reply with the nonce: a model may think aloud first, and change its mind.
fn find_strictest(reply: &str, nonce: &str) -> Result<(FinalVerdict, VerdictForm), VerdictFlaw> {
    let mut forms = Vec::new();
    collect_forms(reply, nonce, &mut forms)?;
    let mut unknown = VerdictFlaw::Missing;
    let mut strictest: Option<(FinalVerdict, VerdictForm)> = None;
    for form in forms {
        let Some(verdict) = FinalVerdict::from_name(&form.verdict) else {
            let verdict_text = quote_error(&form.verdict);
            let message = format!("{verdict_text:?} is neither approved, fixed nor blocked");
            unknown = VerdictFlaw::OffSchema(message);
            continue;
        };
        if strictest
            .as_ref()
            .is_none_or(|(other, _)| *other <= verdict)
        {
            strictest = Some((verdict, form));
        }
    }
    strictest.ok_or(unknown)
}

/// Collects the verdicts of a text that have the nonce, those in an envelope too.
fn collect_forms(text: &str, nonce: &str, forms: &mut Vec<VerdictForm>) -> Result<(), VerdictFlaw> {
    for object in find_objects(text, nonce)? {
        // What an engine tells as text in its own JSON has the nonce without escapes as well.
        if !object.contains(nonce) {
            continue;
        }
        match serde_json::from_str::<VerdictForm>(object) {
            Ok(form) if form.nonce == nonce => forms.push(form),
            Ok(_) => {}
            Err(error) => match find_enveloped(object) {
                Some(inner) if inner.len() < text.len() => collect_forms(&inner, nonce, forms)?,
                _ if is_verdict(object) => {
                    return Err(VerdictFlaw::OffSchema(quote_error(&error)));
                }
                _ => {}
            },
        }
    }
    Ok(())
}

fn is_verdict(object: &str) -> bool {
    let value: Result<serde_json::Value, _> = serde_json::from_str(object);
    value.is_ok_and(|value| value.get("verdict").is_some())
}

fn find_enveloped(object: &str) -> Option<String> {
    let value: serde_json::Value = serde_json::from_str(object).ok()?;
    let text = value.get("result").or_else(|| value.get("response"))?;
    text.as_str().map(str::to_owned)
}

/// Returns the outermost objects of a text up to the last place that has the nonce, whole JSON each. What is behind more
/// braces than are tried could say anything, so then there is no verdict.
fn find_objects<'a>(text: &'a str, nonce: &str) -> Result<Vec<&'a str>, VerdictFlaw> {
    let last = text.rfind(nonce).unwrap_or_default();
    let mut objects = Vec::new();
    let mut at = 0;
    let mut tries = limits::REVIEW_BRACES;
    while let Some(start) = text[at..].find('{').map(|start| at + start) {
        if start > last {
            break;
        }
        tries = tries.checked_sub(1).ok_or(VerdictFlaw::Missing)?;
        let mut stream = serde_json::Deserializer::from_str(&text[start..]).into_iter();
        at = match stream.next() {
            Some(Ok(serde::de::IgnoredAny)) => {
                let end = start + stream.byte_offset();
                objects.push(&text[start..end]);
                end
            }
            _ => start + 1,
        };
    }
    Ok(objects)
}

fn read_findings(
    entries: Vec<FindingForm>,
    places: &DiffPlaces,
    dropped: &mut Vec<String>,
) -> Vec<Finding> {
    let entries = entries.into_iter().take(limits::REVIEW_ENTRIES);
    let findings = entries.map(|entry| read_finding(entry, places, dropped));
    findings
        .filter(|finding| !finding.what.is_blank())
        .collect()
}

fn read_finding(entry: FindingForm, places: &DiffPlaces, dropped: &mut Vec<String>) -> Finding {
    let (what, why, anchors) = match entry {
        FindingForm::Words(what) => (what, None, Vec::new()),
        FindingForm::Whole { what, why, anchors } => (what, why, anchors),
    };
    let mut good_anchors = Vec::new();
    for text in anchors.iter().take(limits::REVIEW_ANCHORS) {
        match DiffAnchor::parse(text).filter(|anchor| places.shows(anchor)) {
            Some(anchor) => good_anchors.push(anchor.to_string()),
            None => dropped.push(clean_line(text).to_string()),
        }
    }
    let reason = why.map(|why| clean_line(&why));
    Finding {
        what: clean_line(&what),
        why: reason.filter(|reason| !reason.is_blank()),
        anchors: good_anchors,
    }
}

/// Cleans what a reviewer wrote: one line, so that it cannot begin a heading or a command where it is shown.
fn clean_line(text: &str) -> CleanText {
    let printable = text.replace(|c: char| c.is_control() && !c.is_whitespace(), "");
    let line = printable.split_whitespace().collect::<Vec<_>>().join(" ");
    clean_to_chars(&RawText::new(line), limits::REVIEW_ENTRY_CHARS)
}
