//! Shared by all ways to ask a model: the question, why a reply is no answer, and the origin of one that is.

use std::collections::BTreeSet;

use super::{
    InquiryOrigin,
    excerpt::sanitize_line,
    rules::find_names,
    words::{derive_title, normalize_tag},
};
use crate::{Draft, Evidence, LessonContent, RawText, Trust, TrustClass, limits, trigger};

/// The prompt that is sent to a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelPrompt {
    /// The system prompt: how to answer.
    pub system: String,
    /// The user message: what to answer.
    pub user: String,
}

impl ModelPrompt {
    /// Asks about lessons, each of them rendered; they are known to the model by their places from 1.
    pub fn about_lessons(system: &str, rendered: impl Iterator<Item = String>) -> Self {
        let rows: String = rendered.collect();
        Self {
            system: system.to_owned(),
            user: format!("BEGIN LESSONS\n{rows}END LESSONS\n"),
        }
    }
}

/// Why a reply is no answer. It gives nothing, and the model may be asked again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ModelReplyError {
    /// The reply is longer than an answer can be.
    #[error("the reply is longer than {} bytes", limits::MODEL_REPLY_BYTES)]
    Long,
    /// The reply contains no object of the form asked for, not even one that says nothing.
    #[error("the reply holds no JSON object of the form asked for")]
    NoObject,
    /// The reply contains no blocks.
    #[error("the reply holds no block of the form asked for")]
    NoBlocks,
    /// A required block is missing or not closed.
    #[error("the reply has no whole <{0}> block")]
    Missing(&'static str),
    /// The reply repeats the placeholders of the question.
    #[error("the reply repeats the form instead of filling it in")]
    Echo,
}

/// Returns what a reply says, without the model's thoughts.
///
/// # Errors
///
/// `Long` if it is no answer for that.
pub fn read_reply(reply: &RawText) -> Result<&str, ModelReplyError> {
    if reply.expose().len() > limits::MODEL_REPLY_BYTES {
        return Err(ModelReplyError::Long);
    }
    Ok(strip_thoughts(reply.expose()))
}

/// Writes a line of a question: a name and a text, cut to so many bytes. Empty if the text is.
pub fn write_line(name: &str, text: &str, bytes: usize) -> String {
    if text.trim().is_empty() {
        String::new()
    } else {
        format!("{name}: {}\n", sanitize_line(text, bytes))
    }
}

/// A lesson as a model words it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ModelLesson {
    pub(super) title: String,
    pub(super) situation: String,
    pub(super) mistake: String,
    pub(super) correction: String,
    pub(super) tags: Vec<String>,
}

impl ModelLesson {
    /// Builds the draft of a model: less trusted than all others but a file's, with our evidence.
    pub(super) fn into_draft(self, origin: &InquiryOrigin) -> Draft {
        let signature = match &origin.failure {
            Some(trouble) => trouble.signature.to_string(),
            None => find_signature(&format!("{} {}", self.situation, self.correction)),
        };
        let content = self.into_content(signature);
        let evidence = origin.runs().map(|run| {
            let mut evidence = Evidence::from_run(run);
            evidence.note = Some(RawText::from("a model read the record of the run"));
            evidence
        });
        Draft {
            scope: origin.scope.clone(),
            content,
            cause: origin.cause,
            outcome: origin.outcome,
            evidence: evidence.collect(),
            trust: Trust::new(TrustClass::Distilled, origin.tainted),
            confidence: limits::CONFIDENCE_DEFAULT,
            failure: origin.failure.as_ref().map(|failure| failure.key.clone()),
            expires_at: None,
            supersedes: Vec::new(),
            task: origin
                .task
                .as_ref()
                .map(|task| RawText::from(task.as_str())),
        }
    }

    /// Returns the lesson that the words are, bound to this signature.
    pub fn into_content(self, signature: String) -> LessonContent<RawText> {
        let text = RawText::new(self.correction.clone());
        let mut content = LessonContent::new(RawText::new(signature), text);
        let title = Some(self.title).filter(|title| !title.trim().is_empty());
        content.title = RawText::new(derive_title(&title.unwrap_or(self.correction)));
        let nonempty = |text: String| (!text.trim().is_empty()).then(|| RawText::new(text));
        content.situation = nonempty(self.situation);
        content.mistake = nonempty(self.mistake);
        let tags = self.tags.iter().filter_map(|name| normalize_tag(name));
        let tags: BTreeSet<String> = tags.collect();
        let tags = tags.into_iter().take(limits::TAGS);
        content.tags = tags.map(RawText::new).collect();
        content
    }
}

/// Returns the signature of a lesson that is not about one failure: the first command that it quotes, else the first
/// program, file, tool or error that it names; empty without any. Several in a row would name nothing, and what is none of
/// these calls for nothing.
fn find_signature(said: &str) -> String {
    let mut names = find_names(said);
    names.retain(|name| trigger::calls_for_lessons(name));
    let command = names.iter().find(|name| name.contains(' '));
    command.or(names.first()).cloned().unwrap_or_default()
}

/// Returns a reply without the model's thoughts, where the usual tags mark them. A thought without an opening tag
/// began before the reply; one that is not closed leaves nothing.
fn strip_thoughts(reply: &str) -> &str {
    const ENDS: [&str; 3] = ["</think>", "</thinking>", "</reasoning>"];
    let lower = reply.to_ascii_lowercase();
    let ends = ENDS
        .iter()
        .filter_map(|tag| Some(lower.rfind(tag)? + tag.len()));
    let end = ends.max().unwrap_or(0);
    let opens = |tag: &&str| lower[end..].trim_start().starts_with(&tag.replace('/', ""));
    if ENDS.iter().any(opens) {
        ""
    } else {
        &reply[end..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_is_a_command_or_an_error() {
        for (said, signature) in [
            (
                "Treat time as a first-class dependency of long-running jobs.",
                "",
            ),
            (
                "When `pnpm build` is slow, use a first-class cache.",
                "pnpm build",
            ),
            (
                "Use `datetime.now(tz)`; look at `src/clock.py`.",
                "src/clock.py",
            ),
            ("A connection is refused (`ECONNREFUSED`).", "ECONNREFUSED"),
            (
                "Run `./scripts/seed.sh --all` first.",
                "./scripts/seed.sh --all",
            ),
            ("Ask the reviewer.", ""),
        ] {
            assert_eq!(find_signature(said), signature, "{said}");
        }
    }

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
            assert_eq!(strip_thoughts(reply), rest, "{reply}");
        }
    }
}
