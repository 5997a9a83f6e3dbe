//! Decides which of the redactor's finds in a file are worth an alarm.
//!
//! The redactor would rather take out a word too many, since a lesson loses little by it. A gate that cries wolf is
//! switched off, so here a find must be one that somebody would have to revoke. What has a vendor's form counts anywhere.
//! What only a name or a place shows counts where people write secrets down, in settings and scripts, and in code outside
//! of comments; in tests, examples and documents it is nearly always made up. What is passed over is counted, never
//! hidden. Nothing is found here that the redactor does not find.

use super::PathClass;
use hardwon_core::redact::{SecretProof, SecretSpan, reads_as_words};

/// Kinds that have a form of their own, and that tests and documents are full of.
const SHOWN_KINDS: &[&str] = &["jwt", "password-hash", "private-key", "test-key"];

/// The shortest key that counts in what a program wrote, in bytes.
const KEY_BYTES: usize = 20;
/// The shortest line of a private key, in bytes.
const KEY_RUN_BYTES: usize = 40;

/// Kinds whose place in a text says as much as a form: their values are words or digits.
const SHAPED_KINDS: &[&str] = &["code", "kubernetes-secret", "recovery-code", "seed-phrase"];

/// How far behind a URL's password its host ends at most, in bytes.
const HOST_BYTES: usize = 64;

/// Returns whether a find in a file of this class is worth an alarm.
pub(super) fn is_worth_alarm(span: &SecretSpan, text: &str, class: PathClass) -> bool {
    let value = &text[span.range.clone()];
    let is_shown = matches!(class, PathClass::Sample | PathClass::Document);
    match span.proof {
        // The vendors' own documents show it.
        _ if value.contains("EXAMPLE") => false,
        // Who shows how a key is written leaves most of it out.
        _ if class == PathClass::Document && is_whole_key(span.kind, value) => true,
        SecretProof::Form if SHOWN_KINDS.contains(&span.kind) => {
            let is_code = class == PathClass::Code;
            let is_comment = is_code && is_in_comment(text, span.range.start);
            let is_frame = is_code && span.kind == "private-key" && !has_key_body(value);
            !(is_shown || is_comment || is_frame)
        }
        SecretProof::Form => true,
        _ if is_shown => false,
        _ if class == PathClass::Generated && !is_drawn_key(value) => false,
        _ if class == PathClass::Code && is_in_comment(text, span.range.start) => false,
        _ if span.kind == "url-password" => !is_local_url(value, &text[span.range.end..]),
        _ if is_reference(value) => false,
        _ if class == PathClass::Code && is_expression(value, &text[..span.range.start]) => false,
        _ if is_shown_setting(value, text, span.range.start) => false,
        _ => {
            class == PathClass::Settings
                || SHAPED_KINDS.contains(&span.kind)
                || is_typed_value(value)
        }
    }
}

/// Returns whether a home folder in a file of this class may be somebody's: tests, documents and comments show made-up
/// ones. That of this account is found by its name as well, wherever it is.
pub(super) fn may_hold_home_path(text: &str, at: usize, class: PathClass) -> bool {
    match class {
        PathClass::Sample | PathClass::Document => false,
        PathClass::Code => !is_in_comment(text, at),
        PathClass::Settings | PathClass::Generated => true,
    }
}

/// Returns whether the line before an offset begins as a comment does.
fn is_in_comment(text: &str, at: usize) -> bool {
    let line = text[..at]
        .rsplit('\n')
        .next()
        .unwrap_or_default()
        .trim_start();
    let is_preprocessor = ["#define", "#if", "#elif"]
        .iter()
        .any(|mark| line.starts_with(mark));
    let marks = ["//", "#", "/*", "* ", "--", ";;", "%", "<!--"];
    !is_preprocessor && marks.iter().any(|mark| line.starts_with(mark))
}

