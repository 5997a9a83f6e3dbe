//! What stands round every view: where one can go, who one is, and what was just done, with the way back.

use std::slice;

use hardwon_core::{AgentId, Lesson, ProjectId, Scope, Status, named_enum};
use hardwon_engine::{Desk, pluralize};
use hardwon_store::ScopeFilter;
use serde::Deserialize;

use super::{
    form::{FormFields, parse_lesson_id},
    place_names::PlaceNames,
    place_query::PlaceQuery,
    text::{TimeTag, VisibleText, show_lesson_line},
    view_links::{View, ViewLink},
    visitor::Visitor,
};
use crate::{Result, auth::parse_asked_scope};

named_enum! {
    /// What was just done, as the address says it after a form.
    Notice {
        /// A lesson was written down.
        Added = "added",
        /// A lesson that was written down is there already.
        Known = "known",
        /// What was done was undone.
        Undone = "undone",
        /// A lesson was put to use.
        Approved = "approved",
        /// A lesson was rejected.
        Rejected = "rejected",
        /// A lesson got new words.
        Revised = "revised",
        /// A lesson was deleted.
        Archived = "archived",
        /// A lesson was erased.
        Erased = "erased",
    }
}

impl Notice {
    fn say(self) -> &'static str {
        match self {
            Self::Added => "Added. When it comes up is said below.",
            Self::Known => "This is known already: nothing was added.",
            Self::Undone => "Undone.",
            Self::Approved => "Approved: in use from now on.",
            Self::Rejected => "Rejected: kept on record, and not shown.",
            Self::Revised => "Saved: what it says, and when it comes up.",
            Self::Archived => "Deleted: out of use, and kept on record.",
            Self::Erased => "Erased. The journal keeps only that there was a lesson.",
        }
    }

    /// Returns whether the lessons are still as it left them, or it is about none: an address may be gone back to.
    fn still_holds(self, lessons: &[Lesson]) -> bool {
        let is_left = |status: &Status| match self {
            Self::Approved => *status == Status::Active,
            Self::Rejected | Self::Archived => status.is_retired(),
            Self::Added => !status.is_retired(),
            Self::Known | Self::Undone | Self::Revised | Self::Erased => true,
        };
        lessons.iter().all(|lesson| is_left(&lesson.status))
    }

    /// Returns whether it can be undone from where it is said.
    fn can_be_undone(self) -> bool {
        use Notice::{Added, Approved, Archived, Rejected, Revised};
        matches!(self, Added | Approved | Archived | Rejected | Revised)
    }
}

/// What was just done, and to which lessons, as the address says it after a form.
#[derive(Debug, Clone, Default, Deserialize)]
pub(super) struct DoneQuery {
    pub(super) done: Option<String>,
    /// Their numbers, with commas between them.
    #[serde(default)]
    pub(super) ids: String,
}

impl DoneQuery {
    /// Returns what was done and to which lessons, if they are there and still as it left them.
    fn find_notice(&self, visitor: &Visitor) -> Option<(Notice, Vec<Lesson>)> {
        let notice = self.done.as_deref().and_then(Notice::from_name)?;
        let ids = self.ids.split(',').filter(|id| !id.is_empty());
        let lessons = ids.map(|id| {
            let id = parse_lesson_id(id)?;
            Ok(visitor.find_for_some(|desk| desk.lesson(id))?.1)
        });
        let lessons = lessons.collect::<Result<Vec<_>>>().ok()?;
        notice.still_holds(&lessons).then_some((notice, lessons))
    }
}

/// What stands round a view.
#[derive(Debug)]
pub(super) struct Frame {
    pub(super) title: VisibleText,
    /// How many lessons wait for review.
    pub(super) waiting: u64,
    pub(super) links: Vec<ViewLink>,
    pub(super) who: VisibleText,
    pub(super) role: &'static str,
    pub(super) token: String,
    pub(super) notice: &'static str,
    /// The lesson that it is about, or how many.
    pub(super) notice_of: VisibleText,
    /// What the button to undo it sends: the name of what was done, empty if it cannot be undone, and the lessons.
    pub(super) undo: &'static str,
    pub(super) undo_ids: VisibleText,
    /// The list that forms lead back to; empty on the page of one thing.
    pub(super) back: &'static str,
    /// Where hooks keep still, until when, and what ends it; empty if they do not.
    pub(super) pause: PauseText,
    /// How the places of lessons are named.
    pub(super) names: PlaceNames,
}

