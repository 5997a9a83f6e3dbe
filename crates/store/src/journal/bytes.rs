//! The canonical bytes that the journal hashes.
//!
//! Every field is written as its length in bytes (8 bytes, big-endian) followed by its value, so that no two
//! different values give the same bytes. The first field names the form and its version. These bytes never change
//! meaning: an additional field makes a new version, and the old one stays readable.

use jiff::Timestamp;
use sha2::{Digest as _, Sha256};

use hardwon_core::{
    AdmittedLesson, CleanText, Evidence, Lesson, LessonContent, LessonCounts, LessonId, Status,
    TenantId,
};

use super::Sha256Hash;
use crate::EntryBody;

const GENESIS_TAG: &str = "hardwon journal 1";
const ENTRY_TAG: &str = "hardwon entry 1";
const COMMENTED_ENTRY_TAG: &str = "hardwon entry 2";
const COMMENT_TAG: &str = "hardwon remark 1";
const FORMER_LESSON_TAG: &str = "hardwon lesson 1";
const LESSON_TAG: &str = "hardwon lesson 2";

pub(super) fn hash_genesis(tenant: &TenantId) -> Sha256Hash {
    FieldHasher::new(GENESIS_TAG)
        .write_text(tenant.as_str())
        .finish()
}

/// Hashes an entry; one without a comment in the older form, which has no field for it.
pub(super) fn hash_entry(sequence: u64, deed: &EntryBody, previous: &Sha256Hash) -> Sha256Hash {
    let form = if deed.comment.is_some() {
        COMMENTED_ENTRY_TAG
    } else {
        ENTRY_TAG
    };
    let fields = FieldHasher::new(form)
        .write_count(sequence)
        .write_time(deed.at)
        .write_text(deed.kind.name())
        .write_id(deed.lesson)
        .write_text(deed.actor.0.as_str())
        .write_bytes(deed.content.as_bytes());
    let fields = match &deed.comment {
        Some(remark) => fields.write_bytes(remark.digest().as_bytes()),
        None => fields,
    };
    fields.write_bytes(previous.as_bytes()).finish()
}

pub(super) fn hash_comment(text: &CleanText) -> Sha256Hash {
    FieldHasher::new(COMMENT_TAG)
        .write_text(text.as_str())
        .finish()
}

/// Hashes a lesson: all of it but what recalls count.
pub(super) fn hash_lesson(lesson: &Lesson) -> Sha256Hash {
    let fields = write_lesson(LESSON_TAG, lesson);
    let fields = write_counts(fields, &lesson.counts);
    let retirement = match lesson.status {
        Status::Archived { by, .. } => Some(by),
        _ => None,
    };
    fields
        .write_each(retirement, |fields, by| fields.write_text(by.name()))
        .finish()
}

/// Hashes a lesson in the form of earlier versions, which has nothing of what outcomes told beside the two counts.
pub(super) fn hash_lesson_formerly(lesson: &Lesson) -> Sha256Hash {
    write_lesson(FORMER_LESSON_TAG, lesson).finish()
}

fn write_lesson(form: &str, lesson: &Lesson) -> FieldHasher {
    let fields = FieldHasher::new(form).write_id(lesson.id);
    write_admitted(fields, &lesson.admitted)
        .write_count(lesson.counts.helped)
        .write_count(lesson.counts.harmed)
        .write_each(&lesson.contradicts, |fields, id| fields.write_id(*id))
        .write_time(lesson.created)
        .write_time(lesson.updated)
}

/// Writes what outcomes told. Destructured, so that a new field cannot be forgotten here.
fn write_counts(fields: FieldHasher, counts: &LessonCounts) -> FieldHasher {
    let LessonCounts {
        // These two stand where they always stood.
        helped: _,
        harmed: _,
        contradicted,
        went_well,
        went_badly,
        not_followed,
        gaussian_message,
        trial,
        // Recalls count by themselves, without an entry.
        shown: _,
        last_shown: _,
    } = counts;
    let arms = [trial.shown, trial.control];
    let sums = arms.map(|arm| [arm.weight, arm.square, arm.good]).concat();
    fields
        .write_count(*contradicted)
        .write_count(*went_well)
        .write_count(*went_badly)
        .write_sum(*not_followed)
        .write_sum(gaussian_message.precision)
        .write_sum(gaussian_message.shift)
        .write_each(sums, |fields, sum| fields.write_sum(sum))
}

