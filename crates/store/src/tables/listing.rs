//! Listings of lessons, recalls and judgements, as SQL.
//!
//! Each is a condition of what was asked for alone: a hook lists lessons when a session starts, and preparing a statement
//! of conditions that always hold costs more than finding the rows.

use hardwon_core::{ProjectId, Scope};

use super::name_key;
use crate::{
    Column, ColumnValue, JudgementListing, LessonListing, LessonOrder, RecallListing, Result,
    ScopeFilter, StatusName, TenantDatabase, TenantTables, rows,
};

type Value = ColumnValue<'static>;

impl<D: TenantDatabase> TenantTables<'_, D> {
    /// Returns the condition that selects a page of lessons `l` with their scopes `s`, and the values after the tenant.
    pub(crate) fn lessons_page_sql(&self, listing: &LessonListing) -> Result<(String, Vec<Value>)> {
        let mut conditions = PageConditions::default();
        let order = match listing.order {
            LessonOrder::NewestFirst => {
                conditions.values = self.lesson_keys_below(listing.before);
                conditions.add(&name_key::<D>("l.KEY >= $2 AND l.KEY < $3"));
                "l.KEY DESC"
            }
            LessonOrder::LastShownFirst => {
                conditions.add(D::WORDS.shown_of_tenant);
                if let Some(last) = listing.before {
                    let key = D::lesson_key(self.key, last).unwrap_or(i64::MIN);
                    conditions
                        .add_shown_before(D::lesson_place(self.key, key), D::WORDS.lesson_key);
                }
                "coalesce(l.last_seen, l.created) DESC, l.KEY DESC"
            }
        };
        conditions.add_scope_filter(&listing.within, ["s.agent", "s.project"]);
        if matches!(
            listing.status,
            Some(StatusName::Pending | StatusName::Quarantined)
        ) {
            // As the index says it that has the few of these.
            conditions.add("l.status IN ('pending', 'quarantined')");
        }
        conditions.add_optional("l.status =", listing.status.map(|status| status.name()));
        conditions.add_optional("l.cause =", listing.cause.map(|cause| cause.name()));
        conditions.add_optional("l.created >=", listing.since);
        if listing.only_shown {
            conditions.add("l.shown > 0");
        }
        if let Some(among) = &listing.among {
            let keys = among
                .iter()
                .filter_map(|id| D::lesson_key(self.key, *id))
                .collect::<Vec<i64>>();
            let place = conditions.add_value(keys);
            let [begin, end] = D::WORDS.one_of;
            conditions.add(&name_key::<D>(&format!("l.KEY {begin}${place}{end}")));
        }
        if let Some(tag) = &listing.tag {
            let place = conditions.add_value(format!("\"{tag}\""));
            let begin = D::WORDS.begin_tag_search;
            conditions.add(&format!("{begin}${place}) > 0"));
        }
        for word in listing.search_words() {
            let text = self.view.database.begin_text_search()?;
            let place = conditions.add_value(word);
            conditions.add(&format!("{text}${place}) > 0"));
        }
        Ok(conditions.finish(&name_key::<D>(order), listing.limit))
    }
}

/// Returns the condition that selects the scopes `s` of a part of a tenant, and the values after the tenant.
pub(super) fn scopes_sql(within: &ScopeFilter) -> (String, Vec<Value>) {
    let mut conditions = PageConditions::default();
    conditions.add("true");
    conditions.add_scope_filter(within, ["s.agent", "s.project"]);
    (conditions.sql, conditions.values)
}

/// Returns the condition and the values that select a page of recalls.
pub(super) fn recalls_page_sql<D: TenantDatabase>(listing: &RecallListing) -> (String, Vec<Value>) {
    let [agent, project, client] = D::WORDS.recall_columns;
    let mut conditions = PageConditions::default();
    conditions.add_optional("id <", listing.before.map(|id| id.0));
    conditions.add_optional("run =", own(listing.run.as_ref().map(|run| run.as_str())));
    conditions.add_scope_filter(&listing.within, [agent, project]);
    let name = listing.client.as_ref().map(|client| client.as_str());
    conditions.add_optional(&format!("{client} ="), own(name));
    conditions.finish("id DESC", listing.limit)
}

/// Returns the condition and the values that select a page of judgements.
pub(super) fn judgements_page_sql(listing: &JudgementListing) -> (String, Vec<Value>) {
    let mut conditions = PageConditions::default();
    conditions.add_optional("id <", listing.before.map(|id| id.0));
    conditions.add_optional("run =", own(listing.run.as_ref().map(|run| run.as_str())));
    conditions.finish("id DESC", listing.limit)
}

fn own(name: Option<&str>) -> Option<String> {
    name.map(str::to_owned)
}

/// Conditions on a row, with the values that they name after the tenant's number.
#[derive(Debug, Default)]
struct PageConditions {
    sql: String,
    values: Vec<Value>,
}

impl PageConditions {
    fn add(&mut self, condition: &str) {
        if !self.sql.is_empty() {
            self.sql.push_str(" AND ");
        }
        self.sql.push_str(condition);
    }

    /// Adds a value, and returns its place in the statement.
    fn add_value(&mut self, value: impl Into<Value>) -> usize {
        self.values.push(value.into());
        self.values.len() + 1
    }

    /// Adds a condition that ends with a value, if there is one.
    fn add_optional(&mut self, condition: &str, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            let place = self.add_value(value);
            self.add(&format!("{condition} ${place}"));
        }
    }

    /// Adds the condition that a lesson comes after one that is found by some columns, in the order of the last shown.
    fn add_shown_before(&mut self, place: Vec<Column<'static>>, column: &str) {
        let is = |(name, value)| format!("b.{name} = ${}", self.add_value(value));
        let names: Vec<String> = place.into_iter().map(is).collect();
        let key = names.join(" AND ");
        self.add(&format!(
            "(coalesce(l.last_seen, l.created), l.{column}) < (
                SELECT coalesce(b.last_seen, b.created), b.{column} FROM hardwon.lesson b WHERE {key})"
        ));
    }

    /// Adds a condition on the scope, given the expressions of its agent and its project.
    fn add_scope_filter(&mut self, within: &ScopeFilter, [agent, project]: [&str; 2]) {
        let (agent_is, project_is) = (format!("{agent} ="), format!("{project} ="));
        let agent_of = |scope: &Scope| Some(scope.agent.to_string());
        let project_of = |scope: &Scope| rows::project_column(scope).to_owned();
        match within {
            ScopeFilter::Tenant => {}
            ScopeFilter::Agent(name) => self.add_optional(&agent_is, Some(name.to_string())),
            ScopeFilter::Project(name) => {
                let name = name.as_ref().map_or("", ProjectId::as_str);
                self.add_optional(&project_is, Some(name.to_owned()));
            }
            ScopeFilter::Scope(scope) => {
                self.add_optional(&agent_is, agent_of(scope));
                self.add_optional(&project_is, Some(project_of(scope)));
            }
            ScopeFilter::Visible(scope) => {
                self.add_optional(&agent_is, agent_of(scope));
                let place = self.add_value(project_of(scope));
                self.add(&format!("{project} IN (${place}, '')"));
            }
        }
    }

    fn finish(mut self, order: &str, limit: usize) -> (String, Vec<Value>) {
        let place = self.add_value(rows::to_sql_page_limit(limit));
        let condition = match self.sql.as_str() {
            "" => "true",
            sql => sql,
        };
        let sql = format!("{condition} ORDER BY {order} LIMIT ${place}");
        (sql, self.values)
    }
}
