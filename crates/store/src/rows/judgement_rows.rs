//! A judgement as JSON text, and the trial of a lesson against its control group.

use hardwon_core::{
    Arm, BaselineKey, Judgement, LessonJudgement, LessonOutcome, OccasionRecord, RecallId,
    RecordDelta, Trial,
};

use super::*;
use crate::JudgementRecord;

/// Weight, sum of squares and good outcomes of one arm.
type ArmRow = (i64, i64, i64);

fn arm_to_row(arm: &Arm) -> ArmRow {
    (arm.weight, arm.square, arm.good)
}

fn arm_from_row((weight, square, good): ArmRow) -> Arm {
    Arm {
        weight,
        square,
        good,
    }
}

/// The arms shown and left out at random; `None` where nothing was left to chance.
type TrialRow = Option<(ArmRow, ArmRow)>;

fn trial_to_row(trial: &Trial) -> TrialRow {
    let is_some = *trial != Trial::default();
    is_some.then(|| (arm_to_row(&trial.shown), arm_to_row(&trial.control)))
}

fn trial_from_row(row: TrialRow) -> Trial {
    row.map_or_else(Trial::default, |(shown, held)| Trial {
        shown: arm_from_row(shown),
        control: arm_from_row(held),
    })
}

/// Writes a lesson's trial; `None` if there was none.
pub(super) fn trial_to_json(trial: &Trial) -> Result<Option<String>> {
    trial_to_row(trial).map(|row| to_json(&row)).transpose()
}

/// Reads a lesson's trial; empty if there was none.
pub(super) fn trial_from_json(json: Option<&str>) -> Result<Trial> {
    Ok(trial_from_row(json.map(from_json).transpose()?))
}

/// Precision and shift of a Gaussian message.
type GaussianRow = (i64, i64);

fn gaussian_from_row((precision, shift): GaussianRow) -> GaussianMessage {
    GaussianMessage { precision, shift }
}

/// A judgement as one line of JSON, without its run, which has a column.
#[derive(Debug, Serialize, Deserialize)]
pub struct JudgementRow {
    at: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    good: Option<bool>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    parts: Vec<LessonJudgementRow>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    baselines: Vec<(String, GaussianRow)>,
}

/// A judgement's part about one lesson.
#[derive(Debug, Serialize, Deserialize)]
struct LessonJudgementRow {
    lesson: LessonId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    recall: Option<RecallId>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    held: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    moment: Option<Moment>,
    fate: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    good: Option<bool>,
    /// Counts of helped, harmed, went well and went badly.
    counts: (i64, i64, i64, i64),
    /// Counts of in vain and not followed; `None` where both are 0, and in lines of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    more: Option<(i64, i64)>,
    leaning: GaussianRow,
    /// The chance of being left out, whether the trouble was met again, and how many calls it took; `None` for feedback, and
    /// in lines of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    seen: Option<(f64, Option<bool>, Option<u32>)>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    trial: TrialRow,
}

impl LessonJudgementRow {
    fn from_judgement(part: &LessonJudgement) -> Self {
        let tally = &part.delta;
        Self {
            lesson: part.lesson,
            recall: part.recall,
            held: part.is_control,
            moment: part.moment,
            fate: part.outcome.name().to_owned(),
            good: part.went_well,
            counts: (
                tally.helped,
                tally.harmed,
                tally.went_well,
                tally.went_badly,
            ),
            more: Some((tally.contradicted, tally.not_followed))
                .filter(|not_followed| *not_followed != (0, 0)),
            leaning: (
                tally.gaussian_message.precision,
                tally.gaussian_message.shift,
            ),
            seen: (part.observed)
                .map(|seen| (seen.holdout_chance, seen.met_again, seen.calls_until_past)),
            trial: trial_to_row(&tally.trial),
        }
    }

    fn into_judgement(self) -> Result<LessonJudgement> {
        let (in_vain, not_followed) = self.more.unwrap_or_default();
        Ok(LessonJudgement {
            recall: self.recall,
            lesson: self.lesson,
            is_control: self.held,
            moment: self.moment,
            outcome: parse_word(&self.fate, |name| {
                LessonOutcome::from_stored(name, self.good)
            })?,
            went_well: self.good,
            observed: self
                .seen
                .map(
                    |(holdout_chance, met_again, calls_until_past)| OccasionRecord {
                        holdout_chance,
                        met_again,
                        calls_until_past,
                    },
                ),
            delta: RecordDelta {
                helped: self.counts.0,
                harmed: self.counts.1,
                went_well: self.counts.2,
                went_badly: self.counts.3,
                contradicted: in_vain,
                not_followed,
                gaussian_message: gaussian_from_row(self.leaning),
                trial: trial_from_row(self.trial),
            },
        })
    }
}

impl JudgementRow {
    /// Returns the row of a judgement.
    pub fn from_record(judged: &JudgementRecord) -> Self {
        let judgement = &judged.judgement;
        let baseline =
            |(about, it): &(BaselineKey, GaussianMessage)| (about.name(), (it.precision, it.shift));
        Self {
            at: judged.at.as_millisecond(),
            good: judgement.went_well,
            parts: judgement
                .lessons
                .iter()
                .map(LessonJudgementRow::from_judgement)
                .collect(),
            baselines: judgement.baselines.iter().map(baseline).collect(),
        }
    }

    /// Returns the judgement, of this run.
    pub fn into_record(self, run: Option<&str>) -> Result<JudgementRecord> {
        let bad = |_| damaged_error("a judgement has a run that cannot be");
        let baseline = |(about, it): (String, GaussianRow)| -> Result<_> {
            Ok((
                parse_word(&about, BaselineKey::from_name)?,
                gaussian_from_row(it),
            ))
        };
        Ok(JudgementRecord {
            run: run.map(RunId::parse).transpose().map_err(bad)?,
            at: parse_time(self.at)?,
            judgement: Judgement {
                went_well: self.good,
                lessons: self
                    .parts
                    .into_iter()
                    .map(LessonJudgementRow::into_judgement)
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
