//! What a session knows of content from outside: which of its calls read some, by what they do or by the name of what
//! holds it, and which words that were. Where it is kept between two events is not decided here.

use std::mem;

use hardwon_core::{
    CleanText, FollowedCall, LessonContent, Lineage, OutsideWords, RawText, ResultOrigin, ToolCall,
    Writ, WritError, outside, text::quoted::strip_quoted,
};

use super::AgentSession;
use crate::SessionEventKind;

/// What a session knows of content from outside; not part of the memory, because its runs share it.
#[derive(Debug, Default)]
pub(super) struct KnownOutside {
    /// The names of what was fetched.
    lineage: Lineage,
    /// Those of them that are stored.
    stored_lineage: Lineage,
    /// The words that other runs of the session have read.
    others: OutsideWords,
    /// The files that sessions before wrote, and the words from outside in them.
    written: (Lineage, OutsideWords),
    /// The files that sessions before fetched.
    fetched: Lineage,
    /// The same of this session, since they were last taken.
    new_written: OutsideWords,
    /// The words that its prompts quote, since they were last taken.
    new_quoted: OutsideWords,
}

impl AgentSession {
    /// Returns whether a run of the session has read content from outside, as far as is known here.
    pub fn has_read_outside(&self) -> bool {
        self.state.has_read_outside || !self.trace.outside_words().is_empty()
    }

    /// Sets the words read from outside before; they are not part of a memory.
    pub fn set_outside_words(&mut self, words: OutsideWords) {
        self.trace.set_outside_words(words);
        self.has_words = true;
    }

    /// Sets the words that this run and the others of its session have read before; `own` are `None` where they are no
    /// longer known.
    pub fn set_session_words(&mut self, own: Option<OutsideWords>, others: OutsideWords) {
        let mut words = match (own, self.state.has_read_outside) {
            (Some(words), _) => words,
            (None, true) => OutsideWords::unknown(),
            (None, false) => OutsideWords::default(),
        };
        words.extend(&others);
        self.set_outside_words(words);
        self.known.others = others;
    }

    /// Adds words that another agent may pass on: those that sessions beside this one have read.
    pub fn add_words_of_others(&mut self, words: &OutsideWords) {
        self.known.others.extend(words);
    }

    /// Adds the branch of others that was checked out.
    pub fn note_branch(&mut self, name: &str) {
        self.known.lineage.note_branch(name);
    }

    /// Takes in the branch that the session begins on.
    pub fn begin_on_branch(&mut self, name: &str) {
        self.recall_fetched(name);
        self.known.lineage.begin_on_branch(name);
    }

    /// Returns whether sessions before fetched anything.
    pub fn follows_fetches(&self) -> bool {
        !self.known.fetched.is_empty()
    }

    /// Adds what sessions before fetched under names that a text has.
    fn recall_fetched(&mut self, text: &str) {
        self.known
            .lineage
            .extend(&self.known.fetched.named_in(text));
    }

    /// Sets the names of what the runs of the session have fetched before.
    pub fn set_lineage(&mut self, names: Lineage) {
        self.known.lineage.extend(&names);
        self.known.stored_lineage = names;
    }

    /// Sets the names of files that sessions before wrote, and the words from outside in them.
    pub fn set_written_words(&mut self, words: OutsideWords) {
        let numbers = words.to_numbers();
        self.known.fetched = Lineage::from_later_numbers(&numbers);
        self.known.written = (Lineage::from_numbers(numbers), words);
    }

    /// Takes the names of what was fetched since the last call, to be stored.
    pub fn take_lineage(&mut self) -> Lineage {
        let state = &mut self.known;
        let new = state.lineage.without(&state.stored_lineage);
        state.stored_lineage = state.lineage.clone();
        new
    }

    /// Takes the names and words of what was written since the last call, to be stored.
    pub fn take_written_words(&mut self) -> OutsideWords {
        mem::take(&mut self.known.new_written)
    }

    /// Takes the words that prompts quoted since the last call, to be stored.
    pub fn take_quoted_words(&mut self) -> OutsideWords {
        mem::take(&mut self.known.new_quoted)
    }

    /// Returns whether somebody else's branch is in the work tree, and it is not known which files differ.
    pub fn awaits_comparison(&self) -> bool {
        self.known.lineage.awaits_comparison()
    }