/// Returns whether the password of a URL opens something on this machine only, or at an example's host.
fn is_local_url(password: &str, rest: &str) -> bool {
    let host = rest.strip_prefix('@').unwrap_or(rest);
    let end = host.find(|c: char| !(c.is_ascii_alphanumeric() || ".-_".contains(c)));
    let host = &host[..end.unwrap_or(host.len()).min(HOST_BYTES)];
    let host = host.to_ascii_lowercase();
    let is_example = ["example", "test", "localhost", "invalid", "local"]
        .iter()
        .any(|domain| {
            host.rsplit('.').next() == Some(domain) || host.rsplit('.').nth(1) == Some(domain)
        });
    is_example || host.starts_with("127.") || host == "0.0.0.0" || is_reference(password)
}

/// Returns whether a key is there, and not only the lines around one, as a program writes them.
fn has_key_body(value: &str) -> bool {
    let is_key = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/=".contains(byte);
    let mut runs = value.as_bytes().split(|byte| !is_key(byte));
    runs.any(|run| run.len() >= KEY_RUN_BYTES)
}

/// Returns whether a private key is there from its first line to its last.
fn is_whole_key(kind: &str, value: &str) -> bool {
    let is_cut = value.contains("...") || value.contains('…');
    kind == "private-key" && has_key_body(value) && value.contains("END") && !is_cut
}

/// Returns whether a value is one that a program drew and no digest: it was not written by the program that wrote the file.
fn is_drawn_key(value: &str) -> bool {
    let is_digest = value.bytes().all(|byte| byte.is_ascii_hexdigit());
    let has_digit = value.bytes().any(|byte| byte.is_ascii_digit());
    value.len() >= KEY_BYTES && has_digit && !is_digest && !reads_as_words(value)
}

/// Returns whether a value is taken from elsewhere when the program runs: `#{…}`, `${…}`, `$NAME`, `$user:$word`; or is a
/// pattern or a signature of a type.
fn is_reference(value: &str) -> bool {
    const OPENINGS: &[&str] = &["#{", "${", "{{", "<%", "$(", "(?", "a-z", "A-Z"];
    let is_framed = |sign: char| value.starts_with(sign) && value.ends_with(sign);
    OPENINGS.iter().any(|open| value.contains(open))
        || value.strip_prefix('@').is_some_and(is_name)
        || value.starts_with("()")
        || ['$', '@', '%'].into_iter().any(is_framed)
        || consists_of_variables(value)
}

