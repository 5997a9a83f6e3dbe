//! The lesson: what it says, where it came from, its record, and its state.
//!
//! A [`Draft`] holds [`RawText`] and is anybody's proposal. A [`Lesson`] holds [`CleanText`] and
//! exists only because [`guard`](crate::guard) let a draft through and the store numbered
//! it. Counts are facts kept by the runtime, and what is believed of a lesson's effect
//! ([`Posterior`]) follows from them and from its author's word when it is read. Who adds to the counts
//! ([`credit`](crate::credit)), and which lessons are shown ([`rank`](crate::rank)), is not decided here.

mod counts;
mod posterior;
mod retirement;
mod sums;
mod trial;
mod trust;

use std::{collections::BTreeMap, fmt};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

pub use counts::{LessonCounts, RecordDelta};
pub(crate) use posterior::normal_cdf;
#[cfg(test)]
pub(crate) use posterior::round_to_i64;
pub use posterior::{GaussianMessage, Posterior};
pub use retirement::Retirement;
pub(crate) use retirement::{CROWDED_WORDS, WITHDRAWN_WORDS};
pub use trial::{Arm, EffectEstimate, Trial, TrialVerdict};
pub use trust::{Trust, TrustClass};

use crate::{CleanText, Evidence, LessonId, RawText, Scope, limits, named_enum::named_enum};

/// A lesson's readable name: `^[a-z][a-z0-9-]*[a-z0-9]$`, 2 to 80 characters (AIP-11).
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct Slug(String);

impl TryFrom<String> for Slug {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text).ok_or("it is not the name of a lesson's file")
    }
}

impl Slug {
    /// Parses a valid slug; `None` if the text is not one.
    pub fn parse(text: &str) -> Option<Self> {
        let length = (limits::SLUG_CHARS_MIN..=limits::SLUG_CHARS_MAX).contains(&text.len());
        let first = text.starts_with(|c: char| c.is_ascii_lowercase());
        let last = text.ends_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit());
        let all = text
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
        (length && first && last && all).then(|| Self(text.to_owned()))
    }

    /// Derives a slug from any text, which every system can name a file after; one without ASCII letters becomes `lesson`.
    pub fn from_text(text: &str) -> Self {
        let mut slug = String::new();
        for c in text.chars() {
            let c = c.to_ascii_lowercase();
            if c.is_ascii_lowercase() || (c.is_ascii_digit() && !slug.is_empty()) {
                slug.push(c);
            } else if !slug.is_empty() && !slug.ends_with('-') {
                slug.push('-');
            }
            if slug.len() == limits::SLUG_CHARS_MAX {
                break;
            }
        }
        let slug = slug.trim_end_matches('-');
        let slug = Self::parse(slug).unwrap_or_else(|| Self("lesson".to_owned()));
        slug.avoid_device_name()
    }

    /// Returns the slug, or another one if Windows takes a file of that name for a device. What is called so already keeps
    /// its name; only new files and new lessons avoid it.
    pub fn avoid_device_name(&self) -> Self {
        if is_device_name(&self.0) {
            Self(format!("{}-lesson", self.0))
        } else {
            self.clone()
        }
    }

    /// Appends a number to the slug, for when the slug is taken.
    pub fn with_number(&self, number: u32) -> Self {
        let number = format!("-{number}");
        let room = limits::SLUG_CHARS_MAX - number.len();
        let head = &self.0[..room.min(self.0.len())];
        Self(format!("{}{number}", head.trim_end_matches('-')))
    }

    /// Returns the slug as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Returns whether Windows takes a file of this name for a device, whatever it ends with: `con.md` is the console. Git refuses
/// to check such a file out there.
pub fn is_device_name(stem: &str) -> bool {
    let stem = stem.to_ascii_lowercase();
    let port = ["com", "lpt"]
        .iter()
        .find_map(|mark| stem.strip_prefix(mark));
    let is_port = port.is_some_and(|port| matches!(port.as_bytes(), [b'0'..=b'9']));
    is_port || ["aux", "con", "nul", "prn"].contains(&stem.as_str())
}

impl fmt::Display for Slug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

