//! What both ways to ask a model share: the question, where its answer belongs, and how a reply is
//! relieved of what its author thought aloud.

use super::{
    rules::named_in,
    words::{tag, title_of},
};
use crate::{
    evidence::Evidence,
    id::RunId,
    lesson::{Cause, Content, Draft, Outcome, Trust, TrustClass},
    limits,
    scope::Scope,
    text::RawText,
};

/// What is sent to a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt {
    /// How to answer.
    pub system: String,
    /// What about.
    pub user: String,
}

/// Where the lessons of a reply belong. All of it is ours; none is taken from the reply.
#[derive(Debug, Clone, PartialEq)]
pub struct Origin {
    /// Where they would live.
    pub scope: Scope,
    /// The run that was asked about.
    pub run: RunId,
    /// Why it was asked about.
    pub cause: Cause,
    /// How it ended.
    pub outcome: Outcome,
    /// Whether content from outside had a part in it.
    pub tainted: bool,
}

/// A lesson as a model words it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Worded {
    pub(super) title: String,
    pub(super) situation: String,
    pub(super) mistake: String,
    pub(super) correction: String,
    pub(super) tags: Vec<String>,
}

impl Worded {
    /// Makes the draft of a model: the least trusted kind but for a file's, with our evidence.
    pub(super) fn draft(self, origin: &Origin) -> Draft {
        let said = format!("{} {}", self.situation, self.correction);
        let mut content = Content::new(
            RawText::new(named_in(&said).join(" ")),
            RawText::new(self.correction.clone()),
        );
        let title = Some(self.title).filter(|it| !it.trim().is_empty());
        content.title = RawText::new(title_of(&title.unwrap_or(self.correction)));
        let given = |text: String| (!text.trim().is_empty()).then(|| RawText::new(text));
        content.situation = given(self.situation);
        content.mistake = given(self.mistake);
        let mut tags: Vec<String> = self.tags.iter().filter_map(|name| tag(name)).collect();
        tags.sort();
        tags.dedup();
        content.tags = tags
            .into_iter()
            .take(limits::TAGS)
            .map(RawText::new)
            .collect();
        let mut evidence = Evidence::run(&origin.run);
        evidence.note = Some(RawText::from("a model read the record of the run"));
        Draft {
            scope: origin.scope.clone(),
            content,
            cause: origin.cause,
            outcome: origin.outcome,
            evidence: vec![evidence],
            trust: Trust {
                class: TrustClass::Distilled,
                tainted: origin.tainted,
            },
            confidence: limits::CONFIDENCE_DEFAULT,
            failure: None,
            expires_at: None,
            supersedes: Vec::new(),
        }
    }
}

/// Returns a reply without what its author thought aloud before it, where the usual tags say so.
/// A thought that has no beginning began before the reply; one without an end leaves nothing.
pub(super) fn without_thoughts(reply: &str) -> &str {
    const ENDS: [&str; 3] = ["</think>", "</thinking>", "</reasoning>"];
    let lower = reply.to_ascii_lowercase();
    let end = ENDS
        .iter()
        .filter_map(|tag| Some(lower.rfind(tag)? + tag.len()))
        .max();
    let rest = &reply[end.unwrap_or(0)..];
    let opens = lower[end.unwrap_or(0)..].trim_start();
    if ENDS
        .iter()
        .any(|tag| opens.starts_with(&tag.replace('/', "")))
    {
        return "";
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thoughts_are_left_out() {
        for (reply, rest) in [
            ("a", "a"),
            ("<think>\nmaybe <skip>?</think>a", "a"),
            ("so I skip</THINK>\na", "\na"),
            ("<thinking>x</thinking> <think>y</think>a", "a"),
            ("<think> and no end <skip>", ""),
            ("I <think> so", "I <think> so"),
            ("", ""),
        ] {
            assert_eq!(without_thoughts(reply), rest, "{reply}");
        }
    }
}
