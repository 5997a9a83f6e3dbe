//! Finds the start time of a transcript in its head.
//!
//! Clients write the time of a record under one of a few names, at its outer level or within. The first that the head
//! holds is when the session began, near enough to put sessions in order; it is no claim about any one record.

use jiff::Timestamp;

/// The names under which clients write times.
const TIME_KEYS: &str = "timestamp startTime start_time created createdAt time";

/// The first second of 2020: smaller numbers are not times.
const EARLIEST_SECOND: i64 = 1_577_836_800;

/// Returns the start time of a transcript with this head; `None` if the head has none.
pub(super) fn began_at(head: &[u8]) -> Option<Timestamp> {
    let head = String::from_utf8_lossy(head);
    let names = TIME_KEYS.split(' ').map(|name| format!("\"{name}\":"));
    let moments = names.filter_map(|name| find_first_time(&head, &name));
    moments.min_by_key(|(at, _)| *at).map(|(_, when)| when)
}

/// Returns the first time under a name, and its position.
fn find_first_time(head: &str, name: &str) -> Option<(usize, Timestamp)> {
    let mut matches = head.match_indices(name);
    matches.find_map(|(at, _)| Some((at, parse_time(head[at + name.len()..].trim_start())?)))
}

/// Parses a time: a string with a date and a time, or seconds or milliseconds since 1970.
fn parse_time(text: &str) -> Option<Timestamp> {
    if let Some(quoted) = text.strip_prefix('"') {
        return quoted.split('"').next()?.parse().ok();
    }
    let digits = text.find(|c: char| !c.is_ascii_digit());
    let number: i64 = text[..digits.unwrap_or(text.len())].parse().ok()?;
    let milliseconds = if number / 1000 >= EARLIEST_SECOND {
        number
    } else {
        number.checked_mul(1000)?
    };
    let moment = Timestamp::from_millisecond(milliseconds).ok()?;
    (moment.as_second() >= EARLIEST_SECOND).then_some(moment)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_a_transcript_began() {
        for (head, expected) in [
            (
                r#"{"type":"user","timestamp":"2026-02-12T09:37:40.665Z"}"#,
                Some("2026-02-12T09:37:40.665Z"),
            ),
            (
                r#"{"snapshot":{"timestamp": "2026-02-12T09:37:40Z"}} {"timestamp":"2027-01-01T00:00:00Z"}"#,
                Some("2026-02-12T09:37:40Z"),
            ),
            (r#"{"timestamp":"soon"}"#, None),
            (
                r#"{"timestamp":"soon","startTime":"2026-01-02T03:04:05+01:00"}"#,
                Some("2026-01-02T02:04:05Z"),
            ),
            (
                r#"{"time":{"created":1767225600000}}"#,
                Some("2026-01-01T00:00:00Z"),
            ),
            (r#"{"created":1767225600}"#, Some("2026-01-01T00:00:00Z")),
            (r#"{"time":12}"#, None),
            (r#"{"created":99999999999999999999}"#, None),
            ("no transcript", None),
        ] {
            let expected = expected.map(|it| it.parse().unwrap());
            assert_eq!(began_at(head.as_bytes()), expected, "{head}");
        }
    }
}
