//! Formats times for people, in local time or how long ago, and parses those that they type.
//!
//! JSON output has times as they are stored, in UTC; nothing here is for programs.

use jiff::{
    SignedDuration, Span, SpanRelativeTo, Timestamp, Zoned, civil::Date, fmt::strtime, tz::TimeZone,
};

/// Formats a time in the local time zone.
pub fn format_local(at: Timestamp) -> String {
    format_in_zone(at, TimeZone::system())
}

fn format_in_zone(at: Timestamp, zone: TimeZone) -> String {
    at.to_zoned(zone).strftime("%Y-%m-%d %H:%M:%S").to_string()
}

/// Formats the day of a time in the local time zone.
pub fn format_date(at: Timestamp) -> String {
    at.to_zoned(TimeZone::system()).date().to_string()
}

/// Formats how long ago a time was; `None` if that was more than a day ago, or is in the future.
pub fn format_ago(at: Timestamp, now: Timestamp) -> Option<String> {
    let seconds = now.duration_since(at).as_secs();
    let (number, unit) = match seconds {
        ..0 | 86_400.. => return None,
        0..60 => return Some("just now".to_owned()),
        60..3600 => (seconds / 60, "minute"),
        3600.. => (seconds / 3600, "hour"),
    };
    let s = if number == 1 { "" } else { "s" };
    Some(format!("{number} {unit}{s} ago"))
}

/// Formats the day of a time: `today`, `yesterday`, `3 days ago`, or after a week `2026-11-20`.
pub fn format_day(at: Timestamp, now: &Zoned) -> String {
    let day = at.to_zoned(now.time_zone().clone()).date();
    match now.date().duration_since(day).as_hours() / 24 {
        // A clock may have been set back.
        ..1 => "today".to_owned(),
        1 => "yesterday".to_owned(),
        days @ 2..7 => format!("{days} days ago"),
        7.. => day.to_string(),
    }
}

/// Formats since when: `in the last 7 days`, or `since 2026-11-20` where that is no number of days ago.
pub fn format_since(since: Timestamp, now: Timestamp) -> String {
    let seconds = now.duration_since(since).as_secs();
    match seconds / 86_400 {
        1 if seconds % 86_400 < 60 => "in the last day".to_owned(),
        days @ 2.. if seconds % 86_400 < 60 => format!("in the last {days} days"),
        _ => format!("since {}", format_date(since)),
    }
}

/// Parses since when something is asked about, as [`parse_span`] parses how long ago, or a day such as `monday`, the last one,
/// or `2026-11-20`.
pub fn parse_since(text: &str) -> Result<Timestamp, &'static str> {
    parse_since_at(text, &Zoned::now())
}

fn parse_since_at(text: &str, now: &Zoned) -> Result<Timestamp, &'static str> {
    let span = parse_span(text).or_else(|_| parse_span(&format!("1 {text}")));
    let length_ago = span.map(|length| now.timestamp().checked_sub(length));
    let day = || last_weekday(text, now.date()).or_else(|_| text.parse());
    let midnight = || day()?.to_zoned(now.time_zone().clone());
    match length_ago {
        Ok(since) => since,
        Err(_) => midnight().map(|midnight| midnight.timestamp()),
    }
    .map_err(|_| "write it as 7d, 2 weeks, monday or 2026-11-20")
}

/// Returns the last day up to today with this name, in full or short.
fn last_weekday(name: &str, today: Date) -> Result<Date, jiff::Error> {
    let day = strtime::parse("%A", name).or_else(|_| strtime::parse("%a", name))?;
    let weekday = day.weekday().expect("a parsed name is a weekday's");
    today.tomorrow()?.nth_weekday(-1, weekday)
}