fn is_name(text: &str) -> bool {
    let is_word = text
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    is_word && text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

/// Returns whether nothing but signs is left of a value without its variables.
fn consists_of_variables(value: &str) -> bool {
    let mut parts = value.split('$');
    let before = parts.next().unwrap_or_default();
    let is_sign = |c: char| c.is_ascii_punctuation() && c != '_';
    let mut count = 0;
    let is_variable = |part: &str| {
        count += 1;
        is_name(part.trim_end_matches(is_sign))
    };
    before.chars().all(is_sign) && parts.all(is_variable) && count > 0
}

/// Returns whether a value in code that is in no quotes is a type or an expression: `name: Name<'_>`, `secret: &[u8]`,
/// `password = argv[2]->text`.
fn is_expression(value: &str, before: &str) -> bool {
    const SIGNS: &[&str] = &["->", "::", "<'", "[", "(", "++"];
    let line = before.rsplit('\n').next().unwrap_or_default();
    let is_quoted = line.contains(['"', '\'', '`']);
    !is_quoted && (value.starts_with('&') || SIGNS.iter().any(|sign| value.contains(sign)))
}

/// Returns whether a value in settings only shows how it is written: a word in a comment, or what a command prints.
fn is_shown_setting(value: &str, text: &str, at: usize) -> bool {
    is_plain(value) && is_in_comment(text, at) || text[..at].ends_with("=`")
}

/// Returns whether a value consists of letters that read as words, or is the name of a constant: `TLS_PSK_WITH_NULL_SHA256`.
fn is_plain(value: &str) -> bool {
    let is_word = |byte: u8| byte.is_ascii_alphabetic() || b"_-. ".contains(&byte);
    let is_constant = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    let is_named = value.matches('_').count() >= 2 && value.bytes().all(is_constant);
    (value.bytes().all(is_word) || is_named) && reads_as_words(value)
}

/// Returns whether a value in code is one that a person chose or a program drew: long enough, on one line, and with more
/// in it than the letters of a word.
fn is_typed_value(value: &str) -> bool {
    value.len() >= 7 && !value.contains('\n') && !is_plain(value) && !value.contains("()")
}

#[cfg(test)]
mod tests {
    use super::*;
    use hardwon_core::redact::locate_secrets;

    /// Returns which finds in the text are worth an alarm in a file with this path.
    fn alarms(path: &str, text: &str) -> Vec<bool> {
        let found = locate_secrets(text);
        assert!(!found.is_empty(), "the redactor finds nothing: {text}");
        let worth = |span: &SecretSpan| is_worth_alarm(span, text, PathClass::of_path(path));
        found.iter().map(worth).collect()
    }

    #[test]
    fn what_counts_where() {
        let token = format!("ghp_{}", "k7Qz2XmR9tVb4WpL8sYd3HcN6gJf5TqZ1xKw");
        let hash = format!(
            "$2b$12${}",
            "k7Qz2XmR9tVb4WpL8sYd3HcN6gJf5TqZ1xKwk7Qz2XmR9tVb4WpL8"
        );
        let body = "k7Qz2XmR9tVb4WpL8sYd3HcN6gJf5TqZ1xKwk7Qz2XmR9tVb4WpL8";
        let [head, foot] = ["BEGIN", "END"].map(|verb| format!("-----{verb} PRIVATE KEY-----"));
        let private_key = format!("{head}\n{body}\n{foot}");
        let key = "api_key = \"k7Qz2XmR9tVb4WpL8sYd\"";
        for (path, text, expected) in [
            ("src/a.py", &*token, true),
            ("tests/a.py", &token, true),
            ("README.md", &token, true),
            ("a.lock", &token, true),
            ("a.min.js", key, true),
            ("a.min.js", "password=\"hunter22\"", false),
            (
                "package-lock.json",
                "\"https://ci:k7Qz2XmR9tVb4WpL8sYd@npm.acme.io/a.tgz\"",
                true,
            ),
            ("README.md", &private_key, true),
            ("tests/README.md", &private_key, false),
            ("src/a.py", "id = \"AKIAIOSFODNN7EXAMPLE\"", false),
            ("users.sql", &hash, true),
            ("tests/users.sql", &hash, false),
            ("src/a.rb", &format!("  # => \"{hash}\""), false),
            ("src/a.py", key, true),
            ("config.toml", key, true),
            ("tests/a.py", key, false),
            ("docs/a.md", key, false),
            ("src/a.py", &format!("# {key}"), false),
            ("config.toml", &format!("# {key}"), true),
            ("src/a.py", "password = \"hunter22\"", true),
            ("src/a.py", "password = \"swordfish\"", false),
            (
                "src/a.rs",
                "fn may_be_passphrase(name: FieldName<'_>, value: &FieldValue) -> bool {",
                false,
            ),
            (".env", "PASSWORD=swordfish", true),
            (
                "src/a.rb",
                "<input name=\"a[secret]\" value=\"#{@account.secret}\" />",
                false,
            ),
            (
                "a.yml",
                "url: postgres://app:fern77moss@db.acme.io/app",
                true,
            ),
            (
                "a.yml",
                "url: postgres://app:fern77moss@localhost/app",
                false,
            ),
            (
                "a.yml",
                "url: postgres://app:fern77moss@127.0.0.1/app",
                false,
            ),
            (
                "a.yml",
                "url: https://ann:fern77moss@api.example.com/app",
                false,
            ),
        ] {
            assert_eq!(alarms(path, text), [expected], "{path}: {text}");
        }
    }

    #[test]
    fn every_kind_counts_in_settings_and_code() {
        for (kind, text) in hardwon_core::redact::make_up_samples(11) {
            for path in [".env", "a.yml", "src/main.py"] {
                assert!(
                    alarms(path, &text).contains(&true),
                    "{kind} in {path}: {text}"
                );
            }
        }
    }
}