named_enum! {
    /// What caused the lesson to be learned.
    Cause {
        /// A call failed.
        Error = "error",
        /// A verifier found a claim to be false.
        Hallucination = "hallucination",
        /// The result got a low score.
        LowQuality = "low_quality",
        /// Somebody wrote it down.
        Manual = "manual",
        /// A person corrected the agent.
        Correction = "correction",
        /// A repair loop needed more than one attempt.
        Retried = "retried",
        /// A repair loop gave up and asked for help.
        Escalated = "escalated",
        /// A debugging session named a root cause.
        Debugged = "debugged",
        /// A review fixed or flagged something.
        Reviewed = "reviewed",
        /// Several lessons were merged.
        Merged = "merged",
        /// It was imported from a file.
        Imported = "imported",
    }
}

named_enum! {
    /// How the runs that taught the lesson ended (AIP-11 `outcome`).
    RunOutcome {
        /// The runs succeeded.
        Success = "success",
        /// The runs failed.
        Failure = "failure",
        /// Some runs succeeded and some failed.
        Mixed = "mixed",
    }
}

named_enum! {
    /// The kind of name that a [`LessonTarget`] matches (AIP-11 `trigger.targets`).
    TargetKind {
        /// The operator the agent works for.
        Operator = "operator",
        /// The agent's role.
        Role = "role",
        /// A skill in use.
        Skill = "skill",
    }
}

/// The audience of a lesson; with targets present a recall must match one of them as well as a tag.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct LessonTarget<T = CleanText> {
    /// The kind of name that is matched.
    pub kind: TargetKind,
    /// The name, with `*` for any sequence of characters.
    pub glob: T,
}

/// What a lesson says. `T` is [`RawText`] in a draft and [`CleanText`] in a lesson.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LessonContent<T = CleanText> {
    /// A line in the imperative, 1 to 200 characters.
    pub title: T,
    /// The short pattern that calls for the lesson, such as `/fetch behind cloudflare`; may be empty.
    pub signature: T,
    /// What to do or avoid; at most 4,096 characters.
    pub text: T,
    /// The situation in which it applies.
    pub situation: Option<T>,
    /// What went wrong before.
    pub mistake: Option<T>,
    /// Topics, for matching; at most 12.
    pub tags: Vec<T>,
    /// The audience; empty means everybody.
    pub targets: Vec<LessonTarget<T>>,
    /// The tools or commands that it is about.
    pub tools: Vec<T>,
    /// The caller's own name for it (`ref` in JSON lines): a label, not a key.
    pub reference: Option<T>,
    /// Unknown fields that other programs added, by vendor, as JSON text.
    pub metadata: BTreeMap<String, T>,
}

impl<T> LessonContent<T> {
    /// Applies `f` to every text of the content.
    pub fn map<U>(&self, mut f: impl FnMut(&T) -> U) -> LessonContent<U> {
        LessonContent {
            title: f(&self.title),
            signature: f(&self.signature),
            text: f(&self.text),
            situation: self.situation.as_ref().map(&mut f),
            mistake: self.mistake.as_ref().map(&mut f),
            tags: self.tags.iter().map(&mut f).collect(),
            targets: (self.targets.iter())
                .map(|target| LessonTarget {
                    kind: target.kind,
                    glob: f(&target.glob),
                })
                .collect(),
            tools: self.tools.iter().map(&mut f).collect(),
            reference: self.reference.as_ref().map(&mut f),
            metadata: (self.metadata.iter())
                .map(|(k, v)| (k.clone(), f(v)))
                .collect(),
        }
    }
}

impl<T: Default> LessonContent<T> {
    /// Creates content from the two parts that every lesson has; the title is left empty, and the guard derives it
    /// from the text.
    pub fn new(signature: impl Into<T>, text: impl Into<T>) -> Self {
        Self {
            title: T::default(),
            signature: signature.into(),
            text: text.into(),
            situation: None,
            mistake: None,
            tags: Vec::new(),
            targets: Vec::new(),
            tools: Vec::new(),
            reference: None,
            metadata: BTreeMap::new(),
        }
    }
}

