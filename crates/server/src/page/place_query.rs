//! What views are narrowed to, as an address says it and a cookie remembers it.

use axum::{extract::Query, http::Uri};
use serde::Deserialize;

use super::next_path::escape_value;

/// The agent and project that views are narrowed to: those that the address names, or that an earlier one named last.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct PlaceQuery {
    pub(super) agent: String,
    pub(super) project: String,
}

impl PlaceQuery {
    /// Reads what an address names; `None` if it says nothing of places.
    pub(super) fn of_address(uri: &Uri) -> Option<Self> {
        let mut pairs = uri.query()?.split('&');
        let names_place =
            pairs.any(|pair| matches!(pair.split('=').next(), Some("agent" | "project")));
        let place = names_place.then(|| Query::try_from_uri(uri).ok())?;
        place.map(|Query(place)| place)
    }

    /// Reads what [`write_query`](Self::write_query) wrote.
    pub(super) fn of_query(query: &str) -> Option<Self> {
        Self::of_address(&format!("/?{query}").parse().ok()?)
    }

    /// Writes the part of an address that names it.
    pub(super) fn write_query(&self) -> String {
        let [agent, project] = [&self.agent, &self.project].map(|name| escape_value(name));
        format!("agent={agent}&project={project}")
    }
}
