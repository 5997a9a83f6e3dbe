//! A draft of an item: its words, and where they stand as the evidence.

use hardwon_core::{
    evidence::{Evidence, EvidenceKind},
    lesson::{Cause, Draft, LessonContent, RunOutcome, Trust, TrustClass},
    limits,
    scope::Scope,
    text::RawText,
};

use super::{MemoryFormat, MemoryItem};

impl MemoryItem {
    /// Makes a draft of the item for a scope. `source` names its file as a person would.
    ///
    /// It is trusted as a file's word. Where it stands is part of the evidence's note and not of its reference, so that a
    /// file in which lines moved is no other source.
    #[must_use]
    pub fn to_draft(&self, format: MemoryFormat, source: &str, scope: Scope) -> Draft {
        let mut content = LessonContent::new("", self.text.clone());
        content.signature = self.signature.clone().unwrap_or_default();
        content.title = self.title.clone().unwrap_or_default();
        content.situation.clone_from(&self.situation);
        content.mistake.clone_from(&self.mistake);
        content.tags.clone_from(&self.tags);
        let date = self.date.as_ref().map(|it| it.expose().trim());
        let date = date.and_then(|it| it.get(..10)).map(|it| format!(", {it}"));
        let note = format!(
            "line {}, {}{}",
            self.line,
            format.describe(),
            date.unwrap_or_default()
        );
        let own = Evidence {
            kind: EvidenceKind::WikiPage,
            reference: RawText::new(keep_end(source)),
            note: Some(RawText::new(note)),
        };
        let cited = self.citations.iter().map(|it| Evidence {
            kind: EvidenceKind::WikiPage,
            reference: it.clone(),
            note: None,
        });
        Draft {
            scope,
            content,
            cause: Cause::Imported,
            outcome: RunOutcome::Mixed,
            evidence: std::iter::once(own).chain(cited).collect(),
            trust: Trust::untainted(TrustClass::Imported),
            confidence: limits::CONFIDENCE_DEFAULT,
            failure: None,
            expires_at: None,
            supersedes: Vec::new(),
            task: None,
        }
    }
}

/// Returns the end of a path, which tells more than its beginning, as long as a reference may be.
fn keep_end(source: &str) -> String {
    let chars = source.chars().count();
    match chars > limits::EVIDENCE_REF_CHARS {
        true => {
            let kept = source.chars().skip(chars + 1 - limits::EVIDENCE_REF_CHARS);
            std::iter::once('\u{2026}').chain(kept).collect()
        }
        false => source.to_owned(),
    }
}
