//! Names and numbers as small types, so that a run is never taken for a tenant.
//!
//! Parsing is the only way to make a name of a text, so a name is never empty, never longer than [`limits::NAME_CHARS`] and
//! never contains a control character or a secret: a run is often named by a URL, and a URL may contain a password.
//! The same is true of one that is read from JSON. A run's name that this product stored was redacted then, and is not again.
//! This module creates no ids; the store numbers lessons.

use std::{fmt, num::NonZero};

use serde::{Deserialize, Serialize};

use hardwon_redact::redact;

use crate::{digest, limits};

/// Why a name cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidName {
    /// The name is empty or consists of white space.
    #[error("{kind} must not be empty")]
    Empty {
        /// The kind of name, with its article.
        kind: &'static str,
    },
    /// The name is longer than [`limits::NAME_CHARS`].
    #[error("{kind} must not be longer than {} characters", limits::NAME_CHARS)]
    TooLong {
        /// The kind of name, with its article.
        kind: &'static str,
    },
    /// The name contains a control character.
    #[error("{kind} must not hold control characters")]
    ControlCharacter {
        /// The kind of name, with its article.
        kind: &'static str,
    },
}

fn check_name(kind: &'static str, name: &str) -> Result<(), InvalidName> {
    if name.trim().is_empty() {
        return Err(InvalidName::Empty { kind });
    }
    if name.chars().count() > limits::NAME_CHARS {
        return Err(InvalidName::TooLong { kind });
    }
    if name.chars().any(char::is_control) {
        return Err(InvalidName::ControlCharacter { kind });
    }
    Ok(())
}

macro_rules! name_type {
    ($(#[$doc:meta])* $name:ident, $kind:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(try_from = "String")]
        pub struct $name(String);

        impl TryFrom<String> for $name {
            type Error = InvalidName;

            fn try_from(name: String) -> Result<Self, InvalidName> {
                Self::parse(&name)
            }
        }

        impl $name {
            /// Parses a name and redacts secrets in it; an error says why it cannot be used.
            pub fn parse(name: &str) -> Result<Self, InvalidName> {
                check_name($kind, name)?;
                let name = redact(name.trim());
                check_name($kind, &name)?;
                Ok(Self(name.into_owned()))
            }

            /// Restores a name that was parsed and stored earlier: only for code that reads stored rows.
            pub fn from_stored(name: String) -> Result<Self, InvalidName> {
                check_name($kind, &name)?;
                Ok(Self(name))
            }

            /// Returns the name as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

name_type!(
    /// The owner of the data. Nothing crosses tenants. A person's own machine has one, `local`.
    TenantId, "a tenant"
);
name_type!(
    /// The agent that learned a lesson. Lessons follow the agent and never cross to another.
    AgentId, "an agent"
);
name_type!(
    /// One repository or working folder, however many clones and worktrees it has.
    ProjectId, "a project"
);
name_type!(
    /// One session of an agent.
    RunId, "a run"
);
name_type!(
    /// The program an agent runs in, such as `claude-code`.
    ClientName, "a client"
);

name_type!(
    /// What a person calls an API key.
    KeyName, "a key's name"
);

impl RunId {
    /// Makes a name of a digest, in which no secret can be.
    pub fn from_digest(digest: &[u8; 32]) -> Self {
        Self(digest::to_hex(digest))
    }
}

impl ProjectId {
    /// Returns the name for people: a repository's folder, not the git folder in it.
    pub fn display_name(&self) -> &str {
        self.0.strip_suffix("/.git").unwrap_or(&self.0)
    }
}

impl Default for TenantId {
    fn default() -> Self {
        Self("local".to_owned())
    }
}

impl Default for AgentId {
    fn default() -> Self {
        Self("default".to_owned())
    }
}

/// A lesson's number within its tenant; shown as `#14`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LessonId(pub i64);

impl fmt::Display for LessonId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.0)
    }
}

impl std::str::FromStr for LessonId {
    type Err = std::num::ParseIntError;

    /// Parses `14` or `#14` as a whole. Numbers begin with 1.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let number: NonZero<u32> = text.strip_prefix('#').unwrap_or(text).parse()?;
        Ok(Self(number.get().into()))
    }
}

/// A recall's number within its tenant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RecallId(pub i64);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_checked_once() {
        assert_eq!(RunId::parse(" r1 ").unwrap().as_str(), "r1");
        assert_eq!(RunId::parse(" "), Err(InvalidName::Empty { kind: "a run" }));
        assert_eq!(
            RunId::parse("a\nb"),
            Err(InvalidName::ControlCharacter { kind: "a run" })
        );
        assert!(RunId::parse(&"x".repeat(limits::NAME_CHARS + 1)).is_err());
    }

    #[test]
    fn a_name_holds_no_secret() {
        let token = format!("ghp_{}", "Zq8kT2mV5xB7nC1dF4gH6jL9pR3sW0yUeIaQ");
        for (name, expected) in [
            (
                "https://ci:hunter2xyz@ci.example/job/12".to_owned(),
                "https://ci:[REDACTED:url-password]@ci.example/job/12",
            ),
            (format!("job 12 {token}"), "job 12 [REDACTED:github-token]"),
            (
                "0b8f1c1e-5a0e-4a57-9a56-2d1f0c7be901".to_owned(),
                "0b8f1c1e-5a0e-4a57-9a56-2d1f0c7be901",
            ),
            (
                "github.com/owner/secret-keys".to_owned(),
                "github.com/owner/secret-keys",
            ),
        ] {
            let parsed = RunId::parse(&name).unwrap();
            assert_eq!(parsed.as_str(), expected);
            assert_eq!(RunId::parse(parsed.as_str()), Ok(parsed.clone()));
            assert_eq!(RunId::from_stored(expected.to_owned()), Ok(parsed));
        }
        assert!(RunId::from_stored(" ".to_owned()).is_err());
        // A name that redaction makes longer than the limit is rejected.
        let long = format!("{}://a:b@h {}", "x".repeat(230), "y".repeat(19));
        assert_eq!(
            RunId::parse(&long),
            Err(InvalidName::TooLong { kind: "a run" })
        );
    }

    #[test]
    fn a_digest_is_a_name_as_it_is() {
        for text in ["a", "b"] {
            let name = RunId::from_digest(&digest::hash_parts([text.as_bytes()]));
            assert_eq!(RunId::parse(name.as_str()), Ok(name));
        }
    }

    #[test]
    fn a_lesson_number_is_the_whole_word() {
        assert_eq!("#14".parse(), Ok(LessonId(14)));
        assert_eq!("14".parse(), Ok(LessonId(14)));
        for bad in ["14abc", "-1", "0", "#", "4294967296"] {
            assert!(bad.parse::<LessonId>().is_err(), "{bad}");
        }
    }
}