/// Parses a duration such as `30m`, `2h` or `1 day`.
pub fn parse_span(text: &str) -> Result<SignedDuration, &'static str> {
    let span = text.parse::<Span>().ok();
    let day = SpanRelativeTo::days_are_24_hours();
    let length = span.and_then(|span| span.to_duration(day).ok());
    length
        .filter(|length| length.is_positive())
        .ok_or("write it as 30m, 2h or 3d")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_person_reads_times_by_their_own_clock() {
        let at: Timestamp = "2026-03-02T23:30:05.25Z".parse().unwrap();
        let zone = TimeZone::fixed(jiff::tz::offset(2));
        assert_eq!(format_in_zone(at, zone), "2026-03-03 01:30:05");
        assert_eq!(format_in_zone(at, TimeZone::UTC), "2026-03-02 23:30:05");
    }

    #[test]
    fn days_ago_are_counted_where_they_are_whole() {
        let now: Timestamp = "2026-03-10T12:00:05Z".parse().unwrap();
        for (since, expected) in [
            ("2026-03-09T12:00:05Z", "in the last day"),
            ("2026-03-03T12:00:00Z", "in the last 7 days"),
            ("2026-02-09T15:00:00Z", "since 2026-02-"),
            ("2150-01-15T12:00:00Z", "since 2150-01-1"),
        ] {
            let told = format_since(since.parse().unwrap(), now);
            assert!(told.starts_with(expected), "{told}");
        }
    }

    #[test]
    fn a_day_ago_is_a_date() {
        let at = |second| Timestamp::from_second(second).unwrap();
        for (seconds, expected) in [
            (-1, None),
            (0, Some("just now")),
            (59, Some("just now")),
            (60, Some("1 minute ago")),
            (3599, Some("59 minutes ago")),
            (3600, Some("1 hour ago")),
            (86_399, Some("23 hours ago")),
            (86_400, None),
        ] {
            assert_eq!(
                format_ago(at(0), at(seconds)).as_deref(),
                expected,
                "{seconds}"
            );
        }
    }

    #[test]
    fn a_week_ago_is_a_date() {
        let now: Zoned = "2026-11-26T01:00[+02:00]".parse().unwrap();
        for (at, expected) in [
            ("2026-11-26T09:00Z", "today"),
            ("2026-11-25T22:00Z", "today"),
            ("2026-11-25T21:59Z", "yesterday"),
            ("2026-11-20T12:00Z", "6 days ago"),
            ("2026-11-19T12:00Z", "2026-11-19"),
        ] {
            assert_eq!(format_day(at.parse().unwrap(), &now), expected, "{at}");
        }
    }

    #[test]
    fn since_when_is_a_time_ago_or_a_day() {
        let now: Zoned = "2026-11-26T01:00[+02:00]".parse().unwrap();
        for (text, expected) in [
            ("7d", "2026-11-18T23:00:00Z"),
            ("2 weeks", "2026-11-11T23:00:00Z"),
            ("week", "2026-11-18T23:00:00Z"),
            ("2026-11-20", "2026-11-19T22:00:00Z"),
            ("monday", "2026-11-22T22:00:00Z"),
            ("Thu", "2026-11-25T22:00:00Z"),
            ("friday", "2026-11-19T22:00:00Z"),
        ] {
            let since = parse_since_at(text, &now).map(|since| since.to_string());
            assert_eq!(since.as_deref(), Ok(expected), "{text}");
        }
        for text in ["", "7", "someday", "20.11.2026", "99999999999h"] {
            assert!(parse_since_at(text, &now).is_err(), "{text}");
        }
    }

    #[test]
    fn how_long_is_a_number_and_a_unit() {
        for (text, seconds) in [
            ("30m", 1800),
            ("2h", 7200),
            ("1h30m", 5400),
            ("3d", 259_200),
            ("1 day", 86_400),
            ("2 weeks", 1_209_600),
            ("45s", 45),
        ] {
            let parsed = parse_span(text).map(|length| length.as_secs());
            assert_eq!(parsed, Ok(seconds), "{text}");
        }
        for text in [
            "",
            "2",
            "soon",
            "-2h",
            "0h",
            "1 month",
            "99999999999h",
            "2h ago",
        ] {
            assert!(parse_span(text).is_err(), "{text}");
        }
    }
}
