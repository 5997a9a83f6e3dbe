//! The form of a plan: what a command would do, shown before it is done.
//!
//! A command looks, shows a plan, and carries out a plan that it is given. Between the two anything may have changed,
//! so a plan holds a digest of what it was made from ([`PlanBasis`]), and is refused where that is another one now. Its
//! [`PlanId`] is made from what it says, so the same plan has the same name wherever it is made. What plans are about
//! is not known here.

use std::fmt;

use hardwon_core::{
    Change, Evidence, Lesson,
    digest::{hash_parts, to_hex},
    vector::content_fingerprint,
};

/// How many hexadecimal digits name a plan.
const ID_DIGITS: usize = 12;

/// A digest of everything that a plan was made from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanBasis(String);

impl PlanBasis {
    /// Digests lessons, in whatever order they come: their words, their state, their author and their evidence. How
    /// often they were shown is no part of it, because that changes while a person reads the plan.
    pub fn from_lessons<'a>(lessons: impl IntoIterator<Item = &'a Lesson>) -> Self {
        let mut rows: Vec<String> = lessons.into_iter().map(describe_lesson).collect();
        rows.sort_unstable();
        Self(to_hex(&hash_parts(rows.iter().map(String::as_bytes))))
    }

    /// Digests this basis together with texts, such as the files that a plan is about.
    pub fn with_texts<'a>(&'a self, texts: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let parts = std::iter::once(self.0.as_bytes()).chain(texts);
        Self(to_hex(&hash_parts(parts)))
    }

    /// Restores a basis that was written down; `None` if it is none.
    pub fn parse(text: &str) -> Option<Self> {
        let is_digest = text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_digest.then(|| Self(text.to_ascii_lowercase()))
    }

    /// Returns the digest as hexadecimal digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn describe_lesson(lesson: &Lesson) -> String {
    let scope = &lesson.scope;
    format!(
        "{} {:?} {} {:?} {} {:016x} {} {:?} {:?} {:?} {}",
        lesson.id.0,
        scope.agent.as_str(),
        lesson.status.name(),
        scope.project,
        lesson.trust.class.name(),
        content_fingerprint(&lesson.content),
        lesson.evidence.len(),
        lesson.trust.tainted,
        lesson.expires_at,
        lesson.contradicts,
        lesson.updated,
    )
}

/// The name of a plan: the first digits of a digest of what it says.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PlanId(String);

impl PlanId {
    /// Names a plan by its basis and the items that it consists of.
    pub fn from_items<'a>(basis: &'a PlanBasis, items: impl IntoIterator<Item = &'a str>) -> Self {
        let parts = std::iter::once(basis.as_str()).chain(items);
        let mut id = to_hex(&hash_parts(parts.map(str::as_bytes)));
        id.truncate(ID_DIGITS);
        Self(id)
    }

    /// Parses a name; `None` if no plan can have it.
    pub fn parse(text: &str) -> Option<Self> {
        let is_id = text.len() == ID_DIGITS
            && text
                .bytes()
                .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        is_id.then(|| Self(text.to_owned()))
    }

    /// Returns the name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for PlanId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Returns the change that takes another one back, as far as `before`, the lesson as it was, tells; `None` where
/// nothing is to be taken back.
pub fn reverse_change(change: &Change, before: &Lesson) -> Option<Change> {
    let id = before.id;
    match change {
        Change::SetStatus { .. } | Change::Supersede { .. } | Change::Approve { .. } => {
            Some(Change::SetStatus {
                id,
                status: before.status.clone(),
            })
        }
        Change::Reinforce { evidence, .. } => {
            let is_same =
                |a: &Evidence, b: &Evidence| a.kind == b.kind && a.reference == b.reference;
            let is_new = |it: &&Evidence| !before.evidence.iter().any(|old| is_same(old, it));
            let evidence: Vec<_> = evidence.iter().filter(is_new).cloned().collect();
            (!evidence.is_empty()).then_some(Change::Retract { id, evidence })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_is_named_by_what_it_says() {
        let basis = PlanBasis::from_lessons([]);
        assert_eq!(PlanBasis::parse(basis.as_str()), Some(basis.clone()));
        assert_eq!(PlanBasis::parse("0f"), None);
        let id = PlanId::from_items(&basis, ["a", "b"]);
        assert_eq!(PlanId::parse(id.as_str()), Some(id.clone()));
        assert_ne!(PlanId::from_items(&basis, ["a"]), id);
        assert_eq!(PlanId::parse("Not an id!!!"), None);
    }
}
