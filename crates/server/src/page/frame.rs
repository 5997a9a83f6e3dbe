//! What stands round every view: where one can go, who one is, the numbers of the day, and what was just done.

use hardwon_core::{
    id::{AgentId, ProjectId},
    named_enum,
    scope::Scope,
};
use hardwon_engine::Desk;
use hardwon_store::{Census, RecallListing, ScopeFilter};
use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;

use super::{
    assets,
    text::{VisibleText, format_count},
    visitor::Visitor,
};
use crate::{api_key::Capability, auth::parse_asked_scope, error::Result};

/// Most recalls that are counted for the numbers of the day.
const COUNTED_RECALLS: usize = 500;

named_enum! {
    /// What was just done, as the address says it after a form.
    Notice {
        /// A lesson was put to use.
        Approved = "approved",
        /// A lesson was rejected.
        Rejected = "rejected",
        /// A lesson got new words.
        Revised = "revised",
        /// A lesson was taken out of use.
        Archived = "archived",
        /// A lesson was erased.
        Erased = "erased",
        /// A sweep was taken back.
        TakenBack = "taken-back",
        /// A sweep was taken back but for lessons that were changed since.
        PartlyTakenBack = "partly-taken-back",
    }
}

impl Notice {
    fn say(self) -> &'static str {
        match self {
            Self::Approved => "Approved. The lesson is in use now.",
            Self::Rejected => "Rejected. The lesson stays on record and is not shown.",
            Self::Revised => "Saved. The lesson has its new words.",
            Self::Archived => "Taken out of use. The lesson stays on record.",
            Self::Erased => "Erased. The journal keeps only that there was a lesson.",
            Self::TakenBack => "Taken back. The lessons are as they were before.",
            Self::PartlyTakenBack => {
                "Taken back, but for lessons that were changed since: those stay as they are."
            }
        }
    }
}

/// The views, in the order in which they stand at the top.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum View {
    Review,
    Lessons,
    Effects,
    Recalls,
    Sweeps,
    Journal,
}

impl View {
    const ALL: [Self; 6] = [
        Self::Review,
        Self::Lessons,
        Self::Effects,
        Self::Recalls,
        Self::Sweeps,
        Self::Journal,
    ];

    fn title(self) -> &'static str {
        match self {
            Self::Review => "Review",
            Self::Lessons => "Lessons",
            Self::Effects => "Effects",
            Self::Recalls => "Recalls",
            Self::Sweeps => "Sweeps",
            Self::Journal => "Journal",
        }
    }

    fn path(self) -> &'static str {
        match self {
            Self::Review => "/review",
            Self::Lessons => "/lessons",
            Self::Effects => "/effects",
            Self::Recalls => "/recalls",
            Self::Sweeps => "/sweeps",
            Self::Journal => "/journal",
        }
    }

    fn needs(self) -> Capability {
        match self {
            Self::Review | Self::Sweeps | Self::Journal => Capability::Curate,
            Self::Lessons | Self::Effects | Self::Recalls => Capability::Read,
        }
    }
}

/// A link at the top.
#[derive(Debug)]
pub(super) struct ViewLink {
    pub(super) path: &'static str,
    pub(super) title: &'static str,
    pub(super) is_current: bool,
}

/// What stands round a view.
#[derive(Debug)]
pub(super) struct Frame {
    pub(super) style: &'static str,
    pub(super) script: &'static str,
    pub(super) icon: &'static str,
    pub(super) title: String,
    pub(super) links: Vec<ViewLink>,
    pub(super) who: VisibleText,
    pub(super) role: &'static str,
    pub(super) token: String,
    pub(super) notice: &'static str,
    pub(super) figures: Figures,
}

/// The numbers at the top.
#[derive(Debug, Default)]
pub(super) struct Figures {
    pub(super) waiting: String,
    pub(super) active: String,
    pub(super) shown_today: String,
    pub(super) silent_today: String,
}

impl Frame {
    pub(super) fn gather(
        visitor: &Visitor,
        desk: &Desk<'_>,
        view: View,
        done: Option<&str>,
    ) -> Result<Self> {
        let grant = &visitor.caller.record().grant;
        let reachable = View::ALL
            .into_iter()
            .filter(|view| visitor.may(view.needs()));
        let links = reachable.map(|reachable| ViewLink {
            path: reachable.path(),
            title: reachable.title(),
            is_current: reachable == view,
        });
        let tenant = grant.tenant().map_or("", |tenant| tenant.as_str());
        Ok(Self {
            style: assets::style_path(),
            script: assets::script_path(),
            icon: assets::icon_path(),
            title: view.title().to_owned(),
            links: links.collect(),
            who: VisibleText::line(tenant),
            role: grant.role().name(),
            token: visitor.form_token().to_owned(),
            notice: done.and_then(Notice::from_name).map_or("", Notice::say),
            figures: Figures::gather(desk)?,
        })
    }
}

