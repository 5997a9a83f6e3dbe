//! What a file says, read off a file or off a lesson, and told as values that can be compared.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde_json::{Map, Value as Json, json};

use super::{
    SCHEMA, VENDOR,
    parts::{LessonFileParts, SectionKind},
    yaml::{YamlEntry, YamlNode},
};
use hardwon_core::{
    CleanText, Evidence, EvidenceKind, FailureKey, LessonContent, LessonTarget, RawText,
    RunOutcome, Slug, TargetKind, digest,
    lesson::{HOLD_ENTRY, TRIGGERS_ENTRY},
    limits,
};

/// The fields of `metadata` under our own name that we write.
pub(super) const OWN_FIELDS: [&str; 7] = [
    "failure",
    "hold",
    "ref",
    "signature",
    "tags",
    "tools",
    "triggers",
];

/// The names of the fields that stand in the body.
pub(super) const TEXT: &str = "What to do";
pub(super) const MISTAKE: &str = "Counter-example";

/// Text whose words can be looked at, checked or not.
pub trait ReadableText {
    /// Returns the words.
    fn as_text(&self) -> &str;
}

impl ReadableText for RawText {
    fn as_text(&self) -> &str {
        self.expose()
    }
}

impl ReadableText for CleanText {
    fn as_text(&self) -> &str {
        self.as_str()
    }
}

/// What a file says. `T` is [`RawText`] if it was read, and [`CleanText`] if it is to be written.
#[derive(Debug, Clone, PartialEq)]
pub struct LessonFields<T = CleanText> {
    /// The file's name.
    pub slug: Slug,
    /// The words, without the vendor that is ours in `metadata`. The situation is the trigger's
    /// description unless that only repeats the signature or the title.
    pub content: LessonContent<T>,
    /// How the runs behind it ended.
    pub outcome: RunOutcome,
    /// Why to believe it.
    pub evidence: Vec<Evidence<T>>,
    /// The author's own belief, 0 to 1.
    pub confidence: f64,
    /// How often it is said to have worked, and to have been contradicted. Whoever wrote the file may
    /// have made that up, so it is kept and never counted.
    pub claims: [u64; 2],
    /// The failure it is about.
    pub failure: Option<FailureKey>,
    /// The lessons that it replaces.
    pub supersedes: Vec<Slug>,
    /// When it stops being true.
    pub expires_at: Option<Timestamp>,
}

impl LessonFields<RawText> {
    /// Reads a file that keeps the schema; none if it does not.
    pub(super) fn from_parts(parts: &LessonFileParts) -> Option<Self> {
        let front = parts.front.to_json();
        let own = &front["metadata"][VENDOR];
        let title = front["title"].as_str()?;
        let description = front["trigger"]["description"].as_str()?;
        let signature = own["signature"].as_str().unwrap_or_default();
        let derived_text = Some(signature)
            .filter(|text| !text.is_empty())
            .unwrap_or(title);
        let evidence = front["evidence"].as_array()?.iter();
        let confidence = &front["confidence"];
        let is_hex = |it: &str| it.chars().all(|c| c.is_ascii_hexdigit());
        let is_key = |it: &&str| it.len() == limits::FAILURE_KEY_CHARS && is_hex(it);
        let failure = own["failure"].as_str().filter(is_key);
        let vendors = front["metadata"].as_object().into_iter().flatten();
        let text = |at| Some(parts.unescape_range(at)).filter(|at| !at.is_empty());
        let advice = parts.advice_range().and_then(text);
        let mistake = parts.find_section(SectionKind::Mistake);
        let mistake = mistake.and_then(|mistake| text(mistake.text_at.clone()));
        let tags = read_texts(&front["trigger"]["tags"]);
        let mut content = LessonContent {
            text: advice.map_or_else(|| title.into(), RawText::from),
            title: title.into(),
            signature: signature.into(),
            situation: (description != derived_text).then(|| description.into()),
            mistake: mistake.map(|mistake| shorten_narrative(mistake).into()),
            tags: tags
                .chain(read_texts(&own["tags"]))
                .map(RawText::from)
                .collect(),
            targets: read_targets(parts.front.get("trigger")?),
            tools: read_texts(&own["tools"]).map(RawText::from).collect(),
            reference: own["ref"].as_str().map(RawText::from),
            metadata: vendors
                .filter(|(vendor, _)| *vendor != VENDOR)
                .map(|(vendor, value)| (vendor.clone(), value.to_string().into()))
                .collect(),
        };
        if let Some(holds) = own["hold"].as_bool() {
            content.set_hold(holds);
        }
        if let triggers @ Json::Array(_) = &own["triggers"] {
            let entry = RawText::from(triggers.to_string());
            content.metadata.insert(TRIGGERS_ENTRY.to_owned(), entry);
        }
        Some(Self {
            slug: Slug::parse(front["slug"].as_str()?)?,
            outcome: RunOutcome::from_name(front["outcome"].as_str()?)?,
            evidence: evidence.map(read_evidence).collect::<Option<_>>()?,
            confidence: confidence.as_f64().unwrap_or(limits::CONFIDENCE_DEFAULT),
            claims: ["success_count", "failure_count"]
                .map(|entry| read_count(&front[entry]).unwrap_or(0)),
            supersedes: read_texts(&front["supersedes"])
                .filter_map(Slug::parse)
                .collect(),
            expires_at: front["expires_at"].as_str().and_then(read_time),
            failure: failure.map(|failure| FailureKey::new(failure.to_owned())),
            content,
        })
    }
}

