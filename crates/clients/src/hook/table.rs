//! The row of a client's hooks: the form of its payloads, its events, what each means, and which reply it takes.
//!
//! Each client's row is in its own file, beside the code that parses its payloads.

use hardwon_engine::SessionEventKind;

use super::{
    Fields, HookPayload,
    fields::Names,
    interactive::{self, EnvLookup, SessionSigns},
};
use crate::{client::Client, transcript::ReportedOutcome};

/// The hooks of one client, as data.
#[derive(Debug)]
pub struct HookRow {
    /// The client.
    pub client: Client,
    /// The form of its payloads.
    pub(crate) form: PayloadForm,
    /// The events to register; others hold nothing that is needed.
    pub events: &'static [HookEvent],
    /// How long it waits for the hook command, in the unit of its settings.
    pub timeout: Timeout,
    /// The JSON in which it takes the refusal of a call; `None` if it takes none.
    pub hold: Option<ReplyJson>,
    /// Completes a payload from the transcript, if the client needs that.
    pub(crate) complete: Option<fn(&mut HookPayload)>,
    /// Whether a person types into a session that is no CI job; `None` where that cannot be told.
    pub(crate) is_interactive: fn(&SessionSigns<'_>, EnvLookup<'_>) -> Option<bool>,
}

impl HookRow {
    /// Makes the row of a client as most are, without events.
    pub(crate) const fn plain(client: Client, form: PayloadForm) -> Self {
        Self {
            client,
            form,
            events: &[],
            timeout: Timeout::Seconds(HOOK_SECONDS),
            hold: None,
            complete: None,
            is_interactive: |_, _| None,
        }
    }

    /// Returns the registered event of this name, in either of its spellings.
    pub fn find_event(&self, name: &str) -> Option<&'static HookEvent> {
        let mut events = self.events.iter();
        events.find(|event| event.name == name || event.alias == Some(name))
    }

    /// Returns the registered event that a payload names, or else the one that the command was registered for.
    pub(crate) fn find_named(
        &self,
        name: Option<&str>,
        hint: Option<&str>,
    ) -> Option<&'static HookEvent> {
        self.find_event(name.or(hint)?)
    }

    /// Returns whether a person surely types into a session.
    pub fn is_interactive(&self, signs: &SessionSigns<'_>, env: EnvLookup<'_>) -> bool {
        !interactive::is_job(env) && (self.is_interactive)(signs, env) == Some(true)
    }

    /// Returns whether surely nobody types into a session, so that a program wrote its prompts.
    pub fn is_unattended(&self, signs: &SessionSigns<'_>, env: EnvLookup<'_>) -> bool {
        interactive::is_job(env) || (self.is_interactive)(signs, env) == Some(false)
    }
}

/// The form of payloads, as data. A name that a client does not send is left empty.
#[derive(Debug)]
pub(crate) struct PayloadForm {
    /// The version that a payload must name as `v`.
    pub(crate) version: Option<u32>,
    pub(crate) event: Names,
    pub(crate) session: Names,
    /// The id of the sub-agent in which it happened.
    pub(crate) agent: Names,
    /// Whether that id is the name of a session by itself.
    pub(crate) is_agent_session: bool,
    /// The session that started this one, where a sub-agent's session has a name of its own.
    pub(crate) parent: Names,
    pub(crate) cwd: Names,
    /// A list of working folders.
    pub(crate) folders: Names,
    pub(crate) transcript: Names,
    /// How the session began, or who wrote the prompt.
    pub(crate) source: Names,
    pub(crate) prompt: Names,
    /// Returns a prompt without what the client put around a person's words.
    pub(crate) typed_part: fn(&str) -> &str,
    /// Whether a person types into the session.
    pub(crate) typed: Names,
    pub(crate) call: Names,
    pub(crate) tool: Names,
    pub(crate) args: Names,
    /// The agent's last message.
    pub(crate) message: Names,
    /// Whether the agent continued because we asked, or how often.
    pub(crate) continued: Names,
    /// Returns whether the tool, of this name, belongs to another machine or program.
    pub(crate) is_remote: fn(&str, &Fields<'_>) -> bool,
    /// Reads how a call ended; `None` if a person stopped it.
    pub(crate) call_end: for<'a> fn(HookEventKind, &Fields<'a>) -> Option<ReportedOutcome<'a>>,
    /// Reads the events of a kind that this client tells in a way of its own; `None` for others.
    pub(crate) own_events: fn(&HookEvent, &Fields<'_>) -> Option<Vec<SessionEventKind>>,
}

/// One event of one client.
#[derive(Debug, Clone, Copy)]
pub struct HookEvent {
    /// The client's name of the event: the key to register it under.
    pub name: &'static str,
    /// Another name under which the same client sends it.
    pub alias: Option<&'static str>,
    /// The meaning of the event.
    pub kind: HookEventKind,
    /// The reply that it takes.
    pub answer: AnswerForm,
}

/// The meaning of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookEventKind {
    /// A session began or continued.
    Start,
    /// A sub-agent began.
    SubagentStart,
    /// A prompt is about to reach the agent.
    Prompt,
    /// A tool is about to be used.
    Calling,
    /// A tool was used; the payload shows how it ended, as far as the client knows.
    Called,
    /// A tool was used and failed.
    Failed,
    /// Several tools were used at once.
    Batch,
    /// The agent ended its turn.
    Stop,
    /// A sub-agent ended.
    SubagentStop,
    /// The conversation is about to be compacted.
    Compact,
    /// The session is over.
    End,
}

