//! A file written from nothing: fields in the order of the specification, one form for each.

use serde_json::Value as Json;

use super::{
    LessonFields, SCHEMA,
    body::escape_section,
    emit,
    fields::{LessonField, ReadableText},
    file::SectionKind,
    schema::FRONT_MATTER_FIELDS,
    yaml::{YamlNode, YamlValue},
};
use crate::{
    evidence::{Evidence, EvidenceKind},
    lesson::Slug,
};

/// Fields outside of the trigger, in their order.
const TOP_FIELDS: [LessonField; 7] = [
    LessonField::Outcome,
    LessonField::Evidence,
    LessonField::Confidence,
    LessonField::Claims,
    LessonField::Supersedes,
    LessonField::ExpiresAt,
    LessonField::Metadata,
];

/// Writes a whole file.
pub(super) fn render_file<T: ReadableText>(said: &LessonFields<T>) -> String {
    let mut out = format!(
        "---\n{}---\n\n# {}\n",
        render_front_matter(said, None),
        said.content.title.as_text()
    );
    for part in [SectionKind::When, SectionKind::What, SectionKind::Mistake] {
        if let Some(text) = render_section(said, part) {
            out.push_str(&format!("\n## {}\n\n{text}\n", part.heading()));
        }
    }
    out
}

/// Writes a front matter, with the fields of an older one that nobody knows.
pub(super) fn render_front_matter<T: ReadableText>(
    said: &LessonFields<T>,
    older: Option<&YamlNode>,
) -> String {
    let mut out = format!("schema: {SCHEMA}\n");
    push_fields(&mut out, said, &[LessonField::Slug, LessonField::Title], 0);
    out.push_str("trigger:\n");
    push_fields(
        &mut out,
        said,
        &[
            LessonField::Description,
            LessonField::Tags,
            LessonField::Targets,
        ],
        2,
    );
    let trigger = older.and_then(|it| it.get(&["trigger"]));
    push_unknown_fields(&mut out, trigger, &["description", "tags", "targets"], 2);
    push_fields(&mut out, said, &TOP_FIELDS, 0);
    push_unknown_fields(&mut out, older, FRONT_MATTER_FIELDS, 0);
    out
}

fn push_fields<T: ReadableText>(
    out: &mut String,
    said: &LessonFields<T>,
    fields: &[LessonField],
    indent: usize,
) {
    for field in fields {
        for (name, value) in field_values(said, *field, indent) {
            if let Some(value) = value {
                out.push_str(&format!("{:indent$}{name}:{value}\n", ""));
            }
        }
    }
}

fn push_unknown_fields(out: &mut String, older: Option<&YamlNode>, known: &[&str], indent: usize) {
    let Some(YamlValue::Map(entries)) = older.map(|it| &it.value) else {
        return;
    };
    for entry in entries
        .iter()
        .filter(|it| !known.contains(&it.key.as_str()))
    {
        let value = emit::format_value(&entry.value.to_json(), indent + 2);
        out.push_str(&format!(
            "{:indent$}{}:{value}\n",
            "",
            emit::format_scalar(&entry.key)
        ));
    }
}

/// Returns the names that a field has in the front matter, each with what stands after its colon;
/// none for one that is absent. Lines below the first begin with this indent and two blanks more.
pub(super) fn field_values<T: ReadableText>(
    said: &LessonFields<T>,
    field: LessonField,
    indent: usize,
) -> Vec<(&'static str, Option<String>)> {
    let inline = |text: String| Some(format!(" {text}"));
    let list =
        |items: Vec<&str>| (!items.is_empty()).then(|| format!(" {}", emit::format_list(items)));
    let content = &said.content;
    match field {
        LessonField::Slug => vec![("slug", inline(said.slug.to_string()))],
        LessonField::Title => vec![(
            "title",
            inline(emit::format_scalar(content.title.as_text())),
        )],
        LessonField::Description => vec![(
            "description",
            inline(emit::format_scalar(said.description())),
        )],
        LessonField::Tags => vec![("tags", list(said.split_tags().0))],
        LessonField::Targets => {
            let targets = content.targets.iter();
            let targets =
                targets.map(|it| vec![(it.kind.name(), emit::format_scalar(it.glob.as_text()))]);
            vec![("targets", format_items(targets, indent))]
        }
        LessonField::Outcome => vec![("outcome", inline(said.outcome.name().to_owned()))],
        LessonField::Evidence => vec![(
            "evidence",
            format_items(said.evidence.iter().map(evidence_fields), indent),
        )],
        LessonField::Confidence => vec![("confidence", inline(said.confidence.to_string()))],
        LessonField::Claims => vec![
            ("success_count", inline(said.claims.success.to_string())),
            ("failure_count", inline(said.claims.failure.to_string())),
        ],
        LessonField::Supersedes => {
            vec![(
                "supersedes",
                list(said.supersedes.iter().map(Slug::as_str).collect()),
            )]
        }
        LessonField::ExpiresAt => vec![(
            "expires_at",
            said.expires_at.and_then(|at| inline(at.to_string())),
        )],
        LessonField::Metadata => {
            let all = said.metadata();
            let all = (!all.is_empty()).then(|| Json::Object(all.into_iter().collect()));
            vec![(
                "metadata",
                all.map(|all| emit::format_value(&all, indent + 2)),
            )]
        }
        LessonField::Text | LessonField::Mistake => Vec::new(),
    }
}

/// Writes a list of maps, a line a field.
fn format_items<'n>(
    maps: impl Iterator<Item = Vec<(&'n str, String)>>,
    indent: usize,
) -> Option<String> {
    let mut out = String::new();
    for map in maps {
        for (number, (name, value)) in map.into_iter().enumerate() {
            let sign = if number == 0 { "- " } else { "  " };
            out.push_str(&format!("\n{:indent$}  {sign}{name}: {value}", ""));
        }
    }
    (!out.is_empty()).then_some(out)
}

fn evidence_fields<T: ReadableText>(evidence: &Evidence<T>) -> Vec<(&'static str, String)> {
    let reference = format_reference(evidence.kind, evidence.reference.as_text());
    let mut fields = vec![
        ("kind", evidence.kind.name().to_owned()),
        ("ref", emit::format_scalar(&reference)),
    ];
    if let Some(note) = &evidence.note {
        fields.push(("note", emit::format_scalar(note.as_text())));
    }
    fields
}

/// Writes a reference without blanks, because the specification wants no free text there.
pub(super) fn format_reference(kind: EvidenceKind, text: &str) -> String {
    if kind == EvidenceKind::WikiPage {
        return text.to_owned();
    }
    text.split_whitespace().collect::<Vec<_>>().join("-")
}

/// Returns what stands in a section, ready to be put there.
pub(super) fn render_section<T: ReadableText>(
    said: &LessonFields<T>,
    part: SectionKind,
) -> Option<String> {
    let text = match part {
        SectionKind::When => Some(said.description()),
        SectionKind::What => Some(said.content.text.as_text()),
        SectionKind::Mistake => said.content.mistake.as_ref().map(T::as_text),
    };
    text.map(|text| escape_section(text.trim()).into_owned())
}