/// The entry of a lesson's metadata in which a person said whether it holds the first call that it names.
pub const HOLD_ENTRY: &str = "hardwon.hold";

/// The entry of a lesson's metadata in which a person corrected its triggers: a JSON list of texts, each a plus or a minus sign
/// and what it is about.
pub const TRIGGERS_ENTRY: &str = "hardwon.triggers";

/// A person's corrections of what a lesson comes up at.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TriggerEdit {
    /// Commands, paths, tools and the like at which it comes up.
    pub adds: Vec<RawText>,
    /// Those at which it does not; [`EVERY_CALL`] for all.
    pub removes: Vec<RawText>,
}

/// What a person names to keep a lesson from every call and failure: it comes up at prompts alone.
pub const EVERY_CALL: &str = "all";

/// Returns whether a correction keeps a lesson from every call.
fn is_every_call((is_one_more, about): &(bool, String)) -> bool {
    !is_one_more && about == EVERY_CALL
}

impl LessonContent<RawText> {
    /// Corrects what the lesson comes up at. The opposite of an earlier correction takes it back.
    pub fn correct_triggers(&mut self, edit: &TriggerEdit) {
        let entry = self.metadata.get(TRIGGERS_ENTRY);
        let mut all: Vec<String> = entry
            .and_then(|entry| serde_json::from_str(entry.expose()).ok())
            .unwrap_or_default();
        let adds = edit.adds.iter().map(|what| ('+', what.expose().trim()));
        let removes = edit.removes.iter().map(|what| ('-', what.expose().trim()));
        let mut edits: Vec<(char, &str)> = adds.chain(removes).collect();
        // Only what stands after it counts, and what is named beside it does.
        edits.sort_by_key(|edit| *edit != ('-', EVERY_CALL));
        for (sign, what) in edits {
            let correction = format!("{sign}{what}");
            let earlier = all
                .iter()
                .position(|old| old.get(1..) == correction.get(1..));
            match earlier.map(|at| all.remove(at)) {
                Some(opposite) if opposite != correction => {}
                _ => all.push(correction),
            }
        }
        let entry = serde_json::Value::from(all).to_string();
        self.metadata
            .insert(TRIGGERS_ENTRY.to_owned(), entry.into());
    }

    /// Says whether the lesson holds the first call that it names.
    pub fn set_hold(&mut self, holds: bool) {
        let entry = RawText::from(holds.to_string());
        self.metadata.insert(HOLD_ENTRY.to_owned(), entry);
    }
}

impl LessonContent {
    /// Returns the content without what other programs added to it.
    #[must_use]
    pub fn without_foreign_metadata(mut self) -> Self {
        let own = [HOLD_ENTRY, TRIGGERS_ENTRY];
        self.metadata.retain(|name, _| own.contains(&&**name));
        self
    }

    /// Returns whether a person keeps it from every call and failure, but for what they named after that.
    pub fn is_kept_from_calls(&self) -> bool {
        self.has_correction(false, EVERY_CALL)
    }

    /// Returns whether a person said that it comes up at something, or that it does not.
    pub fn has_correction(&self, is_one_more: bool, about: &str) -> bool {
        let corrections = self.trigger_corrections();
        corrections.contains(&(is_one_more, about.trim().to_owned()))
    }

    /// Returns the corrections that a person made after keeping it from every call; `None` if they do not keep it.
    pub(crate) fn later_corrections(&self) -> Option<Vec<(bool, String)>> {
        let mut corrections = self.trigger_corrections();
        let place = corrections.iter().rposition(is_every_call)?;
        Some(corrections.split_off(place + 1))
    }

    /// Returns a person's corrections of what it comes up at: whether each is one more or one less, and what it is about.
    pub(crate) fn trigger_corrections(&self) -> Vec<(bool, String)> {
        let entry = self.metadata.get(TRIGGERS_ENTRY);
        let all: Vec<String> = entry
            .and_then(|entry| serde_json::from_str(entry.as_str()).ok())
            .unwrap_or_default();
        let read = |it: String| match it.strip_prefix('-') {
            Some(what) => (false, what.to_owned()),
            None => (true, it.trim_start_matches('+').to_owned()),
        };
        let usable = all
            .into_iter()
            .filter(|correction| correction.len() <= limits::CORRECTION_BYTES);
        let mut corrections: Vec<(bool, String)> = usable.map(read).collect();
        let mut surplus = corrections.len().saturating_sub(limits::TRIGGERS);
        corrections.retain(|correction| {
            let is_dropped = surplus > 0 && !is_every_call(correction);
            surplus -= usize::from(is_dropped);
            !is_dropped
        });
        corrections
    }
}

