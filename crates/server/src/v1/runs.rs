//! `/v1/runs`: a whole transcript to learn from, in any format that `hardwon learn` reads.

use axum::{body::HttpBody as _, http::StatusCode};
use hardwon_api::v1::{
    learn::{SentRunsReply, TaughtLesson},
    lesson::published::{PublishedLesson, name_note_outcome},
};
use hardwon_clients::archive::ClientTranscript;
use hardwon_core::{Scope, digest};
use hardwon_engine::{Error, FileRead, LearnOutcome, Lesson, RunInfo, Visibility};

use super::prelude::*;
use crate::{
    AppState,
    sent_file::{ReceiveError, SentFile},
};

/// Longest transcript.
const TRANSCRIPT_BYTES: u64 = 64 * 1024 * 1024;
/// Most lessons of an answer.
const SHOWN_LESSONS: usize = 200;
/// Longest name of a transcript, in bytes.
const NAME_BYTES: usize = 1024;

pub(super) fn verbs() -> Vec<VerbRow> {
    vec![
        own_verb("POST /v1/runs", learn_from_transcript)
            .needs(Capability::Learn)
            .counts_once()
            .sends_bytes("application/octet-stream", "The transcript, up to 64 MiB")
            .tells::<SentRunsReply>(200, "What it taught, and why the rest did not")
            .or(
                400,
                "A parameter is not as it should be, or this is no transcript in a known format",
            )
            .or(413, "The transcript is too long")
            .or(507, "The server's disk is full"),
    ]
}

/// Whose transcript it is.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct RunsQuery {
    /// The agent whose runs they are; if absent the key's, else the server's default.
    agent_id: Option<String>,
    /// The project that they worked in; if absent, what the transcript itself calls so.
    project: Option<String>,
    /// A name for the transcript, the same each time it is sent, also after it has grown. It names runs that have no
    /// name of their own; if absent, such a run is known by its content.
    name: Option<String>,
}

/// Learn from a transcript.
///
/// The body is the transcript as it is: a plain trace (`docs/trace.md`), or the session of a known client. The same run
/// sent again teaches nothing twice.
async fn learn_from_transcript(
    door: Door,
    (QueryOf(query), request): (QueryOf<RunsQuery>, Request),
) -> Result<Response> {
    let scope = parse_asked_scope(query.agent_id, query.project)?;
    if query
        .name
        .as_ref()
        .is_some_and(|name| name.len() > NAME_BYTES)
    {
        return Err(ApiError::bad_request("this name is too long").with_field("name"));
    }
    // A key that may not act there is turned away before its bytes are taken in.
    let scope_to_check = scope.clone();
    let check = move |door: &Door| door.read_desk(&scope_to_check).map(drop);
    door.clone().run(WorkKind::Read, check).await?;
    let body = request.into_body();
    if body.size_hint().lower() > TRANSCRIPT_BYTES {
        return Err(too_long());
    }
    let folder = door.state.sessions.sent_folder();
    let file = SentFile::receive(&folder, body, TRANSCRIPT_BYTES).await?;
    door.run(WorkKind::Learn, move |door| {
        let desk = door.write_desk(&scope)?;
        let read = read_transcript(&desk, &file, query.name.as_deref())?;
        // It may hold secrets, so it is gone before anything is answered.
        drop(file);
        answer(&door.state, &desk, read)
    })
    .await
}

fn read_transcript(desk: &Desk<'_>, sent: &SentFile, name: Option<&str>) -> Result<FileRead> {
    let unreadable = || ApiError::bad_request("the transcript could not be read");
    let known_by = match name {
        Some(name) => name.as_bytes().to_vec(),
        None => sent.hash_content().map_err(|_| unreadable())?.to_vec(),
    };
    let principal = desk.principal();
    let source = name_source(&principal.scope, name.is_some(), &known_by);
    let may_choose = principal.visibility >= Visibility::Agent && principal.scope.project.is_none();
    let place = |run: &RunInfo| run.project.clone().filter(|_| may_choose);
    match desk.read_sent_transcript::<ClientTranscript>(sent.path(), &source, &place) {
        Err(Error::ReadTranscript { .. }) => Err(unreadable()),
        read => Ok(read?),
    }
}

/// Returns the name that stands in for a path: another one for each agent and project.
fn name_source(scope: &Scope, is_named: bool, known_by: &[u8]) -> String {
    let project = scope.project_name().unwrap_or_default();
    let way = if is_named { "name" } else { "content" };
    let names = [scope.tenant.as_str(), scope.agent.as_str(), project, way];
    let parts = names.into_iter().map(str::as_bytes).chain([known_by]);
    digest::to_hex(&digest::hash_parts(parts))[..32].to_owned()
}

fn answer(state: &AppState, desk: &Desk<'_>, read: FileRead) -> Result<Response> {
    let FileRead::Read {
        format,
        runs,
        unreadable,
        ..
    } = read
    else {
        return Err(ApiError::bad_request(
            "this is not a transcript in a known format",
        ));
    };
    let mut reply = SentRunsReply {
        format,
        runs: runs.len() as u64,
        broken_lines: unreadable,
        ..SentRunsReply::default()
    };
    for (_, learned) in &runs {
        count_run(&mut reply, learned);
    }
    let outcomes = runs.iter().flat_map(|(_, learned)| &learned.note_outcomes);
    outcomes
        .clone()
        .for_each(|outcome| state.metrics.count_lesson(name_note_outcome(outcome)));
    let mut lessons: Vec<(&'static str, Lesson)> = Vec::new();
    for outcome in outcomes {
        let Some(id) = outcome.id().filter(|_| lessons.len() < SHOWN_LESSONS) else {
            continue;
        };
        // What waits is shown to whoever may decide about it only.
        let lesson = desk.lesson_if_visible(id)?;
        lessons.extend(lesson.map(|lesson| (name_note_outcome(outcome), lesson)));
    }
    let lessons = lessons.iter().map(|(outcome, lesson)| TaughtLesson {
        outcome,
        lesson: PublishedLesson::from(lesson),
    });
    reply.lessons = lessons.collect();
    json(&reply)
}

fn count_run(reply: &mut SentRunsReply<'_>, learned: &LearnOutcome) {
    learned
        .note_outcomes
        .iter()
        .for_each(|note_outcome| reply.noted.add(note_outcome));
    reply.witnessed += u64::from(learned.candidate_lessons);
    reply.asks += u64::from(learned.has_inquiry);
    for (skip, count) in &learned.skipped {
        *reply.skipped.entry(skip.name()).or_default() += u64::from(*count);
    }
}

fn too_long() -> ApiError {
    ApiError::new(
        StatusCode::PAYLOAD_TOO_LARGE,
        "the transcript is longer than 64 MiB",
    )
}

impl From<ReceiveError> for ApiError {
    fn from(error: ReceiveError) -> Self {
        match error {
            ReceiveError::TooLong => too_long(),
            ReceiveError::Broken => Self::bad_request("the body broke off"),
            ReceiveError::Full => Self::new(
                StatusCode::INSUFFICIENT_STORAGE,
                "the server's disk is full",
            ),
            ReceiveError::File(cause) => Self::internal(format!("keeping a transcript: {cause}")),
        }
    }
}
