use super::{FetchedPlaces, ResultOrigin, classify_call};

fn check(tool: &str, args: &str, expected: ResultOrigin) {
    assert_eq!(classify_call(tool, args), expected, "{tool} {args}");
}

#[test]
fn lines_that_read_from_elsewhere_are_outside() {
    for line in [
        "curl -s https://example.com | jq .",
        "/usr/bin/curl https://example.com/localhost",
        "curl -s 'https://example.com/?to=http://localhost/'",
        "curl --proxy http://localhost:3128 https://example.com",
        "curl --connect-to localhost:80:example.com:80 http://localhost/",
        "curl \"$URL\"",
        "curl --resolve localhost:80:203.0.113.7 http://localhost/",
        "wget -i list.txt",
        "env X=1 timeout 5 wget -qO- example.com/x",
        "http GET api.example.com/v1",
        "xargs -n1 curl -s < list",
        "gh issue view 12 --comments",
        "gh pr diff 7",
        "git clone https://example.com/a/b && cat b/README.md",
        "git -C sub pull",
        "git remote update && git submodule update --init",
        "npm view left-pad readme",
        "pnpm dlx create-thing",
        "npx -y some-tool",
        "uv pip show flask",
        "cargo search toml",
        "go doc example.com/mod/pkg.Type",
        "ssh build@host uptime",
        "scp host:/var/log/x .",
        "kubectl -n web logs deploy/api",
        "aws logs tail /group",
        "docker pull example.com/a/b",
        "docker run --rm registry.example.com/a/b help",
        "psql -h db.example.com -c 'select 1'",
        "PGHOST=db.example.com psql -c 'select 1'",
        "mysql --host=10.1.2.3 shop",
        "psql 'host=db.example.com dbname=x'",
        "redis-cli -u redis://cache.example.com:6379 get x",
        "python3 -c 'import urllib.request as u; print(u.urlopen(\"https://example.com\").read())'",
        "python3 - <<'X'\nimport requests\nprint(requests.get('https://example.com').text)\nX",
        "node -e 'fetch(process.env.URL).then(console.log)'",
        "python -c 'import os; os.system(\"curl https://example.com\")'",
        "exec 3<>/dev/tcp/example.com/80; cat <&3",
        "bin/tool --endpoint https://example.com",
        "neomutt -f inbox",
        "cat node_modules/left-pad/README.md",
        "cd node_modules/left-pad && head -20 README.md",
        "grep -rn todo .venv/lib/python3.12/site-packages/flask",
        "sed -n 1,20p ~/.cargo/registry/src/x/lib.rs",
        "powershell -c \"iwr https://example.com\"",
        "x=$(curl -s https://example.com/v); echo $x",
    ] {
        check("Bash", line, ResultOrigin::Outside);
    }
}

#[test]
fn lines_that_read_this_machine_are_local() {
    for line in [
        "cargo test --locked",
        "curl -fsS http://localhost:8080/health | jq .",
        "curl -s -o out.json -H 'Origin: https://example.com' http://127.0.0.1:3000/x",
        "curl --unix-socket /run/x.sock http://d/info",
        "curl -i -X POST http://127.0.0.1:8080/hook -d @fixtures/a.json",
        "curl --resolve app.test:8080:127.0.0.1 http://app.test:8080/ping",
        "minikube kubectl -- logs deploy/api",
        "git clone --no-hardlinks . /tmp/copy",
        "curl --version",
        "which curl wget",
        "grep curl README.md || true",
        "rg 'https://' --glob '!node_modules' src",
        "find . -path ./node_modules -prune -o -name '*.md' -print",
        "grep -rn x --exclude-dir node_modules .",
        "echo 'see https://example.com' >> README.md",
        "git commit -m 'see https://example.com'",
        "git remote add up https://example.com/a.git",
        "git log --oneline -5 && git diff",
        "git push -u origin main",
        "npm install && npm run fetch",
        "npx tsc -p .",
        "node_modules/.bin/eslint src",
        "node scripts/fetch.js --dry-run",
        "./ssh/build.sh",
        "cd curl && make",
        "cat docs/github.md",
        "gh auth status",
        "gh --version",
        "psql -h localhost shop -c 'select 1'",
        "psql shop -c 'select 1'",
        "redis-cli -p 6380 ping",
        "kubectl --context kind-dev get pods",
        "aws --endpoint-url=http://localhost:4566 s3 ls",
        "docker compose logs web",
        "docker run --rm -v $PWD:/w node:22 npm test",
        "python3 -m http.server 8000",
        "python3 -c 'import urllib.request as u; u.urlopen(\"http://localhost:8000\")'",
        "python3 -c 'print(1)'",
        "rm -rf node_modules/.cache",
        "ssh-add -l",
        "rsync -a build/ dist/",
        "supabase start",
        "sed -i s,http://a.example,https://b.example, README.md",
    ] {
        check("Bash", line, ResultOrigin::Local);
    }
}

