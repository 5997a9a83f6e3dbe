//! The rules of `learning/v1`, checked one field at a time.
//!
//! A rule that makes a file no lesson is an error; one that a good lesson may break is a warning.
//! The official examples break some, so a field that nobody knows, a missing heading and a
//! replaced lesson that is not there do not keep a file out.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde_json::Value as Json;

use super::{
    SCHEMA, VENDOR,
    file::{Part, Parts, line_of, meant},
    finding::{Code, Finding, Severity},
    said::{Claims, Said, is_tag},
    yaml::{Entry, Node, Value},
};
use crate::{
    evidence::{Evidence, EvidenceKind},
    lesson::{Content, FailureKey, Outcome, Slug, Target, TargetKind},
    limits,
    redact::{self, redact},
    text::RawText,
};

/// Most findings about one file.
const FINDINGS: usize = 100;

/// The fields of a front matter.
pub(super) const FIELDS: &[&str] = &[
    "schema",
    "slug",
    "title",
    "trigger",
    "outcome",
    "evidence",
    "confidence",
    "success_count",
    "failure_count",
    "supersedes",
    "expires_at",
    "metadata",
];
const TRIGGER: &[&str] = &["description", "tags", "targets", "metadata"];
const TARGET: &[&str] = &["operator", "role", "skill"];
const EVIDENCE: &[&str] = &["kind", "ref", "note"];

/// Checks a file and reads what it says; nothing if too much is missing.
pub(super) fn check(
    stem: Option<&str>,
    source: &str,
    parts: &Parts,
) -> (Option<Said<RawText>>, Vec<Finding>) {
    let mut desk = Desk {
        source,
        start: parts.front_at.start,
        findings: Vec::new(),
    };
    let said = desk.said(stem, parts);
    (said, desk.findings)
}

/// Returns why a file's targets are not understood, if they are not: its lesson would be shown to
/// others than it names.
pub(super) fn unclear_targets(front: &Node) -> Option<&'static str> {
    let trigger = front.get(&["trigger"])?;
    let targets = match trigger.get(&["targets"]).map(|it| &it.value) {
        Some(Value::List(targets)) => &targets[..],
        _ => &[],
    };
    let is_known = |node: &Node, fields: &[&str]| match &node.value {
        Value::Map(entries) => entries.iter().all(|it| fields.contains(&it.key.as_str())),
        _ => true,
    };
    if !is_known(trigger, TRIGGER) || !targets.iter().all(|it| is_known(it, TARGET)) {
        return Some(UNKNOWN_TARGET);
    }
    let names_several = |it: &Node| matches!(&it.value, Value::Map(names) if names.len() > 1);
    targets.iter().any(names_several).then_some(JOINT_TARGET)
}

const UNKNOWN_TARGET: &str =
    "what it is for is not understood, so it would be shown to others as well";
const JOINT_TARGET: &str = "a target that names several things would match on each of them";

/// Where a file's fields are read and what is wrong with them is noted.
struct Desk<'a> {
    source: &'a str,
    start: usize,
    findings: Vec<Finding>,
}

