//! The server as it is started, under clients that have no key and mean harm.

use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    process::{Child, Stdio},
    time::{Duration, Instant},
};

use crate::env::TestEnv;

/// How many hostile requests come where nobody says another number, such as the 10,000 of `docs/server.md`.
const HOSTILE: usize = 1_500;
/// By how much memory may grow meanwhile, in KiB.
const GROWTH: u64 = 20 * 1024;
/// Half of the time that strangers have: whoever had to wait for them would take longer. A quiet machine takes a hundredth of it.
const SOON: Duration = Duration::from_secs(5);

struct RunningServer {
    process: Child,
    address: String,
    key: String,
}

impl RunningServer {
    fn start(env: &TestEnv) -> Self {
        let mut command = env.command();
        let free = "127.0.0.1:0";
        command.args(["serve", "--listen", free, "--ops-listen", free]);
        command.stdin(Stdio::null()).stdout(Stdio::piped());
        let mut process = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(process.stderr.take().unwrap()).lines();
        let mut next = |begin: &str| {
            let found = lines.find_map(|line| line.unwrap().strip_prefix(begin).map(str::to_owned));
            found.unwrap()
        };
        let address = next("hardwon: API at http://");
        next("hardwon: health");
        let mut key = String::new();
        BufReader::new(process.stdout.take().unwrap())
            .read_line(&mut key)
            .unwrap();
        Self {
            process,
            address: address.trim_end_matches('/').to_owned(),
            key: key.trim().to_owned(),
        }
    }

    fn send(&self, bytes: &[u8]) -> TcpStream {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(2 * SOON)).unwrap();
        stream.set_write_timeout(Some(2 * SOON)).unwrap();
        // One that is refused may have ended already.
        stream.write_all(bytes).ok();
        stream
    }

    /// Returns whether a request with the key is answered, and how long that takes.
    fn ask(&self) -> (bool, Duration) {
        let began = Instant::now();
        let head = format!(
            "GET /v1/lessons HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer {}\r\n\r\n",
            self.key
        );
        let mut answer = Vec::new();
        self.send(head.as_bytes()).read_to_end(&mut answer).ok();
        (answer.starts_with(b"HTTP/1.1 200 "), began.elapsed())
    }

    /// Returns the memory that the process has, in KiB.
    fn memory(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.process.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let words = line.unwrap().split_whitespace().next();
        words.unwrap().parse().unwrap()
    }
}

impl Drop for RunningServer {
    fn drop(&mut self) {
        self.process.kill().ok();
        self.process.wait().ok();
    }
}

/// Returns a request that asks for much room, each in another way.
fn make_hostile(number: usize) -> Vec<u8> {
    let much = "A".repeat(300_000);
    let host = "Host: x\r\nOrigin: http://x\r\n";
    let request = match number % 6 {
        0 => format!("Z{number}{much} / HTTP/1.1\r\n{host}\r\n"),
        1 => format!(
            "Z{number}{} /v1/lessons HTTP/1.1\r\n{host}\r\n",
            &much[..9_000]
        ),
        2 => format!("GET / HTTP/1.1\r\n{host}X-Long: {}", &much[..16_000]),
        3 => format!(
            "POST /login HTTP/1.1\r\n{host}Content-Length: 300000\r\n\
             Content-Type: application/x-www-form-urlencoded\r\n\r\n{}",
            &much[..60_000]
        ),
        4 => format!(
            "POST /v1/recall HTTP/1.1\r\n{host}Authorization: Bearer hwk_{number}\r\n\
             Content-Length: 300000\r\n\r\n{much}"
        ),
        _ => format!("GET /v1/openapi.json HTTP/1.1\r\n{host}\r\n").repeat(20),
    };
    request.into_bytes()
}

#[test]
#[cfg(target_os = "linux")]
fn strangers_cost_neither_memory_nor_time() {
    let env = TestEnv::new();
    let server = RunningServer::start(&env);
    assert!(server.ask().0);
    let before = server.memory();
    let many = std::env::var("HARDWON_HOSTILE").map_or(HOSTILE, |count| count.parse().unwrap());
    let (mut held, mut slowest, mut most) = (Vec::new(), Duration::ZERO, 0);
    for number in 0..many {
        held.push(server.send(&make_hostile(number)));
        // All of them stay open on this side, as far as files reach.
        if held.len() > 700 {
            held.remove(0);
        }
        if number % (many / 8) == many / 8 - 1 {
            let (is_answered, time) = server.ask();
            assert!(is_answered && time < SOON, "after {number}: {time:?}");
            slowest = slowest.max(time);
            most = most.max(server.memory());
        }
    }
    let growth = most.max(server.memory()).saturating_sub(before);
    println!("{many} requests: {growth} KiB more, a request with a key took {slowest:?} at most");
    assert!(growth < GROWTH, "{growth} KiB more");
}

/// The first key is shown once, so it is not made where the server cannot start.
#[test]
fn a_taken_port_costs_no_key() {
    let env = TestEnv::new();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let free = "127.0.0.1:0";
    let refused = env.run(&["serve", "--listen", &address, "--ops-listen", free]);
    assert_eq!(refused.code, 2, "{}", refused.err);
    assert!(refused.err.contains("hint: `--listen`"), "{}", refused.err);
    assert!(RunningServer::start(&env).key.starts_with("hwk_"));
}
