//! The form of a key, against rules that are written a second time.

use proptest::prelude::*;

use super::*;

/// A key whose text is known, to see that the form never changes.
const KNOWN: &str = "hwk_Z2fqqN5Izo3u0T8EkGfIVFoq84KgEUuVlrrIqp8QWG2dx3fk";

fn entropy(seed: u8) -> [u8; KEY_ENTROPY_BYTES] {
    std::array::from_fn(|at| {
        let at = u8::try_from(at).unwrap();
        seed.wrapping_mul(31).wrapping_add(at.wrapping_mul(97))
    })
}

fn digits(count: usize) -> impl Strategy<Value = String> {
    proptest::string::string_regex(&format!("[0-9A-Za-z]{{{count}}}")).unwrap()
}

#[test]
fn a_key_reads_as_it_was_written() {
    let made = ApiKey::from_entropy(KeyKind::Tenant, entropy(7));
    assert_eq!(made.reveal(), KNOWN);
    let read = ApiKey::parse(KNOWN).unwrap();
    assert_eq!(read.kind(), KeyKind::Tenant);
    assert_eq!(read.id().as_str(), &KNOWN[4..14]);
    assert!(read.secret_hash().matches(&made.secret_hash()));
    for (text, expected) in [
        (String::new(), InvalidKey::Form),
        ("hwk_".to_owned(), InvalidKey::Form),
        (KNOWN[..51].to_owned(), InvalidKey::Form),
        (format!("{KNOWN}0"), InvalidKey::Form),
        (format!(" {KNOWN}"), InvalidKey::Form),
        (KNOWN.replace("hwk", "ghp"), InvalidKey::Form),
        (
            ApiKey::from_entropy(KeyKind::Identity, entropy(7)).reveal(),
            InvalidKey::Form,
        ),
        (KNOWN.replace('_', "-"), InvalidKey::Form),
        (KNOWN.replace("hwk", "hwa"), InvalidKey::Checksum),
        (KNOWN.to_lowercase(), InvalidKey::Checksum),
    ] {
        assert_eq!(ApiKey::parse(&text).unwrap_err(), expected, "{text}");
    }
}

fn key(seed: u8) -> ApiKey {
    ApiKey::from_entropy(KeyKind::Tenant, entropy(seed))
}

proptest! {
    #[test]
    fn a_key_is_read_back(bytes in proptest::array::uniform32(any::<u8>()), kind in 0..3_usize) {
        let mut entropy = [0; KEY_ENTROPY_BYTES];
        entropy[8..40].copy_from_slice(&bytes);
        let made = ApiKey::from_entropy(KeyKind::ALL[kind], entropy);
        let text = made.reveal();
        let read = ApiKey::parse(&text).unwrap();
        prop_assert_eq!(read.reveal(), text.clone());
        prop_assert!(read.secret_hash().matches(&made.secret_hash()));
        prop_assert_eq!(KeyId::parse(made.id().as_str()), Some(made.id().clone()));
        prop_assert_eq!(text.len(), 52);
    }

    /// The checksum is computed a second time, bit by bit.
    #[test]
    fn a_random_text_is_no_key_unless_its_checksum_fits(
        kind in 0..3_usize, body in digits(42), checksum in digits(6)
    ) {
        let checked = format!("{}_{body}", KeyKind::ALL[kind].name());
        let mut sum = u32::MAX;
        for byte in checked.bytes() {
            sum ^= u32::from(byte);
            for _ in 0..8 {
                sum = if sum & 1 == 1 { (sum >> 1) ^ 0xEDB8_8320 } else { sum >> 1 };
            }
        }
        let fitting = base62::write_digits(&(!sum).to_be_bytes(), 6);
        let whole = format!("{checked}{fitting}");
        prop_assert!(ApiKey::parse(&whole).is_ok());
        let is_key = ApiKey::parse(&format!("{checked}{checksum}")).is_ok();
        prop_assert_eq!(is_key, checksum == fitting);
    }

    #[test]
    fn a_key_with_one_other_character_is_none(seed: u8, at in 0..52_usize, other: char) {
        let text = key(seed).reveal();
        let mut chars: Vec<char> = text.chars().collect();
        prop_assume!(chars[at] != other);
        chars[at] = other;
        let changed: String = chars.into_iter().collect();
        prop_assert!(ApiKey::parse(&changed).is_err(), "{changed}");
    }

    #[test]
    fn any_text_is_read_without_a_panic(text in ".{0,80}") {
        prop_assert!(ApiKey::parse(&text).is_err());
    }
}
