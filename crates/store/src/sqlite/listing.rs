//! Which lessons and recalls a listing asks for, as SQL.

use hardwon_core::{id::ProjectId, scope::Scope};
use rusqlite::{Connection, functions::FunctionFlags, types::Value};

use super::rows;
use crate::{Listing, Order, RecallListing, Result, Within};

/// What of a lesson a search looks through.
const WORDS: &str =
    "l.slug || char(10) || l.title || char(10) || l.signature || char(10) || l.text";
const SHOWN_LAST: &str = "coalesce(l.last_seen, l.created) DESC, l.key DESC";
const SHOWN_BEFORE: &str = "(coalesce(l.last_seen, l.created), l.key) < (
    SELECT coalesce(b.last_seen, b.created), b.key FROM lesson b WHERE b.key = ?)";

/// Returns the rest of a statement that selects the lessons of a page, and its values.
pub(super) fn rest(
    conn: &Connection,
    tenant: i64,
    listing: &Listing,
) -> Result<(String, Vec<Value>)> {
    let (keys, order) = match listing.order {
        Order::Added => (rows::lesson_keys(tenant, listing.before), "l.key DESC"),
        Order::Shown => (rows::lesson_keys(tenant, None), SHOWN_LAST),
    };
    let mut wanted = Conditions::default();
    wanted.add("l.key >= ? AND l.key < ?", [keys.start, keys.end]);
    if let (Order::Shown, Some(last)) = (listing.order, listing.before) {
        wanted.add(SHOWN_BEFORE, [rows::lesson_key(tenant, last)]);
    }
    wanted.add_place(&listing.within, "s.agent", "s.project");
    if let Some(status) = listing.status {
        wanted.add("l.status = ?", [status.name().to_owned()]);
    }
    let words = listing.words();
    if !words.is_empty() {
        let holds = format!("instr({}({WORDS}), ?)", fold_in_sql(conn)?);
        words.iter().for_each(|it| wanted.add(&holds, [it.clone()]));
    }
    wanted.values.push(rows::limit(listing.limit).into());
    let rest = format!("WHERE {} ORDER BY {order} LIMIT ?", wanted.sql);
    Ok((rest, wanted.values))
}

/// Returns the rest of a statement that selects the recalls of a page, and its values. A recall's place
/// is in its line, and so is its client.
pub(super) fn recalls(tenant: i64, listing: &RecallListing) -> (String, Vec<Value>) {
    let mut wanted = Conditions::default();
    wanted.add("tenant = ?", [tenant]);
    if let Some(before) = listing.before {
        wanted.add("id < ?", [before.0]);
    }
    if let Some(run) = &listing.run {
        wanted.add("run = ?", [run.as_str().to_owned()]);
    }
    let project = "coalesce(line ->> '$.project', '')";
    wanted.add_place(&listing.within, "line ->> '$.agent'", project);
    if let Some(client) = &listing.client {
        wanted.add("line ->> '$.client' = ?", [client.as_str().to_owned()]);
    }
    wanted.values.push(rows::limit(listing.limit).into());
    let rest = format!("WHERE {} ORDER BY id DESC LIMIT ?", wanted.sql);
    (rest, wanted.values)
}

/// What a row must meet: only what is asked for, because a hook lists lessons when a session starts,
/// and making a statement of conditions that always hold costs more than finding the rows.
#[derive(Debug, Default)]
struct Conditions {
    sql: String,
    values: Vec<Value>,
}

impl Conditions {
    fn add(&mut self, condition: &str, values: impl IntoIterator<Item: Into<Value>>) {
        if !self.sql.is_empty() {
            self.sql.push_str(" AND ");
        }
        self.sql.push_str(condition);
        self.values.extend(values.into_iter().map(Into::into));
    }

    /// Adds where a row must be, by the expressions of its agent and its project.
    fn add_place(&mut self, within: &Within, agent: &str, project: &str) {
        let place = |scope: &Scope| [scope.agent.as_str(), rows::project(scope)].map(str::to_owned);
        match within {
            Within::Tenant => {}
            Within::Agent(name) => self.add(&format!("{agent} = ?"), [name.to_string()]),
            Within::Project(name) => {
                let name = name.as_ref().map_or("", ProjectId::as_str);
                self.add(&format!("{project} = ?"), [name.to_owned()]);
            }
            Within::Scope(scope) => {
                self.add(&format!("{agent} = ? AND {project} = ?"), place(scope));
            }
            Within::Visible(scope) => {
                let either = format!("{agent} = ? AND {project} IN (?, '')");
                self.add(&either, place(scope));
            }
        }
    }
}

/// Gives SQL a function that makes letters of any script small, and returns its name: SQLite's own
/// `lower` knows ASCII alone.
fn fold_in_sql(conn: &Connection) -> Result<&'static str> {
    const NAME: &str = "folded";
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    conn.create_scalar_function(NAME, 1, flags, |context| {
        Ok(context.get::<String>(0)?.to_lowercase())
    })?;
    Ok(NAME)
}
