//! A session's memory as it is kept between two events: JSON lines, append-only.
//!
//! It holds what the trace holds, cleaned, and also which lessons were shown and which replies are pending. Names that
//! clients give to calls are kept as hashes. A line of kind `state` holds the session's whole state, so that the end of
//! a long memory is enough to continue; a line that cannot be read is skipped, for it was cut off in a crash. The form
//! is our own cache, not a format for others.

use std::borrow::Cow;

use hardwon_core::{
    capture::question::{TurnFailure, TurnQuestion},
    event::{CallStatus, ToolCall},
    id::LessonId,
    lesson::FailureKey,
    outside::OutsideWords,
    text::CleanText,
};
use hardwon_store::Moment;
use serde::{Deserialize, Serialize};

use super::{SessionStartKind, reported::ReportedEvent};

/// A parsed line.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct MemoryLine {
    /// The time, in milliseconds since 1970.
    pub(super) at_ms: i64,
    /// Whether it happened in a sub-agent.
    pub(super) in_subagent: bool,
    /// The content of the line.
    pub(super) entry: MemoryEntry,
}

/// The content of a line.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum MemoryEntry {
    /// An event, with the key that recognises a duplicate of it.
    Event(StoredEventKey, StoredEvent),
    /// What only a runtime with a trace of its own reports.
    Reported(ReportedEvent),
    /// Lessons were shown at a moment.
    Shown(Moment, Vec<LessonId>),
    /// Lessons are left out at random from now on: at one kind of moment, or at all of them.
    HeldOut(Option<Moment>, Vec<LessonId>),
    /// Lessons were written.
    Wrote(Vec<LessonId>),
    /// These replies are pending from now on, and no others.
    PendingReplies(Vec<String>),
    /// A sub-agent began with the first of the tasks that waited for one.
    SubagentBegan,
    /// The agent was asked this question at the end of a turn.
    Asked(TurnQuestion),
    /// The person was told of the lessons that wait, up to this one.
    ToldWaiting(LessonId),
    /// The session's whole state.
    SessionState(SessionState),
}

/// Recognises a duplicate of an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StoredEventKey {
    /// The hash of the client's name.
    pub(super) client: u64,
    /// The hash of the client's name for the call.
    pub(super) call: Option<u64>,
    /// The hash of its content.
    pub(super) content: u64,
}

impl StoredEventKey {
    /// Returns whether both are of one call: the same content, and the same id where both have one.
    pub(super) fn is_same_call(&self, other: &Self) -> bool {
        let has_other_id =
            matches!((self.call, other.call), (Some(one), Some(other)) if one != other);
        self.content == other.content && !has_other_id
    }
}

/// An event, as it is stored.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum StoredEvent {
    /// The session began.
    Started(SessionStartKind),
    /// A prompt was given.
    Prompted(CleanText),
    /// A tool was about to be used, and gave this task to a sub-agent; the key identifies the call.
    BeforeCall(Option<CleanText>),
    /// A tool was used.
    AfterCall(ToolCall<CleanText>),
    /// The agent ended its turn; the key has the hash of its words.
    Stopped,
    /// The context was about to be compacted.
    Compacting,
    /// The session ended.
    Ended,
}

