//! The settings of recall by meaning, typed.

use std::time::Duration;

use hardwon_adapters::{ServiceConfig, SettingNames};
use hardwon_core::limits;

use super::SettingValues;
use crate::error::CliError;

/// The provider of embeddings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EmbeddingProvider {
    /// None: recall goes by words.
    Off,
    /// A service with OpenAI's API.
    OpenAi,
}

/// The provider of embeddings, with its limits.
#[derive(Debug, Clone)]
pub struct EmbeddingSettings {
    /// The provider.
    pub provider: EmbeddingProvider,
    /// The service's address, model and key, if the provider is one.
    pub service: ServiceConfig,
    /// The length of a vector; `None` for the model's default.
    pub dimensions: Option<u32>,
    /// How long a prompt's vector may take.
    pub timeout: Duration,
    /// Whether a model writes the lesson that a prompt might call for, to be embedded with the prompt.
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

    /// Returns whether a provider is configured.
    pub fn is_on(&self) -> bool {
        self.provider != EmbeddingProvider::Off
    }
}