/// The failure that a lesson is about: a hash of tool and normalised error, so that the same failure is recognised in
/// other runs. Created by [`capture`](crate::capture).
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FailureKey(String);

impl FailureKey {
    /// Creates a key from hexadecimal digits, as computed by capture or read from the store.
    pub fn new(hex: String) -> Self {
        Self(hex)
    }

    /// Returns the key as lower-case hexadecimal digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A proposal for a lesson, by rules, a model, an agent, a person or a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Draft {
    /// The scope that the lesson would belong to.
    pub scope: Scope,
    /// What the lesson would say.
    pub content: LessonContent<RawText>,
    /// What caused it.
    pub cause: Cause,
    /// How the runs behind it ended.
    pub outcome: RunOutcome,
    /// The sources that support it; at least one.
    pub evidence: Vec<Evidence<RawText>>,
    /// The trust of its source.
    pub trust: Trust,
    /// The author's own confidence in it, 0 to 1.
    pub confidence: f64,
    /// The failure it is about, if there is one.
    pub failure: Option<FailureKey>,
    /// When it stops being true; `None` if never.
    pub expires_at: Option<Timestamp>,
    /// The lessons that it replaces.
    pub supersedes: Vec<LessonId>,
    /// The task during which it was learned, if known.
    pub task: Option<RawText>,
}

/// The state of a lesson. Nothing is deleted except at a person's request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Status {
    /// The lesson may be recalled.
    Active,
    /// The lesson waits for review by a person.
    Pending {
        /// Why the guard did not admit it at once.
        why: CleanText,
    },
    /// The lesson was taken out because it probably does harm.
    Quarantined {
        /// The evidence against it.
        why: CleanText,
    },
    /// A better lesson replaced it.
    Superseded {
        /// The lesson that replaced it.
        by: LessonId,
    },
    /// The lesson is no longer active but stays on record.
    Archived {
        /// Why it was archived, and with that what brings it back.
        by: Retirement,
        /// The same in words.
        why: CleanText,
    },
}

impl Status {
    /// Returns whether it has left for good: archived, or replaced by another.
    pub fn is_retired(&self) -> bool {
        matches!(self, Self::Archived { .. } | Self::Superseded { .. })
    }

    /// Returns the name of the state in JSON and SQL.
    pub fn name(&self) -> &'static str {
        StatusName::from_status(self).name()
    }

    /// Returns the word that people read for the state.
    pub fn word(&self) -> &'static str {
        StatusName::from_status(self).word()
    }
}

named_enum! {
    /// A lesson's state without its details.
    StatusName {
        /// It may be recalled, unless it expired.
        Active = "active",
        /// It waits for a person to decide.
        Pending = "pending",
        /// It was taken out because it probably does harm.
        Quarantined = "quarantined",
        /// A better lesson took its place.
        Superseded = "superseded",
        /// It left the active set.
        Archived = "archived",
    }
}

impl StatusName {
    /// Returns the name of a status.
    pub fn from_status(status: &Status) -> Self {
        match status {
            Status::Active => Self::Active,
            Status::Pending { .. } => Self::Pending,
            Status::Quarantined { .. } => Self::Quarantined,
            Status::Superseded { .. } => Self::Superseded,
            Status::Archived { .. } => Self::Archived,
        }
    }

    /// Returns the word that people read: they delete what is stored as archived.
    pub fn word(self) -> &'static str {
        match self {
            Self::Archived => "deleted",
            state => state.name(),
        }
    }
}