    /// Sets which files differ in the work tree, as paths within the folder `root`.
    pub fn compare_tree<'p>(&mut self, root: &str, paths: impl IntoIterator<Item = &'p str>) {
        self.known.lineage.compare_tree(root, paths);
    }

    /// Returns whether a writ may repeat what was read from outside. Feedback on a lesson has no words to tell by.
    pub(in crate::attend) fn may_be_from_outside(&self, writ: &Result<Writ, WritError>) -> bool {
        let words = self.trace.outside_words();
        match writ {
            Ok(Writ::Create { signature, text }) => {
                let content = LessonContent::new(signature.clone(), text.clone());
                words.has_unknown()
                    || words.are_in_lesson(&content)
                    || self.trace.quoted_words().are_in_lesson(&content)
                    || self.reads_notes() && self.known.written.1.are_in_lesson(&content)
            }
            _ => self.has_read_outside(),
        }
    }

    /// Returns whether a session before wrote words from outside to a file that clients hand to the agent by themselves.
    fn reads_notes(&self) -> bool {
        const NOTES: &str =
            "AGENTS.md CLAUDE.md GEMINI.md QWEN.md MEMORY.md copilot-instructions.md";
        self.known.written.0.is_named_in(NOTES)
    }

    /// Takes the words read from outside since the last call, to be stored; `None` if there are none.
    pub fn take_outside_words(&mut self) -> Option<OutsideWords> {
        self.new_outside_words.take()
    }

    /// Follows content from outside through a call: what it reads of it by name, and what it writes.
    pub(super) fn follow_call(
        &mut self,
        call: &mut ToolCall<CleanText>,
        reported: &SessionEventKind,
    ) {
        let SessionEventKind::AfterCall {
            output, written, ..
        } = reported
        else {
            return;
        };
        let tool = call.tool.as_str();
        let args = written.as_ref().map_or(call.args.as_str(), RawText::expose);
        let followed_call = FollowedCall {
            tool,
            args,
            is_outside: call.outside.is_some(),
            output: output.as_ref().map(RawText::expose),
        };
        self.recall_fetched(args);
        let names_before = self.known.lineage.clone();
        let is_read = self.known.lineage.follow_call(&followed_call);
        self.note_fetched(&names_before);
        self.note_written(tool, args);
        if is_read {
            let words = || SessionEventKind::outside_words(output.as_ref());
            call.outside.get_or_insert_with(words);
        } else {
            call.outside = self.find_passed_on(&followed_call);
        }
    }

    /// Returns the words from outside that a local call passes on: the last ones of a sub-agent that read them, those of
    /// a file whose name it prints, or of what a session before wrote.
    fn find_passed_on(&self, call: &FollowedCall<'_>) -> Option<OutsideWords> {
        let (files, written) = &self.known.written;
        let share = |passed_on: &OutsideWords| match call.output {
            Some(text) => OutsideWords::from_text(text).shared_with(passed_on),
            None => passed_on.clone(),
        };
        if outside::is_delegating_call(call.tool, call.args) {
            // That others have read is remembered, whether or not their words come along.
            return Some(&self.known.others)
                .filter(|others| !others.is_empty())
                .map(share);
        }
        let lines = self.known.lineage.find_outside_lines(call);
        let mut words = OutsideWords::from_text(&lines);
        if files.may_be_printed_by(call) {
            words.extend(&share(written));
        }
        Some(words).filter(|words| !words.is_empty())
    }

    /// Remembers what was fetched since, for later sessions; not a clone of the project itself, whose name is in every path.
    fn note_fetched(&mut self, before: &Lineage) {
        let new = self.known.lineage.without(before);
        if !new.is_empty() {
            let project = self.trace.scope().project_name().unwrap_or_default();
            let numbers = new.to_later_numbers(project);
            let names = OutsideWords::from_numbers(numbers);
            self.known.new_written.extend(&names);
        }
    }

    /// Remembers a file that is written with words from outside.
    fn note_written(&mut self, tool: &str, args: &str) {
        let trace_words = self.trace.outside_words();
        let passes_on = self.known.written.0.is_named_in(args);
        if (trace_words.is_empty() || !self.has_words) && !passes_on {
            return;
        }
        let (names, text) = Lineage::from_written_files(tool, args);
        let holds_words = || trace_words.has_unknown() || trace_words.are_in_lines(&text);
        if !names.is_empty() && (passes_on || holds_words()) {
            let words = OutsideWords::from_text(&text).shared_with(trace_words);
            let names = OutsideWords::from_numbers(names.to_numbers());
            [words, names]
                .iter()
                .for_each(|words| self.known.new_written.extend(words));
        }
    }

    /// Follows what a person passes on in a prompt: what it quotes, sentences that others have read, and files, whose content
    /// is not reported.
    pub(super) fn follow_prompt(&mut self, prompt: &str) {
        let own = strip_quoted(prompt);
        if own != prompt {
            let mut quoted = self
                .trace
                .without_own_words(OutsideWords::from_text(prompt));
            quoted.remove_text(&own);
            self.known.new_quoted.extend(&quoted);
        }
        let copied = self.known.others.find_copied_lines(prompt);
        self.add_read_words(&OutsideWords::from_text(&copied));
        for path in outside::attached_files(prompt) {
            // Nothing is written to it.
            let args = serde_json::json!({ "uri": path }).to_string();
            self.recall_fetched(&args);
            let call = FollowedCall {
                tool: "Read",
                args: &args,
                is_outside: path.contains("://")
                    || outside::classify_call("Read", &args) == ResultOrigin::Outside,
                output: None,
            };
            let words = if self.known.lineage.follow_call(&call) {
                OutsideWords::unknown()
            } else {
                self.find_passed_on(&call).unwrap_or_default()
            };
            self.add_read_words(&words);
        }
    }

    /// Adds words that no call has read.
    fn add_read_words(&mut self, words: &OutsideWords) {
        if !words.is_empty() {
            self.new_outside_words.get_or_insert_default().extend(words);
            self.trace.extend_outside_words(words);
        }
    }
}
