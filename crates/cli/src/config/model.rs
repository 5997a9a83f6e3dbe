//! The model settings, typed.

use std::time::Duration;

use hardwon_adapters::{ModelApi, ServiceConfig, SettingNames};
use hardwon_core::{Allowance, InquiryTriggers, JobMethod};
use hardwon_engine::ModelPrices;
use jiff::SignedDuration;

use super::parse_switch;
use crate::Result;
use crate::SettingValues;

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
    /// The method of asking.
    pub method: JobMethod,
    /// What makes a run worth a question.
    pub triggers: InquiryTriggers,
    /// How long a run must be quiet before it is asked about.
    pub quiet: SignedDuration,
    /// Most calls at one time.
    pub workers: u32,
    /// How long an answer may take.
    pub timeout: Duration,
    /// The longest answer, in tokens.
    pub answer_tokens: u32,
    /// The most that may be spent in a day.
    pub allowance: Allowance,
    /// The prices of tokens.
    pub prices: ModelPrices,
}

impl ModelSettings {
    pub(super) fn from_values(values: &SettingValues) -> Result<Self> {
        let switch = |name: &str| values.parse(name, parse_switch);
        let number = |name: &str, most: u32| values.number(name, 1..=most);
        let money = |name: &str| values.parse(name, parse_micros);
        let limit = |most: u64| Some(most).filter(|most| *most > 0);
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
            method: values.parse("model_method", JobMethod::from_name)?,
            triggers: InquiryTriggers {
                error: switch("model_on_error")?,
                hallucination: switch("model_on_hallucination")?,
                low_quality: switch("model_on_low_quality")?,
                manual: switch("model_on_manual")?,
                correction: switch("model_on_correction")?,
            },
            quiet: SignedDuration::from_mins(values.number("model_quiet", 0..=7 * 24 * 60)?),
            workers: number("model_workers", 16)?,
            timeout: Duration::from_secs(number("model_timeout", 3600)?.into()),
            answer_tokens: number("model_answer_tokens", 100_000)?,
            allowance: Allowance {
                tokens: limit(values.number("model_tokens_per_day", ..)?),
                micros: limit(money("model_money_per_day")?),
            },
            prices: ModelPrices {
                input: money("model_price_in")?,
                output: money("model_price_out")?,
            },
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

/// Parses an amount of money to millionths.
fn parse_micros(text: &str) -> Option<u64> {
    let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
    let is_number = |digits: &str| !digits.is_empty() && digits.bytes().all(|c| c.is_ascii_digit());
    if !is_number(whole) || !is_number(part) || part.len() > 6 {
        return None;
    }
    let part: u64 = format!("{part:0<6}").parse().ok()?;
    whole
        .parse::<u64>()
        .ok()?
        .checked_mul(1_000_000)?
        .checked_add(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn money_is_exact() {
        for (text, expected) in [
            ("0", Some(0)),
            ("1", Some(1_000_000)),
            ("0.15", Some(150_000)),
            ("12.000001", Some(12_000_001)),
            ("1.0000001", None),
            (".5", None),
            ("1.", None),
            ("-1", None),
            ("1e3", None),
            ("", None),
            ("99999999999999999999", None),
            ("18446744073709", Some(18_446_744_073_709_000_000)),
            ("18446744073710", None),
        ] {
            assert_eq!(parse_micros(text), expected, "{text}");
        }
    }
}
