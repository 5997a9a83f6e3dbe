//! The members of a payload, each still as JSON. What is missing, null or of another type is all one, because clients
//! change weekly.

use std::{borrow::Cow, collections::BTreeMap};

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::transcript::{
    ReportedOutcome,
    call_report::{error_message, judge_text},
};

/// The names of one member, the best first.
pub(crate) type Names = &'static [&'static str];

/// The members of an object.
#[derive(Deserialize, Default)]
pub(crate) struct Fields<'a>(#[serde(borrow)] BTreeMap<Cow<'a, str>, &'a RawValue>);

impl<'a> Fields<'a> {
    /// Returns the JSON of the first of these members that is there; empty if none is.
    pub(crate) fn json(&self, names: &[&str]) -> &'a str {
        let values = names.iter().filter_map(|name| self.0.get(*name));
        let mut jsons = values.map(|value| value.get());
        jsons.find(|json| *json != "null").unwrap_or_default()
    }

    /// Returns the first of these members that is of this type.
    pub(crate) fn read<T: Deserialize<'a>>(&self, names: &[&str]) -> Option<T> {
        let mut jsons = names.iter().map(|name| self.json(&[name]));
        jsons.find_map(|json| serde_json::from_str(json).ok())
    }

    /// Returns the first of these members that is a text.
    pub(crate) fn text(&self, names: &[&str]) -> Option<String> {
        self.read(names)
    }

    /// Returns a member of a member; empty if there is no such object.
    pub(crate) fn object(&self, names: &[&str]) -> Self {
        self.read(names).unwrap_or_default()
    }

    /// Returns the failure that a payload states as its `error`.
    pub(crate) fn stated_error(&self) -> ReportedOutcome<'a> {
        judge_text(None, Some(true), &error_message(self.json(&["error"]))).into_owned()
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        !self.json(&[name]).is_empty()
    }

    pub(crate) fn is_true(&self, name: &str) -> bool {
        self.json(&[name]) == "true"
    }
}