/// The state of a session.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct SessionState {
    /// Lessons that were shown and at which moment, the first ones first.
    pub(super) shown: Vec<(Moment, LessonId)>,
    /// Lessons to go on with once the context is compacted, the last ones last: that were written, or that something brought
    /// up in a context before.
    pub(super) summarised: Vec<LessonId>,
    /// Lessons left out at random all through the session.
    pub(super) controls: Vec<LessonId>,
    /// Lessons left out at random at one kind of moment, and left to the others.
    pub(super) deferred: Vec<(Moment, LessonId)>,
    /// How many of those in `shown` were shown before this turn.
    pub(super) shown_before: usize,
    /// The tasks of sub-agents that did not begin yet.
    pub(super) delegated: Vec<CleanText>,
    /// Replies that could not be given yet.
    pub(super) pending_replies: Vec<String>,
    /// The hash of the last prompt.
    pub(super) last_prompt_hash: Option<u64>,
    /// The hash of the agent's last message at the end of a turn.
    pub(super) last_message_hash: Option<u64>,
    /// Whether the clients report calls before they are made.
    pub(super) announces_calls: bool,
    /// Whether content from outside was read.
    pub(super) has_read_outside: bool,
    /// Whether the agent was asked what a later session should know.
    pub(super) question: QuestionState,
    /// The task that a runtime reported.
    pub(super) task: Option<CleanText>,
    /// The newest waiting lesson that the person was told of.
    pub(super) told_waiting: Option<LessonId>,
}

/// Whether the agent was asked what a later session should know.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) enum QuestionState {
    /// It was not asked.
    #[default]
    Never,
    /// It was asked, and its next last message is the answer.
    AwaitingAnswer(TurnQuestion),
    /// It was asked, and had its chance to answer.
    Closed,
}

impl QuestionState {
    /// Closes the question after another message: no later one is the answer.
    pub(super) fn close(&mut self) {
        if matches!(self, Self::AwaitingAnswer(_)) {
            *self = Self::Closed;
        }
    }
}

/// A failure as it is stored: its key, what failed, how it is shown, how often it failed.
type StoredFailure = (FailureKey, String, String, u32);

/// A line's JSON.
#[derive(Default, Serialize, Deserialize)]
struct MemoryLineRow<'a> {
    k: Cow<'a, str>,
    t: i64,
    #[serde(default, skip_serializing_if = "is_false")]
    sub: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    c: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    i: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    h: Option<u64>,
    #[serde(default, borrow, skip_serializing_if = "Option::is_none")]
    tool: Option<Cow<'a, str>>,
    #[serde(default, borrow, skip_serializing_if = "Option::is_none")]
    text: Option<Cow<'a, str>>,
    #[serde(default, borrow, skip_serializing_if = "Option::is_none")]
    err: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    part: Vec<(usize, CleanText)>,
    #[serde(default, skip_serializing_if = "is_false")]
    ext: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    out: bool,
    #[serde(default, borrow, skip_serializing_if = "Option::is_none")]
    at: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    ids: Vec<LessonId>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    owed: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    tasks: Vec<CleanText>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    shown: Vec<(char, LessonId)>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    left: Vec<(char, LessonId)>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    gone: Vec<LessonId>,
    #[serde(default, skip_serializing_if = "is_zero")]
    before: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    words: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    asked: Option<Vec<StoredFailure>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    told: Option<LessonId>,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde asks with a reference"
)]
fn is_false(it: &bool) -> bool {
    !it
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde asks with a reference"
)]
fn is_zero(it: &usize) -> bool {
    *it == 0
}

impl MemoryLine {
    /// Renders the line with its line break.
    pub(super) fn render(&self) -> String {
        let row = self.to_row();
        let mut line = serde_json::to_string(&row).expect("strings and numbers are JSON");
        line.push('\n');
        line
    }

    /// Parses a line; `None` if it is not a complete line of ours.
    pub(super) fn parse(line: &[u8]) -> Option<Self> {
        let row: MemoryLineRow<'_> = serde_json::from_slice(line).ok()?;
        Some(Self {
            at_ms: row.t,
            in_subagent: row.sub,
            entry: parse_entry(row)?,
        })
    }

