//! What doctor says about recall by meaning: which model there is, whether it can be used, and how often it was too late.
//!
//! What it costs and what it changed, `hardwon meaning` measures.

use hardwon_core::{RawText, limits};
use hardwon_meaning::ModelFile;

use super::DoctorFinding;
use crate::{
    EmbeddingProvider, Settings, cmd::meaning::describe_model, config, embedding,
    hook::count_late_prompts, output,
};

const WHAT: &str = "meaning";

/// Checks the sentence model on this machine, or the service that takes its place, which is asked where somebody wants it.
pub(super) fn check_meaning(settings: &Settings, probe: bool) -> DoctorFinding {
    let mut finding = match &settings.embedding.provider {
        EmbeddingProvider::Off => return DoctorFinding::passed(WHAT, describe_absence()),
        EmbeddingProvider::OpenAi => check_service(settings, probe),
        EmbeddingProvider::Model(path) => {
            let model = ModelFile::open(path).and_then(|model| model.verify().map(|()| model));
            match model {
                Ok(model) => DoctorFinding::passed(WHAT, describe_model(&model, path)),
                Err(error) => DoctorFinding::failed(
                    WHAT,
                    format!("{error}; lessons are found by their words"),
                    "`hardwon meaning add FILE` puts a model in its place; see docs/meaning.md",
                ),
            }
        }
    };
    if let late @ 1.. = config::state_folder().map_or(0, |state| count_late_prompts(&state)) {
        let prompts = output::pluralize(late as u64, "prompt");
        let note = format!("; too late for {prompts} lately, found by their words alone");
        finding.detail += &note;
    }
    finding
}

fn describe_absence() -> &'static str {
    if config::model_file().is_ok_and(|path| path.exists()) {
        "the setting `meaning` is off: lessons are found by their words"
    } else {
        "no sentence model: lessons are found by their words; `hardwon meaning add FILE` adds one of 12 MB"
    }
}

fn check_service(settings: &Settings, probe: bool) -> DoctorFinding {
    let remedy = "see docs/meaning.md; `hardwon config set embedding off` leaves the service";
    let Some(semantic) = embedding::from_settings(&settings.embedding) else {
        return DoctorFinding::passed(WHAT, describe_absence());
    };
    let answer = semantic.embedder.space_name().and_then(|space| {
        let text = hardwon_redact::clean_to_bytes(
            &RawText::from("Are you there?"),
            limits::EMBEDDED_BYTES,
        );
        if probe {
            let answer = semantic.embedder.embed(&[text], semantic.timeout);
            answer.map(|_| "it answers".to_owned())
        } else {
            Ok(space)
        }
    });
    match answer {
        Ok(detail) => DoctorFinding::passed(WHAT, detail),
        Err(error) => DoctorFinding::failed(WHAT, error.to_string(), remedy),
    }
}
