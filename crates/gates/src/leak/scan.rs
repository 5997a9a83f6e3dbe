//! Finds what must not ship in one text, and says where it is without saying what.

use std::ops::Range;

use hardwon_core::digest::hash_parts;
use hardwon_redact::{SecretProof, SecretSpan, join_split_words, locate_secrets, redact};

use super::{
    LeakRule, PathClass, PrivateNames,
    excerpt::{LineIndex, render_excerpt},
    home,
    names::NameSpan,
    secrets,
};

/// What replaces a byte that is no text, one for one.
pub(super) const NO_TEXT: u8 = 0x1a;
/// How near a find bytes that are no text speak against it, in bytes.
const GARBLED_BYTES: usize = 40;

/// With how many bytes that are no text a file holds none that somebody split by invisible characters.
const GARBLED_MAX: usize = 64;

/// The digest of a value that was found: it tells two values apart and shows neither.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ValueDigest([u8; 32]);

impl ValueDigest {
    pub(super) fn of_value(value: &str) -> Self {
        Self(hash_parts([value.as_bytes()]))
    }
}

/// Something in a file that must not be published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeakFinding {
    /// What kind of thing it is.
    pub rule: LeakRule,
    /// The name of the rule: of a secret its kind (`github-token`), else as [`LeakRule::name`].
    pub rule_name: &'static str,
    /// The line, from 1; 0 if the path itself holds it.
    pub line: usize,
    /// The column, in characters from 1.
    pub column: usize,
    /// The line with everything replaced that was found in it.
    pub excerpt: String,
    /// The digest of the value.
    pub value: ValueDigest,
}

/// What was found in a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LeakScan {
    /// What must not be published, in order.
    pub findings: Vec<LeakFinding>,
    /// How many of the redactor's finds were passed over, as examples and made-up values.
    pub doubtful: usize,
    /// How many finds a comment on their line allows.
    pub allowed: usize,
    /// Whether it holds no text: only the readable parts were searched.
    pub is_binary: bool,
    /// Whether there is more than is listed.
    pub is_cut: bool,
}

/// What is searched for, and how strictly.
#[derive(Debug, Default)]
pub struct LeakScanner {
    /// The names that must not ship.
    pub names: PrivateNames,
    /// Whether every find of the redactor counts, also in tests and where it looks made up.
    pub is_strict: bool,
    /// Whether a comment that allows what is on its line says nothing: not where whoever wrote it is not to be believed.
    pub ignores_comments: bool,
}

/// A find with its place in the text.
struct Find {
    range: Range<usize>,
    rule: LeakRule,
    rule_name: &'static str,
    is_doubtful: bool,
}

impl Find {
    fn from_name(span: NameSpan) -> Self {
        Self {
            range: span.range,
            rule: span.rule,
            rule_name: span.rule.name(),
            is_doubtful: false,
        }
    }
}

/// Which part of a text is to be reported, and how it lies in its file.
#[derive(Debug, Clone)]
pub(super) struct TextPart {
    /// Only what begins in here counts; the rest is there so that nothing is halved.
    pub(super) counted: Range<usize>,
    /// How many lines of the file precede the text.
    pub(super) lines_before: usize,
    /// How many characters of its first line precede the text.
    pub(super) columns_before: usize,
    pub(super) is_binary: bool,
}

impl LeakScanner {
    /// Searches a whole text that is at this path.
    pub fn scan_text(&self, path: &str, text: &str) -> LeakScan {
        let mut scan = LeakScan::default();
        let part = TextPart {
            counted: 0..usize::MAX,
            lines_before: 0,
            columns_before: 0,
            is_binary: false,
        };
        self.scan_part(PathClass::of_path(path), text, &part, &mut scan);
        scan
    }

    /// Searches a path itself: it ships as well.
    pub fn scan_path(&self, path: &str) -> LeakScan {
        let names = self.names.find_in(path).into_iter();
        let finds: Vec<Find> = names.map(Find::from_name).collect();
        let path_text = render_path(path, &finds);
        let findings = finds.iter().map(|find| LeakFinding {
            rule: find.rule,
            rule_name: find.rule_name,
            line: 0,
            column: path[..find.range.start].chars().count() + 1,
            excerpt: path_text.clone(),
            value: ValueDigest::of_value(&path[find.range.clone()]),
        });
        LeakScan {
            findings: findings.collect(),
            ..LeakScan::default()
        }
    }

    /// Returns a path as it may be shown: with every private name in it replaced.
    pub fn redact_path(&self, path: &str) -> String {
        let names = self.names.find_in(path).into_iter();
        let finds: Vec<Find> = names.map(Find::from_name).collect();
        redact(&render_path(path, &finds)).into_owned()
    }

