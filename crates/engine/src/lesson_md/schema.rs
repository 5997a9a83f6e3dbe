//! The rules of `learning/v1`: a table of fields, and what a table cannot say.
//!
//! A rule that makes a file no lesson is an error; one that a good lesson may break is a warning.
//! The official examples break some, so a field that nobody knows, a missing heading and a
//! replaced lesson that is not there do not keep a file out. Nothing is read here.

use serde_json::Value as Json;

use hardwon_core::{EvidenceKind, LessonTarget, RawText, RunOutcome, Slug, limits};
use hardwon_redact::redact;

use super::{
    SCHEMA,
    fields::{is_tag, read_count, read_targets, read_texts, read_time},
    finding::{FileFinding, FindingCode, Severity},
    parts::{LessonFileParts, SectionKind, line_number},
    yaml::{YamlEntry, YamlNode, YamlValue},
};

/// Most findings about one file that are no errors.
const FINDINGS_MAX: usize = 100;

const INVALID: (Severity, FindingCode) = (Severity::Error, FindingCode::LessonInvalid);
const UNKNOWN: (Severity, FindingCode) = (Severity::Warning, FindingCode::LessonInvalid);
const BROAD: (Severity, FindingCode) = (Severity::Warning, FindingCode::TriggerOverbroad);

/// Returns what is wrong with a value.
type Check = fn(&Json) -> Option<String>;

/// A field: the path of the map it stands in, its name, whether it must be there, and its check. The
/// items of a list have the name `[]`.
type Field = (&'static str, &'static str, bool, Check);

/// All fields. A map without any may hold any.
const FIELDS: &[Field] = &[
    ("", "schema", true, SCHEMA_NAME),
    ("", "slug", true, check_slug),
    ("", "title", true, check_text::<{ limits::TITLE_CHARS }>),
    ("", "outcome", true, OUTCOME),
    ("", "trigger", true, check_map),
    ("trigger", "description", true, DESCRIPTION),
    ("trigger", "tags", false, check_list::<{ limits::TAGS }>),
    ("trigger.tags", "[]", false, check_tag),
    ("trigger", "targets", false, check_list::<{ usize::MAX }>),
    ("trigger.targets", "[]", false, check_target),
    ("trigger.targets[]", "operator", false, GLOB),
    ("trigger.targets[]", "role", false, GLOB),
    ("trigger.targets[]", "skill", false, GLOB),
    ("trigger", "metadata", false, check_map),
    ("", "evidence", true, check_evidence),
    ("evidence", "[]", false, check_map),
    ("evidence[]", "kind", true, KIND),
    ("evidence[]", "ref", true, REFERENCE),
    ("evidence[]", "note", false, NOTE),
    ("", "confidence", false, check_share),
    ("", "success_count", false, check_count),
    ("", "failure_count", false, check_count),
    ("", "supersedes", false, check_list::<{ usize::MAX }>),
    ("supersedes", "[]", false, LESSON),
    ("", "expires_at", false, TIME),
    ("", "metadata", false, check_map),
];
const SCHEMA_NAME: Check = |other| must(other == SCHEMA, "it must be learning/v1");
const OUTCOME: Check = |entry| must_be(entry, RunOutcome::from_name, "success, failure or mixed");
const DESCRIPTION: Check = check_text::<{ limits::SITUATION_CHARS }>;
const GLOB: Check = check_text::<{ limits::TAG_CHARS }>;
const KIND: Check = |entry| must_be(entry, EvidenceKind::from_name, KINDS);
const KINDS: &str = "run, conversation, work-item, audit or wiki-page";
const REFERENCE: Check = check_text::<{ limits::EVIDENCE_REF_CHARS }>;
const NOTE: Check = check_length::<{ limits::EVIDENCE_NOTE_CHARS }>;
const LESSON: Check = |entry| must_be(entry, Slug::parse, "the slug of a lesson");
const TIME: Check = |entry| must_be(entry, read_time, "a time such as 2027-01-01T00:00:00Z");

fn must(holds: bool, message: &str) -> Option<String> {
    (!holds).then(|| message.to_owned())
}

fn must_be<T>(value: &Json, read: fn(&str) -> Option<T>, what: &str) -> Option<String> {
    let is_read = value.as_str().and_then(read).is_some();
    must(is_read, &format!("it must be {what}"))
}

fn check_length<const MOST: usize>(value: &Json) -> Option<String> {
    let Some(text) = value.as_str() else {
        return must(false, "it must be text; put it in quotes");
    };
    let chars = text.chars().count();
    let message = format!("it has {chars} characters; at most {MOST} are allowed");
    must(chars <= MOST, &message)
}

