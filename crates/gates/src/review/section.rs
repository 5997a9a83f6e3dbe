//! The section of a pull request's text that says what the last review did.

use super::verdict::{FinalReview, FinalVerdict, Finding};

/// The heading of the section.
pub const SECTION_TITLE: &str = "## Final review fixes";

/// Returns the text with the section at its end, in the place of an earlier one.
pub fn put_section(text: &str, review: &FinalReview) -> String {
    let text = remove_section(text);
    let text = text.trim_end();
    let gap = if text.is_empty() { "" } else { "\n\n" };
    format!("{text}{gap}{}", render_section(review))
}

fn render_section(review: &FinalReview) -> String {
    let mut section = format!("{SECTION_TITLE}\n\n");
    match review.verdict {
        FinalVerdict::Approved => section.push_str("The review changed nothing.\n"),
        FinalVerdict::Fixed => push_findings(&mut section, &review.fixes),
        FinalVerdict::Blocked => section.push_str("**The review blocks this delivery.**\n"),
    }
    if !review.edits.is_empty() {
        let places = review.edits.iter().map(|place| format!("`{place}`"));
        let places = places.collect::<Vec<_>>().join(", ");
        section += &format!("\nEverything that it edited: {places}.\n");
    }
    for (title, findings) in [
        ("Blockers", &review.blockers),
        ("Residual risks", &review.risks),
    ] {
        if !findings.is_empty() {
            section += &format!("\n### {title}\n\n");
            push_findings(&mut section, findings);
        }
    }
    section
}

fn push_findings(section: &mut String, findings: &[Finding]) {
    for finding in findings {
        *section += &format!("- {}\n", describe_finding(finding));
    }
}

/// Says a finding on one line: what, why, where.
pub(super) fn describe_finding(finding: &Finding) -> String {
    let reason = finding.why.as_ref().map(|why| format!(": {why}"));
    let places = finding.anchors.iter().map(|anchor| format!("`{anchor}`"));
    let places = match places.collect::<Vec<_>>().join(", ") {
        places if places.is_empty() => places,
        places => format!(" ({places})"),
    };
    let point = finding.what.as_str().trim_end_matches('.');
    // A mention or a reference would reach people and issues when the text is published.
    let words = format!("{point}{}", reason.unwrap_or_default());
    format!("{}{places}", words.replace('@', "@\u{200b}"))
}

/// Removes the section, up to the next heading of its level or above; one inside of a code block is none.
fn remove_section(text: &str) -> String {
    let mut rest_of_text = String::new();
    let (mut is_inside, mut fence) = (false, None);
    for line in text.split_inclusive('\n') {
        let start = line.trim_start();
        let mark = ["```", "~~~"]
            .into_iter()
            .find(|mark| start.starts_with(mark));
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            (None, None) if line.starts_with("## ") || line.starts_with("# ") => {
                is_inside = line.trim_end() == SECTION_TITLE;
            }
            _ => {}
        }
        if !is_inside {
            rest_of_text += line;
        }
    }
    rest_of_text
}
