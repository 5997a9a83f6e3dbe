//! Makes up secrets of every kind, for tests and measurements: none is anybody's.

use super::{
    alphabet::{ALNUM, DIGIT, HEX},
    token_rows::TOKENS,
    vendor::VENDORS,
};

/// What the tables of tokens and vendors do not make up: each `~` is a letter or a digit, each `^` a hexadecimal digit,
/// each `#` a digit.
#[rustfmt::skip]
const TEMPLATES: &[(&str, &str)] = &[
    ("password", "db_password = \"~~~~9~~~~x\""),
    ("password", "DB_PASSWORD=~~~~9~~~~x"),
    ("password", "mysql -u app -p~~~~9~~~~x shop"),
    ("password", "curl -u app:~~~~9~~~~x https://api.acme.io/"),
    ("password", "machine api.acme.io login app password ~~~~9~~~~x"),
    ("url-password", "postgres://app:~~~~9~~~~x@db.acme.io/shop"),
    ("secret", "client_secret: ~~~~~~~~~~~~~~~~~~~~9x"),
    ("token", "ACME_TOKEN=~~~~~~~~~~~~~~~~~~~~9x"),
    ("token", "x acme_~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~ y"),
    ("key", "api_key = \"~~~~~~~~~~~~~~~~~~~~9x\""),
    ("credential", "Authorization: Bearer ~~~~~~~~~~~~~~~~~~~~9x"),
    ("session", "Cookie: session=~~~~~~~~~~~~~~~~~~~~~~~~~~~~9x"),
    ("code", "door code: 4#7#5"),
    ("code", "your one-time code is 5####6. It ends"),
    ("signature", "https://acme.io/b?sv=2020&sig=~~~~~~~~~~~~~~~~~~~~~~~~9x%3D"),
    ("jwt", "eyJ~~~~~~~~~~~~~~~~.eyJ~~~~~~~~~~~~~~~~.~~~~~~~~~~~~~~~~~~~~~~~~"),
    ("private-key", "-----BEGIN PRIVATE KEY-----\nMII~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n-----END PRIVATE KEY-----"),
    ("seed-phrase", "mnemonic: fern moss pond reed lark wren oak ash elm yew fig plum"),
    ("kubernetes-secret", "kind: Secret\ndata:\n  pw: ~~~~~~~~~~~~~~~~~~~9\n"),
    ("recovery-code", "recovery codes:\n  1^2b3-4c5d^  7e8f9-0a1b2\n"),
    ("totp-secret", "otpauth://totp/acme:ann?secret=JBSWY3DPEHPK3PXP&issuer=acme"),
    ("webhook", "https://hooks.slack.com/services/T~~~~~~~~/B~~~~~~~~/~~~~~~~~~~~~~~~~~~~~~~9x"),
    ("discord-token", "MTIzNDU2Nzg5MDEyMzQ1Njc4.~~~~~9.~~~~~~~~~~~~~~~~~~~~~~~~~~~9"),
    ("twilio-key", "SK^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^9"),
];

/// Makes up a text with a secret for every row of the tables, each with the kind of its secret. The same seed makes up the
/// same ones.
pub fn make_up_samples(seed: u32) -> Vec<(&'static str, String)> {
    let mut seed = seed;
    let mut samples = Vec::new();
    for row in &TOKENS {
        samples.push((row.kind, format!("x {} y", row.make_up(&mut seed))));
    }
    for row in &VENDORS {
        let text = format!("{}_x = \"{}\"", row.name, row.make_up(&mut seed));
        samples.push((row.name, text));
    }
    for (kind, template) in TEMPLATES {
        samples.push((*kind, fill_template(template, &mut seed)));
    }
    samples
}

fn fill_template(template: &str, seed: &mut u32) -> String {
    let mut text = String::new();
    for c in template.chars() {
        match c {
            '~' => text.push_str(&ALNUM.make_up(1, seed)),
            '^' => text.push_str(&HEX.make_up(1, seed)),
            '#' => text.push_str(&DIGIT.make_up(1, seed)),
            _ => text.push(c),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{locate_secrets, secret_kinds};

    #[test]
    fn every_kind_is_made_up_and_found() {
        let mut kinds = secret_kinds();
        for (kind, text) in make_up_samples(7) {
            let found = locate_secrets(&text);
            let found: Vec<_> = found.iter().map(|it| it.kind).collect();
            assert!(!found.is_empty(), "{kind}: {text}");
            kinds.retain(|it| !found.contains(it));
        }
        assert_eq!(kinds, [""; 0]);
    }
}
