//! Keys without a typical form, recognised by the vendor's name beside them.
//!
//! `looker_x = "…"` says nothing about a secret, but the name is a vendor's and the value has exactly the shape of
//! that vendor's keys. The rows are facts, taken from the public rules of
//! [gitleaks](https://github.com/gitleaks/gitleaks) (MIT). The value beside the name is found by `named`, as for
//! every other name.

use super::{
    alphabet::{ALNUM, Alphabet, BASE64, DIGIT, HEX, SLUG, SLUG_PADDED, ends_word},
    value,
};

/// One vendor and the shape of its keys.
#[derive(Debug, Clone, Copy)]
pub(super) struct Vendor {
    /// The vendors whose keys are alike.
    names: &'static [&'static str],
    /// The vendor's name in lower case, as it occurs in names and in the mark.
    pub(super) name: &'static str,
    alphabet: Alphabet,
    lengths: &'static [usize],
}

const fn vendor(
    names: &'static [&'static str],
    alphabet: Alphabet,
    lengths: &'static [usize],
) -> Vendor {
    Vendor {
        names,
        name: names[0],
        alphabet,
        lengths,
    }
}

const UUID: Alphabet = HEX.union(Alphabet::from_chars("-"));
const COLON: Alphabet = HEX.union(Alphabet::from_chars(":"));

/// All shapes of keys, each with the vendors that have it.
#[rustfmt::skip]
const ROWS: &[Vendor] = &[
    vendor(&["adafruit"], SLUG, &[32]),
    vendor(&["adobe", "facebook", "linear", "twilio"], HEX, &[32]),
    vendor(&["airtable"], ALNUM, &[17]),
    vendor(&["algolia", "asana", "bittrex", "codecov", "droneci", "flickr", "privateai", "private_ai",
        "private-ai"], ALNUM, &[32]),
    vendor(&["alibaba", "twitch"], ALNUM, &[30]),
    vendor(&["asana"], DIGIT, &[16]),
    vendor(&["atlassian", "confluence", "jira", "etsy"], ALNUM, &[24]),
    vendor(&["beamer"], SLUG_PADDED, &[46]),
    vendor(&["bitbucket", "discord"], SLUG_PADDED, &[32, 64]),
    vendor(&["bundle_enterprise__contribsys__com", "bundle_gems__contribsys__com"], COLON, &[17]),
    vendor(&["cloudflare"], SLUG, &[37, 40]),
    vendor(&["cohere", "zendesk"], ALNUM, &[40]),
    vendor(&["coinbase"], SLUG, &[64]),
    vendor(&["confluent"], ALNUM, &[16, 64]),
    vendor(&["contentful"], SLUG_PADDED, &[43]),
    vendor(&["datadog"], ALNUM, &[32, 40]),
    vendor(&["discord"], DIGIT, &[18]),
    vendor(&["dropbox"], SLUG_PADDED, &[15, 64]),
    vendor(&["fastly", "nytimes", "new-york-times", "newyorktimes"], SLUG_PADDED, &[32]),
    vendor(&["finicity"], ALNUM, &[20, 32]),
    vendor(&["finnhub"], ALNUM, &[20]),
    vendor(&["freshbooks", "newrelic", "new_relic", "new-relic"], ALNUM, &[64]),
    vendor(&["gitter", "yandex"], SLUG, &[40]),
    vendor(&["heroku", "hubspot", "snyk", "squarespace"], UUID, &[36]),
    vendor(&["intercom"], SLUG_PADDED, &[60]),
    vendor(&["jfrog", "artifactory", "bintray", "xray"], ALNUM, &[64, 73]),
    vendor(&["kraken"], BASE64.union(SLUG), &[80, 81, 82, 83, 84, 85, 86, 87, 88, 89, 90]),
    vendor(&["kucoin"], UUID, &[24, 36]),
    vendor(&["launchdarkly", "sonar"], SLUG_PADDED, &[40]),
    vendor(&["linkedin", "linked_in", "linked-in"], ALNUM, &[14, 16]),
    vendor(&["looker"], ALNUM, &[20, 24]),
    vendor(&["mailgun"], UUID.union(ALNUM), &[50]),
    vendor(&["mattermost"], ALNUM, &[26]),
    vendor(&["meraki"], HEX, &[40]),
    vendor(&["messagebird", "message_bird", "message-bird"], UUID.union(ALNUM), &[25, 36]),
    vendor(&["netlify"], SLUG_PADDED, &[40, 41, 42, 43, 44, 45, 46]),
    vendor(&["okta"], SLUG_PADDED, &[42]),
    vendor(&["plaid"], ALNUM, &[24, 30]),
    vendor(&["rapidapi"], SLUG, &[50]),
    vendor(&["sendbird"], UUID, &[36, 40]),
    vendor(&["sentry"], HEX, &[64]),
    vendor(&["sumo", "sumologic"], ALNUM, &[14, 64]),
    vendor(&["travis"], ALNUM, &[22]),
    vendor(&["trello"], ALNUM, &[32, 64]),
    vendor(&["twitter"], ALNUM, &[25, 45, 50]),
    vendor(&["twitter"], SLUG, &[36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50]),
];

