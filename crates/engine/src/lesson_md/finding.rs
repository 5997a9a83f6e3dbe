//! What is wrong with a file, where, and how badly.

use hardwon_core::named_enum;

named_enum! {
    /// What kind of trouble it is, by the names of the specification.
    FindingCode {
        /// The file breaks the schema.
        LessonInvalid = "lesson_invalid",
        /// Two files have one name.
        SlugCollision = "slug_collision",
        /// A piece of evidence is no reference that anything could resolve.
        EvidenceUnresolvable = "evidence_unresolvable",
        /// It replaces a lesson that is not there.
        SupersedesMissing = "supersedes_missing",
        /// Confidence is not between 0 and 1.
        ConfidenceOutOfRange = "confidence_out_of_range",
        /// It would be brought up for everybody or everything.
        TriggerOverbroad = "trigger_overbroad",
        /// It says itself that it no longer holds.
        Expired = "expired",
        /// The file could not be read.
        Internal = "internal",
        /// A customary heading is missing. This name is ours, and so is the next.
        Heading = "heading",
        /// Windows has a device of the file's name.
        DeviceName = "device_name",
    }
}

named_enum! {
    /// How badly a file is wrong.
    Severity {
        /// It is only unusual.
        Note = "note",
        /// It breaks a rule, and is a lesson all the same.
        Warning = "warning",
        /// It is no lesson.
        Error = "error",
    }
}

/// One thing that is wrong with a file.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct FileFinding {
    /// The line, from 1.
    pub line: usize,
    /// The field, such as `trigger.tags[1]`; empty for the file as a whole.
    pub field: String,
    /// What kind of trouble it is.
    pub code: FindingCode,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong. It quotes nothing that could be a secret.
    pub message: String,
}

impl FileFinding {
    /// Says that the file as a whole is no lesson.
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