impl Frame {
    pub(super) fn gather(
        visitor: &Visitor,
        desk: &Desk<'_>,
        view: View,
        done: &DoneQuery,
    ) -> Result<Self> {
        let waiting = desk.count_waiting()?;
        let names = PlaceNames::new(&desk.scopes()?);
        let (notice, lessons) = done.find_notice(visitor).unzip();
        let lessons = lessons.unwrap_or_default();
        let undo = notice.filter(|notice| notice.can_be_undone() && !lessons.is_empty());
        let grant = &visitor.caller.record().grant;
        let mut links = ViewLink::all(Some(view), waiting);
        links.retain(|link| visitor.may(link.needed));
        let current = links.iter().find(|link| link.is_current);
        let tenant = grant.tenant().map_or("", |tenant| tenant.as_str());
        Ok(Self {
            title: VisibleText::new(current.map_or("", |link| link.title)),
            waiting,
            links,
            who: VisibleText::line(tenant),
            role: grant.role().name(),
            token: visitor.form_token().to_owned(),
            notice: notice.map_or("", Notice::say),
            notice_of: match &*lessons {
                [only] => show_lesson_line(only),
                several => VisibleText::line(&pluralize(several.len() as u64, "lesson")),
            },
            undo: undo.map_or("", Notice::name),
            undo_ids: VisibleText::line(&done.ids),
            back: if view == View::Review {
                "review"
            } else {
                "lessons"
            },
            pause: PauseText::find(visitor, &names)?,
            names,
        })
    }

    /// Names one thing of a view.
    pub(super) fn with_title(self, title: VisibleText) -> Self {
        Self {
            title,
            back: "",
            ..self
        }
    }
}

/// A pause as the page tells it.
#[derive(Debug, Default)]
pub(super) struct PauseText {
    /// Where; empty if it is paused nowhere.
    pub(super) place: VisibleText,
    pub(super) flag: &'static str,
    pub(super) until: Option<TimeTag>,
}

impl PauseText {
    /// Finds the pause of the project that is looked at, or the first of those that are seen.
    fn find(visitor: &Visitor, names: &PlaceNames) -> Result<Self> {
        let Some(find_pause) = visitor.state.config.find_pause else {
            return Ok(Self::default());
        };
        let chosen = visitor.place.parse()?.project;
        let projects = match &chosen {
            Some(project) => slice::from_ref(project),
            None => names.projects(),
        };
        let own = projects.iter().map(Some);
        let mut pauses = own.chain([None]).filter_map(|project| {
            let pause = find_pause(project)?;
            let place = project.filter(|_| !pause.is_everywhere);
            Some((place.map(|place| names.name_project(place)), pause.until))
        });
        Ok(pauses.next().map_or_else(Self::default, |(place, until)| {
            let words = place.map_or("everywhere".to_owned(), |place| format!("in {place}"));
            Self {
                place: VisibleText::line(&words),
                flag: if place.is_none() { " --everywhere" } else { "" },
                until: until.map(TimeTag),
            }
        }))
    }
}

/// A name to choose, and whether it is chosen.
#[derive(Debug)]
pub(super) struct Choice {
    pub(super) value: String,
    pub(super) label: VisibleText,
    pub(super) is_chosen: bool,
}

impl Choice {
    pub(super) fn new(value: &str, label: &str, chosen: &str) -> Self {
        Self {
            value: value.to_owned(),
            label: VisibleText::line(label),
            is_chosen: value == chosen,
        }
    }
}

/// The agents and projects that a list can be narrowed to.
#[derive(Debug)]
pub(super) struct PlaceChoices {
    pub(super) chosen: PlaceQuery,
    pub(super) agents: Vec<Choice>,
    pub(super) projects: Vec<Choice>,
}

/// Returns the agent that all lessons are of; `None` if there are none, or several agents.
fn find_only_agent(scopes: &[Scope]) -> Option<&AgentId> {
    let mut agents = scopes.iter().map(|scope| &scope.agent);
    let first = agents.next()?;
    agents.all(|agent| agent == first).then_some(first)
}

impl PlaceQuery {
    /// Returns the desk to try or write something there: where no agent is named, that of the only one there is.
    pub(super) fn open_desk<'v>(&self, visitor: &'v Visitor) -> Result<Desk<'v>> {
        let mut scope = self.parse()?;
        let scopes = visitor.desk(&scope)?.scopes()?;
        scope.agent = scope.agent.or(find_only_agent(&scopes).cloned());
        visitor.desk(&scope)
    }

    /// Reads the names that a form asks about.
    pub(super) fn from_form(fields: &FormFields) -> Self {
        Self {
            agent: fields.text("agent").to_owned(),
            project: fields.text("project").to_owned(),
        }
    }

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

    /// Returns what can be chosen: the names of all places that are seen.
    pub(super) fn choices(&self, names: &PlaceNames) -> PlaceChoices {
        let agent = |id: &AgentId| Choice::new(id.as_str(), id.as_str(), &self.agent);
        let project =
            |id: &ProjectId| Choice::new(id.as_str(), names.name_project(id), &self.project);
        PlaceChoices {
            chosen: self.clone(),
            agents: names.agents().iter().map(agent).collect(),
            projects: names.projects().iter().map(project).collect(),
        }
    }
}
