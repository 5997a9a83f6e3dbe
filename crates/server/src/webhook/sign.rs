//! Secrets and signatures in the form of [Standard Webhooks](https://www.standardwebhooks.com).

use std::io;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use hardwon_core::api_key::WebhookSecret;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

/// What a secret begins with, so that scanners can tell it from other text.
const PREFIX: &str = "whsec_";

/// Draws a secret that nobody can guess.
pub(crate) fn draw_secret() -> io::Result<WebhookSecret> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(WebhookSecret::from_bytes(bytes))
}

/// Returns a secret as text, to be shown to its holder once.
pub(crate) fn reveal_secret(secret: &WebhookSecret) -> String {
    format!("{PREFIX}{}", STANDARD.encode(secret.expose()))
}

/// Signs a delivery: its id, its time in seconds since 1970, and its body.
pub(crate) fn sign_delivery(secret: &WebhookSecret, id: &str, seconds: i64, body: &str) -> String {
    sign_bytes(secret.expose(), &format!("{id}.{seconds}.{body}"))
}

fn sign_bytes(key: &[u8], text: &str) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("a key may have any length");
    mac.update(text.as_bytes());
    format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the specification.
    #[test]
    fn a_signature_is_that_of_the_specification() {
        let key = STANDARD.decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
        let text = r#"msg_p5jXN8AQM9LWM0D4loKWxJek.1614265330.{"test": 2432232314}"#;
        let signature = sign_bytes(&key, text);
        assert_eq!(signature, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    #[test]
    fn a_secret_is_shown_as_scanners_know_it() {
        let secret = WebhookSecret::from_bytes([0; 32]);
        assert!(reveal_secret(&secret).starts_with("whsec_AAAA"));
    }
}
