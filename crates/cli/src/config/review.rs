//! What the review gate takes from settings.

use super::Autonomy;
use crate::{Result, SettingValues};

/// The settings of the review gate.
#[derive(Debug, Clone)]
pub struct ReviewSettings {
    /// The command line of the engine; empty if none is set.
    pub command: String,
    /// Whether fixes are committed here without being asked for.
    pub may_commit: bool,
}

impl ReviewSettings {
    /// Reads the settings.
    pub fn from_values(values: &SettingValues) -> Result<Self> {
        Ok(Self {
            command: values.get("review_command").0.trim().to_owned(),
            may_commit: values.parse("autonomy", Autonomy::from_name)? != Autonomy::Propose,
        })
    }
}
