//! For whom a replica is made, as the server and whoever asks it call them both.

use crate::api_key::KeyId;
use hardwon_core::{AgentId, ProjectId, digest};

/// Names the owner of a replica: a key, with the agent and the project that a request names.
pub fn name_owner(key: &KeyId, agent: Option<&AgentId>, project: Option<&ProjectId>) -> String {
    let agent = agent.map_or("", |agent| agent.as_str());
    let project = project.map_or("", |project| project.as_str());
    let parts = [key.as_str(), agent, project].map(str::as_bytes);
    digest::to_hex(&digest::hash_parts(parts)[..16])
}
