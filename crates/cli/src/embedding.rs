//! Builds recall by meaning: the sentence model on this machine, or a service; and embeds lessons.
//!
//! Absent by default. What is damaged or badly configured is reported when it is first needed, and recall goes by words.

use std::{
    path::{Path, PathBuf},
    sync::OnceLock,
    time::{Duration, Instant},
};

use hardwon_adapters::{EmbeddingService, UnusableEmbedder};
use hardwon_core::{CleanText, Vector};
use hardwon_engine::{
    EmbedOptions, EmbedStop, EmbeddedTexts, Embedder, Engine, ModelError, Principal, SemanticRecall,
};
use hardwon_meaning::{Deadline, MeaningError, ModelFile};

use crate::{EmbeddingProvider, EmbeddingSettings, Settings, model};

/// Longest time for a batch of lessons, which no agent waits for.
const BATCH_TIMEOUT: Duration = Duration::from_secs(60);

/// Most lessons that a background process embeds.
const BACKGROUND_LESSONS: usize = 512;

/// Most tokens of a text that count: those of its head and of its tail.
pub const TEXT_TOKENS: usize = 128;

/// Builds recall by meaning from the settings; `None` if it is off. Nothing is read or sent yet.
pub fn from_settings(embedding: &EmbeddingSettings) -> Option<SemanticRecall> {
    let embedder = match &embedding.provider {
        EmbeddingProvider::Off => return None,
        EmbeddingProvider::OpenAi => build_service(embedding),
        EmbeddingProvider::Model(path) => Ok(SentenceModel::in_file(path)),
    };
    Some(SemanticRecall {
        embedder: embedder.unwrap_or_else(|error| Box::new(UnusableEmbedder(error))),
        timeout: embedding.timeout,
    })
}

/// The sentence model on this machine, opened when it is first needed.
struct SentenceModel {
    path: PathBuf,
    file: OnceLock<Result<ModelFile, ModelError>>,
}

impl SentenceModel {
    fn in_file(path: &Path) -> Box<dyn Embedder> {
        Box::new(Self {
            path: path.to_owned(),
            file: OnceLock::new(),
        })
    }

    fn open(&self) -> Result<&ModelFile, ModelError> {
        let open =
            || ModelFile::open(&self.path).map_err(|error| unusable_error(&error.to_string()));
        self.file.get_or_init(open).as_ref().map_err(Clone::clone)
    }
}

impl Embedder for SentenceModel {
    fn space_name(&self) -> Result<String, ModelError> {
        let shape = self.open()?.shape();
        Ok(format!("{} {}", shape.name, shape.sha256))
    }

    fn embed(&self, texts: &[CleanText], within: Duration) -> Result<EmbeddedTexts, ModelError> {
        let file = self.open()?;
        let deadline = Deadline(Instant::now() + within);
        let embed = |text: &CleanText| {
            let numbers = file.embed(text.as_str(), TEXT_TOKENS, deadline);
            let numbers = numbers.map_err(|error| match error {
                MeaningError::TooSlow => ModelError::TimedOut,
                _ => ModelError::Failed(error.to_string()),
            })?;
            Ok(Vector::from_numbers(&numbers))
        };
        Ok(EmbeddedTexts {
            vectors: texts.iter().map(embed).collect::<Result<_, ModelError>>()?,
            tokens: 0,
        })
    }
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

fn unusable_error(what: &str) -> ModelError {
    ModelError::Unusable(what.to_owned())
}

/// Returns the limits for embedding at most so many lessons.
pub fn fill_limits(settings: &Settings, lessons: usize) -> EmbedOptions {
    EmbedOptions {
        max_lessons: lessons,
        timeout: BATCH_TIMEOUT,
        tokens_per_day: settings.model.tokens_per_day,
    }
}

/// Embeds lessons without a vector, in a background process; returns a line for the log if it failed.
pub fn fill_in_background(settings: &Settings, engine: &Engine) -> Option<String> {
    let desk = engine.acting_as(Principal::background(settings.scope.clone()));
    let report = desk.embed_lessons(&fill_limits(settings, BACKGROUND_LESSONS));
    match report {
        Ok(report) => match report.stop? {
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
    use crate::ModelProvider;

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
        }
    }

    #[test]
    fn settings_that_cannot_be_used_are_told_when_somebody_asks() {
        let off = settings(EmbeddingProvider::Off, "");
        assert!(from_settings(&off).is_none());
        let told = |settings: EmbeddingSettings| {
            let semantic = from_settings(&settings).unwrap();
            semantic.embedder.space_name().unwrap_err().to_string()
        };
        let service = |url: &str| settings(EmbeddingProvider::OpenAi, url);
        let mut nameless = service("");
        nameless.service.model.clear();
        assert_snapshot!(told(nameless), @"embedding_name is not set: set it with `hardwon config set embedding_name NAME`");
        assert_snapshot!(told(service("ftp://x")), @"embedding_url is no address of the form https://…: ftp://x");
    }
}
