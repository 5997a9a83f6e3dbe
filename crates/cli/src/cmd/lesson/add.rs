//! `hardwon lesson add`: one lesson from the command line, or many from JSON lines.

use std::io::{self, BufReader};

use hardwon_api::v1::lesson::{
    LessonDto,
    new::{AddReference, AddReply, AddRequest},
};
use hardwon_core::{Lesson, LessonContent, RawText, TrustClass, guard, writ};
use hardwon_engine::{Desk, Note, NoteOutcome, Principal};

use super::consent;
use crate::{
    InputLines, Result, Settings, args::AddArgs, cmd::pause::note_pause, input, open, output,
};

/// Lessons that are made durable together: one sync of the disk for all of them.
///
/// The text index merges what is new once a commit, so few large commits fill a large store in
/// half the time that many small ones take. Others who write wait for a second at most.
const BATCH_LESSONS: usize = 4096;
/// How much is read ahead; what came in one read is stored together.
const READ_AHEAD_BYTES: usize = 1 << 20;

pub(super) fn run(settings: &Settings, args: &AddArgs) -> Result<()> {
    note_pause(settings);
    let engine = open::open_writer(settings)?;
    // What an agent writes waits where a person would be asked.
    let is_meant = |writer: &Principal| args.yes || writer.trust.class != TrustClass::Person;
    if args.jsonl {
        let writer = settings.caller();
        let is_meant = is_meant(&writer);
        return add_lines(&engine.acting_as(writer), is_meant);
    }
    let mut note = note_from_args(args)?;
    let writer = settings.writer(&note.content);
    let is_meant = is_meant(&writer);
    let desk = engine.acting_as(writer);
    let content = &note.content;
    let texts = [&content.signature, &content.text].into_iter();
    let texts = texts.chain(&content.situation).chain(&content.tags);
    consent::ask_consent(texts.map(RawText::expose), is_meant)?;
    for id in &args.supersedes {
        note.supersedes
            .push(super::find_lesson(&desk, settings, id)?.id);
    }
    let old_ids = note.supersedes.clone();
    let outcome = desk.note(note)?;
    print_noted(&desk, &outcome, args.json)?;
    match outcome.into_lesson() {
        Ok(lesson) if !args.json => super::review::print_replaced(&desk, &lesson, &old_ids),
        _ => Ok(()),
    }
}

fn note_from_args(args: &AddArgs) -> Result<Note> {
    let (signature, text) = match (&args.signature, &args.text) {
        (Some(signature), Some(text)) => (
            signature.clone(),
            input::read_text(Some(text), "the lesson")?,
        ),
        (text, _) => split_text(input::read_text(text.as_deref(), "the lesson")?),
    };
    let raw = |items: &[String]| items.iter().map(|item| item.as_str().into()).collect();
    let mut content = LessonContent::<RawText>::new(signature, text);
    content.tags = raw(&args.tags);
    content.tools = raw(&args.tools);
    content.situation = args.situation.as_deref().map(RawText::from);
    Ok(Note::new(content))
}

/// Splits a text that names what calls for the lesson, as `/lesson` does.
fn split_text(text: String) -> (String, String) {
    match writ::split_lesson(&text) {
        Some((signature, said)) => (signature.to_owned(), said.to_owned()),
        None => (String::new(), text),
    }
}

fn print_noted(desk: &Desk<'_>, noted: &NoteOutcome, as_json: bool) -> Result<()> {
    let say = |how: &str, lesson: &Lesson| {
        output::print_answer(as_json, &LessonDto::from(lesson), || {
            format!("{how} {}", super::render_row(lesson))
        })
    };
    if let NoteOutcome::Recorded(lesson) | NoteOutcome::Pending(lesson) = noted {
        super::note_unshown(lesson);
    }
    match noted {
        NoteOutcome::Recorded(lesson) => {
            // What following it would do is told if that is grave and the lesson is in use.
            let deed = guard::describe_deed(&lesson.content);
            deed.iter().for_each(|deed| output::print_note(deed));
            say("recorded", lesson)?;
            if as_json {
                Ok(())
            } else {
                super::when::print_moments(desk, lesson)
            }
        }
        NoteOutcome::AlreadyKnown(lesson) => say("already known as", lesson),
        NoteOutcome::Pending(lesson) => {
            let reason = hardwon_engine::status_reason(&lesson.status).unwrap_or_default();
            print_note!("it waits for review: {reason}");
            say("recorded", lesson)
        }
        NoteOutcome::Refused(_) | NoteOutcome::Logged => {
            let reason = noted.lesson().err().unwrap_or_default();
            Err(bad_input!("the lesson was refused: {reason}"))
        }
    }
}

