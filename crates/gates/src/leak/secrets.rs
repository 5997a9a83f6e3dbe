//! Decides which of the redactor's finds in a file are worth an alarm.
//!
//! The redactor would rather take out a word too many, since a lesson loses little by it. A gate that cries wolf is
//! switched off, so here a find must be one that somebody would have to revoke. What has a vendor's form counts anywhere.
//! What only a name or a place shows counts where people write secrets down, in settings and scripts, and in code outside
//! of comments; in tests, examples and documents it is nearly always made up. What is passed over is counted, never
//! hidden. Nothing is found here that the redactor does not find.

use std::ops::Range;

use hardwon_redact::{SecretProof, SecretSpan, is_reference, reads_as_words};

use super::{PathClass, common_words::is_given_name};

/// Kinds that have a form of their own, and that tests and documents are full of.
const SHOWN_KINDS: &[&str] = &["jwt", "password-hash", "private-key", "test-key"];

/// The shortest key that counts in what a program wrote, in bytes.
const KEY_BYTES: usize = 20;
/// The shortest line of a private key, in bytes.
const KEY_RUN_BYTES: usize = 40;
/// The shortest password that counts where readers are shown how one is written, in bytes.
const PASSWORD_BYTES: usize = 8;

/// Kinds whose place in a text says as much as a form: their values are words or digits.
const SHAPED_KINDS: &[&str] = &["kubernetes-secret", "recovery-code", "seed-phrase"];

/// How far behind a URL's password its host ends at most, in bytes.
const HOST_BYTES: usize = 64;

/// Returns whether a find in a file of this class is worth an alarm.
pub(super) fn is_worth_alarm(span: &SecretSpan, text: &str, class: PathClass) -> bool {
    let value = &text[span.range.clone()];
    let before = &text[..span.range.start];
    let is_code = class == PathClass::Code;
    let is_comment = || is_code && is_in_comment(text, span.range.start);
    let is_template = matches!(class, PathClass::Template | PathClass::Document);
    match span.proof {
        // The vendors' own documents show it, and who makes one up counts.
        _ if value.contains("EXAMPLE") || counts_up(value) => false,
        // Who shows how a key is written leaves most of it out.
        _ if class == PathClass::Document && is_whole_key(span.kind, value) => true,
        SecretProof::Form if SHOWN_KINDS.contains(&span.kind) => {
            let is_frame = is_code && span.kind == "private-key" && !has_key_body(value);
            !(is_template || class == PathClass::Sample || is_comment() || is_frame)
        }
        SecretProof::Form => true,
        _ if class == PathClass::Sample || is_comment() => false,
        _ if class == PathClass::Generated && !is_drawn_key(value) => false,
        _ if is_foreign(value) || names_digest(before) || tells_verdict(before) => false,
        _ if span.kind == "url-password" && is_local_url(&text[span.range.end..]) => false,
        _ if is_template => {
            let ends = ends_phrase(&text[span.range.end..]);
            is_drawn_key(value) || ends && is_own_password(span.kind, value)
        }
        _ if span.kind == "url-password" => true,
        _ if is_code && is_expression(value, before) => false,
        _ if is_shown_setting(value, text, span.range.start) => false,
        // A word where a key or a code is expected, a folder, and a pattern.
        _ if reads_as_words(value) && (span.kind == "key" || value.contains(['/', '\\', '<'])) => {
            false
        }
        _ if span.kind == "code" => !value.bytes().any(|byte| byte.is_ascii_alphabetic()),
        _ => {
            class == PathClass::Settings
                || SHAPED_KINDS.contains(&span.kind)
                || is_typed_value(value)
        }
    }
}

/// Returns whether a home folder in a file of this class may be somebody's: tests and comments show made-up ones, and
/// documents those of somebody with a given name. That of this account is found by its name as well, wherever it is.
pub(super) fn may_hold_home_path(text: &str, path: &Range<usize>, class: PathClass) -> bool {
    let account = text[path.clone()].rsplit(['/', '\\']).next();
    match class {
        PathClass::Sample => false,
        PathClass::Template | PathClass::Document => !account.is_some_and(is_given_name),
        PathClass::Code => !is_in_comment(text, path.start),
        PathClass::Settings | PathClass::Generated => true,
    }
}

/// Returns whether letters or digits of a value follow one another as in the alphabet: `123456`, `abcdef`.
fn counts_up(value: &str) -> bool {
    const RUN_BYTES: usize = 6;
    let bytes = value.to_ascii_lowercase().into_bytes();
    let follows = |pair: &[u8]| pair[0].wrapping_add(1) == pair[1] || pair == b"90";
    bytes
        .windows(RUN_BYTES)
        .any(|run| run.windows(2).all(follows))
}

/// Returns whether the name before a value is that of a digest: `TOOL_SHA256: …`.
fn names_digest(before: &str) -> bool {
    let line = before.rsplit('\n').next().unwrap_or_default();
    let line = line.to_ascii_lowercase();
    let line = line.trim_end_matches([' ', ':', '=', '"', '\'']);
    let mut names = "sha1 sha256 sha512 checksum digest integrity".split(' ');
    names.any(|name| line.ends_with(name))
}

/// Returns whether "pass" before a value is no name of one, but what a check said: `<b class="pass">`, `| PASS | `.
fn tells_verdict(before: &str) -> bool {
    let line = before.rsplit('\n').next().unwrap_or_default();
    let is_tagged = line.ends_with('>') && line.contains("class=");
    let words = line.trim_end_matches(['|', ' ', '`']).to_ascii_lowercase();
    let is_alone = words.ends_with(" pass") && line[words.len()..].contains(['|', '`']);
    is_tagged || is_alone
}