/// A draft as the guard admitted it: all of a lesson except its number and its record.
#[derive(Debug, Clone, PartialEq)]
pub struct AdmittedLesson {
    /// The scope that it belongs to.
    pub scope: Scope,
    /// Its readable name.
    pub slug: Slug,
    /// What the lesson says.
    pub content: LessonContent,
    /// What caused it.
    pub cause: Cause,
    /// How the runs behind it ended.
    pub outcome: RunOutcome,
    /// The sources that support it; at least one.
    pub evidence: Vec<Evidence>,
    /// The trust of its source.
    pub trust: Trust,
    /// The author's own confidence in it, 0 to 1.
    pub confidence: f64,
    /// The failure it is about, if there is one.
    pub failure: Option<FailureKey>,
    /// Its state: active on admission, or pending with the reason.
    pub status: Status,
    /// When it stops being true; `None` if never.
    pub expires_at: Option<Timestamp>,
    /// The lessons that it replaces.
    pub supersedes: Vec<LessonId>,
    /// The task during which it was learned, at most [`limits::TASK_CHARS`] characters: the same kind of task finds
    /// it by these words. They are no part of what it says: never shown, exported, synced or sent to a model, and in
    /// no hash of the journal.
    pub task: Option<CleanText>,
}

/// Something that an agent learned the hard way, admitted and numbered.
#[derive(Debug, Clone, PartialEq)]
pub struct Lesson {
    /// The lesson's number.
    pub id: LessonId,
    /// The lesson as admitted, with later changes to its words, metadata and state.
    pub admitted: AdmittedLesson,
    /// Its record since then.
    pub counts: LessonCounts,
    /// Lessons that say the opposite; both are kept, and both are marked.
    pub contradicts: Vec<LessonId>,
    /// When it was admitted.
    pub created: Timestamp,
    /// When its words or its state last changed.
    pub updated: Timestamp,
}

impl std::ops::Deref for Lesson {
    type Target = AdmittedLesson;

    fn deref(&self) -> &AdmittedLesson {
        &self.admitted
    }
}

impl AdmittedLesson {
    /// Returns a draft that says the same, for the guard to look at it again.
    pub fn to_draft(&self) -> Draft {
        let raw = |text: &CleanText| RawText::from(text.as_str());
        Draft {
            scope: self.scope.clone(),
            content: self.content.map(raw),
            cause: self.cause,
            outcome: self.outcome,
            evidence: self.evidence.iter().map(|source| source.map(raw)).collect(),
            trust: self.trust,
            confidence: self.confidence,
            failure: self.failure.clone(),
            expires_at: self.expires_at,
            supersedes: self.supersedes.clone(),
            task: self.task.as_ref().map(raw),
        }
    }
}

impl Lesson {
    /// Returns a lesson that is not kept yet, without number and record.
    pub fn from_unkept(admitted: AdmittedLesson, at: Timestamp) -> Self {
        Self {
            id: LessonId(0),
            admitted,
            counts: LessonCounts::default(),
            contradicts: Vec::new(),
            created: at,
            updated: at,
        }
    }

    /// Returns whether it is an agent's word alone: no failure is behind it, and no occasion has borne it out.
    pub fn is_unconfirmed(&self) -> bool {
        let is_word = self.trust.class == TrustClass::Agent && self.failure.is_none();
        is_word && self.counts.helped == 0 && self.counts.went_well == 0
    }

    /// Returns whether another lesson says the opposite: both are marked, and the other is active or waits for review
    /// at this time.
    pub fn is_contradicted_by(&self, other: &Self, now: Timestamp) -> bool {
        let is_meant = other.is_recallable(now) || matches!(other.status, Status::Pending { .. });
        is_meant && self.contradicts.contains(&other.id) && other.contradicts.contains(&self.id)
    }

    /// Returns the posterior of its effect.
    pub fn posterior(&self) -> Posterior {
        Posterior::from_trust(self.trust, self.counts.gaussian_message)
    }

    /// Returns whether it did more harm than good, so that it is shown as a caution. This is judged by the outcomes
    /// that count by themselves, or by the posterior that all of them led to.
    pub fn is_caution(&self) -> bool {
        self.caution_reason().is_some()
    }

