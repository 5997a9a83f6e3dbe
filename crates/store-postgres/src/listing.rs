//! Listings of lessons, recalls and judgements, as SQL.
//!
//! Each is a condition after `tenant = $1`, of what was asked for alone.

use hardwon_core::{id::ProjectId, lesson::LessonContent, scope::Scope};
use hardwon_store::{
    JudgementListing, LessonListing, LessonOrder, RecallListing, ScopeFilter, rows,
};

use crate::{session::TenantKey, values::SqlValue};

/// What a text search looks at: `folded` where the letters are not ASCII alone, as `lower` differs between servers.
const SEARCHED_TEXT: &str = "coalesce(l.folded, lower((l.slug || chr(10) || l.title || chr(10) || \
     l.signature || chr(10) || l.text) COLLATE \"C\"))";
const ORDER_BY_SHOWN: &str = "coalesce(l.last_seen, l.created) DESC, l.number DESC";

/// Returns what a text search looks at if that is not what lowering ASCII letters makes of a lesson.
pub(crate) fn fold_content(slug: &str, content: &LessonContent) -> Option<String> {
    let parts = [
        slug,
        content.title.as_str(),
        content.signature.as_str(),
        content.text.as_str(),
    ];
    let whole = parts.join("\n");
    let folded = whole.to_lowercase();
    (folded != whole.to_ascii_lowercase()).then_some(folded)
}

/// Returns the condition and the values that select a page of lessons `l`, with their scopes `s`.
pub(crate) fn lessons_page_sql(key: TenantKey, listing: &LessonListing) -> (String, Vec<SqlValue>) {
    let mut wanted = PostgresConditions::new(key);
    let order = match listing.order {
        LessonOrder::NewestFirst => {
            wanted.add_optional("l.number < $", listing.before.map(|it| it.0));
            "l.number DESC"
        }
        LessonOrder::LastShownFirst => {
            if let Some(last) = listing.before {
                let place = wanted.add_value(last.0);
                wanted.add(&format!(
                    "(coalesce(l.last_seen, l.created), l.number) < (
                        SELECT coalesce(b.last_seen, b.created), b.number FROM hardwon.lesson b
                        WHERE b.tenant = $1 AND b.number = ${place})"
                ));
            }
            ORDER_BY_SHOWN
        }
    };
    wanted.add_scope_filter(&listing.within, "s.");
    wanted.add_optional("l.status = $", listing.status.map(|it| it.name()));
    for word in listing.search_words() {
        let place = wanted.add_value(word);
        wanted.add(&format!("strpos({SEARCHED_TEXT}, ${place}) > 0"));
    }
    wanted.finish(order, listing.limit)
}

/// Returns the condition and the values that select a page of recalls.
pub(crate) fn recalls_page_sql(key: TenantKey, listing: &RecallListing) -> (String, Vec<SqlValue>) {
    let mut wanted = PostgresConditions::new(key);
    wanted.add_optional("id < $", listing.before.map(|it| it.0));
    wanted.add_optional("run = $", listing.run.as_ref().map(|it| it.as_str()));
    wanted.add_scope_filter(&listing.within, "");
    wanted.add_optional("client = $", listing.client.as_ref().map(|it| it.as_str()));
    wanted.finish("id DESC", listing.limit)
}

/// Returns the condition and the values that select a page of judgements.
pub(crate) fn judgements_page_sql(
    key: TenantKey,
    listing: &JudgementListing,
) -> (String, Vec<SqlValue>) {
    let mut wanted = PostgresConditions::new(key);
    wanted.add_optional("id < $", listing.before.map(|it| it.0));
    wanted.add_optional("run = $", listing.run.as_ref().map(|it| it.as_str()));
    wanted.finish("id DESC", listing.limit)
}

/// Conditions on a row, with the values that they name.
#[derive(Debug)]
struct PostgresConditions {
    sql: String,
    values: Vec<SqlValue>,
}

impl PostgresConditions {
    fn new(key: TenantKey) -> Self {
        Self {
            sql: "true".to_owned(),
            values: vec![key.into()],
        }
    }

    fn add(&mut self, condition: &str) {
        self.sql.push_str(" AND ");
        self.sql.push_str(condition);
    }

    /// Adds a value, and returns its place in the statement.
    fn add_value(&mut self, value: impl Into<SqlValue>) -> usize {
        self.values.push(value.into());
        self.values.len()
    }

    /// Adds a condition that ends with a value, if there is one.
    fn add_optional(&mut self, condition: &str, value: Option<impl Into<SqlValue>>) {
        if let Some(value) = value {
            let place = self.add_value(value);
            self.add(&format!("{condition}{place}"));
        }
    }

    /// Adds a condition on the scope, given what stands before the names of its columns.
    fn add_scope_filter(&mut self, within: &ScopeFilter, table: &str) {
        let (agent, project) = (format!("{table}agent = $"), format!("{table}project = $"));
        let place = |scope: &Scope| {
            (
                scope.agent.to_string(),
                rows::project_column(scope).to_owned(),
            )
        };
        match within {
            ScopeFilter::Tenant => {}
            ScopeFilter::Agent(name) => self.add_optional(&agent, Some(name.as_str())),
            ScopeFilter::Project(name) => {
                let name = name.as_ref().map_or("", ProjectId::as_str);
                self.add_optional(&project, Some(name));
            }
            ScopeFilter::Scope(scope) => {
                let (agent_name, project_name) = place(scope);
                self.add_optional(&agent, Some(agent_name));
                self.add_optional(&project, Some(project_name));
            }
            ScopeFilter::Visible(scope) => {
                let (agent_name, project_name) = place(scope);
                self.add_optional(&agent, Some(agent_name));
                let place = self.add_value(project_name);
                self.add(&format!("{table}project IN (${place}, '')"));
            }
        }
    }

    fn finish(mut self, order: &str, limit: usize) -> (String, Vec<SqlValue>) {
        let place = self.add_value(rows::to_sql_page_limit(limit));
        (
            format!("{} ORDER BY {order} LIMIT ${place}", self.sql),
            self.values,
        )
    }
}