impl Desk<'_> {
    fn said(&mut self, stem: Option<&str>, parts: &Parts) -> Option<Said<RawText>> {
        let front = &parts.front;
        self.known(front, "", FIELDS);
        let schema = self.needed(front, "", "schema");
        if schema.is_some_and(|it| it.json() != SCHEMA) {
            self.error(schema, "schema", &format!("it must be {SCHEMA}"));
        }
        let slug = self.slug(front, stem);
        let title = self.needed_text(front, "", "title", limits::TITLE_CHARS);
        let outcome = self.word(front, "", "outcome", "success, failure or mixed", |it| {
            Outcome::from_name(it)
        });
        let trigger = self.needed(front, "", "trigger");
        let trigger = trigger.filter(|it| self.is_map(it, "trigger"));
        let description = trigger.and_then(|trigger| {
            self.known(trigger, "trigger.", TRIGGER);
            self.needed_text(trigger, "trigger.", "description", limits::SITUATION_CHARS)
        });
        let tags = trigger.map_or_else(Vec::new, |it| self.tags(it));
        let targets = trigger.map_or_else(Vec::new, |it| self.targets(it));
        if let Some(metadata) = trigger.and_then(|it| it.get(&["metadata"])) {
            self.is_map(metadata, "trigger.metadata");
        }
        self.breadth(front, &tags, &targets);
        let evidence = self.evidence(front);
        let confidence = self.confidence(front);
        let claims = Claims {
            success: self.count(front, "success_count"),
            failure: self.count(front, "failure_count"),
        };
        let supersedes = self.supersedes(front);
        let expires_at = self.expires_at(front);
        let metadata = front.get(&["metadata"]);
        let metadata = metadata.filter(|it| self.is_map(it, "metadata"));
        self.headings(parts);
        let (slug, title, description) = (slug?, title?, description?);
        let own = Own::of(metadata.and_then(|it| it.get(&[VENDOR])));
        let derived = if own.signature.is_empty() {
            &title
        } else {
            &own.signature
        };
        let situation = (description != *derived).then(|| description.into());
        let advice = parts.advice_at(self.source).filter(|at| !at.is_empty());
        let mistake = parts.section(Part::Mistake).map(|it| it.text_at.clone());
        Some(Said {
            slug,
            outcome: outcome?,
            evidence,
            confidence,
            claims,
            supersedes,
            expires_at,
            failure: own.failure,
            content: Content {
                text: advice
                    .map_or_else(|| title.clone(), |at| meant(self.source, at))
                    .into(),
                title: title.into(),
                signature: own.signature.into(),
                situation,
                mistake: mistake
                    .filter(|at| !at.is_empty())
                    .map(|at| short(&meant(self.source, at)).into()),
                tags: tags
                    .into_iter()
                    .chain(own.tags)
                    .map(RawText::from)
                    .collect(),
                targets,
                tools: own.tools.into_iter().map(RawText::from).collect(),
                reference: own.reference.map(RawText::from),
                metadata: metadata.map(vendors).unwrap_or_default(),
            },
        })
    }

    fn slug(&mut self, front: &Node, stem: Option<&str>) -> Option<Slug> {
        let text = self.needed_text(front, "", "slug", limits::SLUG_CHARS_MAX)?;
        let node = front.get(&["slug"]);
        let Some(slug) = Slug::parse(&text) else {
            self.error(
                node,
                "slug",
                "it must be 2 to 80 of a-z, 0-9 and -, from a letter on",
            );
            return None;
        };
        if redact(&text) != text {
            self.error(node, "slug", "it holds a secret");
            return None;
        }
        if stem.is_some_and(|stem| stem != text) {
            self.error(node, "slug", "it must be the name of the file");
        }
        Some(slug)
    }

    fn tags(&mut self, trigger: &Node) -> Vec<String> {
        let mut tags = Vec::new();
        for (field, node) in self.list(trigger, "trigger.", "tags", limits::TAGS) {
            match node.json() {
                Json::String(tag) if is_tag(&tag) => tags.push(tag),
                _ => self.error(
                    Some(node),
                    &field,
                    "a tag is of a-z, 0-9 and -, from a letter on",
                ),
            }
        }
        tags
    }

    fn targets(&mut self, trigger: &Node) -> Vec<Target<RawText>> {
        let mut targets = Vec::new();
        for (field, node) in self.list(trigger, "trigger.", "targets", usize::MAX) {
            let Value::Map(entries) = &node.value else {
                self.error(
                    Some(node),
                    &field,
                    "it must be a map of operator, role or skill",
                );
                continue;
            };
            if entries.is_empty() {
                self.error(Some(node), &field, "it names nothing");
            }
            self.known(node, &format!("{field}."), TARGET);
            for entry in entries {
                let Some(kind) = TargetKind::from_name(&entry.key) else {
                    continue;
                };
                let field = format!("{field}.{}", entry.key);
                if let Some(glob) = self.text(&entry.value, &field, limits::TAG_CHARS) {
                    let glob = glob.into();
                    targets.push(Target { kind, glob });
                }
            }
        }
        targets
    }

    /// Notes a trigger that would bring the lesson up for everybody or never.
    fn breadth(&mut self, front: &Node, tags: &[String], targets: &[Target<RawText>]) {
        let trigger = front.get(&["trigger"]);
        let node = trigger.and_then(|it| it.get(&["targets"]));
        if let Some(why) = unclear_targets(front) {
            let message = format!("{why}; the lesson waits for review");
            self.warning(
                node.or(trigger),
                Code::TriggerOverbroad,
                "trigger",
                &message,
            );
        }
        if !targets.is_empty() && tags.is_empty() {
            let message = "targets without a tag: a target and a tag must both match";
            self.warning(node, Code::TriggerOverbroad, "trigger.targets", message);
        }
        if targets
            .iter()
            .any(|it| it.glob.expose().trim_matches('*').is_empty())
        {
            let message = "a target that matches everybody";
            self.warning(node, Code::TriggerOverbroad, "trigger.targets", message);
        }
    }

    fn evidence(&mut self, front: &Node) -> Vec<Evidence<RawText>> {
        if self.needed(front, "", "evidence").is_none() {
            return Vec::new();
        }
        let items = self.list(front, "", "evidence", usize::MAX);
        if items.is_empty() {
            self.error(
                front.get(&["evidence"]),
                "evidence",
                "it needs at least one entry",
            );
        }
        let mut evidence = Vec::new();
        for (field, node) in items {
            if !self.is_map(node, &field) {
                continue;
            }
            let prefix = format!("{field}.");
            self.known(node, &prefix, EVIDENCE);
            let kinds = "run, conversation, work-item, audit or wiki-page";
            let kind = self.word(node, &prefix, "kind", kinds, EvidenceKind::from_name);
            let reference = self.needed_text(node, &prefix, "ref", limits::EVIDENCE_REF_CHARS);
            let note = node.get(&["note"]).and_then(|note| {
                self.any_text(note, &format!("{prefix}note"), limits::EVIDENCE_NOTE_CHARS)
            });
            let (Some(kind), Some(reference)) = (kind, reference) else {
                continue;
            };
            if kind != EvidenceKind::WikiPage && reference.contains(char::is_whitespace) {
                let message = "a reference is an id or a path, not free text";
                let field = format!("{prefix}ref");
                let node = node.get(&["ref"]);
                self.warning(node, Code::EvidenceUnresolvable, &field, message);
            }
            evidence.push(Evidence {
                kind,
                reference: reference.into(),
                note: note.map(RawText::from),
            });
        }
        evidence
    }

    fn confidence(&mut self, front: &Node) -> f64 {
        let node = front.get(&["confidence"]);
        let Some(value) = node.map(Node::json) else {
            return limits::CONFIDENCE_DEFAULT;
        };
        match value.as_f64() {
            Some(share) if (0.0..=1.0).contains(&share) => return share,
            Some(_) => self.push(
                node,
                Code::ConfidenceOutOfRange,
                Severity::Error,
                "confidence",
                "it must be from 0 to 1",
            ),
            None => self.error(node, "confidence", "it must be a number from 0 to 1"),
        }
        limits::CONFIDENCE_DEFAULT
    }

    fn count(&mut self, front: &Node, field: &str) -> u64 {
        let node = front.get(&[field]);
        let Some(value) = node.map(Node::json) else {
            return 0;
        };
        // What JSON Schema calls an integer may be written `1.0`.
        let whole = value
            .as_f64()
            .filter(|it| it.fract() == 0.0 && (0.0..1e15).contains(it));
        match value.as_u64().or_else(|| whole?.to_string().parse().ok()) {
            Some(count) => count,
            None => {
                self.error(node, field, "it must be a whole number from 0 on");
                0
            }
        }
    }

    fn supersedes(&mut self, front: &Node) -> Vec<Slug> {
        let mut slugs = Vec::new();
        for (field, node) in self.list(front, "", "supersedes", usize::MAX) {
            match node.json().as_str().and_then(Slug::parse) {
                Some(slug) => slugs.push(slug),
                None => self.error(Some(node), &field, "it must be the slug of a lesson"),
            }
        }
        slugs
    }

    fn expires_at(&mut self, front: &Node) -> Option<Timestamp> {
        let node = front.get(&["expires_at"])?;
        let at = node.json().as_str().and_then(|text| text.parse().ok());
        if at.is_none() {
            let message = "it must be a time such as 2027-01-01T00:00:00Z";
            self.error(Some(node), "expires_at", message);
        }
        at
    }

    fn headings(&mut self, parts: &Parts) {
        let missing = [Part::When, Part::What, Part::Mistake]
            .into_iter()
            .filter(|part| parts.section(*part).is_none());
        for part in missing {
            self.findings.push(Finding {
                code: Code::Heading,
                severity: Severity::Note,
                line: line_of(self.source, parts.body),
                field: String::new(),
                message: format!("there is no section \"{}\"", part.heading()),
            });
        }
    }

    /// Notes the fields that the specification does not know.
    fn known(&mut self, node: &Node, prefix: &str, fields: &[&str]) {
        let Value::Map(entries) = &node.value else {
            return;
        };
        let unknown: Vec<&Entry> = (entries.iter())
            .filter(|it| !fields.contains(&it.key.as_str()))
            .collect();
        for entry in unknown {
            let key = redact::clean_chars(&entry.key.as_str().into(), limits::TAG_CHARS);
            self.push(
                Some(&entry.value),
                Code::LessonInvalid,
                Severity::Warning,
                &format!("{prefix}{key}"),
                "there is no such field; vendors' fields stand under metadata.<vendor>",
            );
        }
    }

    fn needed<'n>(&mut self, node: &'n Node, prefix: &str, field: &str) -> Option<&'n Node> {
        let found = node.get(&[field]);
        if found.is_none() {
            self.error(Some(node), &format!("{prefix}{field}"), "it is missing");
        }
        found
    }

    fn needed_text(
        &mut self,
        node: &Node,
        prefix: &str,
        field: &str,
        most: usize,
    ) -> Option<String> {
        let found = self.needed(node, prefix, field)?;
        let field = format!("{prefix}{field}");
        let text = self.any_text(found, &field, most)?;
        if text.trim().is_empty() {
            self.error(Some(found), &field, "it is empty");
            return None;
        }
        Some(text)
    }

    fn text(&mut self, node: &Node, field: &str, most: usize) -> Option<String> {
        let text = self.any_text(node, field, most)?;
        if text.trim().is_empty() {
            self.error(Some(node), field, "it is empty");
            return None;
        }
        Some(text)
    }

    fn any_text(&mut self, node: &Node, field: &str, most: usize) -> Option<String> {
        let Value::Scalar(Json::String(text)) = &node.value else {
            self.error(Some(node), field, "it must be text; put it in quotes");
            return None;
        };
        let chars = text.chars().count();
        if chars > most {
            let message = format!("it has {chars} characters; at most {most} are allowed");
            self.error(Some(node), field, &message);
            return None;
        }
        Some(text.clone())
    }

    fn word<T>(
        &mut self,
        node: &Node,
        prefix: &str,
        field: &str,
        words: &str,
        read: impl FnOnce(&str) -> Option<T>,
    ) -> Option<T> {
        let found = self.needed(node, prefix, field)?;
        let word = found.json().as_str().and_then(read);
        if word.is_none() {
            self.error(
                Some(found),
                &format!("{prefix}{field}"),
                &format!("it must be {words}"),
            );
        }
        word
    }

    /// Returns the items of a list, each with the name of its place.
    fn list<'n>(
        &mut self,
        node: &'n Node,
        prefix: &str,
        field: &str,
        most: usize,
    ) -> Vec<(String, &'n Node)> {
        let Some(node) = node.get(&[field]) else {
            return Vec::new();
        };
        let field = format!("{prefix}{field}");
        let Value::List(items) = &node.value else {
            self.error(Some(node), &field, "it must be a list");
            return Vec::new();
        };
        if items.len() > most {
            let message = format!("there are {}; at most {most} are allowed", items.len());
            self.error(Some(node), &field, &message);
        }
        let items = items.iter().enumerate();
        items
            .map(|(at, item)| (format!("{field}[{at}]"), item))
            .collect()
    }

    fn is_map(&mut self, node: &Node, field: &str) -> bool {
        let is_map = matches!(node.value, Value::Map(_));
        if !is_map {
            self.error(Some(node), field, "it must be a map of fields");
        }
        is_map
    }

    fn error(&mut self, node: Option<&Node>, field: &str, message: &str) {
        self.push(node, Code::LessonInvalid, Severity::Error, field, message);
    }

    fn warning(&mut self, node: Option<&Node>, code: Code, field: &str, message: &str) {
        self.push(node, code, Severity::Warning, field, message);
    }

    fn push(
        &mut self,
        node: Option<&Node>,
        code: Code,
        severity: Severity,
        field: &str,
        message: &str,
    ) {
        // Where one field is wrong in many ways, the first few say it. An error always counts.
        if self.findings.len() >= FINDINGS && severity != Severity::Error {
            return;
        }
        self.findings.push(Finding {
            code,
            severity,
            line: line_of(self.source, self.start + node.map_or(0, |it| it.at.start)),
            field: field.to_owned(),
            message: message.to_owned(),
        });
    }
}

