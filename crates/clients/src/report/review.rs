//! A review: our own verdict, the published one's, or what people wrote about a pull request.
//!
//! Ours and the published one are `{"verdict": "…", "fixes" or "changes": [{"what", "why"}], "blockers", "residual_risks":
//! ["…"]}`; what `hardwon review` prints is named after the tree that it is about. Of `gh`'s JSON there are
//! `gh pr view --json reviews,comments`, the comments of the REST API (a list with `body` and `path`), and threads of
//! GraphQL (`reviewThreads`, the only one that says which are resolved). A clean pass teaches nothing. What people wrote is
//! text from outside: whoever may comment may have written it.

use hardwon_core::{OutsideWords, RawText, RunStatus, Signal};
use serde_json::Value;

use super::{
    Report, ReportError, ReportKind,
    json::{find_list, find_number, find_text, parse_json},
    points::{add_place, find_point, join_sentences, says_nothing},
};

/// What a review changed, and what it only named.
#[derive(Default)]
struct Points {
    fixed: Vec<RawText>,
    flagged: Vec<RawText>,
}

pub(super) fn read_review(text: &str) -> Result<Report, ReportError> {
    let review = parse_json(text)?;
    match find_text(&review, &["verdict"]) {
        Some(_) => Ok(read_verdict(&review)),
        None => read_comments(&review, text),
    }
}

fn read_verdict(review: &Value) -> Report {
    let changes = find_list(review, &["fixes", "changes", "fixed"]);
    let blockers = find_list(review, &["blockers"]);
    let risks = find_list(review, &["residual_risks", "risks", "flagged"]);
    let flags = blockers.iter().chain(risks);
    let points = Points {
        fixed: changes.iter().filter_map(read_change).collect(),
        flagged: flags.filter_map(read_change).collect(),
    };
    let task = find_text(review, &["task", "title"]);
    let subject = find_text(review, &["id", "tree", "url", "head", "branch"]);
    let mut report = Report::new(ReportKind::Review, subject.map(str::to_owned));
    if !blockers.is_empty() || find_text(review, &["verdict"]) == Some("blocked") {
        report.status = RunStatus::Failed;
    }
    report.task = task.map(RawText::from);
    report.signals.extend(points.into_signal());
    report
}

fn read_change(change: &Value) -> Option<RawText> {
    let point = match change.as_str() {
        Some(said) => said.trim().to_owned(),
        None => {
            let subject = find_text(change, &["what", "description", "text", "risk"])?;
            match find_text(change, &["why", "reason"]) {
                Some(why) => join_sentences([format!("{}: {why}", subject.trim_end_matches('.'))]),
                None => join_sentences([subject.to_owned()]),
            }
        }
    };
    (!says_nothing(&point)).then(|| RawText::from(point))
}

fn read_comments(review: &Value, text: &str) -> Result<Report, ReportError> {
    let mut points = Points::default();
    let is_known =
        points.add_threads(review) | points.add_reviews(review) | points.add_list(review);
    if !is_known {
        return Err(ReportError::new(
            "it has neither a `verdict`, nor `reviews`, `comments` or `reviewThreads`, nor is it a list of comments",
        ));
    }
    let mut report = Report::new(ReportKind::Review, find_subject(review));
    report.outside = OutsideWords::from_text(text);
    report.signals.extend(points.into_signal());
    Ok(report)
}

/// Returns the pull request's address or number; of a bare list, that of its first comment.
fn find_subject(review: &Value) -> Option<String> {
    let pull = find_pull(review);
    let subject = find_text(pull, &["url"]).map(str::to_owned);
    let subject =
        subject.or_else(|| find_number(pull, &["number"]).map(|number| number.to_string()));
    let first = review.as_array().and_then(|items| items.first());
    let comment_url = first.and_then(|first| find_text(first, &["pull_request_url", "html_url"]));
    subject.or_else(|| comment_url.map(str::to_owned))
}

/// Returns the pull request of an answer of GraphQL, or the value itself.
fn find_pull(review: &Value) -> &Value {
    let pull = review.pointer("/data/repository/pullRequest");
    pull.or_else(|| review.get("pullRequest")).unwrap_or(review)
}

impl Points {
    fn into_signal(self) -> Option<Signal<RawText>> {
        let is_empty = self.fixed.is_empty() && self.flagged.is_empty();
        (!is_empty).then_some(Signal::Review {
            fixed: self.fixed,
            flagged: self.flagged,
        })
    }

    /// Adds threads. The first comment of one is its point; a resolved one was heeded.
    fn add_threads(&mut self, review: &Value) -> bool {
        let Some(threads) = find_pull(review).get("reviewThreads") else {
            return false;
        };
        for thread in list_nodes(threads) {
            let comments = thread.get("comments").map_or(&[][..], list_nodes);
            let is_resolved = thread.get("isResolved") == Some(&Value::Bool(true));
            let points = if is_resolved {
                &mut self.fixed
            } else {
                &mut self.flagged
            };
            points.extend(comments.first().and_then(read_comment));
        }
        true
    }

    /// Adds reviews that asked for changes, and comments on the whole.
    fn add_reviews(&mut self, review: &Value) -> bool {
        let pull = find_pull(review);
        let asks = |it: &&Value| find_text(it, &["state"]) == Some("CHANGES_REQUESTED");
        let reviews = find_list(pull, &["reviews"]).iter().filter(asks);
        let comments = reviews.chain(find_list(pull, &["comments"]));
        self.flagged.extend(comments.filter_map(read_comment));
        pull.get("reviews").is_some() || pull.get("comments").is_some()
    }

    /// Adds a list of comments, without the answers to them.
    fn add_list(&mut self, review: &Value) -> bool {
        let Some(comments) = review.as_array() else {
            return false;
        };
        let is_first = |comment: &&Value| find_number(comment, &["in_reply_to_id"]).is_none();
        let points = comments.iter().filter(is_first).filter_map(read_comment);
        self.flagged.extend(points);
        true
    }
}

/// Returns a list, or the nodes of what GraphQL gives in its place.
fn list_nodes(value: &Value) -> &[Value] {
    let list = value.as_array().map(Vec::as_slice);
    list.unwrap_or_else(|| find_list(value, &["nodes"]))
}

/// Returns the point of a comment that a person wrote.
fn read_comment(comment: &Value) -> Option<RawText> {
    let author = comment.get("author").or_else(|| comment.get("user"));
    let login = author.and_then(|author| find_text(author, &["login"]));
    if login.unwrap_or_default().ends_with("[bot]") {
        return None;
    }
    let point = find_point(find_text(comment, &["body"])?)?;
    Some(RawText::from(add_place(
        point,
        find_text(comment, &["path"]),
    )))
}
