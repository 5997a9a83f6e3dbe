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
    fields::{ClaimedCounts, LessonFields, is_tag},
    file::{LessonFileParts, SectionKind, line_number, unescape_range},
    finding::{FileFinding, FindingCode, Severity},
    yaml::{YamlEntry, YamlNode, YamlValue},
};
use crate::{
    evidence::{Evidence, EvidenceKind},
    lesson::{FailureKey, LessonContent, LessonTarget, RunOutcome, Slug, TargetKind},
    limits,
    redact::{self, redact},
    text::RawText,
};

/// Most findings about one file.
const FINDINGS_MAX: usize = 100;

/// The fields of a front matter.
pub(super) const FRONT_MATTER_FIELDS: &[&str] = &[
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
const TRIGGER_FIELDS: &[&str] = &["description", "tags", "targets", "metadata"];
const TARGET_FIELDS: &[&str] = &["operator", "role", "skill"];
const EVIDENCE_FIELDS: &[&str] = &["kind", "ref", "note"];

/// Checks a file and reads what it says; nothing if too much is missing.
pub(super) fn check_file(
    stem: Option<&str>,
    source: &str,
    parts: &LessonFileParts,
) -> (Option<LessonFields<RawText>>, Vec<FileFinding>) {
    let mut desk = FieldChecker {
        source,
        start: parts.front_at.start,
        findings: Vec::new(),
    };
    let said = desk.read_fields(stem, parts);
    (said, desk.findings)
}

/// Returns why a file's targets are not understood, if they are not: its lesson would be shown to
/// others than it names.
pub(super) fn unclear_targets(front: &YamlNode) -> Option<&'static str> {
    let trigger = front.get(&["trigger"])?;
    let targets = match trigger.get(&["targets"]).map(|it| &it.value) {
        Some(YamlValue::List(targets)) => &targets[..],
        _ => &[],
    };
    let is_known = |node: &YamlNode, fields: &[&str]| match &node.value {
        YamlValue::Map(entries) => entries.iter().all(|it| fields.contains(&it.key.as_str())),
        _ => true,
    };
    if !is_known(trigger, TRIGGER_FIELDS) || !targets.iter().all(|it| is_known(it, TARGET_FIELDS)) {
        return Some(UNKNOWN_TARGET);
    }
    let names_several =
        |it: &YamlNode| matches!(&it.value, YamlValue::Map(names) if names.len() > 1);
    targets.iter().any(names_several).then_some(JOINT_TARGET)
}

const UNKNOWN_TARGET: &str =
    "what it is for is not understood, so it would be shown to others as well";
const JOINT_TARGET: &str = "a target that names several things would match on each of them";

/// Where a file's fields are read and what is wrong with them is noted.
struct FieldChecker<'a> {
    source: &'a str,
    start: usize,
    findings: Vec<FileFinding>,
}

