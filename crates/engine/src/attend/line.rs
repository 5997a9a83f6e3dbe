//! A session's memory as it is kept between two events: one JSON object a line, only appended to.
//!
//! It holds what the trace holds, cleaned, and beside it what was shown and what is owed. Names that
//! clients give to calls are kept as hashes. A line of kind `state` tells where the session stands,
//! so that the end of a long memory is enough to go on; a line that cannot be read is passed over,
//! for it was cut off in a crash. The form is our own cache, not a format for others.

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

use super::Start;

/// One line, read.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Line {
    /// When, in milliseconds since 1970.
    pub(super) at_ms: i64,
    /// Whether it happened in a sub-agent.
    pub(super) in_subagent: bool,
    /// What.
    pub(super) entry: Entry,
}

/// What a line tells.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Entry {
    /// An event, by what it is known again.
    Event(Key, Event),
    /// Lessons were shown.
    Shown(Moment, Vec<LessonId>),
    /// Lessons are held back from now on: at such a moment only, or at all of them.
    Held(Option<Moment>, Vec<LessonId>),
    /// This is owed from now on, and nothing else.
    Owes(Vec<String>),
    /// The agent was asked this at the end of a turn.
    Asked(TurnQuestion),
    /// Where the session stands.
    State(State),
}

/// By what an event is known when it comes a second time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Key {
    /// The hash of the client's name.
    pub(super) client: u64,
    /// The hash of the client's name for the call.
    pub(super) call: Option<u64>,
    /// The hash of what it says.
    pub(super) content: u64,
}

/// An event, as far as it is kept.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Event {
    /// The session began.
    Started(Start),
    /// Somebody said this.
    Prompted(CleanText),
    /// A tool was about to be used; its key says which.
    Calling,
    /// A tool was used.
    Called(ToolCall<CleanText>),
    /// The agent came to the end of its turn; the key says with which words.
    Stopped,
    /// The context was about to be summed up.
    Compacting,
    /// The session ended.
    Ended,
}

/// Where a session stands.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct State {
    /// What was shown and when; the first ones first.
    pub(super) shown: Vec<(Moment, LessonId)>,
    /// What chance holds back all through the session.
    pub(super) held: Vec<LessonId>,
    /// What chance holds back at one kind of moment, and leaves to the others.
    pub(super) left: Vec<(Moment, LessonId)>,
    /// How many of those shown were shown before this turn.
    pub(super) shown_before: usize,
    /// What is owed.
    pub(super) owed: Vec<String>,
    /// The hash of the last prompt.
    pub(super) prompt: Option<u64>,
    /// The hash of the agent's last words at the end of a turn.
    pub(super) words: Option<u64>,
    /// Whether the clients tell of calls before they are made.
    pub(super) announces: bool,
    /// Whether content from outside was read.
    pub(super) outside: bool,
    /// Whether the agent was asked what a later session should know.
    pub(super) asked: Asked,
}

/// Whether the agent was asked what a later session should know.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) enum Asked {
    /// It was not.
    #[default]
    Never,
    /// It was, and its next last words are the answer.
    Waiting(TurnQuestion),
    /// It was, and had its chance to answer.
    Over,
}

impl Asked {
    /// Somebody else spoke, or the agent did: nothing said later is the answer.
    pub(super) fn close(&mut self) {
        if matches!(self, Self::Waiting(_)) {
            *self = Self::Over;
        }
    }
}

/// A trouble as it is kept: its key, what failed, how it is shown, how often it failed.
type Kept = (String, String, String, u32);

/// A line as it is written.
#[derive(Default, Serialize, Deserialize)]
struct Written<'a> {
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
    part: Vec<(usize, String)>,
    #[serde(default, skip_serializing_if = "is_false")]
    ext: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    out: bool,
    #[serde(default, borrow, skip_serializing_if = "Option::is_none")]
    at: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    ids: Vec<i64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    owed: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    shown: Vec<(char, i64)>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    left: Vec<(char, i64)>,
    #[serde(default, skip_serializing_if = "is_zero")]
    before: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    words: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    asked: Option<Vec<Kept>>,
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

impl Line {
    /// Writes the line, its break behind it.
    pub(super) fn write(&self) -> String {
        let written = self.written();
        let mut line = serde_json::to_string(&written).expect("strings and numbers are JSON");
        line.push('\n');
        line
    }

    /// Reads a line; none if it is no whole line of ours.
    pub(super) fn read(line: &[u8]) -> Option<Self> {
        let written: Written<'_> = serde_json::from_slice(line).ok()?;
        Some(Self {
            at_ms: written.t,
            in_subagent: written.sub,
            entry: entry(written)?,
        })
    }

    fn written(&self) -> Written<'_> {
        let line = Written {
            t: self.at_ms,
            sub: self.in_subagent,
            ..Written::default()
        };
        match &self.entry {
            Entry::Event(key, event) => Written {
                c: Some(key.client),
                i: key.call,
                h: Some(key.content),
                ..event_written(event, line)
            },
            Entry::Shown(moment, lessons) => Written {
                k: "shown".into(),
                at: Some(moment.name().into()),
                ids: lessons.iter().map(|id| id.0).collect(),
                ..line
            },
            Entry::Held(moment, lessons) => Written {
                k: "held".into(),
                at: moment.map(|it| it.name().into()),
                ids: lessons.iter().map(|id| id.0).collect(),
                ..line
            },
            Entry::Owes(owed) => Written {
                k: "owes".into(),
                owed: owed.clone(),
                ..line
            },
            Entry::Asked(question) => Written {
                k: "asked".into(),
                asked: Some(kept(question)),
                ..line
            },
            Entry::State(state) => Written {
                k: "state".into(),
                shown: with_letters(&state.shown),
                left: with_letters(&state.left),
                before: state.shown_before,
                ids: state.held.iter().map(|id| id.0).collect(),
                owed: state.owed.clone(),
                h: state.prompt,
                words: state.words,
                ext: state.announces,
                out: state.outside,
                asked: match &state.asked {
                    Asked::Never => None,
                    Asked::Waiting(question) => Some(kept(question)),
                    Asked::Over => Some(Vec::new()),
                },
                ..line
            },
        }
    }
}