    fn to_row(&self) -> MemoryLineRow<'_> {
        let line = MemoryLineRow {
            t: self.at_ms,
            sub: self.in_subagent,
            ..MemoryLineRow::default()
        };
        match &self.entry {
            MemoryEntry::Event(key, event) => MemoryLineRow {
                c: Some(key.client),
                i: key.call,
                h: Some(key.content),
                ..event_to_row(event, line)
            },
            MemoryEntry::Reported(reported) => MemoryLineRow {
                k: reported.kind_name().into(),
                at: reported.detail_name().map(Cow::Borrowed),
                text: reported.to_stored_text(),
                score: reported.score(),
                ..line
            },
            MemoryEntry::Shown(moment, lessons) => MemoryLineRow {
                k: "shown".into(),
                at: Some(moment.name().into()),
                ids: lessons.clone(),
                ..line
            },
            MemoryEntry::HeldOut(moment, lessons) => MemoryLineRow {
                k: "held".into(),
                at: moment.map(|moment| moment.name().into()),
                ids: lessons.clone(),
                ..line
            },
            MemoryEntry::Wrote(lessons) => MemoryLineRow {
                k: "made".into(),
                ids: lessons.clone(),
                ..line
            },
            MemoryEntry::PendingReplies(owed) => MemoryLineRow {
                k: "owes".into(),
                owed: owed.clone(),
                ..line
            },
            MemoryEntry::SubagentBegan => MemoryLineRow {
                k: "begun".into(),
                ..line
            },
            MemoryEntry::Asked(question) => MemoryLineRow {
                k: "asked".into(),
                asked: Some(question_to_row(question)),
                ..line
            },
            MemoryEntry::ToldWaiting(newest) => MemoryLineRow {
                k: "waits".into(),
                told: Some(*newest),
                ..line
            },
            MemoryEntry::SessionState(state) => MemoryLineRow {
                k: "state".into(),
                told: state.told_waiting,
                shown: encode_moments(&state.shown),
                left: encode_moments(&state.deferred),
                gone: state.summarised.clone(),
                before: state.shown_before,
                ids: state.controls.clone(),
                owed: state.pending_replies.clone(),
                tasks: state.delegated.clone(),
                text: state.task.as_ref().map(|task| task.as_str().into()),
                h: state.last_prompt_hash,
                words: state.last_message_hash,
                ext: state.announces_calls,
                out: state.has_read_outside,
                asked: match &state.question {
                    QuestionState::Never => None,
                    QuestionState::AwaitingAnswer(question) => Some(question_to_row(question)),
                    QuestionState::Closed => Some(Vec::new()),
                },
                ..line
            },
        }
    }
}

fn question_to_row(question: &TurnQuestion) -> Vec<StoredFailure> {
    let keep = |it: &TurnFailure| {
        let (key, label) = (it.key.clone(), it.label.clone());
        (key, label, it.display_text.clone(), it.times)
    };
    question.failures().iter().map(keep).collect()
}

fn question_from_row(kept: Vec<StoredFailure>) -> Option<TurnQuestion> {
    let trouble = |(key, label, shown, times)| TurnFailure {
        key,
        label,
        display_text: shown,
        times,
    };
    TurnQuestion::new(kept.into_iter().map(trouble).collect())
}

fn event_to_row<'a>(event: &'a StoredEvent, line: MemoryLineRow<'a>) -> MemoryLineRow<'a> {
    let kind = |k: &'static str| MemoryLineRow {
        k: k.into(),
        ..MemoryLineRow::default()
    };
    let row = match event {
        StoredEvent::Started(how) => MemoryLineRow {
            at: Some(how.name().into()),
            ..kind("start")
        },
        StoredEvent::Prompted(text) => MemoryLineRow {
            text: Some(text.as_str().into()),
            ..kind("said")
        },
        StoredEvent::BeforeCall(task) => MemoryLineRow {
            text: task.as_ref().map(|task| task.as_str().into()),
            ..kind("calling")
        },
        StoredEvent::AfterCall(call) => {
            let (err, part) = call.status.to_stored();
            MemoryLineRow {
                tool: Some(call.tool.as_str().into()),
                text: Some(call.args.as_str().into()),
                err: err.map(|error| error.to_string().into()),
                part,
                ext: call.outside.is_some(),
                ..kind("called")
            }
        }
        StoredEvent::Stopped => kind("stop"),
        StoredEvent::Compacting => kind("compact"),
        StoredEvent::Ended => kind("end"),
    };
    MemoryLineRow {
        t: line.t,
        sub: line.sub,
        ..row
    }
}

