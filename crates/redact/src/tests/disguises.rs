//! Secrets that are broken in pieces, encoded, piped, fallen back on, or named in another language.

use std::fmt::Write as _;

use proptest::prelude::*;

use super::*;

/// What may break a token, with what stands before and behind the whole.
const BREAKS: &[[&str; 3]] = &[
    ["\"", "\" + \"", "\""],
    ["'", "' +\n    '", "'"],
    ["f(\"", "\" . \"", "\")"],
    ["[\"", "\", \"", "\"]"],
    ["", "\n", ""],
    ["> ", "\n> ", ""],
    ["", "\\\n", ""],
    ["\"a\\n", "\\n", "\""],
    ["x=", "%0A", "&y"],
    ["| a | ", " | ", " |"],
    ["<td>", "</td>\n<td>", "</td>"],
    ["", "<wbr>", ""],
    ["", "&#8203;", ""],
];

/// Asserts that nothing longer than a word is left of a token.
fn assert_gone(token: &str, text: &str) {
    let redacted = redact(text);
    let left = token.as_bytes().windows(10);
    for piece in left.map(|piece| std::str::from_utf8(piece).unwrap()) {
        assert!(!redacted.contains(piece), "{text}\n{redacted}");
    }
}

#[test]
fn no_break_saves_a_token() {
    let tokens = [
        "ghp_~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~",
        "xoxb-123456789012-123456789012-~~~~~~~~~~~~~~~~~~~~~~~~",
        "sk-ant-api03-~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~",
        "acme_~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~",
    ];
    for token in tokens.map(made_up) {
        for at in 1..token.len() - 1 {
            let has_form = !token.starts_with("acme");
            for [before, between, after] in BREAKS.iter().filter(|it| has_form || it[0] != "[\"") {
                let (left, right) = token.split_at(at);
                let text = format!("{before}{left}{between}{right}{after}");
                assert_gone(&token, &text);
                if at == 12 {
                    redact_each_start(&text);
                }
            }
        }
    }
}

#[test]
fn what_a_break_does_not_join() {
    let token = made_up("ghp_~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~");
    for [left, right] in [
        ["", "\nand then\n"],
        ["- ", "\n- next"],
        ["`", "` `main`"],
        ["<td>", "</td><td>ann</td>"],
    ] {
        let expected = format!("{left}[REDACTED:github-token]{right}");
        assert_eq!(redact(&format!("{left}{token}{right}")), expected);
    }
    keeps(&[
        "task-\nrunner-2 of 3",
        "\"sk-\" + name",
        "[\"sk-\", \"lists\", \"x1\"]",
        "git log\n3f2a9c0d11aa4b2c3f2a9c0d11aa4b2c3f2a9c0d\n",
        "<b>pat</b>tern",
    ]);
}

#[test]
fn a_literal_that_is_joined_to_a_secret_belongs_to_it() {
    redacts(
        "password",
        &["password = \"⟦Winter2031x⟧\";", "password=⟦Winter2024!⟧;"],
    );
    let text = "password = \"Winter31x\" + \"Fern\"";
    assert!(!redact(text).contains("Fern"), "{}", redact(text));
    assert_eq!(
        redact("-p '[REDACTED:password]' 'a.sql'"),
        "-p '[REDACTED:password]' 'a.sql'"
    );
}

fn encode_base64(text: &str) -> String {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut encoded = String::new();
    for group in text.as_bytes().chunks(3) {
        let bits = (0..3).fold(0, |bits, at| {
            bits << 8 | usize::from(*group.get(at).unwrap_or(&0))
        });
        for digit in 0..=group.len() {
            encoded.push(char::from(DIGITS[bits >> (18 - 6 * digit) & 63]));
        }
    }
    encoded
}

fn encode_each(text: &str, escape: impl Fn(&mut String, u8)) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        escape(&mut encoded, byte);
    }
    encoded
}

/// Returns a text in every code that is read.
fn encode(text: &str) -> Vec<String> {
    let base64 = encode_base64(text);
    let padding = ["", "==", "="][text.len() % 3];
    vec![
        format!("{base64}{padding}"),
        base64.replace('+', "-").replace('/', "_"),
        format!("blob/{base64}"),
        encode_base64(&encode_base64(text)),
        encode_each(text, |out, byte| write!(out, "{byte:02x}").unwrap()),
        encode_each(text, |out, byte| write!(out, "{byte:02X}").unwrap()),
        encode_each(text, |out, byte| write!(out, "%{byte:02X}").unwrap()),
        encode_each(text, |out, byte| write!(out, "\\x{byte:02x}").unwrap()),
    ]
}

