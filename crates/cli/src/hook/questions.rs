//! The questions to agents at the end of a turn, with their answers: one file of lines.
//!
//! It is for the person whose model continued, and for the daily limit. A line is a question or the answer to one;
//! neither holds anything of the session beyond the names of its failures. The size is bounded: a full file replaces
//! the one before it.

use std::{
    fs::{self, OpenOptions},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use hardwon_engine::private_file;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// Longest file, in bytes.
const FILE_BYTES: u64 = 256 * 1024;
/// How long a question counts for the daily limit, in milliseconds.
const DAY_MILLIS: i64 = 24 * 60 * 60 * 1000;

/// A question that an agent was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskedQuestion {
    /// The time.
    pub at: Timestamp,
    /// The run.
    pub run: String,
    /// The client's name.
    pub client: String,
    /// The tenant.
    pub tenant: String,
    /// The agent's name.
    pub agent: String,
    /// The project, if there is one.
    pub project: Option<String>,
    /// The failures of the turn.
    pub failures: String,
    /// The lessons that were the answer; `None` until there was one.
    pub lessons: Option<Vec<i64>>,
}

/// A line of the file; times are in milliseconds since 1970.
#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum QuestionLine {
    Asked {
        at: i64,
        run: String,
        client: String,
        tenant: String,
        agent: String,
        project: Option<String>,
        what: String,
    },
    Answered {
        run: String,
        lessons: Vec<i64>,
    },
}

fn questions_file(state: &Path) -> PathBuf {
    state.join("questions.jsonl")
}

fn rotated_file(state: &Path) -> PathBuf {
    state.join("questions.1.jsonl")
}

/// Records that an agent was asked.
pub(super) fn note_asked(state: &Path, asked: &AskedQuestion) -> io::Result<()> {
    let asked = asked.clone();
    append_line(
        state,
        &QuestionLine::Asked {
            at: asked.at.as_millisecond(),
            run: asked.run,
            client: asked.client,
            tenant: asked.tenant,
            agent: asked.agent,
            project: asked.project,
            what: asked.failures,
        },
    )
}

/// Records the lessons with which a run answered.
pub(super) fn note_answered(state: &Path, run: &str, lessons: Vec<i64>) -> io::Result<()> {
    let run = run.to_owned();
    append_line(state, &QuestionLine::Answered { run, lessons })
}

/// Returns how many questions were asked in the day before `now`.
#[must_use]
pub(super) fn count_last_day(state: &Path, now: Timestamp) -> usize {
    let is_recent = |asked: &AskedQuestion| {
        let age = now.as_millisecond() - asked.at.as_millisecond();
        // A time in the future counts as now.
        age < DAY_MILLIS
    };
    read_questions(state)
        .iter()
        .filter(|it| is_recent(it))
        .count()
}

/// Returns the questions on record, the newest first.
#[must_use]
pub fn read_questions(state: &Path) -> Vec<AskedQuestion> {
    let mut all = Vec::new();
    for path in [rotated_file(state), questions_file(state)] {
        for line in fs::read_to_string(path).unwrap_or_default().lines() {
            // An unreadable line was cut off in a crash.
            if let Ok(line) = serde_json::from_str(line) {
                apply_line(&mut all, line);
            }
        }
    }
    all.reverse();
    all
}

/// Applies a line; an answer belongs to the latest question of its run.
fn apply_line(all: &mut Vec<AskedQuestion>, line: QuestionLine) {
    match line {
        QuestionLine::Asked {
            at,
            run,
            client,
            tenant,
            agent,
            project,
            what,
        } => all.extend(
            Timestamp::from_millisecond(at)
                .ok()
                .map(|at| AskedQuestion {
                    at,
                    run,
                    client,
                    tenant,
                    agent,
                    project,
                    failures: what,
                    lessons: None,
                }),
        ),
        QuestionLine::Answered { run, lessons } => {
            if let Some(asked) = all.iter_mut().rev().find(|it| it.run == run) {
                asked.lessons = Some(lessons);
            }
        }
    }
}

fn append_line(state: &Path, line: &QuestionLine) -> io::Result<()> {
    let path = questions_file(state);
    if fs::metadata(&path).is_ok_and(|about| about.len() > FILE_BYTES) {
        fs::rename(&path, rotated_file(state))?;
    }
    let mut text = serde_json::to_string(line).map_err(io::Error::other)?;
    text.push('\n');
    let mut file = private_file::open(OpenOptions::new().append(true).create(true), &path)?;
    file.write_all(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(run: &str, second: i64) -> AskedQuestion {
        AskedQuestion {
            at: Timestamp::from_second(second).unwrap(),
            run: run.to_owned(),
            client: "codex".to_owned(),
            tenant: "local".to_owned(),
            agent: "default".to_owned(),
            project: None,
            failures: "stage failed 2 times".to_owned(),
            lessons: None,
        }
    }

    #[test]
    fn an_answer_goes_with_its_question_and_a_day_is_counted() {
        let home = tempfile::tempdir().unwrap();
        let state = home.path().join("state");
        assert_eq!(read_questions(&state), []);
        note_asked(&state, &asked("a", 1)).unwrap();
        note_asked(&state, &asked("b", 2)).unwrap();
        note_answered(&state, "a", vec![14]).unwrap();
        note_answered(&state, "gone", vec![15]).unwrap();
        fs::write(
            questions_file(&state),
            fs::read_to_string(questions_file(&state)).unwrap() + "{\"kind\":\"as",
        )
        .unwrap();
        let first = AskedQuestion {
            lessons: Some(vec![14]),
            ..asked("a", 1)
        };
        assert_eq!(read_questions(&state), [asked("b", 2), first]);
        let day = 24 * 60 * 60;
        let count = |second| count_last_day(&state, Timestamp::from_second(second).unwrap());
        assert_eq!(
            (count(0), count(3), count(day + 1), count(day + 2)),
            (2, 2, 1, 0)
        );
    }

    #[test]
    fn the_file_is_bounded() {
        let state = tempfile::tempdir().unwrap();
        for second in 0..4000 {
            note_asked(state.path(), &asked("run", second)).unwrap();
        }
        let bytes = |path| fs::metadata(path).unwrap().len();
        assert!(bytes(questions_file(state.path())) <= FILE_BYTES + 1000);
        assert!(bytes(rotated_file(state.path())) <= FILE_BYTES + 1000);
        assert_eq!(
            read_questions(state.path())[0].at,
            Timestamp::from_second(3999).unwrap()
        );
    }
}