impl Frame {
    /// Names one thing of a view.
    pub(super) fn with_title(self, title: String) -> Self {
        Self { title, ..self }
    }
}

impl Figures {
    fn gather(desk: &Desk<'_>) -> Result<Self> {
        let census = desk.census()?;
        let sum = |count: fn(&Census) -> u64| census.iter().map(|(_, it)| count(it)).sum();
        let (shown, silent, is_all) = count_today(desk, Timestamp::now())?;
        let more = if is_all { "" } else { "+" };
        Ok(Self {
            waiting: format_count(sum(|totals| totals.pending + totals.quarantined)),
            active: format_count(sum(|totals| totals.active)),
            shown_today: format_count(shown) + more,
            silent_today: format_count(silent) + more,
        })
    }
}

/// Counts the recalls of the day, in UTC, that showed something and that did not, and returns whether these are all.
fn count_today(desk: &Desk<'_>, now: Timestamp) -> Result<(u64, u64, bool)> {
    let recalls = desk.recalls(&RecallListing {
        limit: COUNTED_RECALLS,
        ..RecallListing::default()
    })?;
    let since_midnight = SignedDuration::from_secs(now.as_second().rem_euclid(24 * 3600));
    let midnight = now - since_midnight;
    let today = recalls.iter().take_while(|(_, it)| it.at >= midnight);
    let (mut shown, mut silent) = (0, 0);
    for (_, recall) in today {
        match recall.shown_lessons().next() {
            Some(_) => shown += 1,
            None => silent += 1,
        }
    }
    let is_all = recalls.len() < COUNTED_RECALLS || shown + silent < recalls.len() as u64;
    Ok((shown, silent, is_all))
}

/// The agent and project that a list is narrowed to, as the address names them.
#[derive(Debug, Clone, Default, Deserialize)]
pub(super) struct PlaceQuery {
    #[serde(default)]
    pub(super) agent: String,
    #[serde(default)]
    pub(super) project: String,
}

/// A name to choose, and whether it is chosen.
#[derive(Debug)]
pub(super) struct Choice {
    pub(super) value: String,
    pub(super) label: VisibleText,
    pub(super) is_chosen: bool,
}

/// The agents and projects that a list can be narrowed to.
#[derive(Debug)]
pub(super) struct PlaceChoices {
    pub(super) agents: Vec<Choice>,
    pub(super) projects: Vec<Choice>,
}

impl PlaceQuery {
    /// Parses what is asked about; an empty name asks about all.
    pub(super) fn parse(&self) -> Result<crate::api_key::AskedScope> {
        let nonempty = |name| Some(name).filter(|it: &&str| !it.is_empty());
        parse_asked_scope(nonempty(&*self.agent), nonempty(&*self.project))
    }

    /// Returns the part of the tenant that a list is of.
    pub(super) fn within(&self, desk: &Desk<'_>) -> ScopeFilter {
        let [agent, project] = [&self.agent, &self.project].map(|name| !name.is_empty());
        ScopeFilter::same_as(&desk.principal().scope, agent, project)
    }

    /// Returns what can be chosen: the names of all scopes that are seen.
    pub(super) fn choices(&self, desk: &Desk<'_>) -> Result<PlaceChoices> {
        let scopes: Vec<Scope> = desk.census()?.into_iter().map(|(scope, _)| scope).collect();
        let mut agents: Vec<&AgentId> = scopes.iter().map(|scope| &scope.agent).collect();
        let mut projects: Vec<&ProjectId> =
            scopes.iter().flat_map(|scope| &scope.project).collect();
        agents.sort_unstable();
        agents.dedup();
        projects.sort_unstable();
        projects.dedup();
        let choose = |value: &str, label: &str, chosen: &str| Choice {
            value: value.to_owned(),
            label: VisibleText::line(label),
            is_chosen: value == chosen,
        };
        let agent = |it: &AgentId| choose(it.as_str(), it.as_str(), &self.agent);
        let project = |it: &ProjectId| choose(it.as_str(), it.display_name(), &self.project);
        Ok(PlaceChoices {
            agents: agents.into_iter().map(agent).collect(),
            projects: projects.into_iter().map(project).collect(),
        })
    }
}