impl FieldChecker<'_> {
    fn read_fields(
        &mut self,
        stem: Option<&str>,
        parts: &LessonFileParts,
    ) -> Option<LessonFields<RawText>> {
        let front = &parts.front;
        self.check_known_fields(front, "", FRONT_MATTER_FIELDS);
        let schema = self.require_field(front, "", "schema");
        if schema.is_some_and(|it| it.to_json() != SCHEMA) {
            self.push_error(schema, "schema", &format!("it must be {SCHEMA}"));
        }
        let slug = self.read_slug(front, stem);
        let title = self.require_text(front, "", "title", limits::TITLE_CHARS);
        let outcome = self.read_word(front, "", "outcome", "success, failure or mixed", |it| {
            RunOutcome::from_name(it)
        });
        let trigger = self.require_field(front, "", "trigger");
        let trigger = trigger.filter(|it| self.check_is_map(it, "trigger"));
        let description = trigger.and_then(|trigger| {
            self.check_known_fields(trigger, "trigger.", TRIGGER_FIELDS);
            self.require_text(trigger, "trigger.", "description", limits::SITUATION_CHARS)
        });
        let tags = trigger.map_or_else(Vec::new, |it| self.read_tags(it));
        let targets = trigger.map_or_else(Vec::new, |it| self.read_targets(it));
        if let Some(metadata) = trigger.and_then(|it| it.get(&["metadata"])) {
            self.check_is_map(metadata, "trigger.metadata");
        }
        self.check_breadth(front, &tags, &targets);
        let evidence = self.read_evidence(front);
        let confidence = self.read_confidence(front);
        let claims = ClaimedCounts {
            success: self.read_count(front, "success_count"),
            failure: self.read_count(front, "failure_count"),
        };
        let supersedes = self.read_supersedes(front);
        let expires_at = self.read_expires_at(front);
        let metadata = front.get(&["metadata"]);
        let metadata = metadata.filter(|it| self.check_is_map(it, "metadata"));
        self.check_headings(parts);
        let (slug, title, description) = (slug?, title?, description?);
        let own = OwnMetadata::from_node(metadata.and_then(|it| it.get(&[VENDOR])));
        let derived = if own.signature.is_empty() {
            &title
        } else {
            &own.signature
        };
        let situation = (description != *derived).then(|| description.into());
        let advice = parts.advice_range(self.source).filter(|at| !at.is_empty());
        let mistake = parts
            .find_section(SectionKind::Mistake)
            .map(|it| it.text_at.clone());
        Some(LessonFields {
            slug,
            outcome: outcome?,
            evidence,
            confidence,
            claims,
            supersedes,
            expires_at,
            failure: own.failure,
            content: LessonContent {
                text: advice
                    .map_or_else(|| title.clone(), |at| unescape_range(self.source, at))
                    .into(),
                title: title.into(),
                signature: own.signature.into(),
                situation,
                mistake: mistake
                    .filter(|at| !at.is_empty())
                    .map(|at| shorten_narrative(&unescape_range(self.source, at)).into()),
                tags: tags
                    .into_iter()
                    .chain(own.tags)
                    .map(RawText::from)
                    .collect(),
                targets,
                tools: own.tools.into_iter().map(RawText::from).collect(),
                reference: own.reference.map(RawText::from),
                metadata: metadata.map(read_vendors).unwrap_or_default(),
            },
        })
    }

    fn read_slug(&mut self, front: &YamlNode, stem: Option<&str>) -> Option<Slug> {
        let text = self.require_text(front, "", "slug", limits::SLUG_CHARS_MAX)?;
        let node = front.get(&["slug"]);
        let Some(slug) = Slug::parse(&text) else {
            self.push_error(
                node,
                "slug",
                "it must be 2 to 80 of a-z, 0-9 and -, from a letter on",
            );
            return None;
        };
        if redact(&text) != text {
            self.push_error(node, "slug", "it holds a secret");
            return None;
        }
        if stem.is_some_and(|stem| stem != text) {
            self.push_error(node, "slug", "it must be the name of the file");
        }
        Some(slug)
    }

    fn read_tags(&mut self, trigger: &YamlNode) -> Vec<String> {
        let mut tags = Vec::new();
        for (field, node) in self.read_list(trigger, "trigger.", "tags", limits::TAGS) {
            match node.to_json() {
                Json::String(tag) if is_tag(&tag) => tags.push(tag),
                _ => self.push_error(
                    Some(node),
                    &field,
                    "a tag is of a-z, 0-9 and -, from a letter on",
                ),
            }
        }
        tags
    }

    fn read_targets(&mut self, trigger: &YamlNode) -> Vec<LessonTarget<RawText>> {
        let mut targets = Vec::new();
        for (field, node) in self.read_list(trigger, "trigger.", "targets", usize::MAX) {
            let YamlValue::Map(entries) = &node.value else {
                self.push_error(
                    Some(node),
                    &field,
                    "it must be a map of operator, role or skill",
                );
                continue;
            };
            if entries.is_empty() {
                self.push_error(Some(node), &field, "it names nothing");
            }
            self.check_known_fields(node, &format!("{field}."), TARGET_FIELDS);
            for entry in entries {
                let Some(kind) = TargetKind::from_name(&entry.key) else {
                    continue;
                };
                let field = format!("{field}.{}", entry.key);
                if let Some(glob) = self.read_text(&entry.value, &field, limits::TAG_CHARS) {
                    let glob = glob.into();
                    targets.push(LessonTarget { kind, glob });
                }
            }
        }
        targets
    }

    /// Notes a trigger that would bring the lesson up for everybody or never.
    fn check_breadth(
        &mut self,
        front: &YamlNode,
        tags: &[String],
        targets: &[LessonTarget<RawText>],
    ) {
        let trigger = front.get(&["trigger"]);
        let node = trigger.and_then(|it| it.get(&["targets"]));
        if let Some(why) = unclear_targets(front) {
            let message = format!("{why}; the lesson waits for review");
            self.push_warning(
                node.or(trigger),
                FindingCode::TriggerOverbroad,
                "trigger",
                &message,
            );
        }
        if !targets.is_empty() && tags.is_empty() {
            let message = "targets without a tag: a target and a tag must both match";
            self.push_warning(
                node,
                FindingCode::TriggerOverbroad,
                "trigger.targets",
                message,
            );
        }
        if targets
            .iter()
            .any(|it| it.glob.expose().trim_matches('*').is_empty())
        {
            let message = "a target that matches everybody";
            self.push_warning(
                node,
                FindingCode::TriggerOverbroad,
                "trigger.targets",
                message,
            );
        }
    }

    fn read_evidence(&mut self, front: &YamlNode) -> Vec<Evidence<RawText>> {
        if self.require_field(front, "", "evidence").is_none() {
            return Vec::new();
        }
        let items = self.read_list(front, "", "evidence", usize::MAX);
        if items.is_empty() {
            self.push_error(
                front.get(&["evidence"]),
                "evidence",
                "it needs at least one entry",
            );
        }
        let mut evidence = Vec::new();
        for (field, node) in items {
            if !self.check_is_map(node, &field) {
                continue;
            }
            let prefix = format!("{field}.");
            self.check_known_fields(node, &prefix, EVIDENCE_FIELDS);
            let kinds = "run, conversation, work-item, audit or wiki-page";
            let kind = self.read_word(node, &prefix, "kind", kinds, EvidenceKind::from_name);
            let reference = self.require_text(node, &prefix, "ref", limits::EVIDENCE_REF_CHARS);
            let note = node.get(&["note"]).and_then(|note| {
                self.read_any_text(note, &format!("{prefix}note"), limits::EVIDENCE_NOTE_CHARS)
            });
            let (Some(kind), Some(reference)) = (kind, reference) else {
                continue;
            };
            if kind != EvidenceKind::WikiPage && reference.contains(char::is_whitespace) {
                let message = "a reference is an id or a path, not free text";
                let field = format!("{prefix}ref");
                let node = node.get(&["ref"]);
                self.push_warning(node, FindingCode::EvidenceUnresolvable, &field, message);
            }
            evidence.push(Evidence {
                kind,
                reference: reference.into(),
                note: note.map(RawText::from),
            });
        }
        evidence
    }

    fn read_confidence(&mut self, front: &YamlNode) -> f64 {
        let node = front.get(&["confidence"]);
        let Some(value) = node.map(YamlNode::to_json) else {
            return limits::CONFIDENCE_DEFAULT;
        };
        match value.as_f64() {
            Some(share) if (0.0..=1.0).contains(&share) => return share,
            Some(_) => self.push_finding(
                node,
                FindingCode::ConfidenceOutOfRange,
                Severity::Error,
                "confidence",
                "it must be from 0 to 1",
            ),
            None => self.push_error(node, "confidence", "it must be a number from 0 to 1"),
        }
        limits::CONFIDENCE_DEFAULT
    }

    fn read_count(&mut self, front: &YamlNode, field: &str) -> u64 {
        let node = front.get(&[field]);
        let Some(value) = node.map(YamlNode::to_json) else {
            return 0;
        };
        // What JSON Schema calls an integer may be written `1.0`.
        let whole = value
            .as_f64()
            .filter(|it| it.fract() == 0.0 && (0.0..1e15).contains(it));
        match value.as_u64().or_else(|| whole?.to_string().parse().ok()) {
            Some(count) => count,
            None => {
                self.push_error(node, field, "it must be a whole number from 0 on");
                0
            }
        }
    }

    fn read_supersedes(&mut self, front: &YamlNode) -> Vec<Slug> {
        let mut slugs = Vec::new();
        for (field, node) in self.read_list(front, "", "supersedes", usize::MAX) {
            match node.to_json().as_str().and_then(Slug::parse) {
                Some(slug) => slugs.push(slug),
                None => self.push_error(Some(node), &field, "it must be the slug of a lesson"),
            }
        }
        slugs
    }

    fn read_expires_at(&mut self, front: &YamlNode) -> Option<Timestamp> {
        let node = front.get(&["expires_at"])?;
        let at = node.to_json().as_str().and_then(|text| text.parse().ok());
        if at.is_none() {
            let message = "it must be a time such as 2027-01-01T00:00:00Z";
            self.push_error(Some(node), "expires_at", message);
        }
        at
    }

    fn check_headings(&mut self, parts: &LessonFileParts) {
        let missing = [SectionKind::When, SectionKind::What, SectionKind::Mistake]
            .into_iter()
            .filter(|part| parts.find_section(*part).is_none());
        for part in missing {
            self.findings.push(FileFinding {
                code: FindingCode::Heading,
                severity: Severity::Note,
                line: line_number(self.source, parts.body_start),
                field: String::new(),
                message: format!("there is no section \"{}\"", part.heading()),
            });
        }
    }

    /// Notes the fields that the specification does not know.
    fn check_known_fields(&mut self, node: &YamlNode, prefix: &str, fields: &[&str]) {
        let YamlValue::Map(entries) = &node.value else {
            return;
        };
        let unknown: Vec<&YamlEntry> = (entries.iter())
            .filter(|it| !fields.contains(&it.key.as_str()))
            .collect();
        for entry in unknown {
            let key = redact::clean_to_chars(&entry.key.as_str().into(), limits::TAG_CHARS);
            self.push_finding(
                Some(&entry.value),
                FindingCode::LessonInvalid,
                Severity::Warning,
                &format!("{prefix}{key}"),
                "there is no such field; vendors' fields stand under metadata.<vendor>",
            );
        }
    }

    fn require_field<'n>(
        &mut self,
        node: &'n YamlNode,
        prefix: &str,
        field: &str,
    ) -> Option<&'n YamlNode> {
        let found = node.get(&[field]);
        if found.is_none() {
            self.push_error(Some(node), &format!("{prefix}{field}"), "it is missing");
        }
        found
    }

    fn require_text(
        &mut self,
        node: &YamlNode,
        prefix: &str,
        field: &str,
        most: usize,
    ) -> Option<String> {
        let found = self.require_field(node, prefix, field)?;
        let field = format!("{prefix}{field}");
        let text = self.read_any_text(found, &field, most)?;
        if text.trim().is_empty() {
            self.push_error(Some(found), &field, "it is empty");
            return None;
        }
        Some(text)
    }

    fn read_text(&mut self, node: &YamlNode, field: &str, most: usize) -> Option<String> {
        let text = self.read_any_text(node, field, most)?;
        if text.trim().is_empty() {
            self.push_error(Some(node), field, "it is empty");
            return None;
        }
        Some(text)
    }

    fn read_any_text(&mut self, node: &YamlNode, field: &str, most: usize) -> Option<String> {
        let YamlValue::Scalar(Json::String(text)) = &node.value else {
            self.push_error(Some(node), field, "it must be text; put it in quotes");
            return None;
        };
        let chars = text.chars().count();
        if chars > most {
            let message = format!("it has {chars} characters; at most {most} are allowed");
            self.push_error(Some(node), field, &message);
            return None;
        }
        Some(text.clone())
    }

    fn read_word<T>(
        &mut self,
        node: &YamlNode,
        prefix: &str,
        field: &str,
        words: &str,
        read: impl FnOnce(&str) -> Option<T>,
    ) -> Option<T> {
        let found = self.require_field(node, prefix, field)?;
        let word = found.to_json().as_str().and_then(read);
        if word.is_none() {
            self.push_error(
                Some(found),
                &format!("{prefix}{field}"),
                &format!("it must be {words}"),
            );
        }
        word
    }

    /// Returns the items of a list, each with the name of its place.
    fn read_list<'n>(
        &mut self,
        node: &'n YamlNode,
        prefix: &str,
        field: &str,
        most: usize,
    ) -> Vec<(String, &'n YamlNode)> {
        let Some(node) = node.get(&[field]) else {
            return Vec::new();
        };
        let field = format!("{prefix}{field}");
        let YamlValue::List(items) = &node.value else {
            self.push_error(Some(node), &field, "it must be a list");
            return Vec::new();
        };
        if items.len() > most {
            let message = format!("there are {}; at most {most} are allowed", items.len());
            self.push_error(Some(node), &field, &message);
        }
        let items = items.iter().enumerate();
        items
            .map(|(at, item)| (format!("{field}[{at}]"), item))
            .collect()
    }

    fn check_is_map(&mut self, node: &YamlNode, field: &str) -> bool {
        let is_map = matches!(node.value, YamlValue::Map(_));
        if !is_map {
            self.push_error(Some(node), field, "it must be a map of fields");
        }
        is_map
    }

    fn push_error(&mut self, node: Option<&YamlNode>, field: &str, message: &str) {
        self.push_finding(
            node,
            FindingCode::LessonInvalid,
            Severity::Error,
            field,
            message,
        );
    }

    fn push_warning(
        &mut self,
        node: Option<&YamlNode>,
        code: FindingCode,
        field: &str,
        message: &str,
    ) {
        self.push_finding(node, code, Severity::Warning, field, message);
    }

    fn push_finding(
        &mut self,
        node: Option<&YamlNode>,
        code: FindingCode,
        severity: Severity,
        field: &str,
        message: &str,
    ) {
        // Where one field is wrong in many ways, the first few say it. An error always counts.
        if self.findings.len() >= FINDINGS_MAX && severity != Severity::Error {
            return;
        }
        self.findings.push(FileFinding {
            code,
            severity,
            line: line_number(self.source, self.start + node.map_or(0, |it| it.at.start)),
            field: field.to_owned(),
            message: message.to_owned(),
        });
    }
}

