//! Whole values as JSON text: a recall's line, and a candidate lesson.

use super::*;
use crate::{StoreError, StoreErrorKind};

/// An admitted lesson that is not stored yet, as JSON.
#[derive(Debug, Serialize, Deserialize)]
pub struct AdmittedRow {
    agent: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    project: String,
    status: String,
    why: Option<String>,
    by: Option<i64>,
    slug: String,
    title: String,
    signature: String,
    text: String,
    situation: Option<String>,
    mistake: Option<String>,
    reference: Option<String>,
    cause: String,
    outcome: String,
    trust: String,
    tainted: bool,
    confidence: f64,
    failure: Option<String>,
    expires_at: Option<i64>,
    rest: LessonRest,
}

impl AdmittedRow {
    /// Returns the row of a lesson.
    pub fn from_admitted(admitted: &AdmittedLesson) -> Self {
        let content = &admitted.content;
        let (why, by) = status_columns(&admitted.status);
        let maybe = |text: &Option<CleanText>| text.as_ref().map(CleanText::to_string);
        Self {
            agent: admitted.scope.agent.to_string(),
            project: project_column(&admitted.scope).to_owned(),
            status: admitted.status.name().to_owned(),
            why: why.map(str::to_owned),
            by,
            slug: admitted.slug.to_string(),
            title: content.title.to_string(),
            signature: content.signature.to_string(),
            text: content.text.to_string(),
            situation: maybe(&content.situation),
            mistake: maybe(&content.mistake),
            reference: maybe(&content.reference),
            cause: admitted.cause.name().to_owned(),
            outcome: admitted.outcome.name().to_owned(),
            trust: admitted.trust.class.name().to_owned(),
            tainted: admitted.trust.tainted,
            confidence: admitted.confidence,
            failure: admitted
                .failure
                .as_ref()
                .map(|failure| failure.as_str().to_owned()),
            expires_at: admitted.expires_at.map(Timestamp::as_millisecond),
            rest: LessonRest::from_admitted(admitted, &[]),
        }
    }

    /// Returns the lesson, of this tenant.
    pub fn into_admitted(self, tenant: &TenantId) -> Result<AdmittedLesson> {
        let maybe = |text: Option<String>| text.map(CleanText::from_stored);
        let mut content = LessonContent {
            title: CleanText::from_stored(self.title),
            signature: CleanText::from_stored(self.signature),
            text: CleanText::from_stored(self.text),
            situation: maybe(self.situation),
            mistake: maybe(self.mistake),
            tags: Vec::new(),
            targets: Vec::new(),
            tools: Vec::new(),
            reference: maybe(self.reference),
            metadata: BTreeMap::new(),
        };
        let status = StatusColumns {
            name: self.status,
            why: maybe(self.why),
            by: self.by,
        };
        let status = status.parse(self.rest.retired.as_deref())?;
        let (evidence, supersedes, _, task) = self.rest.into_parts(&mut content)?;
        Ok(AdmittedLesson {
            scope: parse_scope(tenant, &self.agent, &self.project)?,
            slug: parse_word(&self.slug, Slug::parse)?,
            content,
            cause: parse_word(&self.cause, Cause::from_name)?,
            outcome: parse_word(&self.outcome, RunOutcome::from_name)?,
            evidence,
            trust: Trust {
                class: parse_word(&self.trust, TrustClass::from_name)?,
                tainted: self.tainted,
            },
            confidence: self.confidence,
            failure: self.failure.map(FailureKey::new),
            status,
            expires_at: self.expires_at.map(parse_time).transpose()?,
            supersedes,
            task,
        })
    }
}

/// A recall as one line of JSON.
#[derive(Debug, Serialize, Deserialize)]
pub struct RecallRow {
    tenant: String,
    agent: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    project: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    run: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    client: Option<String>,
    at: i64,
    moment: String,
    /// Hash and length of the prompt.
    prompt: ([u8; 8], u32),
    /// The query text; in the spool only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    asked: Option<String>,
    considered: Vec<ConsideredRow>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    silent: Option<String>,
}

/// A lesson that a recall considered, as a JSON list.
#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum ConsideredRow {
    /// Lesson, score, and the reason if it was excluded.
    Sure(i64, f32, Option<String>),
    /// Lesson, score, whether it was left out at random, and the probability of that.
    Chanced(i64, f32, bool, f32),
    /// Lesson, score, whether it was left out at random (`None` if left to a later moment), and the probabilities of
    /// the one and the other.
    Timed(i64, f32, Option<bool>, f32, f32),
}

