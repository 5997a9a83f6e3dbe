//! Sweeps: a plan as it is shown and given back, and what became of it.
//!
//! A plan that comes in may have been edited: what it says is cleaned here, and decided again by the engine.

pub mod served;

use std::collections::BTreeMap;

use hardwon_core::{
    AgentId, CleanText, LessonContent, LessonId, ProjectId, RawText, Scope, guard, limits,
};
use hardwon_engine::{
    AppliedSweep, ModelPart, PlanBasis, PlannedSweep, SweepItem, SweepPlan, SweepRecord,
    UndoneSweep,
};
use hardwon_store::ScopeFilter;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What a sweep would do.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SweepPlanDto {
    /// `sweep`.
    pub kind: String,
    /// Its name.
    pub id: String,
    /// A digest of the lessons that it was made from.
    pub basis: String,
    /// When it was made.
    pub made_at: Timestamp,
    /// The part of the lessons that it is about.
    #[serde(default)]
    pub within: SweepScopeDto,
    /// How many lessons were looked at.
    #[serde(default)]
    pub looked_at: usize,
    /// `rules`, `asked` or `away`.
    #[serde(default)]
    pub model: String,
    /// Why the model was away; absent if it was not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_error: Option<String>,
    /// What it would do, in order. An item may be left out by hand.
    pub items: Vec<SweepItemDto>,
    /// Groups that stay as they are.
    #[serde(default)]
    pub refused: Vec<RefusedMergeDto>,
    /// Questions to the model that are left for another sweep, because enough was asked in this one.
    #[serde(default)]
    pub postponed: usize,
    /// Items that were left out because only a person may do them.
    #[serde(default)]
    pub left_for_person: usize,
}

/// The part of the lessons that a plan is about.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SweepScopeDto {
    /// Only this agent's lessons; absent for all agents.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Whether it is about one project, or the lessons without one, instead of all.
    #[serde(default)]
    pub one_project: bool,
    /// The project; absent for the lessons without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// Whether it is also about the agent's lessons without a project; absent if not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub with_everywhere: bool,
}

/// What becomes of lessons, as it is shown and given back.
pub type SweepItemDto = SweepItem<String, MergedWordsDto>;

/// The words of a lesson that takes the place of others.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct MergedWordsDto {
    /// Its title.
    #[serde(default)]
    pub title: String,
    /// What calls for it.
    #[serde(default)]
    pub signature: String,
    /// What to do.
    pub text: String,
    /// When it applies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub situation: Option<String>,
    /// What went wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mistake: Option<String>,
    /// Its topics.
    #[serde(default)]
    pub tags: Vec<String>,
}

/// A group that stays as it is.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct RefusedMergeDto {
    /// Its lessons; none if it is about a whole reply of the model.
    pub members: Vec<i64>,
    /// Why.
    pub why: String,
}

/// What became of a plan.
#[derive(Debug, Serialize, ToSchema)]
pub struct AppliedSweepDto {
    /// The name by which it is taken back.
    pub id: String,
    /// Lessons that were added.
    pub added: Vec<i64>,
    /// Lessons that are not recalled any more.
    pub retired: Vec<i64>,
    /// What could not be done.
    pub left_out: Vec<RefusedMergeDto>,
}

/// What became of taking a sweep back.
#[derive(Debug, Serialize, ToSchema)]
pub struct UndoneSweepDto {
    /// The sweep.
    pub id: String,
    /// Lessons that are as they were before.
    pub restored: Vec<i64>,
    /// Lessons that were changed since and stay as they are.
    pub left: Vec<i64>,
}

/// A sweep that can be taken back.
#[derive(Debug, Serialize, ToSchema)]
pub struct SweepRecordDto {
    /// Its name.
    pub id: String,
    /// When it was applied.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub at: Option<Timestamp>,
    /// Who applied it.
    pub actor: String,
    /// How many lessons it took out.
    pub retired: usize,
    /// How many lessons it added.
    pub added: usize,
    /// Whether it was taken back.
    pub undone: bool,
}