pub(super) fn read_texts(list: &Json) -> impl Iterator<Item = &str> {
    list.as_array()
        .into_iter()
        .flatten()
        .filter_map(Json::as_str)
}

/// Reads the targets of a trigger, also several in one item, in the order they stand in.
pub(super) fn read_targets(trigger: &YamlNode) -> Vec<LessonTarget<RawText>> {
    let items = trigger.get("targets").into_iter().flat_map(YamlNode::items);
    let target = |entry: &YamlEntry| {
        Some(LessonTarget {
            kind: TargetKind::from_name(&entry.key)?,
            glob: entry.value.to_json().as_str()?.into(),
        })
    };
    items
        .flat_map(YamlNode::entries)
        .filter_map(target)
        .collect()
}

fn read_evidence(item: &Json) -> Option<Evidence<RawText>> {
    Some(Evidence {
        kind: EvidenceKind::from_name(item["kind"].as_str()?)?,
        reference: item["ref"].as_str()?.into(),
        note: item["note"].as_str().map(RawText::from),
    })
}

/// Reads a whole number; what JSON Schema calls one may be written `1.0`.
pub(super) fn read_count(value: &Json) -> Option<u64> {
    let is_whole = |it: &f64| it.fract() == 0.0 && (0.0..1e15).contains(it);
    let whole = || value.as_f64().filter(is_whole)?.to_string().parse().ok();
    value.as_u64().or_else(whole)
}

pub(super) fn read_time(text: &str) -> Option<Timestamp> {
    text.parse().ok()
}

/// Cuts a narrative to what a lesson keeps of it; the file keeps it whole.
fn shorten_narrative(text: String) -> String {
    if text.chars().count() <= limits::SITUATION_CHARS {
        return text;
    }
    let head: String = text.chars().take(limits::SITUATION_CHARS - 1).collect();
    let end = head.rfind(char::is_whitespace).unwrap_or(head.len());
    format!("{}…", head[..end].trim_end())
}

impl<T: ReadableText> LessonFields<T> {
    /// Returns the trigger's description: the situation, else the signature, else the title.
    pub fn description(&self) -> &str {
        let content = &self.content;
        let signature = Some(content.signature.as_text()).filter(|as_text| !as_text.is_empty());
        let situation = content.situation.as_ref().map(T::as_text);
        situation.or(signature).unwrap_or(content.title.as_text())
    }

    /// Returns the front matter as JSON, without what is absent.
    pub(super) fn front_matter(&self) -> Json {
        let content = &self.content;
        let targets = content.targets.iter();
        let targets = targets.map(|target| json!({ target.kind.name(): target.glob.as_text() }));
        let trigger = json!({
            "description": self.description(),
            "tags": self.tags(is_tag),
            "targets": targets.collect::<Json>(),
        });
        let evidence = self.evidence.iter().map(|evidence| {
            let note = evidence.note.as_ref().map(T::as_text);
            let reference = format_reference(evidence.kind, evidence.reference.as_text());
            without_absent(json!({ "kind": evidence.kind.name(), "ref": reference, "note": note }))
        });
        // A whole number is written without a fraction.
        let confidence =
            read_count(&json!(self.confidence)).map_or(json!(self.confidence), Json::from);
        without_absent(json!({
            "schema": SCHEMA,
            "slug": self.slug.as_str(),
            "title": content.title.as_text(),
            "trigger": without_absent(trigger),
            "outcome": self.outcome.name(),
            "evidence": evidence.collect::<Json>(),
            "confidence": confidence,
            "success_count": self.claims[0],
            "failure_count": self.claims[1],
            "supersedes": self.supersedes.iter().map(Slug::as_str).collect::<Json>(),
            "expires_at": self.expires_at.map(|at| at.to_string()),
            "metadata": self.metadata(),
        }))
    }

    /// Returns the tags for which this holds: of the specification, or of other alphabets and marks.
    fn tags(&self, holds: impl Fn(&str) -> bool) -> Vec<&str> {
        let tags = self.content.tags.iter().map(T::as_text);
        tags.filter(|tag| holds(tag)).collect()
    }