fn kept(question: &TurnQuestion) -> Vec<Kept> {
    let keep = |it: &TurnFailure| {
        let key = it.key.as_str().to_owned();
        (key, it.label.clone(), it.display_text.clone(), it.times)
    };
    question.failures().iter().map(keep).collect()
}

fn question(kept: Vec<Kept>) -> Option<TurnQuestion> {
    let trouble = |(key, label, shown, times)| TurnFailure {
        key: FailureKey::new(key),
        label,
        display_text: shown,
        times,
    };
    TurnQuestion::new(kept.into_iter().map(trouble).collect())
}

fn event_written<'a>(event: &'a Event, line: Written<'a>) -> Written<'a> {
    let kind = |k: &'static str| Written {
        k: k.into(),
        ..Written::default()
    };
    let told = match event {
        Event::Started(how) => Written {
            at: Some(start_name(*how).into()),
            ..kind("start")
        },
        Event::Prompted(text) => Written {
            text: Some(text.as_str().into()),
            ..kind("said")
        },
        Event::Calling => kind("calling"),
        Event::Called(call) => {
            let (err, part) = call.status.to_stored(ToString::to_string);
            Written {
                tool: Some(call.tool.as_str().into()),
                text: Some(call.args.as_str().into()),
                err: err.map(Cow::Owned),
                part,
                ext: call.outside.is_some(),
                ..kind("called")
            }
        }
        Event::Stopped => kind("stop"),
        Event::Compacting => kind("compact"),
        Event::Ended => kind("end"),
    };
    Written {
        t: line.t,
        sub: line.sub,
        ..told
    }
}

fn entry(line: Written<'_>) -> Option<Entry> {
    let clean =
        |text: Option<Cow<'_, str>>| text.map(|text| CleanText::from_stored(text.into_owned()));
    let event = match &*line.k {
        "start" => Event::Started(start_of(&line.at?)?),
        "said" => Event::Prompted(clean(line.text)?),
        "calling" => Event::Calling,
        "called" => Event::Called(ToolCall {
            turn: 0,
            tool: clean(line.tool)?,
            args: clean(line.text)?,
            status: CallStatus::from_stored(clean(line.err), line.part, CleanText::from_stored),
            outside: line.ext.then(OutsideWords::unknown),
        }),
        "stop" => Event::Stopped,
        "compact" => Event::Compacting,
        "end" => Event::Ended,
        "shown" => {
            let lessons = line.ids.into_iter().map(LessonId).collect();
            return Some(Entry::Shown(Moment::from_name(&line.at?)?, lessons));
        }
        "held" => {
            let lessons = line.ids.into_iter().map(LessonId).collect();
            let moment = line.at.map(|name| Moment::from_name(&name));
            return Some(Entry::Held(moment.flatten(), lessons));
        }
        "owes" => return Some(Entry::Owes(line.owed)),
        "asked" => return question(line.asked?).map(Entry::Asked),
        "state" => {
            return Some(Entry::State(State {
                shown: of_letters(line.shown)?,
                left: of_letters(line.left)?,
                shown_before: line.before,
                held: line.ids.into_iter().map(LessonId).collect(),
                owed: line.owed,
                prompt: line.h,
                words: line.words,
                announces: line.ext,
                outside: line.out,
                asked: match line.asked {
                    None => Asked::Never,
                    Some(kept) => question(kept).map_or(Asked::Over, Asked::Waiting),
                },
            }));
        }
        _ => return None,
    };
    let key = Key {
        client: line.c?,
        call: line.i,
        content: line.h?,
    };
    Some(Entry::Event(key, event))
}

fn start_name(how: Start) -> &'static str {
    match how {
        Start::Fresh => "fresh",
        Start::Resumed => "resumed",
        Start::Cleared => "cleared",
    }
}

fn start_of(name: &str) -> Option<Start> {
    let all = [Start::Fresh, Start::Resumed, Start::Cleared];
    all.into_iter().find(|how| start_name(*how) == name)
}

/// Returns the letter that stands for a moment where there are many.
fn letter(moment: Moment) -> char {
    moment.name().chars().next().expect("a name is not empty")
}

fn with_letters(lessons: &[(Moment, LessonId)]) -> Vec<(char, i64)> {
    let lessons = lessons.iter();
    lessons.map(|(at, id)| (letter(*at), id.0)).collect()
}

fn of_letters(lessons: Vec<(char, i64)>) -> Option<Vec<(Moment, LessonId)>> {
    let lessons = lessons.into_iter();
    let read = lessons.map(|(at, id)| Some((moment_of(at)?, LessonId(id))));
    read.collect()
}

fn moment_of(at: char) -> Option<Moment> {
    Moment::ALL.into_iter().find(|moment| letter(*moment) == at)
}