/// What stands under our own name in `metadata`. What is of another shape than we write is
/// somebody else's, and left alone.
#[derive(Default)]
struct Own {
    signature: String,
    tools: Vec<String>,
    tags: Vec<String>,
    reference: Option<String>,
    failure: Option<FailureKey>,
}

impl Own {
    fn of(node: Option<&Node>) -> Self {
        let Some(node) = node else {
            return Self::default();
        };
        let text = |name: &str| {
            node.get(&[name])
                .and_then(|it| it.json().as_str().map(str::to_owned))
        };
        let list = |name: &str| match node.get(&[name]).map(|it| &it.value) {
            Some(Value::List(items)) => items
                .iter()
                .filter_map(|it| it.json().as_str().map(str::to_owned))
                .collect(),
            _ => Vec::new(),
        };
        let is_key = |key: &String| {
            key.len() == limits::FAILURE_KEY_CHARS && key.chars().all(|c| c.is_ascii_hexdigit())
        };
        Self {
            signature: text("signature").unwrap_or_default(),
            tools: list("tools"),
            tags: list("tags"),
            reference: text("ref"),
            failure: text("failure").filter(is_key).map(FailureKey::new),
        }
    }
}

/// Returns what vendors keep in `metadata`, as JSON texts.
fn vendors(node: &Node) -> BTreeMap<String, RawText> {
    match &node.value {
        Value::Map(entries) => entries
            .iter()
            .filter(|entry| entry.key != VENDOR)
            .map(|entry| (entry.key.clone(), entry.value.json().to_string().into()))
            .collect(),
        Value::Scalar(_) | Value::List(_) => BTreeMap::new(),
    }
}

/// Cuts a narrative to what a lesson keeps of it; the file keeps it whole.
fn short(text: &str) -> String {
    if text.chars().count() <= limits::SITUATION_CHARS {
        return text.to_owned();
    }
    let head: String = text.chars().take(limits::SITUATION_CHARS - 1).collect();
    let end = head.rfind(char::is_whitespace).unwrap_or(head.len());
    format!("{}…", head[..end].trim_end())
}
