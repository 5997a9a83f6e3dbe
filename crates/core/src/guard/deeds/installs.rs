//! Finds commands that install packages from another place than usual, or packages with nearly the name of another.

use super::{
    Deed,
    named_lines::NamedLine,
    tables::{TABLES, join_letters},
};
use crate::{
    ShellCommand, ShellLine,
    outside::host,
    safety,
    shell::{is_listed, is_python},
};

const FROM_ELSEWHERE: Deed = Deed::grave("would install from a place that is not known for it");
const LOOKS_ALIKE: Deed =
    Deed::grave("would install a package whose name is nearly that of a well-known one");

pub(super) fn judge_line(line: &ShellLine, named: &NamedLine<'_>) -> Option<Deed> {
    if references_lookalike(named.line) {
        return Some(LOOKS_ALIKE);
    }
    if replaces_module(named.line) {
        return Some(FROM_ELSEWHERE);
    }
    let mut commands = line.commands.iter();
    commands.find_map(|command| {
        if changes_source(command) {
            Some(FROM_ELSEWHERE)
        } else {
            judge_command(command)
        }
    })
}

/// Returns whether a command sets a place to install from: a variable, an option, an entry of a program's settings.
fn changes_source(command: &ShellCommand) -> bool {
    let reroutes = |key: &str| {
        let is_rule = key.to_ascii_lowercase().ends_with(".insteadof");
        is_rule && key.strip_prefix("url.").is_some_and(is_unknown_source)
    };
    let mut settings = safety::find_settings(command);
    let sets = settings.any(|setting| {
        let name = join_letters(setting.name);
        let mut values = setting.value.unwrap_or_default().split([',', '|', ' ']);
        TABLES.has_part("sources", &name) && values.any(is_unknown_source)
    });
    sets || command.has_arg(reroutes)
}

fn judge_command(command: &ShellCommand) -> Option<Deed> {
    let args = find_installation(command)?;
    let is_image = is_listed("docker podman", command.program());
    let is_source = |word: &&str| {
        let names_host =
            is_image && word.contains('/') && !word.contains('=') && host::looks_like_host(word);
        is_unknown_source(word) || names_host && is_unknown_source(&format!("https://{word}"))
    };
    if args.iter().any(is_source) {
        return Some(FROM_ELSEWHERE);
    }
    let mut names = args.iter().filter(|word| !word.starts_with('-'));
    names.any(|name| imitates_name(name)).then_some(LOOKS_ALIKE)
}

/// Returns the words behind the subcommand that installs, or behind a program that runs what it installs.
fn find_installation(command: &ShellCommand) -> Option<Vec<&str>> {
    let words: Vec<&str> = command.texts();
    let at = usize::from(is_python(command.program()) && words.get(2) == Some(&"pip")) * 2;
    if is_listed("npx bunx uvx pnpx", command.program()) {
        let name = words.iter().skip(1).find(|word| !word.starts_with('-'))?;
        return Some(vec![name]);
    }
    let mut verbs = words.iter().skip(at + 1).take(4);
    let verb = verbs.position(|word| TABLES.lists("install_verbs", word))?;
    let installs = at > 0 || TABLES.lists("installers", command.program());
    installs.then(|| words[at + verb + 2..].to_vec())
}

/// Returns whether a word is an address to install from that is not known for it. Somebody's repository is not, whoever
/// has it.
pub(super) fn is_unknown_source(word: &str) -> bool {
    let is_fork = ["git+", "github:", "git:"]
        .iter()
        .any(|start| word.starts_with(start));
    is_fork || host::parse_host(word).is_some() && !is_known_source(word)
}

/// Returns whether the value of an option for sources is a usual one: a known place, one within a company, a name.
fn is_known_source(value: &str) -> bool {
    let Some(place) = host::parse_host(value) else {
        return !host::looks_like_host(value) || value.starts_with('$');
    };
    let is_internal = place.split('.').any(|part| TABLES.lists("internal", part));
    is_known_installer(value) || is_internal && !value.contains("http://")
}

