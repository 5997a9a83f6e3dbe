//! Links that open the page once, for whoever started the server on their own machine.
//!
//! A link is good for one use and a minute. What is kept of it is a hash.

use std::{
    io,
    sync::Arc,
    time::{Duration, Instant},
};

use hardwon_core::{ProjectId, digest};
use parking_lot::Mutex;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use crate::{KeyId, SecretHash};

/// How long a link can be opened.
const GOOD_FOR: Duration = Duration::from_secs(60);
/// Most links that wait to be opened; another takes the place of the oldest.
const MAX_LINKS: usize = 16;

/// The links that nobody opened yet. Clones share them.
#[derive(Debug, Clone, Default)]
pub struct LoginLinks(Arc<Mutex<Vec<LoginLink>>>);

#[derive(Debug)]
struct LoginLink {
    token: SecretHash,
    key: KeyId,
    made: Instant,
}

impl LoginLinks {
    /// Makes a link that opens a session of this key, at a project if one is named, and returns its path, to be put behind
    /// the server's address.
    ///
    /// # Errors
    ///
    /// If the system has no random bytes.
    pub fn make_path(&self, key: &KeyId, project: Option<&ProjectId>) -> io::Result<String> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).map_err(io::Error::other)?;
        let token = digest::to_hex(&bytes);
        self.keep(&token, key, Instant::now());
        let project = project.map(|project| {
            format!(
                "?project={}",
                utf8_percent_encode(project.as_str(), NON_ALPHANUMERIC)
            )
        });
        Ok(format!("/login/{token}{}", project.unwrap_or_default()))
    }

    fn keep(&self, token: &str, key: &KeyId, made: Instant) {
        let mut links = self.0.lock();
        if links.len() >= MAX_LINKS {
            links.remove(0);
        }
        links.push(LoginLink {
            token: hash_token(token),
            key: key.clone(),
            made,
        });
    }

    /// Takes the key of a link, which is no link after that.
    pub(crate) fn take(&self, token: &str, now: Instant) -> Option<KeyId> {
        let hash = hash_token(token);
        let mut links = self.0.lock();
        links.retain(|link| now.saturating_duration_since(link.made) < GOOD_FOR);
        let place = links.iter().position(|link| link.token.matches(&hash))?;
        Some(links.remove(place).key)
    }
}

fn hash_token(token: &str) -> SecretHash {
    SecretHash::from_stored(digest::hash_parts([token.as_bytes()]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_good_once_and_for_a_minute() {
        let links = LoginLinks::default();
        let key = KeyId::parse("abcdefghij").unwrap();
        let start = Instant::now();
        let after = |seconds| start + Duration::from_secs(seconds);
        links.keep("one", &key, start);
        links.keep("two", &key, start);
        assert_eq!(links.take("three", after(1)), None);
        assert_eq!(links.take("one", after(59)), Some(key.clone()));
        assert_eq!(links.take("one", after(59)), None);
        assert_eq!(links.take("two", after(60)), None);
    }

    #[test]
    fn only_so_many_links_wait() {
        let links = LoginLinks::default();
        let key = KeyId::parse("abcdefghij").unwrap();
        let now = Instant::now();
        for number in 0..=MAX_LINKS {
            links.keep(&number.to_string(), &key, now);
        }
        assert_eq!(links.take("0", now), None);
        assert_eq!(links.take("1", now), Some(key));
    }
}
