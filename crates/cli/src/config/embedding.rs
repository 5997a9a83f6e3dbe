//! The settings of recall by meaning, typed.

use std::time::Duration;

use hardwon_adapters::{ServiceConfig, SettingNames};
use hardwon_core::limits;

use super::SettingValues;
use crate::error::CliError;

/// Who makes vectors of texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EmbeddingProvider {
    /// Nobody.
    Off,
    /// A service that speaks OpenAI's form.
    OpenAi,
    /// A folder of vectors, which no version reads any more. It cannot be asked, and says so.
    Folder,
}

/// Who makes vectors of texts, and how long it may take.
#[derive(Debug, Clone)]
pub struct EmbeddingSettings {
    /// Who is asked.
    pub provider: EmbeddingProvider,
    /// Where, and for which model, if it is a service.
    pub service: ServiceConfig,
    /// How many numbers a vector is to have, if not as many as usual.
    pub dimensions: Option<u32>,
    /// How long a prompt's vector may take.
    pub timeout: Duration,
    /// Whether the model writes what a prompt might call for, to be compared in its place.
    pub hyde: bool,
}

impl EmbeddingSettings {
    pub(super) fn from_values(values: &SettingValues) -> Result<Self, CliError> {
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
            provider: values.parse("embedding", |word| {
                Some(match word {
                    "off" => EmbeddingProvider::Off,
                    "openai" => EmbeddingProvider::OpenAi,
                    "folder" => EmbeddingProvider::Folder,
                    _ => return None,
                })
            })?,
            service: ServiceConfig {
                url: text("embedding_url"),
                model: text("embedding_name"),
                key_variable: text("embedding_key_env"),
                names: SettingNames {
                    url: "embedding_url",
                    key_variable: "embedding_key_env",
                },
            },
            dimensions: Some(dimensions).filter(|it| *it > 0),
            timeout: Duration::from_millis(milliseconds.into()),
            hyde: values.parse("embedding_hyde", super::parse_switch)?,
        })
    }

    /// Returns whether anybody is asked.
    #[must_use]
    pub fn is_on(&self) -> bool {
        self.provider != EmbeddingProvider::Off
    }
}
