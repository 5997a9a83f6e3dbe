//! Whole values as JSON text: a recall's line, and a candidate lesson.

use super::*;
use crate::{StoreError, StoreErrorKind};

/// An admitted lesson that is not stored yet, as JSON.
#[derive(Debug, Serialize, Deserialize)]
pub struct AdmittedRow {
    agent: AgentId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    project: Option<ProjectId>,
    #[serde(flatten)]
    status: StatusColumns,
    slug: Slug,
    title: CleanText,
    signature: CleanText,
    text: CleanText,
    situation: Option<CleanText>,
    mistake: Option<CleanText>,
    reference: Option<CleanText>,
    cause: Cause,
    outcome: RunOutcome,
    trust: TrustClass,
    tainted: bool,
    confidence: f64,
    failure: Option<FailureKey>,
    expires_at: Option<i64>,
    rest: LessonRest,
}

impl AdmittedRow {
    /// Returns the row of a lesson.
    pub fn from_admitted(admitted: &AdmittedLesson) -> Self {
        let content = &admitted.content;
        Self {
            agent: admitted.scope.agent.clone(),
            project: admitted.scope.project.clone(),
            status: StatusColumns::from_status(&admitted.status),
            slug: admitted.slug.clone(),
            title: content.title.clone(),
            signature: content.signature.clone(),
            text: content.text.clone(),
            situation: content.situation.clone(),
            mistake: content.mistake.clone(),
            reference: content.reference.clone(),
            cause: admitted.cause,
            outcome: admitted.outcome,
            trust: admitted.trust.class,
            tainted: admitted.trust.tainted,
            confidence: admitted.confidence,
            failure: admitted.failure.clone(),
            expires_at: admitted.expires_at.map(Timestamp::as_millisecond),
            rest: LessonRest::from_admitted(admitted, &[]),
        }
    }

    /// Returns the lesson, of this tenant.
    pub fn into_admitted(mut self, tenant: &TenantId) -> Result<AdmittedLesson> {
        let mut content = LessonContent {
            title: self.title,
            situation: self.situation,
            mistake: self.mistake,
            reference: self.reference,
            ..LessonContent::new(self.signature, self.text)
        };
        self.rest.fill_content(&mut content);
        Ok(AdmittedLesson {
            scope: Scope {
                tenant: tenant.clone(),
                agent: self.agent,
                project: self.project,
            },
            slug: self.slug,
            content,
            cause: self.cause,
            outcome: self.outcome,
            evidence: self.rest.evidence,
            trust: Trust::new(self.trust, self.tainted),
            confidence: self.confidence,
            failure: self.failure,
            status: self.status.to_status()?,
            expires_at: self.expires_at.map(parse_time).transpose()?,
            supersedes: self.rest.supersedes,
            task: self.rest.task,
        })
    }
}

/// A recall as one line of JSON.
#[derive(Debug, Serialize, Deserialize)]
pub struct RecallRow {
    tenant: TenantId,
    agent: AgentId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    project: Option<ProjectId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    run: Option<RunId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    client: Option<ClientName>,
    at: i64,
    moment: Moment,
    /// Hash and length of the prompt.
    prompt: ([u8; 8], u32),
    /// The query text; in the spool only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    asked: Option<CleanText>,
    considered: Vec<ConsideredRow>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    silent: Option<CleanText>,
}

/// A lesson that a recall considered, as a JSON list.
#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum ConsideredRow {
    /// Lesson, score, and the reason if it was excluded.
    Sure(LessonId, f32, Option<CleanText>),
    /// Lesson, score, whether it was left out at random, and the probability of that.
    Chanced(LessonId, f32, bool, f32),
    /// Of earlier versions: lesson, score, whether it was left out at random (`None` if left to a later moment), and the
    /// probabilities of the one and the other.
    Timed(LessonId, f32, Option<bool>, f32, f32),
}

impl ConsideredRow {
    fn from_considered(it: &ConsideredLesson) -> Self {
        let (lesson, score, chance) = (it.lesson, it.score, it.holdout_chance);
        match &it.treatment {
            Treatment::Excluded { why } => Self::Sure(lesson, score, Some(why.clone())),
            Treatment::Shown if chance == 0.0 => Self::Sure(lesson, score, None),
            Treatment::Shown => Self::Chanced(lesson, score, false, chance),
            Treatment::HeldOut => Self::Chanced(lesson, score, true, chance),
        }
    }

    fn into_considered(self) -> ConsideredLesson {
        let treatment_of = |was_held: bool| {
            if was_held {
                Treatment::HeldOut
            } else {
                Treatment::Shown
            }
        };
        let exclude = |why| Treatment::Excluded { why };
        let (lesson, score, treatment, holdout_chance) = match self {
            Self::Sure(lesson, score, why) => {
                (lesson, score, why.map_or(Treatment::Shown, exclude), 0.0)
            }
            Self::Chanced(lesson, score, was_held, chance) => {
                (lesson, score, treatment_of(was_held), chance)
            }
            Self::Timed(lesson, score, Some(was_held), chance, later) => (
                lesson,
                score,
                treatment_of(was_held),
                chance / (1.0 - later),
            ),
            Self::Timed(lesson, score, None, ..) => (
                lesson,
                score,
                exclude(CleanText::from_literal(LEFT_FOR_LATER)),
                0.0,
            ),
        };
        ConsideredLesson {
            lesson,
            score,
            treatment,
            holdout_chance,
        }
    }
}

/// Why an earlier version did not show a lesson at one moment of a session and did at others.
const LEFT_FOR_LATER: &str = "it was left for a later moment at random";