    /// Searches a part of a file, and adds what it finds.
    pub(super) fn scan_part(
        &self,
        class: PathClass,
        text: &str,
        part: &TextPart,
        scan: &mut LeakScan,
    ) {
        let first = scan.findings.len();
        self.add_findings(class, text, part, scan);
        // What invisible characters split is found in the text without them; its lines are the same.
        let text_in_one = join_split_words(text);
        let odd = text
            .bytes()
            .filter(|byte| *byte == NO_TEXT)
            .take(GARBLED_MAX);
        if text_in_one.len() < text.len() && odd.count() < GARBLED_MAX {
            let mut again = LeakScan::default();
            let whole = TextPart {
                counted: 0..usize::MAX,
                ..part.clone()
            };
            self.add_findings(class, &text_in_one, &whole, &mut again);
            let findings = scan.findings[first..].to_vec();
            let is_new = |it: &LeakFinding| {
                !findings
                    .iter()
                    .any(|findings| findings.line == it.line && findings.rule_name == it.rule_name)
            };
            scan.findings
                .extend(again.findings.into_iter().filter(is_new));
        }
    }

    fn add_findings(&self, class: PathClass, text: &str, part: &TextPart, scan: &mut LeakScan) {
        let finds = self.find_all(class, text, part.is_binary);
        if finds.is_empty() {
            return;
        }
        let lines = LineIndex::new(text);
        let marks: Vec<(Range<usize>, &str)> = (finds.iter())
            .map(|find| (find.range.clone(), find.rule_name))
            .collect();
        for find in finds
            .iter()
            .filter(|find| part.counted.contains(&find.range.start))
        {
            let number = lines.line_at(find.range.start);
            let line = lines.range_of(text, number);
            if find.is_doubtful && !self.is_strict {
                scan.doubtful += 1;
            } else if !self.ignores_comments
                && ["gitleaks:allow", "hardwon:allow"]
                    .iter()
                    .any(|mark| text[line.clone()].contains(mark))
            {
                scan.allowed += 1;
            } else {
                let before = if number == 0 { part.columns_before } else { 0 };
                let column = text[line.start..find.range.start].chars().count();
                scan.findings.push(LeakFinding {
                    rule: find.rule,
                    rule_name: find.rule_name,
                    line: part.lines_before + number + 1,
                    column: before + column + 1,
                    excerpt: render_excerpt(text, line, &find.range, &marks),
                    value: ValueDigest::of_value(&text[find.range.clone()]),
                });
            }
        }
    }

    /// Returns every find in a text, in order; those that overlap an earlier one are left out.
    fn find_all(&self, class: PathClass, text: &str, is_binary: bool) -> Vec<Find> {
        let is_readable = |span: &SecretSpan| {
            span.proof == SecretProof::Form || !is_binary && !is_garbled(text, &span.range)
        };
        let tests = find_own_tests(class, text);
        let class_at = |at: usize| if at < tests { class } else { PathClass::Sample };
        let secrets = locate_secrets(text).into_iter().filter(is_readable);
        let secrets = secrets.flat_map(|span| judge_secret(span, text, class_at));
        let homes = home::find_home_paths(text).into_iter();
        let homes = homes.map(|range| Find {
            is_doubtful: !secrets::may_hold_home_path(text, &range, class_at(range.start)),
            rule: LeakRule::HomePath,
            rule_name: LeakRule::HomePath.name(),
            range,
        });
        let names = self.names.find_in(text).into_iter().map(Find::from_name);
        let mut finds: Vec<Find> = secrets.chain(homes).chain(names).collect();
        finds.sort_by_key(|find| (find.range.start, find.is_doubtful, find.range.end));
        finds.dedup_by(|next, kept| {
            next.range.start < kept.range.end && (!kept.is_doubtful || next.is_doubtful)
        });
        finds
    }
}

/// Judges a secret. One that is most likely made up may hold one that is not: a token as a password in a test.
fn judge_secret(
    span: SecretSpan,
    text: &str,
    class_at: impl Fn(usize) -> PathClass,
) -> impl Iterator<Item = Find> {
    let class = class_at(span.range.start);
    let is_doubtful = !secrets::is_worth_alarm(&span, text, class);
    let value = &text[span.range.clone()];
    let inner = if is_doubtful {
        locate_secrets(value)
    } else {
        Vec::new()
    };
    let inner = inner.into_iter().map(|inner| SecretSpan {
        range: span.range.start + inner.range.start..span.range.start + inner.range.end,
        ..inner
    });
    let is_certain =
        |it: &SecretSpan| it.proof == SecretProof::Form && secrets::is_worth_alarm(it, text, class);
    let inner: Vec<SecretSpan> = inner.filter(is_certain).collect();
    let whole = std::iter::once((span, is_doubtful));
    whole
        .chain(inner.into_iter().map(|inner| (inner, false)))
        .map(|(span, is_doubtful)| Find {
            range: span.range,
            rule: LeakRule::Secret,
            rule_name: span.kind,
            is_doubtful,
        })
}

