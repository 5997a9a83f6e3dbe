# Runs everything that must be green before work is handed over.
check: fmt clippy test doc deny

# Formats, and fails if that changed anything.
fmt:
    cargo fmt --all --check

clippy:
    cargo clippy --workspace --all-targets --locked -- -D warnings
    cargo clippy -p hardwon-sim --features load,mcp --locked -- -D warnings

test:
    cargo test --workspace --locked

# Only the pure crates: the fast loop.
core:
    cargo test -p hardwon-redact -p hardwon-core

doc:
    RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked

# Licences, sources and duplicate crates. Needs `cargo install cargo-deny`.
deny:
    cargo deny --all-features check licenses bans sources

# Every speed budget next to its floor, in one run. `just bench 1k,10k` for less.
bench sizes="1k,10k,100k,1m":
    cargo build --release -p hardwon -p hardwon-sim
    target/release/hardwon-sim bench --hardwon target/release/hardwon --sizes {{sizes}}

# Every package of a release that this machine can make, tried out; `just release --trial` before one: docs/releasing.md.
release *targets:
    scripts/release/release.sh {{targets}}

# Other systems: clippy, a program of each, and a first day with those that wine and qemu can run. Long: docs/releasing.md.
platforms *targets:
    scripts/platforms/all.sh {{targets}}

# The seeded simulation: agents, faults and a reference model.
sim seed="1" steps="2000":
    cargo run --release -p hardwon-sim -- simulate --seed {{seed}} --steps {{steps}}

# Real agents with hardwon installed, against the scripted model; see docs/clients/README.md.
clients folder *names:
    cargo build -p hardwon
    scripts/clients/prove.py {{folder}} target/debug/hardwon {{names}}

# Half an hour of a server at half of what it can do, and a million random steps of tenants that share a store.
soak minutes="30" steps="1000000":
    cargo build --release -p hardwon
    cargo build --release -p hardwon-sim --features load
    target/release/hardwon-sim isolation --steps {{steps}}
    target/release/hardwon-sim load --hardwon target/release/hardwon --soak {{minutes}} -- --requests-per-second 0

# Real agents that reach a server's tools over HTTP; see docs/mcp.md.
mcp-http folder *names:
    cargo build -p hardwon
    scripts/clients/prove_mcp_http.py {{folder}} target/debug/hardwon {{names}}

# Kills writers at random moments and checks that nothing acknowledged is lost.
crash rounds="300":
    cargo build --release -p hardwon -p hardwon-sim
    target/release/hardwon-sim crash writers --hardwon target/release/hardwon --rounds {{rounds}}

# The API from outside: its description, requests of all kinds, and generated clients. Needs python3 and npm.
api *options:
    cargo build -p hardwon
    scripts/api/check.sh target/debug/hardwon {{options}}

# The MCP protocol's conformance suite and inspector. Needs node 22.19 or later, npm and a registry.
mcp-conformance:
    scripts/conformance/mcp.sh

# Lines of code by what they are for, names, docs, habits and circles of modules, to compare one state of the code with another.
count *crates:
    scripts/count.py {{crates}}
