//! Decides when two commands are similar: same interface, same goal, shared arguments.

use crate::{
    ShellCommand,
    shell::{self, is_listed},
};

/// Programs that can replace the first of each row. Shared arguments must show that they did.
const SUBSTITUTES: &str = "\
    xxd: od hexdump python3 python perl; od: xxd hexdump python3 python; hexdump: xxd od python3 python; bc: python3 \
    python awk perl dc expr node; dc: bc python3 python awk; ifconfig: ip hostname; ip: ifconfig hostname; netstat: \
    ss lsof; ss: netstat lsof; lsof: ss netstat fuser; rg: grep ag ack egrep; ag: grep rg ack; ack: grep rg; fd: \
    find; locate: find; tree: find ls; curl: wget http python3 python; wget: curl python3 python; jq: python3 python \
    node; yq: python3 python; nc: ncat socat telnet python3 python; netcat: nc ncat socat python3 python; telnet: nc \
    ncat python3 python; nslookup: dig host getent; dig: nslookup host getent; host: getent dig nslookup; unzip: \
    python3 python 7z jar bsdtar; zip: python3 python tar 7z; 7z: unzip python3 tar; unrar: 7z bsdtar unar; vim: ed \
    sed nano; nano: sed ed vi vim; strings: grep python3 python; file: python3 xxd od; killall: pkill kill; pkill: \
    kill killall; pstree: ps; docker: podman; docker-compose: docker podman-compose; yarn: npm pnpm npx; pnpm: npm \
    yarn npx; bun: npm pnpm yarn node; npm: yarn pnpm bun; md5: md5sum openssl; md5sum: openssl md5 python3; shasum: \
    sha256sum sha1sum openssl; sha256sum: shasum openssl python3; gsed: sed; gawk: awk; gtimeout: timeout; \
    timeout: gtimeout; gradle: gradlew; mvn: mvnw; greadlink: readlink realpath; rsync: cp scp tar; service: systemctl; systemctl: service; bat: cat; exa: ls; eza: \
    ls; python: python3; python2: python python3 2to3; python3: python; pip: pip3 python3 python uv; pip3: pip \
    python3 python uv; node: nodejs bun deno; nodejs: node; column: awk paste; shuf: sort awk python3; rename: mv; \
    finger: getent id who; ack-grep: grep; uuidgen: python3 python cat; convert: magick python3; gmake: make; mysql: \
    mariadb python3; sqlite3: python3 python; psql: python3 python; tac: awk sed python3; seq: awk python3; ping: \
    curl nc getent; traceroute: tracepath mtr";

/// Returns whether `used` is known as a replacement for `missing`.
pub(super) fn can_replace(missing: &str, used: &str) -> bool {
    let mut rows = SUBSTITUTES
        .split("; ")
        .filter_map(|row| row.split_once(": "));
    rows.any(|(program, others)| program == missing && is_listed(others, used))
}

/// Words too common to identify the work that is done.
const COMMON: &str = "true false null none the and for with from this that test tests main code data file files \
    python python3 print import name type json text list node http https";

/// Returns whether two commands, with what is piped into them, share something that identifies their work: a path, a
/// name, a number, a literal.
pub(super) fn shares_goal(one: &[&str], two: &[&str]) -> bool {
    let telling = |words: &[&str]| -> Vec<String> {
        words.iter().flat_map(|word| tokenize_goal(word)).collect()
    };
    let first = telling(one);
    telling(two).iter().any(|token| first.contains(token))
}

fn tokenize_goal(word: &str) -> Vec<String> {
    word.split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|token| {
            let has_digit = token.chars().any(|c| c.is_ascii_digit());
            token.chars().count() >= if has_digit { 2 } else { 4 }
        })
        .map(str::to_lowercase)
        .filter(|token| !is_listed(COMMON, token))
        .collect()
}