    /// Returns in a few words why it is a caution; `None` if it is not.
    pub fn caution_reason(&self) -> Option<String> {
        let counts = &self.counts;
        let was_tried = counts.gaussian_message != GaussianMessage::default();
        if counts.is_caution() {
            Some(counts.describe_caution())
        } else if was_tried && self.posterior().mean < 0.0 {
            let runs = counts.went_well + counts.went_badly;
            Some(match counts.went_badly {
                0 => "what came of it speaks against it".to_owned(),
                badly => format!("{badly} of {runs} runs with it went badly"),
            })
        } else {
            None
        }
    }

    /// Returns whether so many runs in a row did not follow it that it ranks behind others.
    pub fn is_not_followed(&self) -> bool {
        self.counts.not_followed >= limits::NOT_FOLLOWED_RUNS
    }

    /// Returns whether it holds the first call that it names. Only a person's lesson does; what it says itself comes before
    /// the setting for all.
    pub fn holds_calls(&self, by_default: bool) -> bool {
        let entry = self.content.metadata.get(HOLD_ENTRY);
        let holds = entry.map_or(by_default, |entry| entry.as_str() == "true");
        holds && self.trust == Trust::untainted(TrustClass::Person)
    }

    /// Returns whether it may be recalled at this time.
    pub fn is_recallable(&self, now: Timestamp) -> bool {
        self.status == Status::Active && self.expires_at.is_none_or(|end| now < end)
    }

    /// Returns whether a sweep deleted it because nobody had needed it, and nothing else: it is back when its moment comes.
    pub fn waits_for_moment(&self, now: Timestamp) -> bool {
        let by = Retirement::NeverNeeded;
        matches!(&self.status, Status::Archived { by: reason, .. } if *reason == by)
            && self.expires_at.is_none_or(|end| now < end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        /// A file that is named after a slug has the same name on every system, and no other slug's file has that one there.
        #[test]
        fn a_slug_of_any_text_names_a_file_everywhere(text in "(?i)(con|nul|prn|aux|com|lpt)?\\PC{0,12}") {
            let slug = Slug::from_text(&text);
            let name = slug.as_str();
            proptest::prop_assert!(!is_device_name(name), "{name}");
            proptest::prop_assert!(!name.ends_with(['.', ' ']), "{name}");
            proptest::prop_assert_eq!(name.to_lowercase(), name);
            proptest::prop_assert_eq!(Slug::parse(name), Some(slug.clone()));
        }
    }

    #[test]
    fn slugs() {
        for good in ["ab", "verify-page-id", "a1"] {
            assert!(Slug::parse(good).is_some(), "{good}");
        }
        for bad in ["a", "1a", "-ab", "ab-", "Ab", "a b", &"a".repeat(81)] {
            assert!(Slug::parse(bad).is_none(), "{bad}");
        }
        for (text, slug) in [
            ("Use `npm run test:unit`", "use-npm-run-test-unit"),
            ("404: not found!", "not-found"),
            ("???", "lesson"),
            ("日本語", "lesson"),
            ("x", "lesson"),
            // Devices of Windows, and what only looks like one.
            ("Con", "con-lesson"),
            ("nul.", "nul-lesson"),
            ("PRN ", "prn-lesson"),
            ("`aux`", "aux-lesson"),
            ("COM1", "com1-lesson"),
            ("lpt9", "lpt9-lesson"),
            ("com", "com"),
            ("com10", "com10"),
            ("con.txt", "con-txt"),
            ("Console", "console"),
        ] {
            assert_eq!(Slug::from_text(text).as_str(), slug);
        }
        assert!(Slug::parse(Slug::from_text(&"ab ".repeat(100)).as_str()).is_some());
        for (slug, number, expected) in [
            ("ab", 2, "ab-2".to_owned()),
            (&"a".repeat(80), 10, format!("{}-10", "a".repeat(77))),
            (
                &format!("{}-b", "a".repeat(77)),
                2,
                format!("{}-2", "a".repeat(77)),
            ),
        ] {
            let numbered = Slug::parse(slug).unwrap().with_number(number);
            assert_eq!(numbered.as_str(), expected);
            assert_eq!(Slug::parse(numbered.as_str()), Some(numbered));
        }
    }
}