fn check_text<const MOST: usize>(value: &Json) -> Option<String> {
    let is_blank = value.as_str().is_some_and(|text| text.trim().is_empty());
    check_length::<MOST>(value).or_else(|| must(!is_blank, "it is empty"))
}

fn check_slug(value: &Json) -> Option<String> {
    let rule = "2 to 80 of a-z, 0-9 and -, from a letter on";
    let is_secret = value.as_str().is_some_and(|text| redact(text) != text);
    check_text::<{ limits::SLUG_CHARS_MAX }>(value)
        .or_else(|| must_be(value, Slug::parse, rule))
        .or_else(|| must(!is_secret, "it holds a secret"))
}

fn check_tag(value: &Json) -> Option<String> {
    let is_well = value.as_str().is_some_and(is_tag);
    must(is_well, "a tag is of a-z, 0-9 and -, from a letter on")
}

fn check_list<const MOST: usize>(value: &Json) -> Option<String> {
    let Some(items) = value.as_array() else {
        return must(false, "it must be a list");
    };
    let count = items.len();
    let message = format!("there are {count}; at most {MOST} are allowed");
    must(count <= MOST, &message)
}

fn check_evidence(value: &Json) -> Option<String> {
    let is_filled = *value != Json::Array(Vec::new());
    check_list::<{ usize::MAX }>(value).or_else(|| must(is_filled, "it needs at least one entry"))
}

fn check_map(value: &Json) -> Option<String> {
    must(value.is_object(), "it must be a map of fields")
}

fn check_target(value: &Json) -> Option<String> {
    let is_empty = value.as_object().is_some_and(|object| object.is_empty());
    let rule = "it must be a map of operator, role or skill";
    must(value.is_object(), rule).or_else(|| must(!is_empty, "it names nothing"))
}

fn check_count(value: &Json) -> Option<String> {
    let is_count = read_count(value).is_some();
    must(is_count, "it must be a whole number from 0 on")
}

fn check_share(value: &Json) -> Option<String> {
    let is_share = value
        .as_f64()
        .is_some_and(|as_f64| (0.0..=1.0).contains(&as_f64));
    must(value.is_number(), "it must be a number from 0 to 1")
        .or_else(|| must(is_share, "it must be from 0 to 1"))
}

fn fields_of(path: &str) -> impl Iterator<Item = &'static Field> {
    FIELDS.iter().filter(move |(parent, ..)| *parent == path)
}

/// Returns the entries of a map that are not among the fields at this path, if there are any.
fn unknown_entries<'n>(node: &'n YamlNode, path: &str) -> impl Iterator<Item = &'n YamlEntry> {
    let names = fields_of(path).map(|(_, name, ..)| *name);
    let names: Vec<&str> = names.filter(|name| *name != "[]").collect();
    let is_unknown = move |it: &&YamlEntry| !names.is_empty() && !names.contains(&it.key.as_str());
    node.entries().iter().filter(is_unknown)
}

fn join_path(path: &str, name: &str) -> String {
    match path {
        "" => name.to_owned(),
        path if name == "[]" => format!("{path}[]"),
        path => format!("{path}.{name}"),
    }
}

/// Returns what is wrong with a file, by line.
pub(super) fn check_file(stem: Option<&str>, parts: &LessonFileParts) -> Vec<FileFinding> {
    let findings = Vec::new();
    let mut check = FileCheck { parts, findings };
    check.check_within(&parts.front, "", "");
    check.check_stem(stem);
    check.check_breadth();
    check.check_references();
    check.check_headings();
    check.findings.sort_by_key(|finding| finding.line);
    check.findings
}

/// Returns why a file's targets are not understood, if they are not: its lesson would be shown to
/// others than it names.
pub(super) fn unclear_targets(front: &YamlNode) -> Option<&'static str> {
    let trigger = front.get("trigger")?;
    let targets = trigger.get("targets").map_or(&[][..], YamlNode::items);
    let mut unknown = targets
        .iter()
        .flat_map(|target| unknown_entries(target, "trigger.targets[]"));
    if unknown.next().is_some() || unknown_entries(trigger, "trigger").next().is_some() {
        return Some("what it is for is not understood, so it would be shown to others as well");
    }
    let names_several = targets.iter().any(|target| target.entries().len() > 1);
    names_several.then_some("a target that names several things would match on each of them")
}

/// Where what is wrong with a file is noted.
struct FileCheck<'a> {
    parts: &'a LessonFileParts,
    findings: Vec<FileFinding>,
}