/// Reads JSON lines, stores them a chunk at a time, and answers a line only once it is durable.
///
/// A line that is broken or refused is answered with its error and the rest goes on. Nobody can be asked
/// about one that the guard would hold, so it is refused unless it is known to be meant.
fn add_lines(desk: &Desk<'_>, is_meant: bool) -> Result<()> {
    let reader = BufReader::with_capacity(READ_AHEAD_BYTES, io::stdin().lock());
    let mut lines = InputLines::from_reader(reader);
    let mut refused_count = 0;
    loop {
        let chunk = read_chunk(&mut lines, is_meant)?;
        if chunk.is_empty() {
            break;
        }
        refused_count += store_chunk(desk, chunk)?;
    }
    let refusal = match refused_count {
        0 => return Ok(()),
        1 => "1 line was refused".to_owned(),
        n => format!("{n} lines were refused"),
    };
    Err(bad_input!("{refusal}; all others are stored"))
}

/// What a line is called, and what it says, or why it cannot be taken.
type ParsedRequest = (Option<String>, Result<AddRequest, String>);

/// Reads a line, and refuses what the guard would hold unless it is known to be meant.
fn parse_request(line: &input::InputLine<'_>, is_meant: bool) -> Result<AddRequest, String> {
    let request: AddRequest = line.parse()?;
    let texts = request.signature.iter().chain([&request.text]);
    let texts = texts.chain(request.tags.iter().flatten());
    match guard::find_objection(texts.map(String::as_str)).filter(|_| !is_meant) {
        Some(why) => Err(format!("{why}; {}", consent::HINT)),
        None => Ok(request),
    }
}

/// Takes what is there, so that a writer who waits for an answer gets one after every line.
fn read_chunk(
    lines: &mut InputLines<BufReader<io::StdinLock<'_>>>,
    is_meant: bool,
) -> Result<Vec<ParsedRequest>> {
    let mut chunk = Vec::new();
    while chunk.len() < BATCH_LESSONS
        && (chunk.is_empty() || lines.reader().buffer().contains(&b'\n'))
        && let Some(line) = lines.read_line()?
    {
        let request = parse_request(&line, is_meant);
        let reference = line.parse().map(|AddReference { reference }| reference);
        chunk.push((
            reference.ok().flatten(),
            request.map_err(|why| format!("line {}: {why}", line.number)),
        ));
    }
    Ok(chunk)
}

fn store_chunk(desk: &Desk<'_>, lines: Vec<ParsedRequest>) -> Result<usize> {
    let (references, requests): (Vec<_>, Vec<_>) = lines.into_iter().unzip();
    let faults = requests
        .iter()
        .map(|request| request.as_ref().err().cloned());
    let faults: Vec<Option<String>> = faults.collect();
    let notes = requests.into_iter().flatten();
    let notes = notes.map(|request| Note::new(request.into())).collect();
    let mut outcomes = desk.note_all(notes)?.into_iter();
    let (mut refused, mut answers) = (0, String::new());
    for (reference, fault) in references.iter().zip(faults) {
        let outcome = match fault {
            Some(error) => Err(error),
            None => outcomes.next().expect("one answer a note").into_lesson(),
        };
        refused += usize::from(outcome.is_err());
        let answer = AddReply {
            id: outcome.as_ref().ok().map(|lesson| lesson.id.0),
            reference: reference.as_deref(),
            error: outcome.as_ref().err().map(String::as_str),
        };
        answers += &(output::to_json(&answer)? + "\n");
    }
    output::print(&answers)?;
    Ok(refused)
}
