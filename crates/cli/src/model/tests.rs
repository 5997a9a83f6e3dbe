//! Tests of which settings make a usable model, and of the errors for the others.

use std::time::Duration;

use hardwon_adapters::{ModelApi, ServiceConfig, SettingNames};
use hardwon_core::{InquiryTriggers, JobMethod};
use hardwon_engine::InquiryPolicy;

use super::*;

pub(crate) fn settings(provider: ModelProvider, name: &str, command: &str) -> ModelSettings {
    ModelSettings {
        provider,
        service: ServiceConfig {
            url: String::new(),
            model: name.to_owned(),
            key_variable: "HARDWON_NO_SUCH_KEY".to_owned(),
            names: SettingNames {
                url: "model_url",
                key_variable: "model_key_env",
            },
        },
        command: command.to_owned(),
        inquiry: InquiryPolicy {
            method: JobMethod::Lesson,
            triggers: InquiryTriggers::default(),
            quiet_period: SignedDuration::ZERO,
        },
        workers: 1,
        timeout: Duration::from_secs(5),
        answer_tokens: 99,
        tokens_per_day: None,
    }
}

#[test]
fn what_is_set_wrongly_is_named() {
    let gemini = ModelProvider::Service(ModelApi::Gemini);
    for (provider, name, expected) in [
        (ModelProvider::Off, "", "off"),
        (
            ModelProvider::Command,
            "",
            "the setting model is `command`, but model_command is not set",
        ),
        (
            gemini,
            "",
            "model_name is not set: set it with `hardwon config set model_name NAME`",
        ),
        (
            gemini,
            "m-1",
            "the environment variable HARDWON_NO_SUCH_KEY holds no key",
        ),
    ] {
        let told = match from_settings(&settings(provider, name, " ")) {
            Ok(model) => model.map_or("off", |_| "on").to_owned(),
            Err(error) => error.to_string(),
        };
        assert_eq!(told, expected);
    }
}

#[cfg(unix)]
#[test]
fn hooks_keep_still_while_a_command_is_asked() {
    let settings = settings(ModelProvider::Command, "", "echo \"$HARDWON_PAUSED\"");
    let model = from_settings(&settings).unwrap().unwrap();
    let answer = model.complete(&probe_question()).unwrap();
    assert_eq!(answer.text.expose(), "1\n");
}
