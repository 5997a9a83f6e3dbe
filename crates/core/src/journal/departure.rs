//! Where a lesson was before it was moved or erased, as the comment on that tells it.
//!
//! Whoever keeps a copy for a scope has to learn that a lesson left it, and nobody else has to learn of the lesson. The
//! comment holds a digest of the scope and not its names: these would stay in the journal when the lesson is erased.

use crate::{
    digest::{hash_parts, to_hex},
    limits,
    scope::Scope,
    text::CleanText,
};

/// What stands before the digest.
const MARK: &str = "from scope ";
/// Digits of the digest.
const DIGITS: usize = 16;

/// The scope that a lesson left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Departure(String);

impl Departure {
    /// Returns what is noted of a scope.
    #[must_use]
    pub fn from_scope(scope: &Scope) -> Self {
        let project = scope.project.as_ref().map_or("", |it| it.as_str());
        let parts = [
            "hardwon departure 1",
            scope.tenant.as_str(),
            scope.agent.as_str(),
            project,
        ];
        let digest = to_hex(&hash_parts(parts.map(str::as_bytes)));
        Self(digest[..DIGITS].to_owned())
    }

    /// Reads what a comment tells; `None` if it tells of no scope.
    #[must_use]
    pub fn read(comment: &CleanText) -> Option<Self> {
        let (_, digest) = comment.as_str().rsplit_once(MARK)?;
        (digest.len() == DIGITS).then(|| Self(digest.to_owned()))
    }

    /// Returns a comment without it; `None` if it tells nothing else.
    #[must_use]
    pub fn skip(comment: &CleanText) -> Option<&str> {
        let text = comment.as_str();
        let said = match Self::read(comment) {
            Some(_) => text.rsplit_once(MARK).map_or(text, |(said, _)| said),
            None => return Some(text),
        };
        Some(said.trim_end_matches(", ")).filter(|it| !it.is_empty())
    }

    /// Returns whether a lesson that left this scope may have been seen from another.
    #[must_use]
    pub fn was_visible_from(&self, scope: &Scope) -> bool {
        [scope, &scope.without_project()]
            .map(Self::from_scope)
            .contains(self)
    }

    /// Adds it to the rest of a comment.
    pub(super) fn add_to(&self, said: Option<CleanText>) -> CleanText {
        let told = format!("{MARK}{}", self.0);
        let room = limits::COMMENT_CHARS - told.chars().count() - 2;
        let text = match said {
            Some(said) => {
                let said: String = said.as_str().chars().take(room).collect();
                format!("{said}, {told}")
            }
            None => told,
        };
        CleanText::assume_clean(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::{AgentId, ProjectId, TenantId};

    fn clean(text: &str) -> CleanText {
        CleanText::assume_clean(text.to_owned())
    }

    fn scope(agent: &str, project: Option<&str>) -> Scope {
        Scope {
            tenant: TenantId::parse("t").unwrap(),
            agent: AgentId::parse(agent).unwrap(),
            project: project.map(|it| ProjectId::parse(it).unwrap()),
        }
    }

    #[test]
    fn a_comment_tells_whoever_saw_the_lesson_and_nobody_else() {
        let check = |left: Scope, from: Scope, expected: bool| {
            for said in [None, Some(clean("mill")), Some(clean(&"x".repeat(5000)))] {
                let comment = Departure::from_scope(&left).add_to(said);
                assert!(comment.as_str().chars().count() <= limits::COMMENT_CHARS);
                let told = Departure::read(&comment).unwrap();
                assert_eq!(told.was_visible_from(&from), expected, "{left:?} {from:?}");
            }
        };
        check(scope("a", Some("p")), scope("a", Some("p")), true);
        check(scope("a", None), scope("a", Some("p")), true);
        check(scope("a", None), scope("a", None), true);
        check(scope("a", Some("p")), scope("a", None), false);
        check(scope("a", Some("p")), scope("a", Some("q")), false);
        check(scope("b", Some("p")), scope("a", Some("p")), false);
        check(scope("b", None), scope("a", Some("p")), false);
        let skip = |said: Option<&str>| {
            let comment = Departure::from_scope(&scope("a", None)).add_to(said.map(clean));
            Departure::skip(&comment).map(str::to_owned)
        };
        assert_eq!(skip(Some("mill")).as_deref(), Some("mill"));
        assert_eq!(skip(None), None);
        let plain = clean("everywhere");
        assert_eq!(
            (Departure::read(&plain), Departure::skip(&plain)),
            (None, Some("everywhere"))
        );
    }
}