    /// Returns `metadata`, with our own fields under our own name.
    fn metadata(&self) -> Json {
        let content = &self.content;
        let reference = content.reference.as_ref().map(T::as_text);
        let read = |text: &str| serde_json::from_str(text).unwrap_or_else(|_| Json::from(text));
        let own_entry = |name: &str| content.metadata.get(name).map(T::as_text).map(read);
        let own = without_absent(json!({
            "failure": self.failure.as_ref().map(FailureKey::as_str),
            "hold": own_entry(HOLD_ENTRY),
            "ref": reference.filter(|reference| !reference.is_empty()),
            "signature": Some(content.signature.as_text()).filter(|as_text| !as_text.is_empty()),
            "tags": self.tags(|tag| !is_tag(tag)),
            "tools": content.tools.iter().map(T::as_text).collect::<Vec<_>>(),
            "triggers": own_entry(TRIGGERS_ENTRY),
        }));
        let vendors = content.metadata.iter();
        let vendors =
            vendors.filter(|(vendor, _)| ![HOLD_ENTRY, TRIGGERS_ENTRY].contains(&vendor.as_str()));
        let mut all: Map<String, Json> = vendors
            .map(|(vendor, json)| (vendor.clone(), read(json.as_text())))
            .collect();
        if !is_absent(&own) {
            all.insert(VENDOR.to_owned(), own);
        }
        Json::Object(all)
    }

    /// Returns the values of all fields in the order of a file, each in a form in which equal values
    /// are equal texts. A name is the path of what it stands for in the front matter.
    fn values(&self) -> [(&'static str, Json); 14] {
        let content = &self.content;
        let front = self.front_matter();
        let targets = content.targets.iter();
        let targets = targets.map(|target| json!([target.kind.name(), target.glob.as_text()]));
        let evidence = front["evidence"].as_array().into_iter().flatten();
        let evidence =
            evidence.map(|evidence| json!([evidence["kind"], evidence["ref"], evidence["note"]]));
        let mut supersedes: Vec<&str> = self.supersedes.iter().map(Slug::as_str).collect();
        supersedes.sort_unstable();
        [
            ("slug", json!(self.slug.as_str())),
            ("title", json!(content.title.as_text())),
            ("trigger.description", json!(self.description())),
            ("trigger.tags", json!(self.tags(is_tag))),
            ("trigger.targets", targets.collect()),
            ("outcome", json!(self.outcome.name())),
            ("evidence", evidence.collect()),
            ("confidence", json!(self.confidence)),
            ("success_count, failure_count", json!(self.claims)),
            ("supersedes", json!(supersedes)),
            (
                "expires_at",
                json!(self.expires_at.map(Timestamp::as_millisecond)),
            ),
            ("metadata", self.metadata()),
            (TEXT, json!(content.text.as_text())),
            (MISTAKE, json!(content.mistake.as_ref().map(T::as_text))),
        ]
    }

    /// Returns a short name for each field's value; equal values have equal ones.
    pub(super) fn digests(&self) -> BTreeMap<String, String> {
        let digest =
            |value: Json| digest::to_hex(&digest::hash_parts([value.to_string().as_bytes()])[..6]);
        let values = self.values().into_iter();
        values
            .map(|(name, value)| (name.to_owned(), digest(value)))
            .collect()
    }

    /// Returns a name for all that it says but its slug, which is the file's name, and what grows by
    /// itself and differs from one machine to the next: what was counted and what speaks for it.
    pub fn content_digest(&self) -> String {
        let is_kept =
            |name: &str| !["slug", "evidence", "success_count, failure_count"].contains(&name);
        let values = self.values().into_iter().filter(|(name, _)| is_kept(name));
        let values: Vec<String> = values.map(|(_, value)| value.to_string()).collect();
        digest::to_hex(&digest::hash_parts(values.iter().map(String::as_bytes))[..16])
    }
}

/// Takes what says nothing out of a map.
fn without_absent(mut map: Json) -> Json {
    if let Some(map) = map.as_object_mut() {
        map.retain(|_, value| !is_absent(value));
    }
    map
}

fn is_absent(value: &Json) -> bool {
    match value {
        Json::Null => true,
        Json::Array(items) => items.is_empty(),
        Json::Object(map) => map.is_empty(),
        Json::Bool(_) | Json::Number(_) | Json::String(_) => false,
    }
}

/// Writes a reference without blanks, because the specification wants no free text there.
fn format_reference(kind: EvidenceKind, text: &str) -> String {
    if kind == EvidenceKind::WikiPage {
        return text.to_owned();
    }
    text.split_whitespace().collect::<Vec<_>>().join("-")
}

/// Returns whether a tag is one by the specification: `^[a-z][a-z0-9-]*$`.
pub(super) fn is_tag(tag: &str) -> bool {
    let is_part = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    tag.starts_with(|c: char| c.is_ascii_lowercase()) && tag.chars().all(is_part)
}
