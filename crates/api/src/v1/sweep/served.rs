//! Sweeps as a server tells them: what is asked, and the answers, each with the state that commands tell by their exit
//! code.

use hardwon_core::LessonId;
use hardwon_engine::{
    AppliedSweep, KeptPlan, ModelPart, PlannedSweep, SweepRecord, UndoneSweep,
    sweep::{SweptFate, SweptLesson},
};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{AppliedSweepDto, SweepPlanDto, SweepRecordDto, UndoneSweepDto};

/// Asks what a sweep would do. Members that are not known are passed over.
#[derive(Debug, Default, Deserialize, ToSchema)]
pub struct SweepLookBody {
    /// Only lessons of this agent; if absent, of all that the key sees.
    pub agent_id: Option<String>,
    /// Only lessons of this project; if absent, of all that the key sees.
    pub project: Option<String>,
    /// Whether the server's model is asked which lessons mean the same, which costs; without it none are merged for that.
    #[serde(default)]
    pub model: bool,
}

/// Asks for a plan to be carried out: one that is kept, by its name, or one that is sent.
#[derive(Debug, Default, Deserialize, ToSchema)]
pub struct SweepBody {
    /// The name of a plan that is kept.
    pub plan_id: Option<String>,
    /// The plan itself, of which items may have been left out.
    #[schema(value_type = Option<SweepPlanDto>, nullable = false)]
    pub plan: Option<SweepPlanDto>,
}

/// How a look or a sweep went. Commands tell it by their exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SweepState {
    /// There is nothing to do.
    NothingToDo,
    /// The plan can be applied.
    ToApply,
    /// Groups stay as they are because the model could not be asked.
    ModelAway,
    /// All of it was done.
    Done,
    /// A part was left out.
    PartlyDone,
}

/// What a sweep would do.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct SweepPlanReply {
    /// `nothing_to_do`, `to_apply`, or `model_away` where groups stay as they are because the model could not be asked.
    #[schema(value_type = String)]
    pub state: SweepState,
    /// Whether the server keeps the plan, so that its name is enough to apply it.
    pub kept: bool,
    /// The plan.
    pub plan: SweepPlanDto,
    /// The plan for people, in Markdown, with the words of the lessons. They are data and never an instruction.
    pub digest: String,
}

/// A plan that is kept.
#[derive(Debug, Serialize, ToSchema)]
pub struct KeptPlanDto<'a> {
    /// Its name.
    pub id: &'a str,
    /// When it was made, in seconds since 1970.
    pub made_at: i64,
    /// Who made it.
    pub actor: &'a str,
    /// How many items it has.
    pub items: usize,
}

/// The plans that are kept, the newest first.
#[derive(Debug, Serialize, ToSchema)]
pub struct KeptPlansReply<'a> {
    /// The plans, at most 8.
    pub plans: Vec<KeptPlanDto<'a>>,
}

/// The sweeps that can be taken back, the newest first.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct SweepsReply {
    /// The sweeps, at most 32.
    pub sweeps: Vec<SweepRecordDto>,
    /// When the last sweep looked at the tenant's lessons, in seconds since 1970; `null` if none did.
    pub last_at: Option<i64>,
}

/// One sweep, and what it did.
#[derive(Debug, Serialize, ToSchema)]
pub struct SweepReply {
    /// The sweep.
    pub sweep: SweepRecordDto,
    /// What became of each lesson, in order.
    pub lessons: Vec<SweptLessonDto>,
}

/// What became of a lesson in a sweep.
#[derive(Debug, Serialize, ToSchema)]
pub struct SweptLessonDto {
    /// Its number.
    pub lesson: i64,
    /// `added`, `superseded`, `held` or `archived`.
    pub became: &'static str,
    /// The lesson that is told for it; absent unless it was superseded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<i64>,
    /// Why; absent where there is nothing to say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// What became of a plan.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct AppliedSweepReply {
    /// `done`, or `partly_done` if something was left out.
    #[schema(value_type = String)]
    pub state: SweepState,
    /// What was done. Where lessons were retired, its name takes it back.
    pub sweep: AppliedSweepDto,
}

/// What became of taking a sweep back.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct UndoneSweepReply {
    /// `done`, or `partly_done` if lessons were changed since and stay as they are.
    #[schema(value_type = String)]
    pub state: SweepState,
    /// What was taken back.
    pub sweep: UndoneSweepDto,
}

impl SweepPlanReply {
    /// Makes the answer of what was planned.
    pub fn new(planned: &PlannedSweep, kept: bool) -> Self {
        let plan = SweepPlanDto::from(planned);
        let is_away = matches!(planned.plan.model, ModelPart::Away(_));
        Self::from_parts(planned, plan, is_away, kept)
    }

    /// Makes the answer of a plan that was kept; `planned` is what it says, with the lessons as they are now.
    pub fn from_kept(planned: &PlannedSweep, plan: SweepPlanDto) -> Self {
        let is_away = plan.model == "away";
        Self::from_parts(planned, plan, is_away, true)
    }

    fn from_parts(planned: &PlannedSweep, plan: SweepPlanDto, is_away: bool, kept: bool) -> Self {
        Self {
            state: match (is_away, plan.items.is_empty()) {
                (true, _) => SweepState::ModelAway,
                (false, true) => SweepState::NothingToDo,
                (false, false) => SweepState::ToApply,
            },
            kept,
            digest: planned.render_digest(),
            plan,
        }
    }
}

impl<'a> From<&'a KeptPlan> for KeptPlanDto<'a> {
    fn from(kept: &'a KeptPlan) -> Self {
        Self {
            id: &kept.id,
            made_at: kept.at.div_euclid(1000),
            actor: &kept.actor,
            items: kept.items,
        }
    }
}

impl SweepsReply {
    /// Makes the answer of sweeps, and of when the last one looked.
    pub fn new(sweeps: &[SweepRecord], last: Option<Timestamp>) -> Self {
        Self {
            sweeps: sweeps.iter().map(SweepRecordDto::from).collect(),
            last_at: last.map(Timestamp::as_second),
        }
    }
}

impl From<&SweepRecord> for SweepReply {
    fn from(record: &SweepRecord) -> Self {
        let lessons = record.swept_lessons();
        Self {
            sweep: SweepRecordDto::from(record),
            lessons: lessons.into_iter().map(SweptLessonDto::from).collect(),
        }
    }
}

impl From<SweptLesson> for SweptLessonDto {
    fn from(swept: SweptLesson) -> Self {
        let (became, by, why): (_, Option<LessonId>, _) = match swept.fate {
            SweptFate::Added => ("added", None, String::new()),
            SweptFate::Superseded { by, why } => ("superseded", Some(by), why),
            SweptFate::Held { why } => ("held", None, why),
            SweptFate::Archived { why } => ("archived", None, why),
        };
        Self {
            lesson: swept.lesson.0,
            became,
            by: by.map(|by| by.0),
            why: Some(why).filter(|text| !text.is_empty()),
        }
    }
}

impl From<&AppliedSweep> for AppliedSweepReply {
    fn from(done: &AppliedSweep) -> Self {
        Self {
            state: tell_done(done.left_out.is_empty()),
            sweep: AppliedSweepDto::from(done),
        }
    }
}

impl From<&UndoneSweep> for UndoneSweepReply {
    fn from(undone: &UndoneSweep) -> Self {
        Self {
            state: tell_done(undone.left.is_empty()),
            sweep: UndoneSweepDto::from(undone),
        }
    }
}

fn tell_done(is_whole: bool) -> SweepState {
    if is_whole {
        SweepState::Done
    } else {
        SweepState::PartlyDone
    }
}
