//! A judgement as JSON text, and what holding a lesson back told.

use hardwon_core::{
    credit::{Arm, BaselineKey, Judgement, LessonJudgement, LessonOutcome, RecordDelta, Trial},
    id::RecallId,
};

use super::*;
use crate::Judged;

/// Weight, square and good of one arm.
type ArmRow = (i64, i64, i64);

fn arm_row(arm: &Arm) -> ArmRow {
    (arm.weight, arm.square, arm.good)
}

fn arm((weight, square, good): ArmRow) -> Arm {
    Arm {
        weight,
        square,
        good,
    }
}

/// Shown and held back; nothing where nothing was left to chance.
type TrialRow = Option<(ArmRow, ArmRow)>;

fn trial_row(trial: &Trial) -> TrialRow {
    let is_some = *trial != Trial::default();
    is_some.then(|| (arm_row(&trial.shown), arm_row(&trial.control)))
}

fn trial_of(row: TrialRow) -> Trial {
    row.map_or_else(Trial::default, |(shown, held)| Trial {
        shown: arm(shown),
        control: arm(held),
    })
}

/// Writes a lesson's trial; nothing if there was none.
pub(super) fn trial_json(trial: &Trial) -> Result<Option<String>> {
    trial_row(trial).map(|row| to_json(&row)).transpose()
}

/// Reads a lesson's trial.
pub(super) fn trial(json: Option<&str>) -> Result<Trial> {
    Ok(trial_of(json.map(from_json).transpose()?))
}

/// Precision and shift.
type LeaningRow = (i64, i64);

fn leaning((precision, shift): LeaningRow) -> GaussianMessage {
    GaussianMessage { precision, shift }
}

/// A judgement as one line of JSON, without its run, which has a column.
#[derive(Debug, Serialize, Deserialize)]
pub(in super::super) struct JudgedRow {
    at: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    good: Option<bool>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    parts: Vec<PartRow>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    baselines: Vec<(String, LeaningRow)>,
}

/// What a judgement says of one lesson.
#[derive(Debug, Serialize, Deserialize)]
struct PartRow {
    lesson: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    recall: Option<i64>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    held: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    moment: Option<String>,
    fate: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    good: Option<bool>,
    /// Helped, harmed, well and badly.
    counts: (i64, i64, i64, i64),
    /// In vain, and not followed; nothing where both are 0, and in lines of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    more: Option<(i64, i64)>,
    leaning: LeaningRow,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    trial: TrialRow,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    timing: Option<(String, TrialRow)>,
}

impl PartRow {
    fn of(part: &LessonJudgement) -> Self {
        let tally = &part.delta;
        Self {
            lesson: part.lesson.0,
            recall: part.recall.map(|it| it.0),
            held: part.is_control,
            moment: part.moment.map(|it| it.name().to_owned()),
            fate: part.outcome.name().to_owned(),
            good: part.went_well,
            counts: (
                tally.helped,
                tally.harmed,
                tally.went_well,
                tally.went_badly,
            ),
            more: Some((tally.contradicted, tally.not_followed)).filter(|it| *it != (0, 0)),
            leaning: (
                tally.gaussian_message.precision,
                tally.gaussian_message.shift,
            ),
            trial: trial_row(&tally.trial),
            timing: (part.timing.as_ref())
                .map(|(moment, trial)| (moment.name().to_owned(), trial_row(trial))),
        }
    }

    fn read(self) -> Result<LessonJudgement> {
        let moment = self.moment.map(|name| word(&name, Moment::from_name));
        let timing = |(moment, trial): (String, TrialRow)| -> Result<_> {
            Ok((word(&moment, Moment::from_name)?, trial_of(trial)))
        };
        let (in_vain, not_followed) = self.more.unwrap_or_default();
        Ok(LessonJudgement {
            recall: self.recall.map(RecallId),
            lesson: LessonId(self.lesson),
            is_control: self.held,
            moment: moment.transpose()?,
            outcome: word(&self.fate, LessonOutcome::from_name)?,
            went_well: self.good,
            delta: RecordDelta {
                helped: self.counts.0,
                harmed: self.counts.1,
                went_well: self.counts.2,
                went_badly: self.counts.3,
                contradicted: in_vain,
                not_followed,
                gaussian_message: leaning(self.leaning),
                trial: trial_of(self.trial),
            },
            timing: self.timing.map(timing).transpose()?,
        })
    }
}

impl JudgedRow {
    pub(in super::super) fn of(judged: &Judged) -> Self {
        let judgement = &judged.judgement;
        let baseline =
            |(about, it): &(BaselineKey, GaussianMessage)| (about.name(), (it.precision, it.shift));
        Self {
            at: judged.at.as_millisecond(),
            good: judgement.went_well,
            parts: judgement.lessons.iter().map(PartRow::of).collect(),
            baselines: judgement.baselines.iter().map(baseline).collect(),
        }
    }

    pub(in super::super) fn read(self, run: Option<&str>) -> Result<Judged> {
        let bad = |_| damaged("a judgement has a run that cannot be");
        let baseline = |(about, it): (String, LeaningRow)| -> Result<_> {
            Ok((word(&about, BaselineKey::from_name)?, leaning(it)))
        };
        Ok(Judged {
            run: run.map(RunId::parse).transpose().map_err(bad)?,
            at: time(self.at)?,
            judgement: Judgement {
                went_well: self.good,
                lessons: self
                    .parts
                    .into_iter()
                    .map(PartRow::read)
                    .collect::<Result<_>>()?,
                baselines: self
                    .baselines
                    .into_iter()
                    .map(baseline)
                    .collect::<Result<_>>()?,
            },
        })
    }
}
