//! A draft of an item: its words, and where they stand as the evidence.

use hardwon_core::{
    Cause, Draft, Evidence, EvidenceKind, RawText, RunOutcome, Scope, Trust, TrustClass, limits,
};

use super::MemoryItem;

impl MemoryItem {
    /// Makes a draft of the item for a scope. `source` names its file as a person would.
    ///
    /// It is trusted as a file's word. Where it stands is part of the evidence's note and not of its reference, so that a
    /// file in which lines moved is no other source.
    pub fn to_draft(&self, source: &str, scope: Scope) -> Draft {
        let date = self.date.as_ref().map(|date| date.expose().trim());
        let date = date.and_then(|date| date.get(..10));
        let date = date.map_or_else(String::new, |date| format!(", {date}"));
        let evidence = Evidence {
            kind: EvidenceKind::WikiPage,
            reference: RawText::new(keep_end(source)),
            note: Some(RawText::new(format!("line {}{date}", self.line))),
        };
        Draft {
            scope,
            content: self.content.clone(),
            cause: Cause::Imported,
            outcome: RunOutcome::Mixed,
            evidence: vec![evidence],
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
    if chars <= limits::EVIDENCE_REF_CHARS {
        return source.to_owned();
    }
    let end = source.chars().skip(chars + 1 - limits::EVIDENCE_REF_CHARS);
    std::iter::once('\u{2026}').chain(end).collect()
}
