//! What is wrong with a file, where, and how badly.

/// What kind of trouble it is, by the names of the specification.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FindingCode {
    /// The file breaks the schema.
    LessonInvalid,
    /// Two files have one name.
    SlugCollision,
    /// A piece of evidence is no reference that anything could resolve.
    EvidenceUnresolvable,
    /// It replaces a lesson that is not there.
    SupersedesMissing,
    /// Confidence is not between 0 and 1.
    ConfidenceOutOfRange,
    /// It would be brought up for everybody or everything.
    TriggerOverbroad,
    /// It says itself that it no longer holds.
    Expired,
    /// The file could not be read.
    Internal,
    /// A customary heading is missing. The one name that is ours.
    Heading,
}

impl FindingCode {
    /// Returns the name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::LessonInvalid => "lesson_invalid",
            Self::SlugCollision => "slug_collision",
            Self::EvidenceUnresolvable => "evidence_unresolvable",
            Self::SupersedesMissing => "supersedes_missing",
            Self::ConfidenceOutOfRange => "confidence_out_of_range",
            Self::TriggerOverbroad => "trigger_overbroad",
            Self::Expired => "expired",
            Self::Internal => "internal",
            Self::Heading => "heading",
        }
    }
}

/// How badly a file is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// It is only unusual.
    Note,
    /// It breaks a rule, and is a lesson all the same.
    Warning,
    /// It is no lesson.
    Error,
}

impl Severity {
    /// Returns the name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// One thing that is wrong with a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileFinding {
    /// What kind of trouble it is.
    pub code: FindingCode,
    /// How bad it is.
    pub severity: Severity,
    /// The line, from 1.
    pub line: usize,
    /// The field, such as `trigger.tags[1]`; empty for the file as a whole.
    pub field: String,
    /// What is wrong. It quotes nothing that could be a secret.
    pub message: String,
}

impl FileFinding {
    /// Says that the file as a whole is no lesson.
    #[must_use]
    pub fn for_file(code: FindingCode, message: impl Into<String>) -> Self {
        Self {
            code,
            severity: Severity::Error,
            line: 1,
            field: String::new(),
            message: message.into(),
        }
    }
}