/// Why a text is no plan.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidPlan {
    /// It is not of this form.
    #[error("it is no plan: {0}")]
    NotAPlan(String),
    /// It is another command's.
    #[error("it is a plan for {0}, not for a sweep")]
    OtherKind(String),
    /// A part of it cannot be.
    #[error("its {0} cannot be read")]
    BadPart(&'static str),
    /// It has too many items.
    #[error("it has more than {} items", limits::SWEEP_ITEMS)]
    TooLong,
}

impl From<&PlannedSweep> for SweepPlanDto {
    fn from(planned: &PlannedSweep) -> Self {
        let plan = &planned.plan;
        let (model, model_error) = describe_model(&plan.model);
        Self {
            kind: "sweep".to_owned(),
            id: plan.id().to_string(),
            basis: plan.basis.as_str().to_owned(),
            made_at: plan.made_at,
            within: SweepScopeDto::from(&planned.within),
            looked_at: plan.looked_at,
            model: model.to_owned(),
            model_error,
            items: (plan.items.iter())
                .map(|item| item.map(ToString::to_string, |words| (&**words).into()))
                .collect(),
            refused: (plan.refused.iter())
                .map(|refusal| RefusedMergeDto {
                    members: numbers(&refusal.members),
                    why: refusal.why.to_string(),
                })
                .collect(),
            postponed: plan.postponed,
            left_for_person: planned.left_for_person,
        }
    }
}

impl SweepPlanDto {
    /// Parses a plan that comes in.
    ///
    /// # Errors
    ///
    /// Why it is none.
    pub fn parse(text: &str) -> Result<Self, InvalidPlan> {
        let plan: Self =
            serde_json::from_str(text).map_err(|error| InvalidPlan::NotAPlan(error.to_string()))?;
        match (plan.kind.as_str(), plan.items.len() <= limits::SWEEP_ITEMS) {
            ("sweep", true) => Ok(plan),
            ("sweep", false) => Err(InvalidPlan::TooLong),
            _ => Err(InvalidPlan::OtherKind(
                clean(&plan.kind, limits::REASON_CHARS).to_string(),
            )),
        }
    }

    /// Returns the plan, with all its words cleaned, and the part of the tenant of this scope that it is about.
    ///
    /// # Errors
    ///
    /// Which part of it cannot be.
    pub fn to_plan(&self, owner: &Scope) -> Result<(SweepPlan, ScopeFilter), InvalidPlan> {
        let plan = SweepPlan {
            basis: PlanBasis::parse(&self.basis).ok_or(InvalidPlan::BadPart("basis"))?,
            made_at: self.made_at,
            looked_at: self.looked_at,
            items: (self.items.iter())
                .map(|item| {
                    item.map(
                        |reason| clean(reason, limits::REASON_CHARS),
                        |words| Box::new(words.to_content()),
                    )
                })
                .collect(),
            refused: Vec::new(),
            postponed: self.postponed,
            model: ModelPart::NotAsked,
        };
        Ok((plan, self.within.to_filter(owner)?))
    }
}

impl From<&ScopeFilter> for SweepScopeDto {
    fn from(within: &ScopeFilter) -> Self {
        let project_name = |project: &Option<ProjectId>| {
            project.as_ref().map(|project| project.as_str().to_owned())
        };
        match within {
            ScopeFilter::Tenant => Self::default(),
            ScopeFilter::Agent(agent) => Self {
                agent: Some(agent.to_string()),
                ..Self::default()
            },
            ScopeFilter::Project(project) => Self {
                one_project: true,
                project: project_name(project),
                ..Self::default()
            },
            ScopeFilter::Scope(scope) | ScopeFilter::Visible(scope) => Self {
                agent: Some(scope.agent.to_string()),
                one_project: true,
                project: project_name(&scope.project),
                with_everywhere: matches!(within, ScopeFilter::Visible(_)),
            },
        }
    }
}