impl FileCheck<'_> {
    /// Checks what is in a value at this path; `field` is the path with `[]` for every item.
    fn check_within(&mut self, node: &YamlNode, path: &str, field: &str) {
        for entry in unknown_entries(node, field) {
            let key = hardwon_redact::clean_to_chars(&entry.key.as_str().into(), limits::TAG_CHARS);
            let message = "there is no such field; vendors' fields stand under metadata.<vendor>";
            self.push(
                UNKNOWN,
                &entry.value,
                &join_path(path, key.as_str()),
                message,
            );
        }
        for (_, name, is_required, check) in fields_of(field) {
            let field = join_path(field, name);
            let path_of = |name: &str| join_path(path, name);
            match (*name, &node.value, node.get(name)) {
                ("[]", YamlValue::List(items), _) => {
                    for (number, item) in items.iter().enumerate() {
                        self.check_value(item, &format!("{path}[{number}]"), &field, *check);
                    }
                }
                ("[]", ..) => {}
                (name, YamlValue::Map(_), Some(value)) => {
                    self.check_value(value, &path_of(name), &field, *check);
                }
                (name, YamlValue::Map(_), None) if *is_required => {
                    self.push(INVALID, node, &path_of(name), "it is missing");
                }
                _ => {}
            }
        }
    }

    fn check_value(&mut self, node: &YamlNode, path: &str, field: &str, check: Check) {
        if let Some(message) = check(&node.to_json()) {
            let is_share = message == "it must be from 0 to 1";
            let code = if is_share {
                FindingCode::ConfidenceOutOfRange
            } else {
                INVALID.1
            };
            self.push((Severity::Error, code), node, path, &message);
        }
        self.check_within(node, path, field);
    }

    fn check_stem(&mut self, stem: Option<&str>) {
        if let (Some(stem), Some(node)) = (stem, self.parts.front.get("slug"))
            && check_slug(&node.to_json()).is_none()
            && node.to_json() != stem
        {
            self.push(INVALID, node, "slug", "it must be the name of the file");
        }
    }

    /// Notes a trigger that would bring the lesson up for everybody or never.
    fn check_breadth(&mut self) {
        let front = &self.parts.front;
        let Some(trigger) = front.get("trigger") else {
            return;
        };
        let node = trigger.get("targets").unwrap_or(trigger);
        if let Some(why) = unclear_targets(front) {
            let message = format!("{why}; the lesson waits for review");
            self.push(BROAD, node, "trigger", &message);
        }
        let targets = read_targets(trigger);
        if !targets.is_empty() && !read_texts(&trigger.to_json()["tags"]).any(is_tag) {
            let message = "targets without a tag: a target and a tag must both match";
            self.push(BROAD, node, "trigger.targets", message);
        }
        let is_anybody = |it: &LessonTarget<RawText>| it.glob.expose().trim_matches('*').is_empty();
        if targets.iter().any(is_anybody) {
            self.push(
                BROAD,
                node,
                "trigger.targets",
                "a target that matches everybody",
            );
        }
    }

    /// Notes references that are free text.
    fn check_references(&mut self) {
        let items = self
            .parts
            .front
            .get("evidence")
            .map_or(&[][..], YamlNode::items);
        for (number, item) in items.iter().enumerate() {
            let Some(node) = item.get("ref") else {
                continue;
            };
            let is_page = item.to_json()["kind"] == EvidenceKind::WikiPage.name();
            let text = node.to_json();
            if !is_page
                && text
                    .as_str()
                    .is_some_and(|text| text.contains(char::is_whitespace))
            {
                let kind = (Severity::Warning, FindingCode::EvidenceUnresolvable);
                let message = "a reference is an id or a path, not free text";
                self.push(kind, node, &format!("evidence[{number}].ref"), message);
            }
        }
    }

    fn check_headings(&mut self) {
        for kind in SectionKind::ALL {
            if self.parts.find_section(kind).is_none() {
                let message = format!("there is no section \"{}\"", kind.heading());
                self.findings.push(FileFinding {
                    severity: Severity::Note,
                    line: line_number(self.parts.text(), self.parts.body_start),
                    ..FileFinding::for_file(FindingCode::Heading, message)
                });
            }
        }
    }

    fn push(&mut self, kind: (Severity, FindingCode), node: &YamlNode, field: &str, message: &str) {
        let (severity, code) = kind;
        // Where one field is wrong in many ways, the first few say it. An error always counts.
        if self.findings.len() < FINDINGS_MAX || severity == Severity::Error {
            self.findings.push(FileFinding {
                code,
                severity,
                line: self.parts.front_line(node.at.start),
                field: field.to_owned(),
                message: message.to_owned(),
            });
        }
    }
}
