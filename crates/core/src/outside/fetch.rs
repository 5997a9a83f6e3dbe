//! Decides whether a program that fetches, such as `curl`, does so from another machine.

use super::{
    host::{find_host, is_local_host},
    programs,
};
use crate::{ShellCommand, shell::is_listed};

/// Options of fetching programs whose value is not an address.
const VALUE_OPTIONS: &str = "--header --data --data-raw --data-binary --data-urlencode --json --form --output --request --user --proxy \
    --preproxy --socks5 --socks5-hostname --user-agent --cookie --referer --write-out --max-time --connect-timeout --retry \
    --retry-delay --retry-max-time --cert --key --cacert --upload-file --range --interface --noproxy --cookie-jar --output-dir \
    --post-data --post-file --body-data --method --timeout --tries --auth -Method -Headers -Body -OutFile";
const VALUE_LETTERS: &str = "HdoXuxAbceFTwmEPrUOa";

/// Returns whether a fetching program fetches from another machine; it does if no address is visible.
pub(super) fn command_fetches(command: &ShellCommand) -> bool {
    let args = command.args();
    if args
        .iter()
        .any(|word| word.text.starts_with("--unix-socket"))
    {
        return false;
    }
    // These options change the real address, or contain the addresses; `curl -i` only prints headers.
    let redirects = |text: &str| {
        is_listed("--connect-to -K --config --input-file", text)
            || (text == "-i" && !command.program().starts_with("curl"))
    };
    if args.iter().any(|word| redirects(&word.text)) {
        return true;
    }
    // `--resolve name:port:address`
    let mut addresses = programs::option_values(command, "--resolve");
    let leads_here = |value: &str| is_local_host(value.splitn(3, ':').nth(2).unwrap_or(value));
    if let Some(first) = addresses.next() {
        return !leads_here(first) || addresses.any(|value| !leads_here(value));
    }
    let mut is_value = false;
    let mut targets = args.iter().filter_map(|word| {
        let text = word.text.as_str();
        if std::mem::take(&mut is_value) {
            return None;
        }
        is_value = is_listed(VALUE_OPTIONS, text) || takes_value(text);
        if text.starts_with(':') {
            return Some("localhost");
        }
        find_host(text)
    });
    let first = targets.next();
    first.is_none_or(|host| !is_local_host(host)) || targets.any(|host| !is_local_host(host))
}

/// Returns whether the last of several short options takes a value: `-sSo file`.
fn takes_value(text: &str) -> bool {
    let letters = text.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
    letters.is_some_and(|letter| {
        letter.chars().count() <= 5 && letter.ends_with(|c| VALUE_LETTERS.contains(c))
    })
}
