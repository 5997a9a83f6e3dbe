//! Finds the hosts of addresses, and decides whether they are this machine. Hosts are compared as hosts: a name in a
//! path, a query or before an `@` is none.

use crate::shell::is_listed;

/// Schemes that refer to something on this machine.
const LOCAL_SCHEMES: &str = "file unix sqlite sqlite3 data about pkg vscode";

/// Returns the hosts of the addresses in a text, at most one of each word.
pub(crate) fn find_hosts(text: &str) -> impl Iterator<Item = &str> {
    let ends = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '<' | '>' | ',' | ')');
    text.split(ends).filter_map(parse_host)
}

/// Returns the host of the address that a word consists of or ends in: `--url=https://host/path`.
pub(crate) fn parse_host(word: &str) -> Option<&str> {
    let (before, rest) = word.split_once("://")?;
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '.' | '-');
    let scheme = before.rsplit(|c: char| !is_part(c)).next()?;
    if scheme.is_empty() || is_listed(LOCAL_SCHEMES, &scheme.to_ascii_lowercase()) {
        return None;
    }
    Some(parse_authority_host(rest))
}

/// Returns the host of `user@host:port/path`.
pub(crate) fn parse_authority_host(text: &str) -> &str {
    let end = text.find(['/', '?', '#']).unwrap_or(text.len());
    let authority = &text[..end];
    let host = authority.rsplit('@').next().unwrap_or(authority);
    match host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((address, _)) => address,
        None => host.split(':').next().unwrap_or(host),
    }
}

/// Returns whether a host is this machine. An empty host is a local socket.
pub(crate) fn is_local_host(host: &str) -> bool {
    const LOCAL_NAMES: &str =
        "localhost 0.0.0.0 ::1 :: host.docker.internal kubernetes.docker.internal";
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    let is_loopback =
        || host.starts_with("127.") && host.chars().all(|c| c.is_ascii_digit() || c == '.');
    host.is_empty()
        || is_listed(LOCAL_NAMES, &host)
        || host.ends_with(".localhost")
        || is_loopback()
}

/// Returns whether a word without a scheme looks like a host: `example.org/x`, `localhost:8000`, `$HOST`.
pub(crate) fn looks_like_host(word: &str) -> bool {
    let host = parse_authority_host(word);
    let is_name =
        |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | '$' | '{' | '}' | ':');
    !word.contains('=')
        && !word.starts_with(['-', '.', '/', '~', '@', '+'])
        && host.chars().all(is_name)
        && (word.starts_with('[') || host.contains(['.', '$']) || is_local_host(host))
}

/// Returns the host of a word that is an address, with or without a scheme.
pub(crate) fn find_host(word: &str) -> Option<&str> {
    parse_host(word).or_else(|| looks_like_host(word).then(|| parse_authority_host(word)))
}

/// Returns whether such a word is of another machine.
pub(crate) fn names_other_machine(word: &str) -> bool {
    find_host(word).is_some_and(|host| !is_local_host(host))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_compared_as_hosts() {
        for (word, expected) in [
            ("http://localhost:3000/x", true),
            ("http://[::1]:9090/metrics", true),
            ("http://127.0.0.1/", true),
            ("http://app.localhost/", true),
            ("http://host.docker.internal:4000", true),
            ("--url=http://user:pw@localhost/x", true),
            ("postgres:///shop", true),
            ("https://example.org/localhost", false),
            ("https://localhost.example.org/", false),
            ("https://localhost@example.org/", false),
            ("https://example.org?to=http://localhost", false),
            ("https://127.0.0.1.example.org", false),
            ("http://10.0.0.5/", false),
            ("http://$HOST/", false),
        ] {
            assert_eq!(
                parse_host(word).map(is_local_host),
                Some(expected),
                "{word}"
            );
        }
        for word in ["file:///etc/hosts", "plain", "://", "a/b"] {
            assert_eq!(parse_host(word), None, "{word}");
        }
    }
}
