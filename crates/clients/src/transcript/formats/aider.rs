//! Aider: `.aider.chat.history.md`, one chat after another.
//!
//! Of the lines that end in two blanks, those with `####` are what a person typed and those with
//! `>` the program's own words; the rest is the model's. What the model changed shows only in the program's words:
//! an edit was applied, an edit did not match, or the lint command found something.

use hardwon_core::limits;

use crate::transcript::{
    Broken, FormatReader,
    failure::{CallOutcome, Printed},
    format::FormatRow,
    head::error_head,
    session::Session,
    text::at_most,
    tool,
};

/// The format's row.
pub(crate) static FORMAT: FormatRow = FormatRow {
    text: |extension, text| matches!(extension, "" | "md" | "txt") && is_history(text),
    ..FormatRow::new("aider", Some("aider"), || Box::new(Aider::default()))
};

/// Who a line is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Voice {
    Person,
    Program,
    Model,
}

/// Reads line by line; what one voice says in a row is gathered and then told at once.
struct Aider {
    voice: Voice,
    said: String,
}

impl Default for Aider {
    fn default() -> Self {
        Self {
            voice: Voice::Model,
            said: String::new(),
        }
    }
}

impl FormatReader for Aider {
    fn value(&mut self, _: &str, line: &str, session: &mut Session) -> Result<(), Broken> {
        if let Some(started) = line.strip_prefix("# aider chat started at ") {
            self.tell(session);
            session.close();
            session.enter_part(started.trim());
            return Ok(());
        }
        let (voice, words) = voice_of(line);
        if voice != self.voice {
            self.tell(session);
            self.voice = voice;
        }
        if self.said.len() < limits::INTAKE_BYTES {
            self.said.push_str(at_most(words, limits::INTAKE_BYTES));
            self.said.push('\n');
        }
        Ok(())
    }

    fn file_end(&mut self, session: &mut Session) {
        self.tell(session);
    }
}

fn voice_of(line: &str) -> (Voice, &str) {
    // The model may write headings and quotes too, but not with two blanks at the end.
    let is_framed = line.ends_with("  ");
    if let Some(words) = line.strip_prefix("#### ").filter(|_| is_framed) {
        (Voice::Person, words.trim_end())
    } else if let Some(words) = line.strip_prefix('>').filter(|_| is_framed) {
        (Voice::Program, words.trim())
    } else {
        (Voice::Model, line)
    }
}

impl Aider {
    fn tell(&mut self, session: &mut Session) {
        let said = std::mem::take(&mut self.said);
        let said = said.trim();
        if said.is_empty() {
            return;
        }
        match self.voice {
            Voice::Person => {
                if let Some(words) = typed(said) {
                    session.user(words);
                }
            }
            Voice::Model => session.assistant(said),
            Voice::Program => program(said, session),
        }
    }
}

/// What a person asked for; commands to the program are not words to the agent.
fn typed(said: &str) -> Option<&str> {
    const ASKING: &[&str] = &["/ask ", "/code ", "/architect ", "/context "];
    if let Some(words) = ASKING.iter().find_map(|command| said.strip_prefix(command)) {
        return Some(words);
    }
    (!said.starts_with(['/', '!'])).then_some(said)
}

/// What the program says about the model's edits and about its own lint command.
fn program(said: &str, session: &mut Session) {
    if said
        .lines()
        .any(|line| line.starts_with("^C KeyboardInterrupt"))
    {
        session.user("^C KeyboardInterrupt");
        return;
    }
    let mut rest = said;
    while let Some((line, after)) = next_line(rest) {
        rest = after;
        if let Some(file) = line.strip_prefix("Applied edit to ") {
            session.act("edit", tool::plain(file), CallOutcome::Ok(Printed::Nothing));
        } else if let Some(trouble) = line.strip_prefix("## SearchReplaceNoExactMatch: ") {
            let file = trouble.rsplit(" in ").next().unwrap_or("");
            session.act("edit", tool::plain(file), failed(trouble, trouble));
        } else if let Some(command) = line.strip_prefix("## Running: ") {
            session.act(
                "lint",
                tool::plain(command),
                failed(lint_output(after), "lint errors"),
            );
            return;
        }
    }
}

/// The output ends where the program shows the source or asks what to do.
fn lint_output(text: &str) -> &str {
    ["\n## See relevant line", "\nAttempt to fix"]
        .iter()
        .filter_map(|mark| text.find(mark))
        .min()
        .map_or(text, |end| &text[..end])
}

fn next_line(text: &str) -> Option<(&str, &str)> {
    (!text.is_empty()).then(|| text.split_once('\n').unwrap_or((text, "")))
}

fn failed(output: &str, otherwise: &str) -> CallOutcome<'static> {
    let head = error_head(output);
    let head = match head.is_empty() {
        true => tool::plain(otherwise),
        false => head,
    };
    CallOutcome::Failed(head, Printed::Text(output.to_owned().into()))
}

/// Whether a text is such a history.
fn is_history(text: &str) -> bool {
    text.lines()
        .any(|line| line.starts_with("# aider chat started at "))
}
