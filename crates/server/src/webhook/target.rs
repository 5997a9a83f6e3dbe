//! Where a webhook may lead: to a public address over HTTPS, so that no tenant has the server talk to what only the
//! server can reach.
//!
//! A name is checked when it is set, and again at each delivery for the addresses that it leads to then.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use axum::http::Uri;
use ureq::{
    Error as Trouble,
    config::Config,
    unversioned::{
        resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver},
        transport::NextTimeout,
    },
};

/// Longest address, in bytes.
const URL_BYTES: usize = 2048;

/// An address that a webhook may lead to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WebhookTarget(pub(crate) String);

/// Checks the form of an address. `may_be_private`: whoever runs the server lets webhooks lead to its own network.
pub(crate) fn check_target(url: &str, may_be_private: bool) -> Result<WebhookTarget, &'static str> {
    if url.len() > URL_BYTES {
        return Err("this address is too long");
    }
    let uri: Uri = url.parse().map_err(|_| "this is no address")?;
    let authority = uri.authority().ok_or("an address names a host")?;
    if authority.as_str().contains('@') {
        return Err("an address with a password in it is not taken");
    }
    let host = authority
        .host()
        .trim_start_matches('[')
        .trim_end_matches(']');
    let address = host.parse::<IpAddr>().ok();
    if !may_be_private && address.is_some_and(|it| !is_public(it)) {
        return Err("this address is on a private network");
    }
    let is_loopback = host == "localhost" || address.is_some_and(|it| it.is_loopback());
    match uri.scheme_str() {
        Some("https") => Ok(WebhookTarget(url.to_owned())),
        Some("http") if is_loopback && may_be_private => Ok(WebhookTarget(url.to_owned())),
        _ => Err("an address begins with https://"),
    }
}

/// Returns whether an address is one of the public internet.
fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(it) => is_public_v4(it),
        IpAddr::V6(it) => is_public_v6(it),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let is_special = address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_documentation()
        || matches!((a, b, c), (0 | 224.., ..) | (100, 64..=127, _))
        || matches!((a, b, c), (192, 0, 0) | (192, 88, 99) | (198, 18 | 19, _));
    !is_special
}

/// Global unicast addresses, but for those that stand for one of another kind.
fn is_public_v6(address: Ipv6Addr) -> bool {
    if let Some(mapped) = address.to_ipv4_mapped() {
        return is_public_v4(mapped);
    }
    let [a, b, ..] = address.segments();
    let is_global = a & 0xe000 == 0x2000;
    // Teredo and other special uses, documentation, and 6to4.
    let is_special = a == 0x2001 && (b < 0x0200 || b == 0x0db8) || a == 0x2002 || a == 0x3fff;
    is_global && !is_special
}

/// Looks names up, and refuses those that lead to a private network.
#[derive(Debug, Default)]
pub(crate) struct PublicResolver {
    names: DefaultNames,
}

/// The system's look-up.
#[derive(Default)]
struct DefaultNames(DefaultResolver);

impl std::fmt::Debug for DefaultNames {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("DefaultNames")
    }
}

/// What stands in an error of a name that leads to a private network.
pub(crate) const PRIVATE: &str = "its name leads to a private network";

impl Resolver for PublicResolver {
    fn resolve(
        &self,
        uri: &Uri,
        config: &Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, Trouble> {
        let found = self.names.0.resolve(uri, config, timeout)?;
        match found.iter().all(|it| is_public(it.ip())) {
            true => Ok(found),
            false => Err(Trouble::Other(PRIVATE.into())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_public_addresses_over_https_are_taken() {
        let check = |url: &str, expected: Result<(), &str>, if_private: Result<(), &str>| {
            assert_eq!(check_target(url, false).map(drop), expected, "{url}");
            assert_eq!(check_target(url, true).map(drop), if_private, "{url}");
        };
        let (private, https) = (
            Err("this address is on a private network"),
            Err("an address begins with https://"),
        );
        check("https://hooks.example/in?a=b", Ok(()), Ok(()));
        check("https://8.8.8.8:8443/", Ok(()), Ok(()));
        check("http://hooks.example/", https, https);
        check("ftp://hooks.example/", https, https);
        check("http://localhost:9000/", https, Ok(()));
        check("http://127.0.0.1:9000/", private, Ok(()));
        check("https://10.0.0.8/", private, Ok(()));
        check("https://[::1]/", private, Ok(()));
        check("https://[::ffff:169.254.169.254]/", private, Ok(()));
        let no_host = Err("an address names a host");
        check("/in", no_host, no_host);
        let password = Err("an address with a password in it is not taken");
        check("https://a:b@hooks.example/", password, password);
        let nothing = Err("this is no address");
        check("https://hooks example/", nothing, nothing);
    }

    #[test]
    fn special_addresses_are_not_public() {
        for special in [
            "0.0.0.0",
            "10.1.2.3",
            "100.64.0.1",
            "127.9.9.9",
            "169.254.169.254",
            "172.16.0.1",
            "192.0.0.1",
            "192.0.2.1",
            "192.168.1.1",
            "198.18.0.1",
            "198.51.100.1",
            "203.0.113.1",
            "224.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:10.0.0.1",
            "64:ff9b::a00:1",
            "2001::1",
            "2001:db8::1",
            "2002:a00:1::",
            "fc00::1",
            "fe80::1",
            "ff02::1",
        ] {
            assert!(!is_public(special.parse().unwrap()), "{special}");
        }
        for public in [
            "1.1.1.1",
            "100.128.0.1",
            "172.32.0.1",
            "2606:4700::1111",
            "2001:4860::1",
        ] {
            assert!(is_public(public.parse().unwrap()), "{public}");
        }
    }
}
