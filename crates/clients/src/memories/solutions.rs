//! A solved problem: a Markdown file with front matter, in `docs/solutions/` by the habit of compound-engineering.
//!
//! The file tells a story in sections, and a lesson is what it comes to: what calls for it (symptoms), what did not work,
//! what does, and how to prevent it. The file itself stays where it is, named as the evidence.

use hardwon_core::text::RawText;

use super::{
    MemoryDocument, MemoryItem, OPEN_FRONT,
    front::FrontMatter,
    gist::{
        PART_CHARS, SIGNATURE_CHARS, SITUATION_CHARS, TITLE_CHARS, find_room, join_items,
        keep_short, shorten,
    },
    markdown::{MarkdownItem, split_items},
};

/// Names by which the front matter of a solution is known.
pub(super) const OWN_FIELDS: &[&str] = &[
    "problem_type",
    "root_cause",
    "resolution_type",
    "symptoms",
    "category",
];
/// States in which a solution holds no more.
const GONE: &[&str] = &[
    "stale",
    "deprecated",
    "superseded",
    "archived",
    "obsolete",
    "draft",
];

const PROBLEM: &[&str] = &[
    "problem",
    "symptom",
    "context",
    "when to apply",
    "situation",
    "environment",
];
const MISTAKE: &[&str] = &[
    "what didn",
    "what did not",
    "what doesn",
    "root cause",
    "cause",
    "investigation",
];
const SOLUTION: &[&str] = &[
    "solution",
    "the solution",
    "fix",
    "the fix",
    "resolution",
    "guidance",
    "what to do",
    "recommend",
    "workaround",
];
const PREVENTION: &[&str] = &[
    "prevent",
    "lesson",
    "takeaway",
    "key takeaway",
    "how to avoid",
    "rule",
];

pub(super) fn read_solution(text: &str) -> MemoryDocument {
    MemoryDocument::from_whole(read_whole(text))
}

fn read_whole(text: &str) -> Result<MemoryItem, &'static str> {
    if text.starts_with("---") && FrontMatter::from_text(text).is_none() {
        return Err(OPEN_FRONT);
    }
    let front = FrontMatter::from_text(text).unwrap_or_default();
    let state = front
        .find_value("status")
        .unwrap_or_default()
        .to_lowercase();
    if GONE.contains(&&*state) || front.has_any(&["superseded_by"]) {
        return Err("its front matter says that it does not hold any more");
    }
    let items = split_items(text, front.body, front.body_line.max(1));
    let section = |names: &[&str], chars| {
        let of = items.iter().filter(|it| stands_under(it, names));
        join_items(of, chars)
    };
    let advice = [
        section(SOLUTION, find_room(&front, PART_CHARS)),
        section(PREVENTION, PART_CHARS),
    ];
    let advice: Vec<String> = advice.into_iter().filter(|it| !it.is_empty()).collect();
    if advice.is_empty() {
        return Err("it has no section that says what to do");
    }
    let mut item = MemoryItem::new(0..text.len(), 1, advice.join(" "));
    let mut symptoms: Vec<&str> = front.list_values("symptoms").collect();
    if let Some(first) = symptoms
        .first()
        .and_then(|it| keep_short(it, SIGNATURE_CHARS))
    {
        item.signature = Some(RawText::new(first));
        symptoms.remove(0);
    }
    item.title = find_title(&front, text).map(RawText::new);
    let problem = section(PROBLEM, SITUATION_CHARS);
    let others = || shorten(&symptoms.join("; "), SITUATION_CHARS);
    item.situation = not_blank(problem).or_else(|| not_blank(others()));
    let mistake = section(MISTAKE, SITUATION_CHARS);
    item.mistake =
        not_blank(mistake).or_else(|| not_blank(name_words(front.find_value("root_cause"))));
    item.tags = list_tags(&front);
    let dates = [
        "last_updated",
        "last_refreshed",
        "updated",
        "date",
        "created",
    ];
    item.date = dates
        .iter()
        .find_map(|it| front.find_value(it))
        .map(RawText::from);
    Ok(item)
}

/// Returns whether an item stands under a heading that begins with one of these words.
fn stands_under(item: &MarkdownItem, names: &[&str]) -> bool {
    // The first heading is the title of the file.
    let inner = item
        .headings
        .iter()
        .skip(usize::from(item.headings.len() > 1));
    let outer = inner.map(|it| it.to_lowercase());
    let mut outer = outer.map(|it| {
        it.trim_start_matches(|c: char| !c.is_alphabetic())
            .to_owned()
    });
    // A section inside of another one belongs to that.
    outer
        .next()
        .is_some_and(|it| names.iter().any(|name| it.starts_with(name)))
}

fn find_title(front: &FrontMatter, text: &str) -> Option<String> {
    let heading = || text.lines().find_map(|line| line.strip_prefix("# "));
    let title = front.find_value("title").or_else(heading)?;
    Some(shorten(title, TITLE_CHARS))
}

fn list_tags(front: &FrontMatter) -> Vec<RawText> {
    let names = [
        "tags",
        "module",
        "component",
        "category",
        "related_components",
    ];
    let values = names.iter().flat_map(|name| front.list_values(name));
    let short = values.filter_map(|it| keep_short(it, 60));
    let mut tags: Vec<String> = Vec::new();
    for tag in short {
        if !tags.contains(&tag) && tags.len() < 12 {
            tags.push(tag);
        }
    }
    tags.into_iter().map(RawText::new).collect()
}

/// Returns a name such as `missing_validation` in words.
fn name_words(name: Option<&str>) -> String {
    shorten(&name.unwrap_or_default().replace('_', " "), SITUATION_CHARS)
}

fn not_blank(text: String) -> Option<RawText> {
    (!text.trim().is_empty()).then(|| RawText::new(text))
}