proptest! {
    #[test]
    fn what_is_found_decoded_is_found_encoded(
        seed in any::<u32>(),
        row in any::<prop::sample::Index>(),
        before in "[a-zé ]{0,9}",
    ) {
        let samples = make_up_samples(seed);
        let (_, sample) = row.get(&samples);
        let text = format!("{before}\n{sample}");
        prop_assert!(!locate_secrets(&text).is_empty(), "{text}");
        for encoded in encode(&text) {
            let whole = format!("x: {encoded} ok");
            prop_assert!(redact(&whole) != whole, "{text}\n{whole}");
        }
    }

    #[test]
    fn what_only_looks_encoded_or_broken_is_read_to_its_end(
        text in "([a-zA-Z0-9+/_=-]{0,20}|[\"'`<>|%&;\\\\ \n.+]|%0A|\\\\x4[0-9]|eyJ|ghp_|\\[REDACTED:token\\]){0,40}",
    ) {
        let once = redact(&text).into_owned();
        prop_assert_eq!(redact(&once).into_owned(), once.clone());
    }
}

#[test]
fn what_decodes_to_nothing_secret_stays() {
    keeps(&[
        "echo dGhlIHF1aWNrIGJyb3duIGZveA== | base64 -d",
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
        "3f2a9c0d11aa4b2c3f2a9c0d11aa4b2c3f2a9c0d",
        "68656c6c6f20776f726c642c2074686973",
        "q=hello%20world%21&lang=de",
    ]);
}

#[test]
fn what_a_look_up_falls_back_on() {
    redacts(
        "password",
        &[
            "ENV.fetch('DB_PASSWORD') { '⟦fern-moss7⟧' }",
            "os.environ['DB_PASSWORD'] or '⟦fern-moss7⟧'",
            "process.env[\"DB_PASSWORD\"] ?? \"⟦fern-moss7⟧\"",
            "getenv('DB_PASSWORD') ?: '⟦fern-moss7⟧'",
            "var(\"DB_PASSWORD\").unwrap_or(\"⟦fern-moss7⟧\".into())",
            "var(\"DB_PASSWORD\").unwrap_or_else(|_| \"⟦fern-moss7⟧\".into())",
            "getenv(\"DB_PASSWORD\", \"⟦fern-moss7⟧\")",
            "get(\"db_password\", default=\"⟦fern-moss7⟧\")",
            "password: str = Field(default=\"⟦fern-moss7⟧\")",
        ],
    );
    keeps(&[
        "ENV.fetch('DB_PASSWORD') { raise 'none-77' }",
        "os.environ['DB_PASSWORD'] or ''",
        "var(\"DB_PASSWORD\").expect(\"DB_PASSWORD_2 is not set\")",
        "var(\"LOG_LEVEL\").unwrap_or(\"debug-2\")",
        "getenv(\"TOKEN_FILE\") ?: '/run/token-7'",
        "if names.contains(\"password\") { \"yes\" } else { \"no\" }",
    ]);
}

#[test]
fn tokens_of_commands_that_log_in() {
    redacts(
        "token",
        &[
            "acme login ⟦~~~~~~~~~~~~~~~~~~~~~~~~⟧",
            "run `acme auth login ⟦~~~~~~~~~~~~~~~~~~~~~~~~⟧` first",
            "acme login --relogin ⟦3f2a9c0d11aa4b2c3f2a9c0d11aa4b2c⟧",
            "acme login https://api.acme.io:6443 -t ⟦~~~~~~~~~~~~~~~~~~~~~~~~⟧",
        ],
    );
    keeps(&[
        "acme login",
        "acme login --registry https://npm.acme.io/a1b2c3d4e5f6a7b8c9",
        "auth request 3f2a9c0d-11aa-4b2c-9d3e-0123456789ab timed out",
        "the login page of 3f2a9c0d11aa4b2c3f2a9c0d11aa4b2c",
        "acme login $TOKEN",
    ]);
}

#[test]
fn names_in_other_languages_and_weak_ones() {
    redacts(
        "password",
        &[
            "Zugangscode: ⟦Lerche-44⟧",
            "la clave es ⟦girasol_88⟧",
            "Пароль: ⟦sneg1987⟧",
            "密码：⟦haitang_87⟧",
        ],
    );
    redacts(
        "secret",
        &[
            "Geheimnis = \"⟦~~~~~~~~~~~~~~~~~~⟧\"",
            "секрет: ⟦~~~~~~~~~~~~~~~~~~⟧",
        ],
    );
    redacts(
        "key",
        &[
            "PEPPER=⟦~~~~~~~~~~~~~~~~~~~~~~~~⟧",
            "Schlüssel: ⟦~~~~~~~~~~~~~~~~~~~~~~~~⟧",
        ],
    );
    keeps(&[
        "master: 3f2a9c0d11aa4b2c3f2a9c0d11aa4b2c3f2a9c0d",
        "seed: 1234567",
        "access: public",
        "cipher: ECDHE-RSA-AES128-GCM-SHA256",
        "key: deps-linux-3f2a9c0d11aa4b2c3f2a9c0d11aa4b2c3f2a9c0d",
    ]);
}

#[test]
fn what_vendors_show_in_their_documents_is_hidden_too() {
    redacts("aws-key-id", &["⟦AKIAIOSFODNN7EXAMPLE⟧"]);
    redacts(
        "discord-token",
        &["run ⟦MTIzNDU2Nzg5MDEyMzQ1Njc4.G~~~~~.~~~~~~~~~~~~~~~~~~~~~~~~~~~⟧ now"],
    );
}