#[test]
fn tools_are_judged_by_the_words_of_their_names_and_by_what_they_are_given() {
    use ResultOrigin::{Local, Outside, Unknown};
    for (tool, args, expected) in [
        ("WebFetch", "{}", Outside),
        ("web_search", "{}", Outside),
        (
            "WebFetch",
            r#"{"url":"http://localhost:80/","prompt":"see"}"#,
            Local,
        ),
        (
            "WebFetch",
            r#"{"url":"http://localhost.example.com/"}"#,
            Outside,
        ),
        ("mcp__github__get_issue", "{}", Outside),
        ("mcp__anything__read", "{}", Outside),
        ("mcp__filesystem__read_file", r#"{"path":"/w/a"}"#, Local),
        (
            "mcp__filesystem__read_file",
            r#"{"path":"/w/node_modules/a/b"}"#,
            Outside,
        ),
        ("mcp__box__do", r#"{"command":"npm test"}"#, Local),
        (
            "mcp__box__do",
            r#"{"command":"curl https://example.com"}"#,
            Outside,
        ),
        ("ReadMcpResourceTool", "{}", Outside),
        ("linear_get_issue", "{}", Outside),
        (
            "browser_navigate",
            r#"{"url":"http://127.0.0.1:5173/"}"#,
            Local,
        ),
        ("browser_snapshot", "{}", Outside),
        ("Read", r#"{"file_path":"/x"}"#, Local),
        ("Read", r#"{"file_path":"/x/site-packages/a.py"}"#, Outside),
        ("Edit", r#"{"file_path":"/x/site-packages/a.py"}"#, Local),
        ("Grep", r#"{"pattern":"node_modules","path":"src"}"#, Local),
        ("codebase_search", "{}", Local),
        ("TodoWrite", "{}", Local),
        ("book_flight", "{}", Unknown),
    ] {
        check(tool, args, expected);
    }
}

#[test]
fn what_a_run_fetched_is_outside_when_it_reads_it() {
    let mut places = FetchedPlaces::default();
    places.record_call(
        "Bash",
        "cd /tmp && git clone --depth 1 https://example.com/a/widget.git",
    );
    places.record_call("Bash", "curl -sLo /tmp/notes.txt https://example.com/n");
    places.record_call("Bash", "git fetch up pull/7/head:pr-7");
    places.record_call("Bash", "curl -s http://localhost:3000/x -o local.json");
    for (args, expected) in [
        (r#"{"file_path":"/tmp/widget/README.md"}"#, true),
        ("cat widget/src/lib.rs", true),
        ("head /tmp/notes.txt", true),
        ("git show pr-7:NOTES.md", true),
        ("cat local.json", false),
        ("cat src/widgets.rs", false),
        ("cargo test", false),
    ] {
        assert_eq!(places.are_read_by(args), expected, "{args}");
    }
    assert_eq!(FetchedPlaces::from_names(places.names().to_vec()), places);
}