/// Returns whether a value ends a phrase, a cell or a URL's password.
fn ends_phrase(rest: &str) -> bool {
    let rest = rest.trim_start_matches(['"', '\'', '`', '*']);
    rest.is_empty() || rest.starts_with(['\n', '\r', '@', ',', ';', '.', ')', '|'])
}

/// Returns whether a password that readers are shown is one that somebody uses: it is mixed, and consists of none of the
/// words of which one is made up.
fn is_own_password(kind: &str, value: &str) -> bool {
    #[rustfmt::skip]
    const MADE_UP: &[&str] = &[
        "pass", "p@ss", "pw", "secret", "change", "example", "test", "your", "my", "user", "admin", "demo", "foo", "qwert", "123", "abc",
        "hunter", "welcome", "letmein", "xxx", "fake", "sample", "token", "key", "horse", "root", "...",
    ];
    let lower = value.to_lowercase();
    let has = |is: fn(u8) -> bool| value.bytes().any(is);
    ["password", "url-password"].contains(&kind)
        && value.len() >= PASSWORD_BYTES
        && has(|byte| byte.is_ascii_digit())
        && has(|byte| byte.is_ascii_alphabetic())
        && !value.contains(|c: char| " /<>{}()\"'`\\".contains(c))
        && !value.bytes().all(|byte| byte.is_ascii_hexdigit())
        && !MADE_UP.iter().any(|part| lower.contains(part))
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
fn is_local_url(rest: &str) -> bool {
    let host = rest.strip_prefix('@').unwrap_or(rest);
    let end = host.find(|c: char| !(c.is_ascii_alphanumeric() || ".-_".contains(c)));
    let host = &host[..end.unwrap_or(host.len()).min(HOST_BYTES)];
    let host = host.to_ascii_lowercase();
    let is_example = ["example", "test", "localhost", "invalid", "local"]
        .iter()
        .any(|domain| {
            host.rsplit('.').next() == Some(domain) || host.rsplit('.').nth(1) == Some(domain)
        });
    is_example || host.starts_with("127.") || host == "0.0.0.0"
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

/// Returns whether a value is taken from elsewhere when the program runs, or is a pattern or a signature of a type.
fn is_foreign(value: &str) -> bool {
    const OPENINGS: &[&str] = &["#{", "${", "{{", "<%", "$(", "(?", "a-z", "A-Z"];
    OPENINGS.iter().any(|open| value.contains(open))
        || value.strip_prefix('@').is_some_and(is_name)
        || value.starts_with("()")
        || is_reference(value)
}

fn is_name(text: &str) -> bool {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    text.bytes().all(is_word) && text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

/// Returns whether a value in code that is in no quotes is a type or an expression: `name: Name<'_>`, `secret: &[u8]`,
/// `password = argv[2]->text`, `passed = firstPass2`.
fn is_expression(value: &str, before: &str) -> bool {
    const SIGNS: &[&str] = &["->", "::", "<", "[", "(", "++"];
    let line = before.rsplit('\n').next().unwrap_or_default();
    let is_quoted = line.contains(['"', '\'', '`']);
    let mut names = value.split(['.', '?', '!']).filter(|name| !name.is_empty());
    let is_path = !value.contains(|c: char| c.is_ascii_digit()) && names.all(is_name);
    let is_built = value.starts_with('&') || SIGNS.iter().any(|sign| value.contains(sign));
    !is_quoted && (is_path || is_built)
}

/// Returns whether a value in settings only shows how it is written: a word in a comment, or what a command prints.
fn is_shown_setting(value: &str, text: &str, at: usize) -> bool {
    let is_shown = is_plain(value) && is_in_comment(text, at) || text[..at].ends_with("=`");
    is_shown || is_constant(value)
}

/// Returns whether a value consists of letters that read as words, or is the name of a constant: `TLS_PSK_WITH_NULL_SHA256`.
fn is_plain(value: &str) -> bool {
    let is_word = |byte: u8| byte.is_ascii_alphabetic() || b"_-. ".contains(&byte);
    is_constant(value) || value.bytes().all(is_word) && reads_as_words(value)
}

fn is_constant(value: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    value.matches('_').count() >= 2 && value.bytes().all(is_part) && reads_as_words(value)
}

/// Returns whether a value in code is one that a person chose or a program drew: long enough, on one line, and with more
/// in it than the letters of a word.
fn is_typed_value(value: &str) -> bool {
    value.len() >= 7 && !value.contains('\n') && !is_plain(value) && !value.contains("()")
}

#[cfg(test)]
mod tests {
    use super::*;
    use hardwon_redact::locate_secrets;

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
            ("docs/a.md", key, true),
            (
                "docs/a.md",
                "PrivateKey = k7Qz2XmR9tVb4WpL8sYd3HcN6gJf5TqZ1xKw9aBcDeQ=",
                true,
            ),
            ("docs/a.md", "Das Passwort lautet Fern-Moss77.", true),
            ("docs/a.md", "password: MySecret123!", false),
            (".env.example", key, true),
            (".env.example", "DB_PASSWORD=Fern-Moss77", true),
            (
                "docs/a.md",
                "postgres://app:Fern77Moss@db.acme.io/app",
                true,
            ),
            (
                "docs/a.md",
                "postgres://app:Fern77Moss@localhost/app",
                false,
            ),
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
        for (kind, text) in hardwon_redact::make_up_samples(11) {
            for path in [".env", "a.yml", "src/main.py"] {
                assert!(
                    alarms(path, &text).contains(&true),
                    "{kind} in {path}: {text}"
                );
            }
        }
    }
}