/// What stands under our own name in `metadata`. What is of another shape than we write is
/// somebody else's, and left alone.
#[derive(Default)]
struct OwnMetadata {
    signature: String,
    tools: Vec<String>,
    tags: Vec<String>,
    reference: Option<String>,
    failure: Option<FailureKey>,
}

impl OwnMetadata {
    fn from_node(node: Option<&YamlNode>) -> Self {
        let Some(node) = node else {
            return Self::default();
        };
        let text = |name: &str| {
            node.get(&[name])
                .and_then(|it| it.to_json().as_str().map(str::to_owned))
        };
        let list = |name: &str| match node.get(&[name]).map(|it| &it.value) {
            Some(YamlValue::List(items)) => items
                .iter()
                .filter_map(|it| it.to_json().as_str().map(str::to_owned))
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
fn read_vendors(node: &YamlNode) -> BTreeMap<String, RawText> {
    match &node.value {
        YamlValue::Map(entries) => entries
            .iter()
            .filter(|entry| entry.key != VENDOR)
            .map(|entry| (entry.key.clone(), entry.value.to_json().to_string().into()))
            .collect(),
        YamlValue::Scalar(_) | YamlValue::List(_) => BTreeMap::new(),
    }
}

/// Cuts a narrative to what a lesson keeps of it; the file keeps it whole.
fn shorten_narrative(text: &str) -> String {
    if text.chars().count() <= limits::SITUATION_CHARS {
        return text.to_owned();
    }
    let head: String = text.chars().take(limits::SITUATION_CHARS - 1).collect();
    let end = head.rfind(char::is_whitespace).unwrap_or(head.len());
    format!("{}…", head[..end].trim_end())
}
