//! Reports of test runners: JUnit XML, with what Surefire adds for tests that are run again, and CTRF JSON.

use quick_xml::{
    Reader, XmlVersion,
    escape::resolve_predefined_entity,
    events::{BytesStart, Event},
};
use serde_json::Value;

use super::{
    Report, ReportError, ReportKind,
    json::{find_list, find_number, find_text, parse_json},
    test_cases::{TestOutcome, TestRun, compare_runs},
};

pub(super) fn read_junit(texts: &[String]) -> Result<Report, ReportError> {
    let runs: Vec<TestRun> = texts
        .iter()
        .map(|text| parse_junit(text))
        .collect::<Result<_, _>>()?;
    Ok(build_report(ReportKind::Junit, &runs))
}

pub(super) fn read_ctrf(texts: &[String]) -> Result<Report, ReportError> {
    let runs: Vec<TestRun> = texts
        .iter()
        .map(|text| parse_ctrf(text))
        .collect::<Result<_, _>>()?;
    Ok(build_report(ReportKind::Ctrf, &runs))
}

fn build_report(kind: ReportKind, runs: &[TestRun]) -> Report {
    let (signals, tests) = compare_runs(runs);
    let mut report = Report::new(kind, Some(tests.join("\n")));
    report.signals = signals;
    report
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
                "testcase" => open
                    .take()
                    .into_iter()
                    .for_each(|case| case.add_to(&mut run)),
                _ => open.iter_mut().for_each(OpenCase::end_child),
            },
            Event::Eof if has_suite => return Ok(run),
            Event::Eof => {
                return Err(ReportError::new(
                    "it has no `testsuite`, so it is not JUnit XML",
                ));
            }
            _ => {}
        }
    }
}

impl OpenCase {
    fn from_tag(tag: &BytesStart<'_>) -> Self {
        let name = find_attribute(tag, "name").unwrap_or_default();
        let class = find_attribute(tag, "classname")
            .filter(|attribute| !attribute.is_empty() && !name.starts_with(attribute.as_str()));
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
        self.failed
            .push(find_attribute(tag, "message").unwrap_or_default());
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
        inside.push_str(words);
    }
}

fn find_attribute(tag: &BytesStart<'_>, name: &str) -> Option<String> {
    let attribute = tag.try_get_attribute(name).ok()??;
    Some(
        attribute
            .normalized_value(XmlVersion::Implicit1_0)
            .ok()?
            .into_owned(),
    )
}

/// Returns the first line of a message that says something.
fn head_of_message(message: &str) -> String {
    let line = message.lines().map(str::trim).find(|text| !text.is_empty());
    line.unwrap_or("no message").to_owned()
}

fn parse_ctrf(text: &str) -> Result<TestRun, ReportError> {
    let log = parse_json(text)?;
    let results = log.get("results").filter(|log| log.get("tests").is_some());
    let Some(results) = results else {
        return Err(ReportError::new(
            "it has no `results` with `tests`, so it is not CTRF",
        ));
    };
    let mut run = TestRun::default();
    for test in find_list(results, &["tests"]) {
        add_ctrf_test(&mut run, test);
    }
    Ok(run)
}

fn add_ctrf_test(run: &mut TestRun, test: &Value) {
    let Some(name) = find_text(test, &["name"]) else {
        return;
    };
    let suite = test
        .get("suite")
        .and_then(|test| test.as_str().or_else(|| test.as_array()?.last()?.as_str()));
    let name = suite.map_or_else(|| name.to_owned(), |suite| format!("{suite}.{name}"));
    let message = find_text(test, &["message", "trace"])
        .map_or_else(|| "no message".to_owned(), head_of_message);
    let is_flaky = test.get("flaky").and_then(Value::as_bool).unwrap_or(false)
        || find_number(test, &["retries"]).is_some_and(|number| number > 0);
    match find_text(test, &["status"]) {
        Some("failed") => run.add(&name, TestOutcome::Failed(message)),
        Some("passed") => {
            if is_flaky {
                run.add(&name, TestOutcome::Failed(message));
            }
            run.add(&name, TestOutcome::Passed);
        }
        _ => {}
    }
}
