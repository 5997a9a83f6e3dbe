//! `/v1/audit`: the log of changes to keys and tenants.

use super::{prelude::*, query::check_after};
use crate::{AuditPageReply, AuditVerificationDto, key_changes::narrow_reach};

/// Entries of a page, unless the request says how many; and most of them.
const LISTED: (usize, usize) = (100, 1000);

pub(super) fn verbs() -> Vec<VerbRow> {
    vec![
        verb("GET /v1/audit", Read, list_audit).tells::<AuditPageReply>(200, "A page of entries"),
        verb("GET /v1/audit/verify", Write, verify_log)
            .needs(Capability::ManageServer)
            .tells::<AuditVerificationDto>(
                200,
                "Whether the log comes to what there is, and what differs if it does not",
            )
            .or(403, "The key is no operator's"),
    ]
}

/// Which entries to list.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct AuditQuery {
    /// Only entries about this tenant.
    tenant: Option<String>,
    /// The `next_after` of the page before: entries with higher numbers.
    #[serde(default)]
    after: u64,
    /// How many: 100 unless said, at most 1000.
    limit: Option<String>,
}

/// List the changes to keys and tenants, the oldest first: an owner those of their tenant, an operator all.
fn list_audit(door: &Door, QueryOf(query): QueryOf<AuditQuery>) -> Result<Response> {
    let reach = narrow_reach(door.caller.find_reach()?, query.tenant.as_deref())?;
    let after = check_after(query.after)?;
    let limit = parse_limit(query.limit.as_deref(), LISTED.0, LISTED.1)?;
    let entries = door.state.keys.log(&reach, after, limit)?;
    let last = entries.last().filter(|_| entries.len() == limit);
    json(&AuditPageReply {
        next_after: last.map(|last| last.sequence),
        entries: &entries,
    })
}

/// Compare the log with the keys and tenants that there are. An operator's right, because it is about all tenants.
fn verify_log(door: &Door, _: ()) -> Result<Response> {
    let report = door.state.keys.verify()?;
    json(&AuditVerificationDto::from(report))
}
