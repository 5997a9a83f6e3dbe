//! `/v1/replica`: the lessons that a key may recall, as a file for those who keep a copy of them.

use axum::{
    body::Bytes,
    http::{HeaderMap, StatusCode, header},
    response::IntoResponse as _,
};
use hardwon_api::v1::replica::name_owner;
use hardwon_engine::PackedReplica;

use super::prelude::*;
use crate::replica_cache::ReplicaOwner;

pub(super) fn verbs() -> Vec<VerbRow> {
    vec![
        verb("GET /v1/replica", Read, fetch_replica)
            .needs(Capability::Recall)
            .header("If-None-Match", "The `ETag` of what is there already")
            .tells_bytes("application/octet-stream", "The database")
            .or(304, "The lessons are the same as before"),
    ]
}

/// Whose lessons.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct ReplicaQuery {
    /// The agent; if absent the key's, else the server's default.
    agent_id: Option<String>,
    /// The project. Lessons that hold everywhere are always among them.
    project: Option<String>,
}

/// Fetch the lessons that may be recalled for an agent and a project, as an SQLite database.
///
/// Lessons that wait for a person's review are not among them. The answer to a request whose `If-None-Match` is the `ETag` of
/// an earlier answer is 304 as long as the lessons are the same.
fn fetch_replica(
    door: &Door,
    (QueryOf(query), request): (QueryOf<ReplicaQuery>, Request),
) -> Result<Response> {
    let scope = parse_asked_scope(query.agent_id, query.project)?;
    let PackedReplica { tag, file, .. } = find_replica(door, &scope, request.headers())?;
    let tag = [(header::ETAG, format!("\"{tag}\""))];
    let form = [(header::CONTENT_TYPE, "application/octet-stream")];
    Ok(match file {
        None => (StatusCode::NOT_MODIFIED, tag).into_response(),
        Some(file) => (tag, form, Bytes::from_owner(file)).into_response(),
    })
}

/// Returns the caller's replica, without the file if the caller has it.
fn find_replica(door: &Door, asked: &AskedScope, headers: &HeaderMap) -> Result<PackedReplica> {
    let desk = door.read_desk(asked)?;
    let key = &door.caller.record().id;
    let owner = ReplicaOwner {
        name: name_owner(key, asked.agent.as_ref(), asked.project.as_ref()),
        scope: desk.principal().scope.clone(),
    };
    let is_known = |tag: &str| has_tag(headers, tag);
    let entry = door.state.replicas.find(&owner, desk.replica_head()?);
    let mut replica = match entry.filter(|entry| entry.file.is_some() || is_known(&entry.tag)) {
        Some(entry) => entry,
        None => {
            let replica = desk.pack_replica(&owner.name, &is_known)?;
            door.state.replicas.keep(owner, replica.clone());
            replica
        }
    };
    replica.file = replica.file.filter(|_| !is_known(&replica.tag));
    Ok(replica)
}

/// Returns whether a tag is one of those that the caller names.
fn has_tag(headers: &HeaderMap, tag: &str) -> bool {
    let header_value = headers.get(header::IF_NONE_MATCH);
    let header_value = header_value.and_then(|tags| tags.to_str().ok());
    let mut tags = header_value.into_iter().flat_map(|tags| tags.split(','));
    tags.any(|known| known.trim().trim_start_matches("W/").trim_matches('"') == tag)
}
