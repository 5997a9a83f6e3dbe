//! A file written from nothing: fields in the order of the specification, one form for each.

use serde_json::Value as Json;

use super::{
    SCHEMA, Said,
    body::escape,
    emit,
    file::Part,
    said::{Field, Words},
    schema::FIELDS,
    yaml::{Node, Value},
};
use crate::{
    evidence::{Evidence, EvidenceKind},
    lesson::Slug,
};

/// Fields outside of the trigger, in their order.
const TOP: [Field; 7] = [
    Field::Outcome,
    Field::Evidence,
    Field::Confidence,
    Field::Claims,
    Field::Supersedes,
    Field::ExpiresAt,
    Field::Metadata,
];

/// Writes a whole file.
pub(super) fn file<T: Words>(said: &Said<T>) -> String {
    let mut out = format!(
        "---\n{}---\n\n# {}\n",
        front(said, None),
        said.content.title.words()
    );
    for part in [Part::When, Part::What, Part::Mistake] {
        if let Some(text) = section(said, part) {
            out.push_str(&format!("\n## {}\n\n{text}\n", part.heading()));
        }
    }
    out
}

/// Writes a front matter, with the fields of an older one that nobody knows.
pub(super) fn front<T: Words>(said: &Said<T>, older: Option<&Node>) -> String {
    let mut out = format!("schema: {SCHEMA}\n");
    push(&mut out, said, &[Field::Slug, Field::Title], 0);
    out.push_str("trigger:\n");
    push(
        &mut out,
        said,
        &[Field::Description, Field::Tags, Field::Targets],
        2,
    );
    let trigger = older.and_then(|it| it.get(&["trigger"]));
    unknown(&mut out, trigger, &["description", "tags", "targets"], 2);
    push(&mut out, said, &TOP, 0);
    unknown(&mut out, older, FIELDS, 0);
    out
}

fn push<T: Words>(out: &mut String, said: &Said<T>, fields: &[Field], indent: usize) {
    for field in fields {
        for (name, value) in values(said, *field, indent) {
            if let Some(value) = value {
                out.push_str(&format!("{:indent$}{name}:{value}\n", ""));
            }
        }
    }
}

fn unknown(out: &mut String, older: Option<&Node>, known: &[&str], indent: usize) {
    let Some(Value::Map(entries)) = older.map(|it| &it.value) else {
        return;
    };
    for entry in entries
        .iter()
        .filter(|it| !known.contains(&it.key.as_str()))
    {
        let value = emit::field(&entry.value.json(), indent + 2);
        out.push_str(&format!(
            "{:indent$}{}:{value}\n",
            "",
            emit::scalar(&entry.key)
        ));
    }
}

/// Returns the names that a field has in the front matter, each with what stands after its colon;
/// none for one that is absent. Lines below the first begin with this indent and two blanks more.
pub(super) fn values<T: Words>(
    said: &Said<T>,
    field: Field,
    indent: usize,
) -> Vec<(&'static str, Option<String>)> {
    let inline = |text: String| Some(format!(" {text}"));
    let list = |items: Vec<&str>| (!items.is_empty()).then(|| format!(" {}", emit::list(items)));
    let content = &said.content;
    match field {
        Field::Slug => vec![("slug", inline(said.slug.to_string()))],
        Field::Title => vec![("title", inline(emit::scalar(content.title.words())))],
        Field::Description => vec![("description", inline(emit::scalar(said.description())))],
        Field::Tags => vec![("tags", list(said.tags().0))],
        Field::Targets => {
            let targets = content.targets.iter();
            let targets = targets.map(|it| vec![(it.kind.name(), emit::scalar(it.glob.words()))]);
            vec![("targets", items(targets, indent))]
        }
        Field::Outcome => vec![("outcome", inline(said.outcome.name().to_owned()))],
        Field::Evidence => vec![(
            "evidence",
            items(said.evidence.iter().map(evidence), indent),
        )],
        Field::Confidence => vec![("confidence", inline(said.confidence.to_string()))],
        Field::Claims => vec![
            ("success_count", inline(said.claims.success.to_string())),
            ("failure_count", inline(said.claims.failure.to_string())),
        ],
        Field::Supersedes => {
            vec![(
                "supersedes",
                list(said.supersedes.iter().map(Slug::as_str).collect()),
            )]
        }
        Field::ExpiresAt => vec![(
            "expires_at",
            said.expires_at.and_then(|at| inline(at.to_string())),
        )],
        Field::Metadata => {
            let all = said.metadata();
            let all = (!all.is_empty()).then(|| Json::Object(all.into_iter().collect()));
            vec![("metadata", all.map(|all| emit::field(&all, indent + 2)))]
        }
        Field::Text | Field::Mistake => Vec::new(),
    }
}

/// Writes a list of maps, a line a field.
fn items<'n>(maps: impl Iterator<Item = Vec<(&'n str, String)>>, indent: usize) -> Option<String> {
    let mut out = String::new();
    for map in maps {
        for (number, (name, value)) in map.into_iter().enumerate() {
            let sign = if number == 0 { "- " } else { "  " };
            out.push_str(&format!("\n{:indent$}  {sign}{name}: {value}", ""));
        }
    }
    (!out.is_empty()).then_some(out)
}

fn evidence<T: Words>(evidence: &Evidence<T>) -> Vec<(&'static str, String)> {
    let reference = reference(evidence.kind, evidence.reference.words());
    let mut fields = vec![
        ("kind", evidence.kind.name().to_owned()),
        ("ref", emit::scalar(&reference)),
    ];
    if let Some(note) = &evidence.note {
        fields.push(("note", emit::scalar(note.words())));
    }
    fields
}

/// Writes a reference without blanks, because the specification wants no free text there.
pub(super) fn reference(kind: EvidenceKind, text: &str) -> String {
    if kind == EvidenceKind::WikiPage {
        return text.to_owned();
    }
    text.split_whitespace().collect::<Vec<_>>().join("-")
}

/// Returns what stands in a section, ready to be put there.
pub(super) fn section<T: Words>(said: &Said<T>, part: Part) -> Option<String> {
    let text = match part {
        Part::When => Some(said.description()),
        Part::What => Some(said.content.text.words()),
        Part::Mistake => said.content.mistake.as_ref().map(T::words),
    };
    text.map(|text| escape(text.trim()).into_owned())
}
