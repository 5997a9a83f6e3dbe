//! Recognises programs written on the command line, such as `python -c '…'`, that fetch.

use super::{host, programs};
use crate::{
    ShellCommand,
    shell::{base_name, is_listed, is_python},
};

const INTERPRETERS: &str = "node nodejs deno bun ruby perl php Rscript lua elixir julia osascript pwsh powershell groovy tclsh ts-node tsx irb";

/// Parts of code that reads from a network, in lower case.
const NETWORK_APIS: &str = "urllib urlopen requests. http.client httpx aiohttp socket fetch( axios net/http net::http open-uri lwp \
    http:: io::socket curl_ node:http node:net 'http' \"http\" 'https' \"https\" https.get http.get \
    https.request http.request get_contents('http get_contents(\"http xmlhttprequest paramiko imaplib poplib \
    ftplib telnetlib xmlrpc grpc webclient webrequest restmethod undici feedparser boto3 slack_sdk \"curl 'curl \"wget 'wget `curl `wget (curl (wget clipboard \
    getprint tcpsocket read_csv(\"http read_csv('http";

/// Returns the place of the interpreter that a command hands code to: `uv run python -`, `docker exec -i app node`.
///
/// A runner of the project may stand before it where code follows in a here-document: `./run py -`.
pub(crate) fn find_interpreter(command: &ShellCommand, has_heredoc: bool) -> Option<usize> {
    let is_one = |name: &str| name == "py" || is_python(name) || is_listed(INTERPRETERS, name);
    let mut words = command.words.iter();
    let at = words.position(|word| is_one(base_name(&word.text)))?;
    let starts = at == 0 || has_heredoc || command.wrapped_command().is_some();
    starts.then_some(at)
}

/// Returns the code that a command gets as an argument or on its standard input, if any.
pub(crate) fn extract_inline_code(
    command: &ShellCommand,
    line: &str,
    has_heredoc: bool,
) -> Option<String> {
    let args = &command.words[find_interpreter(command, has_heredoc)? + 1..];
    let is_mark = |text: &str| {
        let is_short = text.starts_with('-') && !text.starts_with("--") && text != "-m";
        is_short && text.len() < 20 && text.contains(['c', 'e', 'r', 'E', 'M', 'p'])
            || is_listed("--eval --print eval -Command -command", text)
    };
    if args.iter().take(4).any(|word| is_mark(&word.text)) {
        let code: Vec<&str> = args.iter().map(|word| word.text.as_str()).collect();
        return Some(code.join(" "));
    }
    let has_no_script = args.iter().all(|word| word.text.starts_with(['-', '<']));
    (has_heredoc && has_no_script).then(|| line.to_owned())
}

/// Returns whether code prints what a module says of itself, which is mostly a dependency.
pub(super) fn prints_documentation(code: &str) -> bool {
    const DOCUMENTATION: [&str; 4] = ["help(", "__doc__", "getsource(", "getdoc("];
    DOCUMENTATION.iter().any(|call| code.contains(call))
}

/// Returns whether code fetches from another machine.
pub(crate) fn code_fetches(code: &str) -> bool {
    let lower = code.to_ascii_lowercase();
    // Whatever library it hands an address to.
    let addresses = lower
        .split(['"', '\'', '`'])
        .filter(|text| text.contains("://"));
    let mut hosts = addresses.filter_map(host::parse_host);
    if hosts.any(|host| !host::is_local_host(host)) {
        return true;
    }
    let mut apis = NETWORK_APIS.split(' ').chain(["curl ", "wget "]);
    if !apis.any(|word| lower.contains(word)) {
        return false;
    }
    let mut hosts = host::find_hosts(&lower).peekable();
    let is_local = match hosts.peek() {
        Some(_) => hosts.all(host::is_local_host),
        None => {
            let mut strings = lower.split(['"', '\'']).filter(|part| !part.is_empty());
            strings.any(|string| host::is_local_host(string.split(':').next().unwrap_or(string)))
        }
    };
    !is_local
}

/// Returns the files that code writes: the names in its statements that write.
pub(super) fn find_written_files(code: &str) -> impl Iterator<Item = &str> {
    const WRITES: [&str; 10] = [
        "write", "save", "dump", "retrieve", "'w", "\"w", "'a'", "copy", "move", "rename",
    ];
    let statements = code.split(['\n', ';']);
    let writing = statements.filter(|code| WRITES.iter().any(|word| code.contains(word)));
    let names = writing.flat_map(quoted_names);
    names.filter(|name| name.trim_matches('.').contains('.'))
}

/// Returns the texts between quotation marks that have only what a path has.
pub(crate) fn quoted_names(code: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '/' | '~');
    let texts = code.split(['"', '\'', '`']);
    texts.filter(move |text| text.chars().all(is_part))
}

/// Returns whether a line opens a network socket through the shell itself.
pub(super) fn opens_socket(line: &str) -> bool {
    let after = |(at, mark): (usize, &str)| line[at + mark.len()..].split('/').next();
    let hosts = ["/dev/tcp/", "/dev/udp/"].into_iter();
    let mut hosts = hosts
        .flat_map(|mark| line.match_indices(mark))
        .filter_map(after);
    hosts.any(|host| !host::is_local_host(host))
}

/// Returns whether a program is known for fetching.
pub(crate) fn is_fetcher(program: &str) -> bool {
    is_listed(programs::FETCHERS, &program.to_ascii_lowercase())
}
