//! The settings of recall by meaning, typed.

use std::{path::PathBuf, time::Duration};

use hardwon_adapters::ServiceConfig;
use hardwon_core::limits;

use super::model::read_service;
use crate::{Result, SettingValues};

/// The provider of embeddings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EmbeddingProvider {
    /// None: recall goes by words.
    Off,
    /// A service with OpenAI's API.
    OpenAi,
    /// The sentence model in this file.
    Model(PathBuf),
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
}

impl EmbeddingSettings {
    pub(super) fn from_values(values: &SettingValues) -> Result<Self> {
        let most = u32::try_from(limits::VECTOR_DIMENSIONS).unwrap_or(u32::MAX);
        let dimensions = values.number("embedding_dimensions", ..=most)?;
        let milliseconds: u32 = values.number("embedding_timeout", 1..=600_000)?;
        let is_service = values.parse("embedding", |word| match word {
            "off" => Some(false),
            "openai" => Some(true),
            _ => None,
        })?;
        let uses_model = values.parse("meaning", super::parse_switch)?;
        let model = super::model_file()
            .ok()
            .filter(|path| uses_model && path.exists());
        let without_service = model.map_or(EmbeddingProvider::Off, EmbeddingProvider::Model);
        Ok(Self {
            provider: if is_service {
                EmbeddingProvider::OpenAi
            } else {
                without_service
            },
            service: read_service(
                values,
                "embedding_url",
                "embedding_name",
                "embedding_key_env",
            ),
            dimensions: Some(dimensions).filter(|dimensions| *dimensions > 0),
            timeout: Duration::from_millis(milliseconds.into()),
        })
    }

    /// Returns whether a provider is configured.
    pub fn is_on(&self) -> bool {
        self.provider != EmbeddingProvider::Off
    }
}