impl ConsideredRow {
    fn from_considered(it: &ConsideredLesson) -> Self {
        let (lesson, score) = (it.lesson.0, it.score);
        let was_held = match &it.treatment {
            Treatment::Excluded { why } => {
                return Self::Sure(lesson, score, Some(why.to_string()));
            }
            Treatment::Shown => Some(false),
            Treatment::HeldOut => Some(true),
            Treatment::Deferred => None,
        };
        match was_held {
            Some(was_held) if it.deferral_chance == 0.0 => {
                if was_held || it.holdout_chance != 0.0 {
                    Self::Chanced(lesson, score, was_held, it.holdout_chance)
                } else {
                    Self::Sure(lesson, score, None)
                }
            }
            _ => Self::Timed(
                lesson,
                score,
                was_held,
                it.holdout_chance,
                it.deferral_chance,
            ),
        }
    }

    fn into_considered(self) -> ConsideredLesson {
        let treatment_of = |was_held: Option<bool>| match was_held {
            Some(true) => Treatment::HeldOut,
            Some(false) => Treatment::Shown,
            None => Treatment::Deferred,
        };
        let (lesson, score, treatment, chance, later) = match self {
            Self::Sure(lesson, score, None) => (lesson, score, Treatment::Shown, 0.0, 0.0),
            Self::Sure(lesson, score, Some(why)) => {
                let reason = CleanText::from_stored(why);
                (lesson, score, Treatment::Excluded { why: reason }, 0.0, 0.0)
            }
            Self::Chanced(lesson, score, was_held, chance) => {
                (lesson, score, treatment_of(Some(was_held)), chance, 0.0)
            }
            Self::Timed(lesson, score, was_held, chance, later) => {
                (lesson, score, treatment_of(was_held), chance, later)
            }
        };
        ConsideredLesson {
            lesson: LessonId(lesson),
            score,
            treatment,
            holdout_chance: chance,
            deferral_chance: later,
        }
    }
}

impl RecallRow {
    /// Returns the row of a recall.
    pub fn from_recall(recall: &Recall) -> Self {
        Self {
            tenant: recall.scope.tenant.to_string(),
            agent: recall.scope.agent.to_string(),
            project: project_column(&recall.scope).to_owned(),
            run: recall.run.as_ref().map(RunId::to_string),
            client: recall.client.as_ref().map(ClientName::to_string),
            at: recall.at.as_millisecond(),
            moment: recall.moment.name().to_owned(),
            prompt: (recall.prompt.hash, recall.prompt.chars),
            asked: recall.query_text.as_ref().map(CleanText::to_string),
            considered: recall
                .considered
                .iter()
                .map(ConsideredRow::from_considered)
                .collect(),
            silent: recall.silence.as_ref().map(CleanText::to_string),
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
        let bad = |_| damaged_error("a recall has a name that cannot be");
        let tenant = TenantId::parse(&self.tenant).map_err(bad)?;
        Ok(Recall {
            scope: parse_scope(&tenant, &self.agent, &self.project)?,
            run: self
                .run
                .map(|run| RunId::parse(&run).map_err(bad))
                .transpose()?,
            client: self
                .client
                .map(|client| ClientName::parse(&client).map_err(bad))
                .transpose()?,
            at: parse_time(self.at)?,
            moment: parse_word(&self.moment, Moment::from_name)?,
            prompt: PromptDigest {
                hash: self.prompt.0,
                chars: self.prompt.1,
            },
            query_text: self.asked.map(CleanText::from_stored),
            considered: self
                .considered
                .into_iter()
                .map(ConsideredRow::into_considered)
                .collect(),
            silence: self.silent.map(CleanText::from_stored),
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
                name: "archived".to_owned(),
                why: Some(why.clone()),
                by: None,
            };
            let status = columns.parse(retired).unwrap();
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

    /// Lines of earlier versions still read the same.
    #[test]
    fn considered_lessons() {
        let why = |why: &str| Treatment::Excluded {
            why: CleanText::from_stored(why.to_owned()),
        };
        for (line, treatment, chance, later) in [
            ("[14,1.5,null]", Treatment::Shown, 0.0, 0.0),
            (r#"[14,1.5,"no room"]"#, why("no room"), 0.0, 0.0),
            ("[14,1.5,false,0.25]", Treatment::Shown, 0.25, 0.0),
            ("[14,1.5,true,0.25]", Treatment::HeldOut, 0.25, 0.0),
            ("[14,1.5,false,0.25,0.5]", Treatment::Shown, 0.25, 0.5),
            ("[14,1.5,true,0.25,0.5]", Treatment::HeldOut, 0.25, 0.5),
            ("[14,1.5,null,0.25,0.5]", Treatment::Deferred, 0.25, 0.5),
            ("[14,1.5,null,0.0,0.0]", Treatment::Deferred, 0.0, 0.0),
        ] {
            let read = serde_json::from_str::<ConsideredRow>(line)
                .unwrap()
                .into_considered();
            assert_eq!(
                (&read.treatment, read.holdout_chance, read.deferral_chance),
                (&treatment, chance, later),
                "{line}"
            );
            assert_eq!(
                to_json(&ConsideredRow::from_considered(&read)).unwrap(),
                line
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
