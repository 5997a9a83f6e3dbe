//! The report as JUnit XML, which continuous integration shows: one failed case for each finding.

use super::LeakReport;

/// Writes the report.
pub fn render_junit(report: &LeakReport) -> String {
    let failures = report.hits.iter().map(|hit| {
        let finding = &hit.finding;
        let message = format!("{} {}", finding.rule_name, finding.rule.describe());
        let place = format!("{}:{}:{}", hit.shown_path, finding.line, finding.column);
        let commit = hit
            .commit
            .as_deref()
            .map(|commit| format!(" (commit {commit})"));
        let text = format!("{place}{}: {}", commit.unwrap_or_default(), finding.excerpt);
        let body = format!(
            "<failure message=\"{}\" type=\"{}\">{}</failure>",
            escape(&message),
            escape(finding.rule_name),
            escape(&text)
        );
        render_case(
            &hit.shown_path,
            &format!("{} at line {}", finding.rule_name, finding.line),
            &body,
        )
    });
    let errors = report.unread.iter().map(|(path, why)| {
        let body = format!("<error message=\"cannot be read\">{}</error>", escape(why));
        render_case(path, "can be read", &body)
    });
    let mut cases: Vec<String> = failures.chain(errors).collect();
    if cases.is_empty() {
        cases.push(render_case("hardwon", "nothing leaks", ""));
    }
    let counts = format!(
        "tests=\"{}\" failures=\"{}\" errors=\"{}\"",
        cases.len(),
        report.hits.len(),
        report.unread.len()
    );
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"hardwon leak\" {counts}>\n  \
         <testsuite name=\"hardwon leak\" {counts}>\n{}  </testsuite>\n</testsuites>\n",
        cases.concat()
    )
}

fn render_case(class: &str, name: &str, body: &str) -> String {
    let (class, name) = (escape(class), escape(name));
    match body {
        "" => format!("    <testcase classname=\"{class}\" name=\"{name}\"/>\n"),
        _ => format!("    <testcase classname=\"{class}\" name=\"{name}\">{body}</testcase>\n"),
    }
}

fn escape(text: &str) -> String {
    let mut xml = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => xml.push_str("&lt;"),
            '>' => xml.push_str("&gt;"),
            '&' => xml.push_str("&amp;"),
            '"' => xml.push_str("&quot;"),
            // XML has no other control characters, not even escaped.
            '\t' | '\n' => xml.push(' '),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => xml.push('\u{fffd}'),
            c => xml.push(c),
        }
    }
    xml
}
