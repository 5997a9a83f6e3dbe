//! Recognises code in the place of a value: a call, an index, a path of names, a file.
//!
//! Where a line is code, everything without quotes is an expression. Where only a literal can stand, an expression
//! must be one that nobody would type as a password. The line itself is judged by `line`.

use super::{
    alphabet::{ALNUM, Alphabet, LETTER, WORD},
    value::{contains_ignoring_case, count_noise, is_among},
};

/// The first names of paths in code that hold settings, arguments and secrets.
#[rustfmt::skip]
const RECEIVERS: &[&str] = &[
    "account", "app", "args", "body", "cfg", "client", "conf", "config", "context", "creds",
    "credentials", "ctx", "data", "deno", "dto", "env", "event", "form", "input", "item", "kwargs",
    "local", "module", "node", "options", "opts", "os", "params", "payload", "process", "props", "req",
    "request", "res", "response", "result", "row", "secrets", "self", "session", "settings", "state",
    "super", "sys", "this", "user", "values", "var", "vars", "vault",
];

/// The last names of paths in code that refer to a secret.
#[rustfmt::skip]
const MEMBERS: &[&str] = &[
    "key", "pass", "passwd", "password", "pwd", "secret", "string", "text", "token", "value",
];

/// Returns whether the value is an expression, on a line that is code.
pub(super) fn is_code_expression(bytes: &[u8]) -> bool {
    let calls = bytes.iter().any(|&byte| byte == b'(' || byte == b'[');
    // `&str`, `string?`, `settings.db`
    let name = bytes.strip_prefix(b"&").or(bytes.strip_prefix(b"*"));
    let name = name.unwrap_or(bytes);
    let stem = name.strip_suffix(b"?").or(name.strip_suffix(b"!"));
    // `Winter2024!` is no name.
    let stem = stem.filter(|name| name.iter().filter(|byte| byte.is_ascii_digit()).count() < 2);
    let name = stem.unwrap_or(name);
    let has_dot = name.len() < bytes.len() || name.contains(&b'.');
    let names = has_dot && WORD.union(Alphabet::from_chars(".")).contains_all(name);
    let heads = [&b"/"[..], b"./", b"../", b"~/", b"-", b"\\"];
    let begins_a_path = heads.iter().any(|head| bytes.starts_with(head));
    (begins_a_path || calls || names || contains_ignoring_case(bytes, "::"))
        && count_noise(bytes) < 8
}

/// Returns whether the value is an expression although the line looks like one with a literal.
pub(super) fn is_clear_expression(bytes: &[u8]) -> bool {
    is_file_path(bytes)
        || is_call(bytes)
        || is_member_path(bytes)
        || is_type_name(bytes)
        || is_cmdlet(bytes)
}

/// Returns whether a word is a usual name for settings or arguments in programs.
pub(super) fn is_receiver(word: &[u8]) -> bool {
    is_among(word, RECEIVERS)
}

/// Returns whether a value is a PowerShell cmdlet, a verb and a noun: `Read-Host`, `Get-Credential`.
fn is_cmdlet(bytes: &[u8]) -> bool {
    #[rustfmt::skip]
    const VERBS: &[&[u8]] = &[
        b"ConvertFrom", b"ConvertTo", b"Get", b"Import", b"New", b"Read",
    ];
    let mut words = bytes.split(|&byte| byte == b'-');
    let verb = words.next().unwrap_or_default();
    let noun = words.next().unwrap_or_default();
    let is_noun = noun.first().is_some_and(u8::is_ascii_uppercase) && LETTER.contains_all(noun);
    VERBS.contains(&verb) && is_noun && words.next().is_none()
}

/// Returns whether a value is a file path: `/run/secrets/db`, `./key.pem`, `~/.token`, `file:/run/x`, `@/run/x`.
fn is_file_path(bytes: &[u8]) -> bool {
    const STEP: Alphabet = WORD.union(Alphabet::from_chars("-.~"));
    let sources = [&b"file:"[..], b"@"];
    let source = sources.iter().find_map(|head| bytes.strip_prefix(*head));
    let bytes = source.unwrap_or(bytes);
    let is_rooted = [&b"/"[..], b"./", b"../", b"~/"]
        .iter()
        .any(|head| bytes.starts_with(head));
    let mut steps = bytes
        .split(|&byte| byte == b'/')
        .filter(|step| !step.is_empty());
    is_rooted
        && steps.clone().count() >= 2
        && steps.all(|step| STEP.contains_all(step))
        && count_noise(bytes) < 8
}

