//! From a file to a lesson and back: what a lesson keeps of its file.
//!
//! A file that is not what [`render_file`] would make of its lesson is kept whole with the lesson, in the
//! metadata under our own name, together with a print of every field as it was admitted. Rendering
//! compares prints, so it does not matter what the guard made of a field on the way in, nor what a
//! later version would. What is kept went through the guard like everything else: if that took
//! something out, the file comes back without it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use hardwon_core::{
    AdmittedLesson, Cause, CleanText, Draft, GuardPolicy, GuardVerdict, Lesson, LessonCounts,
    LessonId, Scope, Slug, Status, Trust, guard::admit_in_context,
};
use hardwon_redact::redact;

use super::{
    VENDOR,
    render::{edit_file, format_front_matter, render_file},
    schema::unclear_targets,
};
use crate::{LessonFields, LessonFile};

/// Stands at both ends of a kept file, so that nothing trims it. The second form stands for a byte
/// order mark, which is an invisible character and would go.
const ENCLOSING_MARKS: [&str; 2] = ["|", "^"];

/// What a lesson keeps of the file that it came from.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct KeptFile {
    /// The file, between [`ENCLOSING_MARKS`].
    #[serde(default, skip_serializing_if = "String::is_empty")]
    file: String,
    /// The print of every field when it was kept.
    #[serde(default, rename = "as", skip_serializing_if = "BTreeMap::is_empty")]
    prints: BTreeMap<String, String>,
    /// What it said it replaces, whether that is here or not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    supersedes: Vec<String>,
    /// How it fared, by its own word.
    #[serde(default, skip_serializing_if = "is_nothing")]
    claims: [u64; 2],
}

fn is_nothing(claims: &[u64; 2]) -> bool {
    claims == &[0; 2]
}

impl KeptFile {
    fn from_admitted(admitted: &AdmittedLesson) -> Self {
        let json = admitted.content.metadata.get(VENDOR);
        json.and_then(|json| serde_json::from_str(json.as_str()).ok())
            .unwrap_or_default()
    }

    fn to_json(&self) -> String {
        serde_json::to_string(self).expect("texts and numbers are JSON")
    }

    /// Puts it where a lesson keeps it, if there is anything to keep.
    fn keep_in(&self, admitted: &mut AdmittedLesson) {
        let metadata = &mut admitted.content.metadata;
        metadata.remove(VENDOR);
        if *self != Self::default() {
            // It is made of what the guard left of the file.
            metadata.insert(VENDOR.to_owned(), CleanText::from_stored(self.to_json()));
        }
    }

    /// Returns the file's text.
    fn source(&self) -> Option<String> {
        let inner = |ends: &str| self.file.strip_prefix(ends)?.strip_suffix(ends);
        let plain = inner(ENCLOSING_MARKS[0]).map(str::to_owned);
        plain.or_else(|| inner(ENCLOSING_MARKS[1]).map(|text| format!("\u{feff}{text}")))
    }
}

/// Puts a file's text between two marks that no lesson contains, so that it can be found again; the mark says whether
/// the file began with a byte order mark.
fn enclose_source(source: &str) -> String {
    match source.strip_prefix('\u{feff}') {
        None => format!("{0}{source}{0}", ENCLOSING_MARKS[0]),
        Some(text) => format!("{0}{text}{0}", ENCLOSING_MARKS[1]),
    }
}

/// Decides whether a file becomes a lesson, and in which state it enters.
///
/// `supersedes` are the lessons that the file's slugs mean. Everything in the file is judged, also
/// what no lesson holds: comments, unknown fields and sections.
pub fn admit_file(
    file: &LessonFile,
    scope: &Scope,
    trust: Trust,
    supersedes: Vec<LessonId>,
    policy: &GuardPolicy,
) -> GuardVerdict {
    let fields = file.fields();
    let mut content = fields.content.clone();
    let file_entry = KeptFile {
        file: enclose_source(file.source().expose()),
        ..KeptFile::default()
    };
    content
        .metadata
        .insert(VENDOR.to_owned(), file_entry.to_json().into());
    let draft = Draft {
        scope: scope.clone(),
        content,
        cause: Cause::Imported,
        outcome: fields.outcome,
        evidence: fields.evidence.clone(),
        trust,
        confidence: fields.confidence,
        failure: fields.failure.clone(),
        expires_at: fields.expires_at,
        supersedes,
        task: None,
    };
    let mut lesson = admit_in_context(draft, &[file.front(), file.body()], policy)?;
    lesson.slug = fields.slug.clone();
    if let Some(why) = unclear_targets(&file.parts.front)
        && lesson.status == Status::Active
    {
        lesson.status = Status::Pending {
            why: CleanText::from_stored(why.to_owned()),
        };
    }
    keep_file(&mut lesson, file);
    Ok(lesson)
}