/// Writes an admitted lesson. Destructured, so that a new field cannot be forgotten here.
fn write_admitted(fields: FieldHasher, admitted: &AdmittedLesson) -> FieldHasher {
    let AdmittedLesson {
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
        // Not part of what the lesson says, and the chain must not outlive it.
        task: _,
    } = admitted;
    let fields = fields
        .write_text(scope.tenant.as_str())
        .write_text(scope.agent.as_str())
        .write_each(&scope.project, |fields, project| {
            fields.write_text(project.as_str())
        })
        .write_text(slug.as_str());
    write_status(write_content(fields, words), state)
        .write_text(cause.name())
        .write_text(outcome.name())
        .write_each(reasons, write_evidence)
        .write_text(trust.class.name())
        .write_count(u64::from(trust.tainted))
        .write_bytes(&confidence.to_bits().to_be_bytes())
        .write_each(failure, |fields, key| fields.write_text(key.as_str()))
        .write_each(expires_at, |fields, end| fields.write_time(*end))
        .write_each(supersedes, |fields, id| fields.write_id(*id))
}

fn write_content(fields: FieldHasher, content: &LessonContent) -> FieldHasher {
    let LessonContent {
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
    let clean = |fields: FieldHasher, text: &CleanText| fields.write_text(text.as_str());
    fields
        .write_text(title.as_str())
        .write_text(signature.as_str())
        .write_text(text.as_str())
        .write_each(situation, clean)
        .write_each(mistake, clean)
        .write_each(tags, clean)
        .write_each(targets, |fields, target| {
            fields
                .write_text(target.kind.name())
                .write_text(target.glob.as_str())
        })
        .write_each(tools, clean)
        .write_each(reference, clean)
        .write_each(metadata, |fields, (vendor, json)| {
            fields.write_text(vendor).write_text(json.as_str())
        })
}

fn write_evidence(fields: FieldHasher, evidence: &Evidence) -> FieldHasher {
    fields
        .write_text(evidence.kind.name())
        .write_text(evidence.reference.as_str())
        .write_each(&evidence.note, |fields, note| {
            fields.write_text(note.as_str())
        })
}

fn write_status(fields: FieldHasher, status: &Status) -> FieldHasher {
    let fields = fields.write_text(status.name());
    match status {
        Status::Active => fields,
        Status::Pending { why } | Status::Quarantined { why } | Status::Archived { why, .. } => {
            fields.write_text(why.as_str())
        }
        Status::Superseded { by } => fields.write_id(*by),
    }
}

/// Collects fields into a hash.
pub(super) struct FieldHasher(Sha256);

impl FieldHasher {
    pub(crate) fn new(form: &str) -> Self {
        Self(Sha256::new()).write_text(form)
    }

    pub(crate) fn write_bytes(mut self, bytes: &[u8]) -> Self {
        let length = u64::try_from(bytes.len()).expect("a length in memory fits 64 bits");
        self.0.update(length.to_be_bytes());
        self.0.update(bytes);
        self
    }

    pub(crate) fn write_text(self, text: &str) -> Self {
        self.write_bytes(text.as_bytes())
    }

    pub(crate) fn write_count(self, count: u64) -> Self {
        self.write_bytes(&count.to_be_bytes())
    }

    /// Writes a whole number that may be below zero.
    pub(crate) fn write_sum(self, sum: i64) -> Self {
        self.write_bytes(&sum.to_be_bytes())
    }

    pub(crate) fn write_id(self, id: LessonId) -> Self {
        self.write_bytes(&id.0.to_be_bytes())
    }

    pub(crate) fn write_time(self, time: Timestamp) -> Self {
        self.write_bytes(&time.as_millisecond().to_be_bytes())
    }

    /// Writes the number of items, then each. An optional field is a list of none or one.
    pub(crate) fn write_each<I>(self, items: I, write: impl Fn(Self, I::Item) -> Self) -> Self
    where
        I: IntoIterator,
        I::IntoIter: Clone,
    {
        let items = items.into_iter();
        let count = u64::try_from(items.clone().count()).expect("a count in memory fits 64 bits");
        items.fold(self.write_count(count), write)
    }

    pub(crate) fn finish(self) -> Sha256Hash {
        Sha256Hash(self.0.finalize().into())
    }
}
