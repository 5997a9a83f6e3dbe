//! The questions to agents at the end of a turn, with their answers: one file of lines.
//!
//! It is for the person whose model continued, and for the daily limit. A line is a question or the answer to one;
//! neither holds anything of the session beyond the names of its failures. The size is bounded: a full file replaces
//! the one before it.

use std::{io, path::Path};

use jiff::{Timestamp, fmt::serde::timestamp::millisecond};
use serde::{Deserialize, Serialize};

use super::line_log::LineLog;
use crate::HookPlace;

/// How long a question counts for the daily limit, in milliseconds.
const DAY_MILLIS: i64 = 24 * 60 * 60 * 1000;

/// A question that an agent was asked. In the file, the time is in milliseconds since 1970.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AskedQuestion {
    /// The time.
    #[serde(with = "millisecond::required")]
    pub at: Timestamp,
    /// Whose turn it was.
    #[serde(flatten)]
    pub place: HookPlace,
    /// The failures of the turn.
    #[serde(rename = "what")]
    pub failures: String,
    /// The lessons that were the answer; `None` until there was one.
    #[serde(skip)]
    pub lessons: Option<Vec<i64>>,
}

/// A line of the file.
#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum QuestionLine {
    Asked(AskedQuestion),
    Answered { run: String, lessons: Vec<i64> },
}

fn questions_log(state: &Path) -> LineLog {
    LineLog::new(state, "questions")
}

/// Records that an agent was asked.
pub(super) fn note_asked(state: &Path, asked: AskedQuestion) -> io::Result<()> {
    questions_log(state).append(&QuestionLine::Asked(asked))
}

/// Records the lessons with which a run answered.
pub(super) fn note_answered(state: &Path, run: &str, lessons: Vec<i64>) -> io::Result<()> {
    let run = run.to_owned();
    questions_log(state).append(&QuestionLine::Answered { run, lessons })
}

/// Returns how many questions were asked in the day before `now`.
pub(super) fn count_last_day(state: &Path, now: Timestamp) -> usize {
    let is_recent = |asked: &AskedQuestion| {
        let age = now.as_millisecond() - asked.at.as_millisecond();
        // A time in the future counts as now.
        age < DAY_MILLIS
    };
    read_questions(state)
        .iter()
        .filter(|question| is_recent(question))
        .count()
}

/// Returns the questions on record, the newest first.
pub fn read_questions(state: &Path) -> Vec<AskedQuestion> {
    let mut all = Vec::new();
    for line in questions_log(state).read() {
        apply_line(&mut all, line);
    }
    all.reverse();
    all
}

/// Applies a line; an answer belongs to the latest question of its run, and may come in parts: what its hook could not
/// store is stored in the background.
fn apply_line(all: &mut Vec<AskedQuestion>, line: QuestionLine) {
    match line {
        QuestionLine::Asked(asked) => all.push(asked),
        QuestionLine::Answered { run, lessons } => {
            if let Some(asked) = all
                .iter_mut()
                .rev()
                .find(|question| question.place.run == run)
            {
                asked.lessons.get_or_insert_default().extend(lessons);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use hardwon_core::Scope;

    use super::{super::line_log::FILE_BYTES, *};

    fn asked(run: &str, second: i64) -> AskedQuestion {
        AskedQuestion {
            at: Timestamp::from_second(second).unwrap(),
            place: HookPlace::new("codex", run, &Scope::default()),
            failures: "stage failed 2 times".to_owned(),
            lessons: None,
        }
    }

    #[test]
    fn an_answer_goes_with_its_question_and_a_day_is_counted() {
        let home = tempfile::tempdir().unwrap();
        let state = home.path().join("state");
        assert_eq!(read_questions(&state), []);
        note_asked(&state, asked("a", 1)).unwrap();
        note_asked(&state, asked("b", 2)).unwrap();
        note_answered(&state, "a", vec![14]).unwrap();
        note_answered(&state, "a", Vec::new()).unwrap();
        note_answered(&state, "gone", vec![15]).unwrap();
        let file = questions_log(&state).file;
        let cut = fs::read_to_string(&file).unwrap() + "{\"kind\":\"as";
        fs::write(&file, cut).unwrap();
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
            note_asked(state.path(), asked("run", second)).unwrap();
        }
        let bytes = |path| fs::metadata(path).unwrap().len();
        let log = questions_log(state.path());
        assert!(bytes(log.file) <= FILE_BYTES + 1000);
        assert!(bytes(log.rotated) <= FILE_BYTES + 1000);
        assert_eq!(
            read_questions(state.path())[0].at,
            Timestamp::from_second(3999).unwrap()
        );
    }
}
