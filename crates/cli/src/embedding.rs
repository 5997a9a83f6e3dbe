//! Builds the configured embedding, and embeds lessons in the background.
//!
//! Off by default. An invalid configuration is reported when it is first needed, and recall goes by words.

use std::time::Duration;

use hardwon_adapters::{EmbeddingService, UnusableEmbedder};
use hardwon_engine::{
    EmbedOptions, EmbedStop, Engine, Principal,
    embed::{Embedder, SemanticRecall},
    model::{Model, ModelError},
};

use crate::{
    config::{
        Settings,
        embedding::{EmbeddingProvider, EmbeddingSettings},
        model::ModelSettings,
    },
    model,
};

/// Longest time for a batch of lessons, which no agent waits for.
const BATCH_TIMEOUT: Duration = Duration::from_secs(60);

/// Most lessons that a background process embeds.
const BACKGROUND_LESSONS: usize = 512;

/// Builds recall by meaning from the settings; `None` if it is off. Nothing is sent yet.
pub fn from_settings(
    embedding: &EmbeddingSettings,
    model: &ModelSettings,
) -> Option<SemanticRecall> {
    let made = match embedding.provider {
        EmbeddingProvider::Off => return None,
        EmbeddingProvider::OpenAi => build_service(embedding),
    };
    let made = made.and_then(|embedder| Ok((embedder, build_hyde_model(embedding, model)?)));
    let (embedder, writer) = made.unwrap_or_else(|error| (Box::new(UnusableEmbedder(error)), None));
    Some(SemanticRecall {
        embedder,
        writer,
        timeout: embedding.timeout,
    })
}

fn build_service(embedding: &EmbeddingSettings) -> Result<Box<dyn Embedder>, ModelError> {
    let EmbeddingSettings {
        service,
        dimensions,
        ..
    } = embedding;
    if service.model.is_empty() {
        return Err(unusable_error(
            "embedding_name is not set: set it with `hardwon config set embedding_name NAME`",
        ));
    }
    let service = EmbeddingService::new(service, *dimensions, model::read_variable)?;
    Ok(Box::new(service))
}

/// Builds the model that writes the lesson a prompt might call for, with the prompt's time limit.
fn build_hyde_model(
    embedding: &EmbeddingSettings,
    model: &ModelSettings,
) -> Result<Option<Box<dyn Model>>, ModelError> {
    if !embedding.hyde {
        return Ok(None);
    }
    let hasty = ModelSettings {
        timeout: embedding.timeout,
        ..model.clone()
    };
    match model::from_settings(&hasty)? {
        Some(model) => Ok(Some(model)),
        None => Err(unusable_error("embedding_hyde is on, and no model is set")),
    }
}

fn unusable_error(what: &str) -> ModelError {
    ModelError::Unusable(what.to_owned())
}

/// Returns the limits for embedding at most so many lessons.
pub fn fill_limits(settings: &Settings, lessons: usize) -> EmbedOptions {
    EmbedOptions {
        max_lessons: lessons,
        timeout: BATCH_TIMEOUT,
        allowance: settings.model.allowance,
    }
}

/// Embeds lessons without a vector, in a background process; returns a line for the log if it failed.
pub fn fill_in_background(settings: &Settings, engine: &Engine) -> Option<String> {
    let desk = engine.acting_as(Principal::background(settings.scope.clone()));
    let filled = desk.embed_lessons(&fill_limits(settings, BACKGROUND_LESSONS));
    match filled {
        Ok(filled) => match filled.stop? {
            // The next process continues.
            EmbedStop::LimitReached => None,
            why => Some(format!("embedding lessons: {why}")),
        },
        Err(error) => Some(format!("embedding lessons: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use insta::assert_snapshot;

    use super::*;
    use crate::config::model::ModelProvider;

    fn settings(provider: EmbeddingProvider, url: &str) -> EmbeddingSettings {
        let model = model::tests::settings(ModelProvider::Off, "m-1", "");
        let mut service = model.service;
        url.clone_into(&mut service.url);
        service.key_variable.clear();
        service.names.url = "embedding_url";
        EmbeddingSettings {
            provider,
            service,
            dimensions: None,
            timeout: Duration::from_millis(600),
            hyde: false,
        }
    }

    #[test]
    fn settings_that_cannot_be_used_are_told_when_somebody_asks() {
        let nobody = model::tests::settings(ModelProvider::Off, "", "");
        let off = settings(EmbeddingProvider::Off, "");
        assert!(from_settings(&off, &nobody).is_none());
        let told = |settings: EmbeddingSettings| {
            let semantic = from_settings(&settings, &nobody).unwrap();
            semantic.embedder.space_name().unwrap_err().to_string()
        };
        let service = |url: &str| settings(EmbeddingProvider::OpenAi, url);
        let mut nameless = service("");
        nameless.service.model.clear();
        assert_snapshot!(told(nameless), @"embedding_name is not set: set it with `hardwon config set embedding_name NAME`");
        assert_snapshot!(told(service("ftp://x")), @"embedding_url is no address of the form https://…: ftp://x");
        let hyde = EmbeddingSettings {
            hyde: true,
            ..service("http://localhost/v1")
        };
        assert_snapshot!(told(hyde), @"embedding_hyde is on, and no model is set");
    }
}