/// The reply that an event takes, unless it refuses a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerForm {
    /// None: the client would not pass it on.
    Nothing,
    /// Context for the model, in this JSON.
    Context(ReplyJson),
    /// A reason to continue instead of stopping, in this JSON.
    Continue(ReplyJson),
}

/// The JSON of a reply: `$event` stands for the event's name, `$text` for the text as JSON.
pub type ReplyJson = &'static str;

/// How long a client waits for a hook, in the unit of its settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Timeout {
    /// In seconds.
    Seconds(u32),
    /// In milliseconds.
    Milliseconds(u32),
    /// The client has no such setting.
    Fixed,
}

impl Timeout {
    /// Returns the number for the settings, in whatever unit; `None` if there is no such setting.
    pub(crate) fn number(self) -> Option<u32> {
        match self {
            Self::Seconds(number) | Self::Milliseconds(number) => Some(number),
            Self::Fixed => None,
        }
    }
}

/// Ample: the hook command ends itself long before.
pub(crate) const HOOK_SECONDS: u32 = 10;

const CONTEXT: ReplyJson =
    r#"{"hookSpecificOutput":{"hookEventName":"$event","additionalContext":$text}}"#;
const BLOCK_JSON: ReplyJson = r#"{"decision":"block","reason":$text}"#;
const DENY_JSON: ReplyJson = r#"{"decision":"deny","reason":$text}"#;

pub(crate) const NESTED: AnswerForm = AnswerForm::Context(CONTEXT);
pub(crate) const TOP: AnswerForm = AnswerForm::Context(r#"{"additionalContext":$text}"#);
pub(crate) const SNAKE: AnswerForm = AnswerForm::Context(r#"{"additional_context":$text}"#);
pub(crate) const MODIFICATION: AnswerForm =
    AnswerForm::Context(r#"{"cancel":false,"contextModification":$text}"#);
/// As our own plugins read it.
pub(crate) const PLAIN: AnswerForm = AnswerForm::Context(r#"{"context":$text}"#);
pub(crate) const BLOCK: AnswerForm = AnswerForm::Continue(BLOCK_JSON);
pub(crate) const DENY: AnswerForm = AnswerForm::Continue(DENY_JSON);
pub(crate) const FOLLOWUP: AnswerForm = AnswerForm::Continue(r#"{"followup_message":$text}"#);
/// As context: a client that continues with it shows no error.
pub(crate) const GO_ON_NESTED: AnswerForm = AnswerForm::Continue(CONTEXT);
/// As our own plugins read it.
pub(crate) const GO_ON_PLAIN: AnswerForm = AnswerForm::Continue(r#"{"goOn":$text}"#);
pub(crate) const NOTHING: AnswerForm = AnswerForm::Nothing;

// Refusals of a call. Nothing here ever allows one: that is the client's to decide.
pub(crate) const HOLD_NESTED: ReplyJson = r#"{"hookSpecificOutput":{"hookEventName":"$event","permissionDecision":"deny","permissionDecisionReason":$text}}"#;
pub(crate) const HOLD_TOP: ReplyJson =
    r#"{"permissionDecision":"deny","permissionDecisionReason":$text}"#;
pub(crate) const HOLD_BLOCK: ReplyJson = BLOCK_JSON;
pub(crate) const HOLD_DENY: ReplyJson = DENY_JSON;
pub(crate) const HOLD_PERMISSION: ReplyJson =
    r#"{"permission":"deny","user_message":$text,"agent_message":$text}"#;
/// As our own plugins read it.
pub(crate) const HOLD_PLAIN: ReplyJson = r#"{"hold":$text}"#;

pub(crate) const fn hook_event(
    name: &'static str,
    means: HookEventKind,
    answer: AnswerForm,
) -> HookEvent {
    HookEvent {
        name,
        alias: None,
        kind: means,
        answer,
    }
}

/// Makes an event that the client also sends under the second name.
pub(crate) const fn aliased_event(
    [name, alias]: [&'static str; 2],
    means: HookEventKind,
    answer: AnswerForm,
) -> HookEvent {
    HookEvent {
        alias: Some(alias),
        ..hook_event(name, means, answer)
    }
}
