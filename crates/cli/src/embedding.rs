//! Embeddings that can be asked: a service over HTTP, and a folder with a static one.
//!
//! Off unless set. What is set wrongly is told when it is first needed, and recall goes by words.

mod endpoint;
mod folder;
mod matrix;
mod pieces;

use std::{path::Path, time::Duration};

use hardwon_core::{queue::Allowance, text::CleanText};
use hardwon_engine::{
    Engine, Fill, FillStop,
    embed::{Embedded, Embedder, Semantic},
    model::{Model, ModelError},
};

use crate::{
    config::{
        Settings,
        asking::Asking,
        embedding::{Embedding, Source},
    },
    model::{self, Endpoint, http},
    output,
};

/// How long a batch of lessons may take, which nobody waits for.
const BATCH: Duration = Duration::from_secs(60);

/// Lessons that a process in the background has embedded at most.
const IN_BACKGROUND: usize = 512;

/// Returns recall by meaning as the settings say; none if it is off.
#[must_use]
pub fn of(embedding: &Embedding, asking: &Asking) -> Option<Semantic> {
    let made = match embedding.source {
        Source::Off => return None,
        Source::Folder => folder(embedding),
        Source::OpenAi => service(embedding),
    };
    let made = made.and_then(|embedder| Ok((embedder, writer(embedding, asking)?)));
    let (embedder, writer) = made.unwrap_or_else(|error| (Box::new(Unusable(error)), None));
    Some(Semantic {
        embedder,
        writer,
        within: embedding.timeout,
    })
}

/// Returns the static embedding in a folder, which is opened when it is first asked.
#[must_use]
pub fn of_folder(folder: &Path) -> Box<dyn Embedder> {
    Box::new(folder::Folder::new(folder.to_owned()))
}

fn folder(embedding: &Embedding) -> Result<Box<dyn Embedder>, ModelError> {
    match &embedding.folder {
        Some(path) => Ok(of_folder(path)),
        None => Err(unset(
            "the setting embedding is `folder`, but embedding_folder is not set",
        )),
    }
}

fn service(embedding: &Embedding) -> Result<Box<dyn Embedder>, ModelError> {
    if embedding.name.is_empty() {
        return Err(unset(
            "embedding_name is not set: set it with `hardwon config set embedding_name NAME`",
        ));
    }
    let url = match embedding.url.trim_end_matches('/') {
        "" => endpoint::URL,
        url => url,
    };
    let endpoint = Endpoint {
        url: url.to_owned(),
        model: embedding.name.clone(),
        key: model::key(&embedding.key_env, &embedding.url, endpoint::KEY)?,
        timeout: embedding.timeout,
        settings: "embedding",
    };
    http::check(&endpoint)?;
    Ok(Box::new(endpoint::Service {
        endpoint,
        dimensions: embedding.dimensions,
    }))
}

/// Returns the model that writes what a prompt might call for, in the time that a prompt has.
fn writer(embedding: &Embedding, asking: &Asking) -> Result<Option<Box<dyn Model>>, ModelError> {
    if !embedding.hyde {
        return Ok(None);
    }
    let hasty = Asking {
        timeout: embedding.timeout,
        ..asking.clone()
    };
    match model::of(&hasty)? {
        Some(model) => Ok(Some(model)),
        None => Err(unset("embedding_hyde is on, and no model is set")),
    }
}

fn unset(what: &str) -> ModelError {
    ModelError::Unusable(what.to_owned())
}

/// Says that a recall went without the embedding that is set.
#[must_use]
pub fn by_words(trouble: &ModelError) -> String {
    output::one_line(&format!(
        "lessons were found by words alone, because the embedding failed: {trouble}"
    ))
}

/// An embedding that is set and cannot be asked.
struct Unusable(ModelError);

impl Embedder for Unusable {
    fn space(&self) -> Result<String, ModelError> {
        Err(self.0.clone())
    }

    fn embed(&self, _: &[CleanText], _: Duration) -> Result<Embedded, ModelError> {
        Err(self.0.clone())
    }
}

/// Returns how lessons are embedded, at most so many. What a folder tells costs nothing.
#[must_use]
pub fn fill(settings: &Settings, lessons: usize) -> Fill {
    Fill {
        lessons,
        within: BATCH,
        allowance: match settings.embedding.source {
            Source::OpenAi => settings.asking.allowance,
            Source::Off | Source::Folder => Allowance::default(),
        },
    }
}

/// Has lessons embedded that have no vector yet, for a process that nobody waits for; returns a
/// line for the log if something went wrong.
#[must_use]
pub fn fill_in_background(settings: &Settings, engine: &Engine) -> Option<String> {
    let desk = engine.acting_as(settings.person());
    let filled = desk.embed_lessons(&fill(settings, IN_BACKGROUND));
    match filled {
        Ok(filled) => match filled.stop? {
            // The next one goes on.
            FillStop::Enough => None,
            why => Some(format!("embedding lessons: {why}")),
        },
        Err(error) => Some(format!("embedding lessons: {error}")),
    }
}

#[cfg(test)]
mod tests;
