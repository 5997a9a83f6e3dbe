//! The settings of recall by meaning, typed.

use std::{path::PathBuf, time::Duration};

use hardwon_core::limits;

use super::{Values, home};
use crate::error::Failure;

/// Who tells what texts mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// Nobody.
    Off,
    /// Whatever speaks OpenAI's embeddings.
    OpenAi,
    /// A folder with a static embedding.
    Folder,
}

/// Who tells what texts mean, and how long they may take.
#[derive(Debug, Clone)]
pub struct Embedding {
    /// Who.
    pub source: Source,
    /// Where, if not at its maker's.
    pub url: String,
    /// Which model.
    pub name: String,
    /// The environment variable that holds the key; empty for the usual one.
    pub key_env: String,
    /// How many numbers a vector is to have, if not as many as usual.
    pub dimensions: Option<u32>,
    /// The folder.
    pub folder: Option<PathBuf>,
    /// How long a prompt's vector may take.
    pub timeout: Duration,
    /// Whether the model writes what a prompt might call for, to be compared in its place.
    pub hyde: bool,
}

impl Embedding {
    pub(super) fn from_values(values: &Values) -> Result<Self, Failure> {
        let text = |name: &str| values.get(name).0.to_owned();
        let number = |n: &str, most: u32| n.parse::<u32>().ok().filter(|n| *n <= most);
        let dimensions = values.parse("embedding_dimensions", |n| {
            number(
                n,
                u32::try_from(limits::VECTOR_DIMENSIONS).unwrap_or(u32::MAX),
            )
        })?;
        let milliseconds = values.parse("embedding_timeout", |n| {
            number(n, 600_000).filter(|n| *n > 0)
        })?;
        Ok(Self {
            source: values.parse("embedding", |word| {
                Some(match word {
                    "off" => Source::Off,
                    "openai" => Source::OpenAi,
                    "folder" => Source::Folder,
                    _ => return None,
                })
            })?,
            url: text("embedding_url"),
            name: text("embedding_name"),
            key_env: text("embedding_key_env"),
            dimensions: Some(dimensions).filter(|it| *it > 0),
            folder: folder(values.get("embedding_folder").0),
            timeout: Duration::from_millis(milliseconds.into()),
            hyde: values.parse("embedding_hyde", super::switch)?,
        })
    }

    /// Returns whether anybody is asked.
    #[must_use]
    pub fn is_on(&self) -> bool {
        self.source != Source::Off
    }
}

fn folder(value: &str) -> Option<PathBuf> {
    let below_home = value.strip_prefix("~/").zip(home());
    match (value, below_home) {
        ("", _) => None,
        (_, Some((rest, home))) => Some(home.join(rest)),
        (path, None) => Some(PathBuf::from(path)),
    }
}