list_by_word!(VENDORS: Vendor = ROWS, name of names);

impl Vendor {
    /// Returns whether the vendor's name at `at` is a word of its own: not `lob` in `global`, not `sumo` in `sumObj`.
    pub(super) fn is_named_at(&self, text: &[u8], at: usize) -> bool {
        let end = at + self.name.len();
        let before = at.checked_sub(1).map(|index| text[index]);
        let starts = before.is_none_or(|before| {
            !before.is_ascii_alphanumeric()
                || before.is_ascii_lowercase() && text[at].is_ascii_uppercase()
                || (before == b'n' && text[..at].ends_with(b"\\n"))
        });
        let hump = text.get(end).is_some_and(u8::is_ascii_uppercase);
        let letters = &text[at..end];
        let one_case = letters[1..].iter().all(|byte| !byte.is_ascii_uppercase())
            || !letters.iter().any(u8::is_ascii_lowercase)
            || self.name.len() > 6;
        starts && one_case && (ends_word(text, end) || hump)
    }

    /// Makes up a key of this vendor.
    pub(super) fn make_up(&self, seed: &mut u32) -> String {
        let length = self.lengths.first().copied().unwrap_or_default();
        let passes = |key: &String| {
            let ends_well = key.ends_with(|c: char| c.is_ascii_alphanumeric());
            let begins_well = key.starts_with(|c: char| c.is_ascii_alphanumeric());
            begins_well && ends_well && self.has_key_shape(key.as_bytes())
        };
        let mut keys = std::iter::repeat_with(|| {
            if self.alphabet == UUID && length == 36 {
                [8, 4, 4, 4, 12]
                    .map(|part| HEX.make_up(part, seed))
                    .join("-")
            } else {
                self.alphabet.make_up(length, seed)
            }
        });
        keys.by_ref().take(1000).find(passes).unwrap_or_default()
    }

    /// Returns whether the value has the shape of the vendor's keys.
    pub(super) fn has_key_shape(&self, value: &[u8]) -> bool {
        self.lengths.contains(&value.len())
            && self.alphabet.contains_all(value)
            && (value::count_noise(value) > 0 || value.iter().any(u8::is_ascii_digit))
            && value::shannon_entropy(value) >= 2.5
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_word_of_its_own() {
        for (text, expected) in [
            ("sumo", true),
            ("SUMO_TOKEN", true),
            ("mySumoToken", true),
            ("x.sumo.y", true),
            ("\\nsumo", true),
            ("sumObj", false),
            ("sumoku", false),
            ("resumo", false),
        ] {
            let row = VENDORS.iter().find(|row| row.name == "sumo").unwrap();
            let at = text.to_ascii_lowercase().find("sumo").unwrap();
            assert_eq!(row.is_named_at(text.as_bytes(), at), expected, "{text}");
        }
    }

    #[test]
    fn a_key_has_the_vendors_length_and_is_random() {
        for row in &VENDORS {
            let chars = row.alphabet.chars();
            let make_up = |length: usize| {
                let mut seed = 7_usize;
                std::iter::repeat_with(|| {
                    seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    chars[(seed >> 16) % chars.len()]
                })
                .take(length)
                .collect::<String>()
            };
            for &length in row.lengths {
                assert!(row.has_key_shape(make_up(length).as_bytes()), "{row:?}");
                assert!(!row.has_key_shape("x".repeat(length).as_bytes()), "{row:?}");
            }
            let longest = row.lengths.iter().max().unwrap();
            assert!(
                !row.has_key_shape(make_up(longest + 1).as_bytes()),
                "{row:?}"
            );
        }
    }
}