fn parse_entry(line: MemoryLineRow<'_>) -> Option<MemoryEntry> {
    let clean =
        |text: Option<Cow<'_, str>>| text.map(|text| CleanText::from_stored(text.into_owned()));
    let event = match &*line.k {
        "start" => StoredEvent::Started(SessionStartKind::from_name(&line.at?)?),
        "said" => StoredEvent::Prompted(clean(line.text)?),
        "calling" => StoredEvent::BeforeCall(clean(line.text)),
        "called" => StoredEvent::AfterCall(ToolCall {
            turn: 0,
            tool: clean(line.tool)?,
            args: clean(line.text)?,
            status: CallStatus::from_stored(clean(line.err), line.part),
            outside: line.ext.then(OutsideWords::unknown),
        }),
        "stop" => StoredEvent::Stopped,
        "compact" => StoredEvent::Compacting,
        "end" => StoredEvent::Ended,
        "shown" => {
            let moment = Moment::from_name(&line.at?)?;
            return Some(MemoryEntry::Shown(moment, line.ids));
        }
        "held" => {
            let moment = line.at.map(|name| Moment::from_name(&name));
            return Some(MemoryEntry::HeldOut(moment.flatten(), line.ids));
        }
        "made" => return Some(MemoryEntry::Wrote(line.ids)),
        "owes" => return Some(MemoryEntry::PendingReplies(line.owed)),
        "begun" => return Some(MemoryEntry::SubagentBegan),
        "asked" => return question_from_row(line.asked?).map(MemoryEntry::Asked),
        "waits" => return Some(MemoryEntry::ToldWaiting(line.told?)),
        "state" => {
            return Some(MemoryEntry::SessionState(SessionState {
                shown: decode_moments(line.shown)?,
                deferred: decode_moments(line.left)?,
                summarised: line.gone,
                shown_before: line.before,
                controls: line.ids,
                delegated: line.tasks,
                pending_replies: line.owed,
                last_prompt_hash: line.h,
                last_message_hash: line.words,
                announces_calls: line.ext,
                has_read_outside: line.out,
                question: match line.asked {
                    None => QuestionState::Never,
                    Some(kept) => question_from_row(kept)
                        .map_or(QuestionState::Closed, QuestionState::AwaitingAnswer),
                },
                task: clean(line.text),
                told_waiting: line.told,
            }));
        }
        other => {
            let text = line.text.as_deref();
            let event = ReportedEvent::from_stored(other, line.at.as_deref(), text, line.score);
            return event.map(MemoryEntry::Reported);
        }
    };
    let key = StoredEventKey {
        client: line.c?,
        call: line.i,
        content: line.h?,
    };
    Some(MemoryEntry::Event(key, event))
}

/// Returns the letter that abbreviates a moment in lists.
fn moment_letter(moment: Moment) -> char {
    moment.name().chars().next().expect("a name is not empty")
}

fn encode_moments(lessons: &[(Moment, LessonId)]) -> Vec<(char, LessonId)> {
    let lessons = lessons.iter();
    lessons.map(|(at, id)| (moment_letter(*at), *id)).collect()
}

fn decode_moments(lessons: Vec<(char, LessonId)>) -> Option<Vec<(Moment, LessonId)>> {
    let lessons = lessons.into_iter();
    let read = lessons.map(|(at, id)| Some((moment_from_letter(at)?, id)));
    read.collect()
}

fn moment_from_letter(at: char) -> Option<Moment> {
    Moment::ALL
        .into_iter()
        .find(|moment| moment_letter(*moment) == at)
}
