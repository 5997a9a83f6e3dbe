//! The model settings, typed.

use std::time::Duration;

use hardwon_adapters::{ModelApi, ServiceConfig, SettingNames};
use hardwon_core::{InquiryTriggers, JobMethod};
use hardwon_engine::InquiryPolicy;
use jiff::SignedDuration;

use super::parse_switch;
use crate::{Result, SettingValues};

/// The provider of the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelProvider {
    /// None: no model is asked.
    Off,
    /// A service with this API.
    Service(ModelApi),
    /// A shell command.
    Command,
}

/// The model to ask, about what, and its budget.
#[derive(Debug, Clone)]
pub struct ModelSettings {
    /// The provider.
    pub provider: ModelProvider,
    /// The service's address, model and key, if the provider is one.
    pub service: ServiceConfig,
    /// The command line, if the provider is a command.
    pub command: String,
    /// Which runs it is asked about, and how.
    pub inquiry: InquiryPolicy,
    /// Most calls at one time.
    pub workers: u32,
    /// How long an answer may take.
    pub timeout: Duration,
    /// The longest answer, in tokens.
    pub answer_tokens: u32,
    /// The most tokens that may be spent in a day; `None` for any number.
    pub tokens_per_day: Option<u64>,
}

impl ModelSettings {
    pub(super) fn from_values(values: &SettingValues) -> Result<Self> {
        let switch = |name: &str| values.parse(name, parse_switch);
        let number = |name: &str, most: u32| values.number(name, 1..=most);
        let tokens_per_day: u64 = values.number("model_tokens_per_day", ..)?;
        Ok(Self {
            provider: values.parse("model", |word| {
                Some(match word {
                    "off" => ModelProvider::Off,
                    "openai" => ModelProvider::Service(ModelApi::OpenAi),
                    "anthropic" => ModelProvider::Service(ModelApi::Anthropic),
                    "gemini" => ModelProvider::Service(ModelApi::Gemini),
                    "command" => ModelProvider::Command,
                    _ => return None,
                })
            })?,
            service: read_service(values, "model_url", "model_name", "model_key_env"),
            command: values.get("model_command").0.to_owned(),
            inquiry: InquiryPolicy {
                method: values.parse("model_method", JobMethod::from_name)?,
                triggers: InquiryTriggers {
                    error: switch("model_on_error")?,
                    hallucination: switch("model_on_hallucination")?,
                    low_quality: switch("model_on_low_quality")?,
                    manual: switch("model_on_manual")?,
                    correction: switch("model_on_correction")?,
                },
                quiet_period: SignedDuration::from_mins(
                    values.number("model_quiet", 0..=7 * 24 * 60)?,
                ),
            },
            workers: number("model_workers", 16)?,
            timeout: Duration::from_secs(number("model_timeout", 3600)?.into()),
            answer_tokens: number("model_answer_tokens", 100_000)?,
            tokens_per_day: Some(tokens_per_day).filter(|most| *most > 0),
        })
    }

    /// Returns whether a model is configured.
    pub fn is_on(&self) -> bool {
        self.provider != ModelProvider::Off
    }
}

/// Reads the settings of these names, which say where a service is.
pub(super) fn read_service(
    values: &SettingValues,
    url: &'static str,
    model: &str,
    key_variable: &'static str,
) -> ServiceConfig {
    let [address, model, variable] = [url, model, key_variable].map(|name| values.get(name).0);
    ServiceConfig {
        url: address.to_owned(),
        model: model.to_owned(),
        key_variable: variable.to_owned(),
        names: SettingNames { url, key_variable },
    }
}