/// Returns whether a value is a call or index without a literal: `hash(password)`, `os.environ["X"]`, `Foo::new()`,
/// `env!("X")`.
fn is_call(bytes: &[u8]) -> bool {
    let callee = WORD
        .union(Alphabet::from_chars(".:"))
        .run_from(bytes, 0, 64);
    let bang = Alphabet::from_chars("!").run_from(bytes, callee.end, 1);
    let Some((open @ (b'(' | b'['), rest)) = bytes[bang.end..].split_first() else {
        return false;
    };
    let name = &bytes[callee];
    let is_name = !name.is_empty()
        && LETTER.union(Alphabet::from_chars("_")).contains(name[0])
        && count_noise(name) == 0;
    let first = rest.first().copied().unwrap_or(*open);
    let small = name.iter().any(|&byte| b"._:".contains(&byte))
        || name.first().is_some_and(u8::is_ascii_lowercase);
    let closes = rest.iter().any(|&byte| byte == b')' || byte == b']');
    let has_arguments =
        b")]\"'&*".contains(&first) || first == *open || LETTER.contains(first) && small;
    is_name && has_arguments && (closes || !rest.iter().any(|&byte| b"!?#^~".contains(&byte)))
}

/// Returns whether a value is a path of names: `settings.db.password`, `this.token!`, `process.env.X`,
/// `Values::Secret`.
fn is_member_path(bytes: &[u8]) -> bool {
    let name = bytes.strip_prefix(b"&").unwrap_or(bytes);
    let end = name
        .iter()
        .rposition(|&byte| ALNUM.contains(byte))
        .map_or(0, |at| at + 1);
    let tail = &name[end..];
    let path = &name[..end];
    let mut steps = path
        .split(|&byte| b".:?!".contains(&byte))
        .filter(|step| !step.is_empty());
    let plain = WORD.union(Alphabet::from_chars(".:?!")).contains_all(path) && tail.len() <= 1;
    let (first, last) = (steps.next(), steps.next_back());
    let ends_so = |word: &[u8]| {
        let lower = word.to_ascii_lowercase();
        MEMBERS
            .iter()
            .any(|known| lower.ends_with(known.as_bytes()))
    };
    plain && last.is_some() && (first.is_some_and(is_receiver) || last.is_some_and(ends_so))
}

/// Returns whether a value is a type: `&str`, `string?`, `Option<String>`, `Vec<u8>`.
fn is_type_name(bytes: &[u8]) -> bool {
    #[rustfmt::skip]
    const TYPES: &[&str] = &[
        "any", "bool", "boolean", "bytes", "cow", "i32", "int", "number", "object", "secret", "secretstr",
        "secretstring", "self", "str", "string", "text", "u8", "u32", "u64", "varchar",
    ];
    let mut words = bytes
        .split(|&byte| !ALNUM.contains(byte))
        .filter(|word| !word.is_empty());
    #[rustfmt::skip]
    let generic = [&b"Option<"[..], b"Vec<", b"Box<", b"Optional[", b"Cow<", b"Promise<"];
    generic.iter().any(|head| bytes.starts_with(head))
        || words.clone().next().is_some() && words.all(|word| is_among(word, TYPES))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_a_program_would_say() {
        for value in [
            "/run/secrets/db",
            "~/.config/token",
            "./key.pem",
            "getpass()",
            "hash(password, 12)",
            "os.environ[\"X\"]",
            "settings.db.password",
            "this.token!",
            "process.env.X",
            "env!(\"X\")",
            "fs::read_to_string(path)",
            "&str",
            "string?",
            "Option<String>",
            "decrypt(blob)",
            "Read-Host",
            "Get-Credential",
        ] {
            assert!(is_clear_expression(value.as_bytes()), "{value}");
        }
    }

    #[test]
    fn what_somebody_may_have_typed() {
        for value in [
            "Winter.2030!",
            "&Birds-and-Bees",
            "/opt-Fern.7",
            "-Badger5",
            "(Bird)1998",
            "[Lamp]4us",
            "River::Bank7",
            "castle.garden.rocket.marble",
            "Trees(1983)!",
            "Meadow?",
            "p@ss(w0rd)",
            "Get-away",
        ] {
            assert!(!is_clear_expression(value.as_bytes()), "{value}");
        }
        for value in ["&str", "string?", "cfg.db", "Foo::Bar", "call(x)", "/a"] {
            assert!(is_code_expression(value.as_bytes()), "{value}");
        }
    }
}
