use super::{classify_call, is_delegating_call};
use crate::ResultOrigin;

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
        "diff <(curl -s https://example.com/a) a",
        "eval \"curl -s https://example.com\"",
        "bash <<'E'\ncurl -s https://example.com\nE",
        "node -e \"import('node:https').then(h => h.get(u))\"",
        "ssh build@host help",
        "npx kit@latest help",
        "git subtree add --prefix libs/kit https://example.com/kit main",
        "npm pack @acme/kit",
        "kubectl explain shop.spec",
        "python3 -c \"import subprocess as s; print(s.getoutput('gh issue view 7'))\"",
        "python3 -c \"import subprocess; subprocess.run(['gh', 'issue', 'view', '7'])\"",
        "osascript -e 'the clipboard'",
        "python3 -c \"print(open('node_modules/kit/README.md').read())\"",
        "jq .description < node_modules/kit/package.json",
        "cp node_modules/kit/README.md kit.md",
        "while read l; do echo $l; done < <(curl -s https://example.com/n)",
        "uv run python - <<'P'\nimport httpx\nP",
        "./run py - <<'P'\nimport httpx\nP",
        "python3 -c \"import os; os.system('cd /tmp && curl https://example.com/x')\"",
        "npm view pack",
        "gh search repos pack",
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
        "ssh -V",
        "npx tsc --help",
        "bash <<'E'\nmake all\nE",
        "cat <<'E' > get.sh\ncurl -s https://example.com\nE",
        "npm pack",
        "npm pack ./web",
        "cp src/a.md docs/a.md",
        "wc -l < src/a.md",
        "python3 -c \"print('gh is a program')\"",
        "cp -r dist ../app/node_modules/lib",
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
        (
            "WebFetch",
            "page https://example.com/a\nhttp://localhost:3000/",
            Outside,
        ),
        (
            "WebFetch",
            r#"{"url":"page https://example.com/a\nhttp://localhost:3000/"}"#,
            Outside,
        ),
        ("WebFetch", "http://localhost:3000/", Local),
        ("mcp__github__get_issue", "{}", Outside),
        (
            "WebSearch",
            r#"{"query":"ECONNREFUSED http://localhost:3000"}"#,
            Outside,
        ),
        (
            "ReadMcpResourceTool",
            r#"{"uri":"wiki:///deploys"}"#,
            Outside,
        ),
        (
            "mcp__filesystem__read_file",
            r#"{"path":"https://example.com/a"}"#,
            Outside,
        ),
        ("mcp__anything__read", "{}", Outside),
        ("LSP", r#"{"operation":"hover"}"#, Unknown),
        ("mcp__serena__find_symbol", r#"{"name_path":"Kit"}"#, Local),
        ("mcp__ide__getDiagnostics", "{}", Local),
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
        (
            "AskUserQuestion",
            r#"{"questions":[{"question":"Edit ./node_modules/kit/a.js?","header":"vendor/kit","options":[{"label":"node_modules/kit","description":"node_modules/kit"}]}]}"#,
            Local,
        ),
        (
            "view_all",
            r#"{"files":[{"path":"/w/node_modules/kit/a.js"}]}"#,
            Outside,
        ),
        ("codebase_search", "{}", Local),
        ("TodoWrite", "{}", Local),
        ("book_flight", "{}", Unknown),
    ] {
        check(tool, args, expected);
    }
}

#[test]
fn an_agents_program_works_for_a_call_that_gives_it_a_prompt() {
    for (line, expected) in [
        ("claude -p 'how do we deploy?'", true),
        ("cat plan.md | claude --print --model x", true),
        ("codex exec --json 'how do we deploy?'", true),
        ("opencode run how do we deploy", true),
        ("goose run -t 'how do we deploy?'", true),
        ("gemini --prompt=why", true),
        ("gemini -m flash 'how do we deploy?'", true),
        ("aider --message why src/a.py", true),
        ("cat question.md | gemini", true),
        ("goose up && make ship", false),
        ("goose -dir migrations postgres 'user=a dbname=b' up", false),
        ("copilot svc deploy --name web", false),
        ("claude --version; make ship", false),
        ("codex login", false),
        ("which claude", false),
    ] {
        assert_eq!(is_delegating_call("Bash", line), expected, "{line}");
    }
}