/// Returns whether an address is known for the installer of a program, or one that nobody outside can have.
pub(super) fn is_known_installer(address: &str) -> bool {
    let place = host::parse_host(address).unwrap_or_default();
    let mut ends = place.match_indices('.').map(|(at, _)| &place[at + 1..]);
    let is_known = TABLES.lists("places", place) || ends.any(|end| TABLES.lists("places", end));
    let owner = address.split('/').nth(3).unwrap_or_default();
    let is_forge = is_listed("raw.githubusercontent.com github.com", place);
    let is_own = is_forge && TABLES.lists("owners", owner);
    is_private_host(place) || (is_known || is_own) && !address.contains("http://")
}

/// Returns whether a host is one that nobody outside can be called: a private address, a name of no domain.
pub(super) fn is_private_host(place: &str) -> bool {
    let end = place.rsplit('.').next().unwrap_or(place);
    let is_private = ["10.", "192.168.", "172.16."]
        .iter()
        .any(|start| place.starts_with(start));
    let is_unregistered = TABLES.lists("unregistered", end) || !place.contains('.');
    !place.is_empty() && (is_private || is_unregistered || host::is_local_host(place))
}

/// Returns whether a step of a workflow or an image has nearly the name of a well-known one: `uses: actoins/checkout`.
fn references_lookalike(line: &str) -> bool {
    let mut marks = ["uses: ", "image: ", "FROM "].iter();
    let reference = marks.find_map(|mark| line.trim_start_matches("- ").strip_prefix(mark));
    let name = reference.and_then(|reference| reference.split([' ', '@', ':']).next());
    let name = name.filter(|name| !name.starts_with('.'));
    let mut parts = name.unwrap_or_default().split('/');
    parts.any(|part| imitates_one_of(part, &["packages", "owners", "steps"]))
}

/// Returns whether a line of `go.mod` takes a module from somewhere else than a folder of the project.
fn replaces_module(line: &str) -> bool {
    let replacement = line
        .strip_prefix("replace ")
        .and_then(|rest| rest.split_once(" => "));
    replacement.is_some_and(|(_, place)| host::looks_like_host(place.trim_start()))
}

/// Returns whether a package has nearly the name of a well-known one.
fn imitates_name(word: &str) -> bool {
    let end = word
        .find(['=', '<', '>', '[', '~', ',', ';'])
        .unwrap_or(word.len());
    let name = word[..end]
        .split_once('@')
        .map_or(&word[..end], |(name, _)| name);
    if name.contains(['/', '-']) && !name.contains(':') && !TABLES.lists("packages", name) {
        return name.split(['/', '-']).any(imitates_name);
    }
    imitates_one_of(name, &["packages"])
}

/// Returns whether a name is in none of these lists, and nearly one in them.
fn imitates_one_of(name: &str, lists: &[&str]) -> bool {
    const NAME_CHARS: usize = 5;
    let is_near = |list: &&str| {
        let mut known = TABLES
            .words(list)
            .iter()
            .filter(|known| known.len() >= NAME_CHARS);
        known.any(|known| is_one_off(name.as_bytes(), known.as_bytes()))
    };
    name.len() >= NAME_CHARS
        && !lists.iter().any(|list| TABLES.lists(list, name))
        && lists.iter().any(is_near)
}

/// Returns whether two names differ by one letter: another, one more, one less, or two that changed places.
fn is_one_off(one: &[u8], other: &[u8]) -> bool {
    let start = one.iter().zip(other).take_while(|(a, b)| a == b).count();
    match (&one[start..], &other[start..]) {
        ([_, one @ ..], other) | (other, [_, one @ ..]) if one == other => true,
        ([_, one @ ..], [_, other @ ..]) if one == other => true,
        ([a, b, one @ ..], [c, d, other @ ..]) => a == d && b == c && one == other,
        _ => false,
    }
}
