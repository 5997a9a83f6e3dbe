//! Listings of lessons and recalls, as SQL.

use hardwon_core::{id::ProjectId, scope::Scope};
use rusqlite::{Connection, functions::FunctionFlags, types::Value};

use super::rows;
use crate::{LessonListing, LessonOrder, RecallListing, Result, ScopeFilter};

/// The parts of a lesson that a text search covers.
const SEARCHED_TEXT: &str =
    "l.slug || char(10) || l.title || char(10) || l.signature || char(10) || l.text";
/// The lessons of a tenant in the words of the index `lesson_shown`, which a page is read off.
const WHERE_TENANT: &str = "l.key >> 32 = ?";
const ORDER_BY_SHOWN: &str = "coalesce(l.last_seen, l.created) DESC, l.key DESC";
const WHERE_SHOWN_BEFORE: &str = "(coalesce(l.last_seen, l.created), l.key) < (
    SELECT coalesce(b.last_seen, b.created), b.key FROM lesson b WHERE b.key = ?)";

/// Returns the clauses and values that select a page of lessons.
pub(super) fn lessons_page_sql(
    conn: &Connection,
    tenant: i64,
    listing: &LessonListing,
) -> Result<(String, Vec<Value>)> {
    let mut wanted = SqlConditions::default();
    let order = match listing.order {
        LessonOrder::NewestFirst => {
            let keys = rows::lesson_key_range(tenant, listing.before);
            wanted.add_condition("l.key >= ? AND l.key < ?", [keys.start, keys.end]);
            "l.key DESC"
        }
        LessonOrder::LastShownFirst => {
            wanted.add_condition(WHERE_TENANT, [tenant]);
            if let Some(last) = listing.before {
                wanted.add_condition(WHERE_SHOWN_BEFORE, [rows::lesson_key(tenant, last)]);
            }
            ORDER_BY_SHOWN
        }
    };
    wanted.add_scope_filter(&listing.within, "s.agent", "s.project");
    if let Some(status) = listing.status {
        wanted.add_condition("l.status = ?", [status.name().to_owned()]);
    }
    let words = listing.search_words();
    if !words.is_empty() {
        let holds = format!(
            "instr({}({SEARCHED_TEXT}), ?)",
            register_fold_function(conn)?
        );
        words
            .iter()
            .for_each(|it| wanted.add_condition(&holds, [it.clone()]));
    }
    wanted
        .values
        .push(rows::to_sql_page_limit(listing.limit).into());
    let rest = format!("WHERE {} ORDER BY {order} LIMIT ?", wanted.sql);
    Ok((rest, wanted.values))
}

/// Returns the clauses and values that select a page of recalls. A recall's scope and client are in its JSON line.
pub(super) fn recalls_page_sql(tenant: i64, listing: &RecallListing) -> (String, Vec<Value>) {
    let mut wanted = SqlConditions::default();
    wanted.add_condition("tenant = ?", [tenant]);
    if let Some(before) = listing.before {
        wanted.add_condition("id < ?", [before.0]);
    }
    if let Some(run) = &listing.run {
        wanted.add_condition("run = ?", [run.as_str().to_owned()]);
    }
    let project = "coalesce(line ->> '$.project', '')";
    wanted.add_scope_filter(&listing.within, "line ->> '$.agent'", project);
    if let Some(client) = &listing.client {
        wanted.add_condition("line ->> '$.client' = ?", [client.as_str().to_owned()]);
    }
    wanted
        .values
        .push(rows::to_sql_page_limit(listing.limit).into());
    let rest = format!("WHERE {} ORDER BY id DESC LIMIT ?", wanted.sql);
    (rest, wanted.values)
}

/// Conditions on a row: only those asked for, because a hook lists lessons when a session starts, and preparing a
/// statement of conditions that always hold costs more than finding the rows.
#[derive(Debug, Default)]
struct SqlConditions {
    sql: String,
    values: Vec<Value>,
}

impl SqlConditions {
    fn add_condition(&mut self, condition: &str, values: impl IntoIterator<Item: Into<Value>>) {
        if !self.sql.is_empty() {
            self.sql.push_str(" AND ");
        }
        self.sql.push_str(condition);
        self.values.extend(values.into_iter().map(Into::into));
    }

    /// Adds a condition on the scope, given the SQL expressions of its agent and its project.
    fn add_scope_filter(&mut self, within: &ScopeFilter, agent: &str, project: &str) {
        let place =
            |scope: &Scope| [scope.agent.as_str(), rows::project_column(scope)].map(str::to_owned);
        match within {
            ScopeFilter::Tenant => {}
            ScopeFilter::Agent(name) => {
                self.add_condition(&format!("{agent} = ?"), [name.to_string()]);
            }
            ScopeFilter::Project(name) => {
                let name = name.as_ref().map_or("", ProjectId::as_str);
                self.add_condition(&format!("{project} = ?"), [name.to_owned()]);
            }
            ScopeFilter::Scope(scope) => {
                self.add_condition(&format!("{agent} = ? AND {project} = ?"), place(scope));
            }
            ScopeFilter::Visible(scope) => {
                let either = format!("{agent} = ? AND {project} IN (?, '')");
                self.add_condition(&either, place(scope));
            }
        }
    }
}

/// Registers an SQL function that lowers letters of any script, and returns its name: SQLite's own `lower` knows ASCII
/// alone.
fn register_fold_function(conn: &Connection) -> Result<&'static str> {
    const NAME: &str = "folded";
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    conn.create_scalar_function(NAME, 1, flags, |context| {
        Ok(context.get::<String>(0)?.to_lowercase())
    })?;
    Ok(NAME)
}
