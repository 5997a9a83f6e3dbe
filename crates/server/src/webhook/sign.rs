//! Secrets and signatures in the form of [Standard Webhooks](https://www.standardwebhooks.com).

use std::{fmt, io};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde::{Deserialize, Serialize};
use sha2::Sha256;

/// What a secret begins with, so that scanners can tell it from other text.
const PREFIX: &str = "whsec_";

/// The secret that a webhook's deliveries are signed with. Both sides have to know it, so it is kept as it is.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct WebhookSecret(String);

impl WebhookSecret {
    /// Draws a secret that nobody can guess.
    pub(crate) fn draw() -> io::Result<Self> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).map_err(io::Error::other)?;
        Ok(Self::from_bytes(bytes))
    }

    pub(crate) fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(STANDARD.encode(bytes))
    }

    /// Returns the secret as text, to be shown to its holder once.
    pub(crate) fn reveal(&self) -> String {
        format!("{PREFIX}{}", self.0)
    }

    /// Signs a delivery: its id, its time in seconds since 1970, and its body.
    pub(crate) fn sign(&self, id: &str, seconds: i64, body: &str) -> String {
        let key = STANDARD.decode(&self.0).unwrap_or_default();
        let mut mac = Hmac::<Sha256>::new_from_slice(&key).expect("a key may have any length");
        mac.update(format!("{id}.{seconds}.{body}").as_bytes());
        format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
    }
}

impl fmt::Debug for WebhookSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WebhookSecret")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the specification.
    #[test]
    fn a_signature_is_that_of_the_specification() {
        let secret = WebhookSecret("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw".to_owned());
        let body = r#"{"test": 2432232314}"#;
        let signature = secret.sign("msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, body);
        assert_eq!(signature, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    #[test]
    fn a_secret_is_not_printed() {
        let secret = WebhookSecret::from_bytes([0; 32]);
        assert_eq!(format!("{secret:?}"), "WebhookSecret");
        assert!(secret.reveal().starts_with("whsec_AAAA"));
    }
}
