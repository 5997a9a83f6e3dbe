//! Reports of test runners: JUnit XML, with what Surefire adds for tests that are run again.

use quick_xml::{
    Reader, XmlVersion,
    escape::resolve_predefined_entity,
    events::{BytesStart, Event},
};

use super::{
    Report, ReportError, ReportKind,
    test_cases::{TestOutcome, TestRun, compare_runs},
};

pub(super) fn read_junit(texts: &[String]) -> Result<Report, ReportError> {
    let runs = texts.iter().map(|text| parse_junit(text));
    let (signals, tests) = compare_runs(&runs.collect::<Result<Vec<TestRun>, _>>()?);
    Ok(Report {
        signals,
        ..Report::new(ReportKind::Junit, Some(tests.join("\n")))
    })
}

/// A test case that is being read.
#[derive(Default)]
struct OpenCase {
    name: String,
    /// Messages of attempts that failed.
    failed: Vec<String>,
    /// Whether it failed for good, or passed when it was run again.
    ended_badly: bool,
    is_skipped: bool,
    /// The words of the failure that is being read.
    words: Option<String>,
}

fn parse_junit(text: &str) -> Result<TestRun, ReportError> {
    let mut reader = Reader::from_str(text);
    let (mut run, mut open, mut has_suite) = (TestRun::default(), None::<OpenCase>, false);
    loop {
        let event = reader.read_event();
        match event.map_err(|event| ReportError::new(format!("it is not XML: {event}")))? {
            Event::Start(tag) => match tag.local_name().as_ref() {
                "testcase" => open = Some(OpenCase::from_tag(&tag)),
                "testsuite" | "testsuites" => has_suite = true,
                _ => open.iter_mut().for_each(|case| case.begin_child(&tag)),
            },
            Event::Empty(tag) => match tag.local_name().as_ref() {
                "testcase" => OpenCase::from_tag(&tag).add_to(&mut run),
                "testsuite" | "testsuites" => has_suite = true,
                _ => open.iter_mut().for_each(|case| {
                    case.begin_child(&tag);
                    case.end_child();
                }),
            },
            Event::Text(words) => add_words(open.as_mut(), &words),
            Event::CData(words) => add_words(open.as_mut(), &words),
            Event::GeneralRef(name) => {
                let entity = resolve_predefined_entity(&name);
                let numeric_entity = || name.resolve_char_ref().ok().flatten().map(String::from);
                let words = entity.map(str::to_owned).or_else(numeric_entity);
                add_words(open.as_mut(), &words.unwrap_or_default());
            }
            Event::End(tag) => match tag.local_name().as_ref() {
                "testcase" => {
                    let case = open.take();
                    case.into_iter().for_each(|case| case.add_to(&mut run));
                }
                _ => open.iter_mut().for_each(OpenCase::end_child),
            },
            Event::Eof if has_suite => return Ok(run),
            Event::Eof => {
                let message = "it has no `testsuite`, so it is not JUnit XML";
                return Err(ReportError::new(message));
            }
            _ => {}
        }
    }
}

impl OpenCase {
    fn from_tag(tag: &BytesStart<'_>) -> Self {
        let name = find_attribute(tag, "name").unwrap_or_default();
        let is_new = |class: &String| !class.is_empty() && !name.starts_with(class.as_str());
        let class = find_attribute(tag, "classname").filter(is_new);
        Self {
            name: class.map_or_else(|| name.clone(), |class| format!("{class}.{name}")),
            ..Self::default()
        }
    }

    fn begin_child(&mut self, tag: &BytesStart<'_>) {
        match tag.local_name().as_ref() {
            "failure" | "error" => self.ended_badly = true,
            "flakyFailure" | "flakyError" | "rerunFailure" | "rerunError" => {}
            "skipped" => {
                self.is_skipped = true;
                return;
            }
            // What a failure holds belongs to it.
            _ => return,
        }
        self.words = Some(String::new());
        let message = find_attribute(tag, "message");
        self.failed.push(message.unwrap_or_default());
    }

    /// Ends a child. A failure without a message has its words as one.
    fn end_child(&mut self) {
        if let (Some(words), Some(message)) = (self.words.take(), self.failed.last_mut())
            && message.trim().is_empty()
        {
            *message = words;
        }
    }

    fn add_to(self, run: &mut TestRun) {
        if self.is_skipped || self.name.is_empty() {
            return;
        }
        let ended_badly = self.ended_badly;
        for message in self.failed {
            run.add(&self.name, TestOutcome::Failed(head_of_message(&message)));
        }
        if !ended_badly {
            run.add(&self.name, TestOutcome::Passed);
        }
    }
}

/// Adds words, if they are inside a failure.
fn add_words(case: Option<&mut OpenCase>, words: &str) {
    if let Some(inside) = case.and_then(|case| case.words.as_mut()) {
        *inside += words;
    }
}

fn find_attribute(tag: &BytesStart<'_>, name: &str) -> Option<String> {
    let attribute = tag.try_get_attribute(name).ok()??;
    let value = attribute.normalized_value(XmlVersion::Implicit1_0);
    Some(value.ok()?.into_owned())
}

/// Returns the first line of a message that says something.
fn head_of_message(message: &str) -> String {
    let line = message.lines().map(str::trim).find(|text| !text.is_empty());
    line.unwrap_or("no message").to_owned()
}