/// Returns whether bytes that are no text surround a find: then it is one by chance.
fn is_garbled(text: &str, range: &Range<usize>) -> bool {
    let near =
        range.start.saturating_sub(GARBLED_BYTES)..(range.end + GARBLED_BYTES).min(text.len());
    let odd = text.as_bytes()[near]
        .iter()
        .filter(|byte| **byte == NO_TEXT);
    odd.count() >= 4
}

/// Returns where the tests begin that a file of Rust has at its end, or the end of the text.
fn find_own_tests(class: PathClass, text: &str) -> usize {
    match class {
        PathClass::Code => text.find("\n#[cfg(test)]\nmod ").unwrap_or(text.len()),
        _ => text.len(),
    }
}

fn render_path(path: &str, finds: &[Find]) -> String {
    let (mut shown, mut rest) = (String::new(), 0);
    for find in finds {
        shown += &path[rest..find.range.start];
        shown += &format!("[REDACTED:{}]", find.rule_name);
        rest = find.range.end;
    }
    shown += &path[rest..];
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::leak::PrivateName;

    /// Checks what the lines with finds look like, and that strictly no less is found.
    fn check(path: &str, text: &str, expected: &[&str]) {
        let names = ["Bluebird"]
            .iter()
            .filter_map(|name| PrivateName::from_setting(name));
        let mut scanner = LeakScanner {
            names: PrivateNames::new(names),
            is_strict: false,
            ignores_comments: false,
        };
        let scan = scanner.scan_text(path, text);
        let shown: Vec<&str> = scan.findings.iter().map(|it| &*it.excerpt).collect();
        assert_eq!(shown, expected, "{text}");
        scanner.is_strict = true;
        let strict = scanner.scan_text(path, text);
        assert!(strict.findings.len() >= scan.findings.len(), "{text}");
        assert_eq!(strict.doubtful, 0, "{text}");
    }

    #[test]
    fn what_lines_look_like() {
        let token = format!("ghp_{}", "k7Qz2XmR9tVb4WpL8sYd3HcN6gJf5TqZ1xKw");
        for (path, text, expected) in [
            ("a.txt", "nothing".to_owned(), &[][..]),
            (
                "a.txt",
                format!("a {token}, b"),
                &["a [REDACTED:github-token], b"],
            ),
            ("a.txt", format!("{token} # hardwon:allow"), &[]),
            ("tests/a.py", token.clone(), &["[REDACTED:github-token]"]),
            // Nothing that is made up hides what is not.
            (
                "README.md",
                format!("curl -u ann:{token} https://acme.io"),
                &["curl -u [REDACTED:password] https://acme.io"],
            ),
            (
                "tests/a.py",
                "at /home/bluebird/x".to_owned(),
                &["at [REDACTED:home-path]/x"],
            ),
            // A character that nobody sees splits it.
            (
                "a.txt",
                format!("{}\u{200b}{}", &token[..9], &token[9..]),
                &["[REDACTED:github-token]"],
            ),
        ] {
            check(path, &text, expected);
        }
    }

    #[test]
    fn a_long_line_is_shown_in_part() {
        let text = format!("{}Bluebird{}", "é ".repeat(500), " é".repeat(500));
        let scan = LeakScanner {
            names: PrivateNames::new(PrivateName::from_setting("bluebird")),
            is_strict: false,
            ignores_comments: false,
        };
        let scan = scan.scan_text("a.txt", &text);
        assert_eq!((scan.findings[0].line, scan.findings[0].column), (1, 1001));
        assert!(scan.findings[0].excerpt.len() < 200);
    }

    #[test]
    fn a_path_is_searched_and_shown_without_its_names() {
        let scanner = LeakScanner {
            names: PrivateNames::new(PrivateName::from_setting("bluebird")),
            is_strict: false,
            ignores_comments: false,
        };
        let scan = scanner.scan_path("a/bluebird/b");
        assert_eq!(scan.findings[0].line, 0);
        assert_eq!(
            scanner.redact_path("a/bluebird/b"),
            "a/[REDACTED:private-name]/b"
        );
    }
}