/// Returns the kind of work that a script's name stands for, if it is a known one.
pub(super) fn find_purpose(name: &str) -> Option<&'static str> {
    const PURPOSES: [(&str, &str); 7] = [
        (
            "test",
            "test tests unit spec specs check jest vitest mocha pytest unittest nosetests nose2 rspec phpunit ava tap",
        ),
        ("lint", "lint eslint clippy ruff flake8 biome"),
        ("format", "fmt format prettier black"),
        ("types", "typecheck types tsc mypy pyright type"),
        ("build", "build compile bundle dist"),
        ("serve", "start dev serve run watch preview"),
        ("release", "deploy release publish"),
    ];
    name.split([':', '-', '_', '.', '/', ' ']).find_map(|part| {
        let row = PURPOSES.iter().find(|(_, names)| is_listed(names, part));
        row.map(|(purpose, _)| *purpose)
    })
}

/// Returns whether one name is a typo of the other: an edit or two apart, or two neighbours swapped, and neither a
/// longer form of the other.
pub(super) fn is_typo(wrong: &str, right: &str) -> bool {
    let cut = |name: &str| -> String { name.chars().take(40).collect() };
    let (wrong, right) = (cut(wrong), cut(right));
    let length = wrong.chars().count();
    let is_longer_form = right.starts_with(&wrong) && right.chars().count() - length > 1;
    if wrong == right || length < 3 || is_longer_form {
        return false;
    }
    strsim::osa_distance(&wrong, &right) <= if length <= 4 { 1 } else { 2 }
}

/// Returns whether a command sets something up that later commands may need.
pub(super) fn is_setup_command(command: &ShellCommand) -> bool {
    let label = command.label();
    let program = command.program();
    let first = command.operands().first().copied().unwrap_or_default();
    const VERBS: &str = "install add sync ci i require restore update";
    const ALONE: &str = "configure ssh-add createdb corepack pg_ctl redis-server dockerd initdb";
    const OF_PYTHON: &str = "-m pip; -m venv; -m ensurepip; manage.py migrate";
    let last = label.rsplit(' ').next().unwrap_or_default();
    let ends = |list: &str| list.split("; ").any(|end| label.ends_with(end));
    is_listed(INSTALLERS, program) && is_listed(VERBS, last)
        || shell::is_python(program) && ends(OF_PYTHON)
        || SETUP_LABELS.split("; ").any(|known| known == label)
        || (program == "chmod" && first.contains('x'))
        || is_listed(ALONE, program)
}

const INSTALLERS: &str = "pip pip3 uv poetry pipenv pdm npm yarn pnpm bun apt apt-get brew dnf yum apk pacman cargo gem \
    bundle composer conda mamba rustup dotnet go opam cabal stack nix snap";
const SETUP_LABELS: &str = "\
    go mod tidy; go mod download; go get; cargo fetch; terraform init; tofu init; helm dependency; docker compose \
    up; docker-compose up; docker start; docker login; systemctl start; service; systemctl restart; git submodule \
    update; git submodule init; git submodule; git init; git config; git fetch; alembic upgrade; gh auth login; aws \
    sso; gcloud auth; az login; rustup target add; rustup component add; rustup toolchain install; rustup default; \
    npm init; uv venv; poetry lock; cmake; bundle lock; flask db; rails db:migrate; rake db:migrate; dotnet tool \
    restore; pod install; git lfs; uv pip install";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_of_the_pen() {
        for (wrong, right, expected) in [
            ("gti", "git", true),
            ("biuld", "build", true),
            ("--verison", "--version", true),
            ("pyhton", "python", true),
            ("test", "test:unit", false),
            ("xxd", "od", false),
            ("master", "main", false),
            ("lint", "build", false),
            ("éa", "ea", false),
        ] {
            assert_eq!(is_typo(wrong, right), expected, "{wrong} {right}");
        }
    }

    #[test]
    fn shared_goals() {
        for (one, two, expected) in [
            (
                &["/testbed/textfile7.txt"][..],
                &["-An", "/testbed/textfile7.txt"][..],
                true,
            ),
            (&["obase=2;42"], &["print(bin(42)[2:])"], true),
            (&["a.txt"], &["b.txt"], false),
            (&["-l", "1"], &["-l", "1"], false),
        ] {
            assert_eq!(shares_goal(one, two), expected, "{one:?} {two:?}");
        }
    }
}
