//! Aider: `.aider.chat.history.md`, one chat after another.
//!
//! Of the lines that end in two blanks, those with `####` are what a person typed and those with `>` the program's own;
//! the rest is the model's. The model's changes show only in the program's lines: an edit was applied, an edit did not
//! match, or the lint command found something.

use hardwon_core::limits;

use crate::transcript::{
    FormatReader, FormatRow, ReadResult, ReportedOutcome, ReportedOutput, TranscriptSession,
    error_head::error_head, text::prefix_within, tool,
};

/// The format's row.
pub(crate) static FORMAT: FormatRow = FormatRow {
    is_text: |extension, text| matches!(extension, "" | "md" | "txt") && is_history(text),
    ..FormatRow::new("aider", Some("aider"), || Box::new(AiderReader::default()))
};

/// The author of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AiderVoice {
    Person,
    Program,
    Model,
}

/// Reads line by line; the lines of one author in a row are gathered into one event.
struct AiderReader {
    voice: AiderVoice,
    text: String,
}

impl Default for AiderReader {
    fn default() -> Self {
        Self {
            voice: AiderVoice::Model,
            text: String::new(),
        }
    }
}

impl FormatReader for AiderReader {
    fn read_value(&mut self, _: &str, line: &str, session: &mut TranscriptSession) -> ReadResult {
        if let Some(started) = line.strip_prefix("# aider chat started at ") {
            self.flush(session);
            session.close_run();
            session.enter_marked_run(started.trim());
            return Ok(());
        }
        let (voice, words) = split_voice(line);
        if voice != self.voice {
            self.flush(session);
            self.voice = voice;
        }
        if self.text.len() < limits::INTAKE_BYTES {
            let words = prefix_within(words, limits::INTAKE_BYTES);
            self.text.extend([words, "\n"]);
        }
        Ok(())
    }

    fn end_file(&mut self, session: &mut TranscriptSession) {
        self.flush(session);
    }
}

fn split_voice(line: &str) -> (AiderVoice, &str) {
    // The model may write headings and quotes too, but not with two blanks at the end.
    let is_framed = line.ends_with("  ");
    if let Some(words) = line.strip_prefix("#### ").filter(|_| is_framed) {
        (AiderVoice::Person, words.trim_end())
    } else if let Some(words) = line.strip_prefix('>').filter(|_| is_framed) {
        (AiderVoice::Program, words.trim())
    } else {
        (AiderVoice::Model, line)
    }
}

impl AiderReader {
    fn flush(&mut self, session: &mut TranscriptSession) {
        let message = std::mem::take(&mut self.text);
        let message = message.trim();
        if message.is_empty() {
            return;
        }
        match self.voice {
            AiderVoice::Person => {
                if let Some(words) = typed_words(message) {
                    session.add_user_message(words);
                }
            }
            AiderVoice::Model => session.add_agent_message(message),
            AiderVoice::Program => read_program(message, session),
        }
    }
}

/// Returns what a person asked for; `None` for a command to the program.
fn typed_words(said: &str) -> Option<&str> {
    const ASKING: &[&str] = &["/ask ", "/code ", "/architect ", "/context "];
    if let Some(words) = ASKING.iter().find_map(|command| said.strip_prefix(command)) {
        return Some(words);
    }
    (!said.starts_with(['/', '!'])).then_some(said)
}

/// Reads the program's report on the model's edits and on its own lint command.
fn read_program(said: &str, session: &mut TranscriptSession) {
    const STOP: &str = "^C KeyboardInterrupt";
    if said.lines().any(|line| line.starts_with(STOP)) {
        return session.add_user_message(STOP);
    }
    let mut add = |name: &str, subject: &str, outcome| {
        session.add_finished_call(name, tool::args_from_text(subject), outcome);
    };
    let mut rest = said;
    while !rest.is_empty() {
        let (line, after) = rest.split_once('\n').unwrap_or((rest, ""));
        rest = after;
        if let Some(file) = line.strip_prefix("Applied edit to ") {
            add("edit", file, ReportedOutcome::UNSEEN);
        } else if let Some(trouble) = line.strip_prefix("## SearchReplaceNoExactMatch: ") {
            let file = trouble.rsplit(" in ").next().unwrap_or("");
            add("edit", file, failed_end(trouble, trouble));
        } else if let Some(command) = line.strip_prefix("## Running: ") {
            return add(
                "lint",
                command,
                failed_end(lint_output(after), "lint errors"),
            );
        }
    }
}

/// Cuts the output where the program shows the source or asks what to do.
fn lint_output(text: &str) -> &str {
    let marks = ["\n## See relevant line", "\nAttempt to fix"].iter();
    let end = marks.filter_map(|mark| text.find(mark)).min();
    end.map_or(text, |end| &text[..end])
}

fn failed_end(output: &str, otherwise: &str) -> ReportedOutcome<'static> {
    let mut head = error_head(output);
    if head.is_empty() {
        head = tool::args_from_text(otherwise);
    }
    ReportedOutcome::Failed(head, ReportedOutput::Text(output.to_owned().into()))
}

/// Returns whether a text is such a history.
fn is_history(text: &str) -> bool {
    let mut lines = text.lines();
    lines.any(|line| line.starts_with("# aider chat started at "))
}