impl RecallRow {
    /// Returns the row of a recall.
    pub fn from_recall(recall: &Recall) -> Self {
        Self {
            tenant: recall.scope.tenant.clone(),
            agent: recall.scope.agent.clone(),
            project: recall.scope.project.clone(),
            run: recall.run.clone(),
            client: recall.client.clone(),
            at: recall.at.as_millisecond(),
            moment: recall.moment,
            prompt: (recall.prompt.hash, recall.prompt.chars),
            asked: recall.query_text.clone(),
            considered: recall
                .considered
                .iter()
                .map(ConsideredRow::from_considered)
                .collect(),
            silent: recall.silence.clone(),
        }
    }

    /// Returns the recall as it is stored, without its query text.
    #[must_use]
    pub fn without_query_text(self) -> Self {
        Self {
            asked: None,
            ..self
        }
    }

    /// Returns the recall.
    pub fn into_recall(self) -> Result<Recall> {
        Ok(Recall {
            scope: Scope {
                tenant: self.tenant,
                agent: self.agent,
                project: self.project,
            },
            run: self.run,
            client: self.client,
            at: parse_time(self.at)?,
            moment: self.moment,
            prompt: PromptDigest {
                hash: self.prompt.0,
                chars: self.prompt.1,
            },
            query_text: self.asked,
            considered: self
                .considered
                .into_iter()
                .map(ConsideredRow::into_considered)
                .collect(),
            silence: self.silent,
        })
    }
}

/// Renders a recall as a line of a spool. A recall too long for a line loses considered lessons that were not shown, the
/// lowest first.
pub fn render_recall_line(recall: &Recall) -> Result<String> {
    let mut recall = recall.clone();
    loop {
        let line = to_json(&RecallRow::from_recall(&recall))?;
        if line.len() + LINE_BREAKS <= limits::SPOOL_LINE_BYTES {
            return Ok(line);
        }
        let passed_over = |it: &ConsideredLesson| it.treatment != Treatment::Shown;
        match recall.considered.iter().rposition(passed_over) {
            Some(place) => drop(recall.considered.remove(place)),
            None => {
                let message = format!("it is longer than {} bytes", limits::SPOOL_LINE_BYTES);
                return Err(StoreError::new(StoreErrorKind::Invalid, "", message));
            }
        }
    }
}

/// What stands around a line in a file.
const LINE_BREAKS: usize = 2;

/// Reads a line of a spool; `None` if it cannot be read, such as one cut off by a crash.
pub fn parse_recall_line(line: &[u8]) -> Option<Recall> {
    if line.len() > limits::SPOOL_LINE_BYTES {
        return None;
    }
    serde_json::from_slice::<RecallRow>(line)
        .ok()?
        .into_recall()
        .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of earlier versions say why a lesson is archived in words alone.
    #[test]
    fn why_a_lesson_is_archived() {
        let check = |why: &str, retired: Option<&str>, expected: Retirement| {
            let why = CleanText::from_stored(why.to_owned());
            let columns = StatusColumns {
                name: StatusName::Archived,
                why: Some(why.clone()),
                by: None,
                retired: retired.and_then(Retirement::from_name),
            };
            let status = columns.to_status().unwrap();
            assert_eq!(status, Status::Archived { by: expected, why });
        };
        check("never shown in 90 days", None, Retirement::NeverNeeded);
        check(
            "never shown in 90 days",
            Some("dismissed"),
            Retirement::Dismissed,
        );
        check("wrong", None, Retirement::Dismissed);
        check("wrong", Some("expired"), Retirement::Expired);
    }

    /// Records of sweeps of earlier versions call the state by another key; an erased reason is empty.
    #[test]
    fn a_state_of_an_earlier_sweep() {
        let columns: StatusColumns =
            from_json(r#"{"name":"pending","why":null,"by":null}"#).unwrap();
        let why = CleanText::default();
        assert_eq!(columns.to_status().unwrap(), Status::Pending { why });
        let unknown = from_json::<StatusColumns>(r#"{"name":"lost","why":null,"by":null}"#);
        assert!(unknown.is_err());
    }

    /// Lines of earlier versions still read the same.
    #[test]
    fn considered_lessons() {
        let why = |why: &str| Treatment::Excluded {
            why: CleanText::from_stored(why.to_owned()),
        };
        let read = |line| {
            let row = serde_json::from_str::<ConsideredRow>(line);
            row.unwrap().into_considered()
        };
        for (line, treatment, chance) in [
            ("[14,1.5,null]", Treatment::Shown, 0.0),
            (r#"[14,1.5,"no room"]"#, why("no room"), 0.0),
            ("[14,1.5,false,0.25]", Treatment::Shown, 0.25),
            ("[14,1.5,true,0.25]", Treatment::HeldOut, 0.25),
        ] {
            let read = read(line);
            assert_eq!(
                (&read.treatment, read.holdout_chance),
                (&treatment, chance),
                "{line}"
            );
            assert_eq!(
                to_json(&ConsideredRow::from_considered(&read)).unwrap(),
                line
            );
        }
        for (line, treatment, chance) in [
            ("[14,1.5,false,0.25,0.5]", Treatment::Shown, 0.5),
            ("[14,1.5,true,0.25,0.5]", Treatment::HeldOut, 0.5),
            ("[14,1.5,null,0.25,0.5]", why(LEFT_FOR_LATER), 0.0),
        ] {
            let read = read(line);
            assert_eq!(
                (&read.treatment, read.holdout_chance),
                (&treatment, chance),
                "{line}"
            );
        }
        for line in ["[14,1.5]", "[14,1.5,true]", "[14,1.5,null,0.5]", "{}"] {
            assert!(
                serde_json::from_str::<ConsideredRow>(line).is_err(),
                "{line}"
            );
        }
    }
}
