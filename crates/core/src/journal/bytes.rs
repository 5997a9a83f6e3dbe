//! The canonical bytes: what exactly is hashed.
//!
//! Every field is written as its length in bytes (8 bytes, big-endian) and then itself, so that no
//! two different values give the same bytes. The first field names the form and its version. These
//! bytes never change meaning: a field more is a new version, and the old one stays readable.

use jiff::Timestamp;
use sha2::{Digest as _, Sha256};

use super::{Deed, Hash};
use crate::{
    evidence::Evidence,
    id::{LessonId, TenantId},
    lesson::{Admitted, Content, Lesson, Status},
    text::CleanText,
};

const START: &str = "hardwon journal 1";
const ENTRY: &str = "hardwon entry 1";
const REMARKED: &str = "hardwon entry 2";
const REMARK: &str = "hardwon remark 1";
const LESSON: &str = "hardwon lesson 1";

pub(super) fn start(tenant: &TenantId) -> Hash {
    Fields::new(START).text(tenant.as_str()).hash()
}

/// Hashes an entry: one without a remark in the form that knows none.
pub(super) fn entry(sequence: u64, deed: &Deed, previous: &Hash) -> Hash {
    let form = if deed.remark.is_some() {
        REMARKED
    } else {
        ENTRY
    };
    let fields = Fields::new(form)
        .count(sequence)
        .time(deed.at)
        .text(deed.kind.name())
        .id(deed.lesson)
        .text(deed.actor.0.as_str())
        .bytes(deed.content.as_bytes());
    let fields = match &deed.remark {
        Some(remark) => fields.bytes(remark.digest().as_bytes()),
        None => fields,
    };
    fields.bytes(previous.as_bytes()).hash()
}

pub(super) fn remark(text: &CleanText) -> Hash {
    Fields::new(REMARK).text(text.as_str()).hash()
}

pub(super) fn lesson(lesson: &Lesson) -> Hash {
    let fields = Fields::new(LESSON).id(lesson.id);
    admitted(fields, &lesson.admitted)
        .count(lesson.counts.helped)
        .count(lesson.counts.harmed)
        .each(&lesson.contradicts, |fields, id| fields.id(*id))
        .time(lesson.created)
        .time(lesson.updated)
        .hash()
}

/// Writes what guard let through. Destructured, so that a new field cannot be forgotten here.
fn admitted(fields: Fields, admitted: &Admitted) -> Fields {
    let Admitted {
        scope,
        slug,
        content: words,
        cause,
        outcome,
        evidence: reasons,
        trust,
        confidence,
        failure,
        status: state,
        expires_at,
        supersedes,
        // Not what the lesson says, and not for a chain that outlives it.
        task: _,
    } = admitted;
    let fields = fields
        .text(scope.tenant.as_str())
        .text(scope.agent.as_str())
        .each(&scope.project, |fields, project| {
            fields.text(project.as_str())
        })
        .text(slug.as_str());
    status(content(fields, words), state)
        .text(cause.name())
        .text(outcome.name())
        .each(reasons, evidence)
        .text(trust.class.name())
        .count(u64::from(trust.tainted))
        .bytes(&confidence.to_bits().to_be_bytes())
        .each(failure, |fields, key| fields.text(key.as_str()))
        .each(expires_at, |fields, end| fields.time(*end))
        .each(supersedes, |fields, id| fields.id(*id))
}

fn content(fields: Fields, content: &Content) -> Fields {
    let Content {
        title,
        signature,
        text,
        situation,
        mistake,
        tags,
        targets,
        tools,
        reference,
        metadata,
    } = content;
    let clean = |fields: Fields, text: &CleanText| fields.text(text.as_str());
    fields
        .text(title.as_str())
        .text(signature.as_str())
        .text(text.as_str())
        .each(situation, clean)
        .each(mistake, clean)
        .each(tags, clean)
        .each(targets, |fields, target| {
            fields.text(target.kind.name()).text(target.glob.as_str())
        })
        .each(tools, clean)
        .each(reference, clean)
        .each(metadata, |fields, (vendor, json)| {
            fields.text(vendor).text(json.as_str())
        })
}

fn evidence(fields: Fields, evidence: &Evidence) -> Fields {
    fields
        .text(evidence.kind.name())
        .text(evidence.reference.as_str())
        .each(&evidence.note, |fields, note| fields.text(note.as_str()))
}

fn status(fields: Fields, status: &Status) -> Fields {
    let fields = fields.text(status.name());
    match status {
        Status::Active => fields,
        Status::Pending { why } | Status::Quarantined { why } | Status::Archived { why } => {
            fields.text(why.as_str())
        }
        Status::Superseded { by } => fields.id(*by),
    }
}

/// Bytes on their way into a hash.
struct Fields(Sha256);

impl Fields {
    fn new(form: &str) -> Self {
        Self(Sha256::new()).text(form)
    }

    fn bytes(mut self, bytes: &[u8]) -> Self {
        let length = u64::try_from(bytes.len()).expect("a length in memory fits 64 bits");
        self.0.update(length.to_be_bytes());
        self.0.update(bytes);
        self
    }

    fn text(self, text: &str) -> Self {
        self.bytes(text.as_bytes())
    }

    fn count(self, count: u64) -> Self {
        self.bytes(&count.to_be_bytes())
    }

    fn id(self, id: LessonId) -> Self {
        self.bytes(&id.0.to_be_bytes())
    }

    fn time(self, time: Timestamp) -> Self {
        self.bytes(&time.as_millisecond().to_be_bytes())
    }

    /// Writes how many there are, then each. An optional field is a list of none or one.
    fn each<I>(self, items: I, write: impl Fn(Self, I::Item) -> Self) -> Self
    where
        I: IntoIterator,
        I::IntoIter: Clone,
    {
        let items = items.into_iter();
        let count = u64::try_from(items.clone().count()).expect("a count in memory fits 64 bits");
        items.fold(self.count(count), write)
    }

    fn hash(self) -> Hash {
        Hash(self.0.finalize().into())
    }
}