/// Decides what of its file an admitted lesson keeps.
fn keep_file(admitted: &mut AdmittedLesson, file: &LessonFile) {
    let clean_source = KeptFile::from_admitted(admitted).source();
    let fields = file.fields();
    let mut file_entry = KeptFile {
        supersedes: fields.supersedes.iter().map(Slug::to_string).collect(),
        claims: fields.claims,
        ..KeptFile::default()
    };
    file_entry.keep_in(admitted);
    let now = LessonFields::from_admitted(admitted, LessonCounts::default(), &admitted.slug, &[]);
    let mut source = clean_source.unwrap_or_default();
    if source != file.source().expose() && LessonFile::parse(None, &source).file.is_none() {
        // What was taken out left something that cannot be read.
        let front = format_front_matter(&now.front_matter());
        source = format!("---\n{front}---\n{}", redact(file.body()));
    }
    if source != render_file(&now) {
        file_entry.file = enclose_source(&source);
        file_entry.prints = now.digests();
        file_entry.keep_in(admitted);
    }
}

impl LessonFields {
    /// Returns what a file of a lesson says.
    ///
    /// `slug` is the name that the file has, `replaced` the files of lessons that it replaced. What
    /// was counted stands in the place of what the author claims, as soon as anything was counted.
    pub fn from_admitted(
        admitted: &AdmittedLesson,
        counts: LessonCounts,
        slug: &Slug,
        replaced: &[Slug],
    ) -> Self {
        let file_entry = KeptFile::from_admitted(admitted);
        let mut content = admitted.content.clone();
        content.metadata.remove(VENDOR);
        let supersedes = file_entry
            .supersedes
            .iter()
            .filter_map(|supersede| Slug::parse(supersede));
        let mut supersedes: Vec<Slug> = supersedes.collect();
        let others = replaced.iter().filter(|old| !supersedes.contains(old));
        supersedes.extend(others.cloned().collect::<Vec<_>>());
        let claims = match (counts.helped, counts.harmed) {
            (0, 0) => file_entry.claims,
            (helped, harmed) => [helped, harmed],
        };
        Self {
            slug: slug.clone(),
            content,
            outcome: admitted.outcome,
            evidence: admitted.evidence.clone(),
            confidence: admitted.confidence,
            claims,
            failure: admitted.failure.clone(),
            supersedes,
            expires_at: admitted.expires_at,
        }
    }
}

/// Writes the file of a lesson: as it came, but for what changed since.
///
/// `slug` is the name that the file has, `replaced` the files of lessons that it replaced. The text
/// is redacted once more, so that a row which an older version stored cannot bring a secret out.
pub fn render_lesson(lesson: &Lesson, slug: &Slug, replaced: &[Slug]) -> String {
    let fields = LessonFields::from_admitted(&lesson.admitted, lesson.counts, slug, replaced);
    let file_entry = KeptFile::from_admitted(&lesson.admitted);
    let file = file_entry
        .source()
        .and_then(|source| LessonFile::parse(None, &source).file);
    let digests = fields.digests();
    let is_changed = |name: &&str| file_entry.prints.get(*name) != digests.get(*name);
    let changes: Vec<&str> = digests
        .keys()
        .map(String::as_str)
        .filter(is_changed)
        .collect();
    let text = match file {
        None => render_file(&fields),
        Some(file) if changes.is_empty() => file.source().expose().to_owned(),
        Some(file) => edit_file(&file, &fields, &changes),
    };
    redact(&text).into_owned()
}

/// Returns a lesson's words without what it keeps of its file's form.
pub fn content_without_file(admitted: &AdmittedLesson) -> hardwon_core::lesson::LessonContent {
    let mut content = admitted.content.clone();
    content.metadata.remove(VENDOR);
    content
}