impl SweepScopeDto {
    fn to_filter(&self, owner: &Scope) -> Result<ScopeFilter, InvalidPlan> {
        let agent = self.agent.as_deref().map(AgentId::parse).transpose();
        let agent = agent.map_err(|_| InvalidPlan::BadPart("agent"))?;
        let project = self.project.as_deref().map(ProjectId::parse).transpose();
        let project = project.map_err(|_| InvalidPlan::BadPart("project"))?;
        let scope = Scope {
            tenant: owner.tenant.clone(),
            agent: agent.clone().unwrap_or_default(),
            project,
        };
        Ok(
            match (agent.is_some(), self.one_project, self.with_everywhere) {
                (true, true, true) => ScopeFilter::Visible(scope),
                (has_agent, has_project, _) => ScopeFilter::same_as(&scope, has_agent, has_project),
            },
        )
    }
}

impl From<&LessonContent> for MergedWordsDto {
    fn from(content: &LessonContent) -> Self {
        let optional = |text: &Option<CleanText>| text.as_ref().map(ToString::to_string);
        Self {
            title: content.title.to_string(),
            signature: content.signature.to_string(),
            text: content.text.to_string(),
            situation: optional(&content.situation),
            mistake: optional(&content.mistake),
            tags: content.tags.iter().map(ToString::to_string).collect(),
        }
    }
}

impl MergedWordsDto {
    fn to_content(&self) -> LessonContent {
        let long = |text: &str| clean(text, limits::TEXT_CHARS);
        let short = |text: &str| clean(text, limits::SITUATION_CHARS);
        LessonContent {
            title: clean(&self.title, limits::TITLE_CHARS),
            signature: clean(&self.signature, limits::SIGNATURE_CHARS),
            text: long(&self.text),
            situation: self.situation.as_deref().map(short),
            mistake: self.mistake.as_deref().map(short),
            tags: self
                .tags
                .iter()
                .take(limits::TAGS)
                .map(|tag| clean(tag, limits::TAG_CHARS))
                .collect(),
            targets: Vec::new(),
            tools: Vec::new(),
            reference: None,
            metadata: BTreeMap::new(),
        }
    }
}

impl From<&AppliedSweep> for AppliedSweepDto {
    fn from(done: &AppliedSweep) -> Self {
        let left = done.left_out.iter();
        Self {
            id: done.id.to_string(),
            added: numbers(&done.added),
            retired: numbers(&done.retired),
            left_out: left
                .map(|(ids, why)| RefusedMergeDto {
                    members: numbers(ids),
                    why: why.clone(),
                })
                .collect(),
        }
    }
}

impl From<&UndoneSweep> for UndoneSweepDto {
    fn from(undone: &UndoneSweep) -> Self {
        Self {
            id: undone.id.to_string(),
            restored: numbers(&undone.restored),
            left: numbers(&undone.left),
        }
    }
}

impl From<&SweepRecord> for SweepRecordDto {
    fn from(record: &SweepRecord) -> Self {
        Self {
            id: record.id.clone(),
            at: Timestamp::from_millisecond(record.at).ok(),
            actor: record.actor.clone(),
            retired: record.retired,
            added: record.added,
            undone: record.is_undone,
        }
    }
}

/// Returns what part a model had, in a word, and why it was away.
fn describe_model(model: &ModelPart) -> (&'static str, Option<String>) {
    match model {
        ModelPart::NotAsked => ("rules", None),
        ModelPart::Asked(_) => ("asked", None),
        ModelPart::Away(why) => ("away", Some(why.clone())),
    }
}

fn numbers(ids: &[LessonId]) -> Vec<i64> {
    ids.iter().map(|id| id.0).collect()
}

fn clean(text: &str, chars: usize) -> CleanText {
    hardwon_redact::clean_to_chars(&RawText::from(&*guard::neutralise(text)), chars)
}
