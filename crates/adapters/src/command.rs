//! Any command as a model: the question on its stdin, the answer on its stdout.
//!
//! Each question gets a process of its own, in a group of its own and in a folder that belongs to
//! no project, so that an agent asked this way reads no project's instructions. When its time is over it is
//! ended with all that it started.

use std::{
    env,
    io::{Read as _, Write as _},
    process::{Child, Command, Stdio},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use hardwon_core::{limits, redact::clean_chars, text::RawText};
use hardwon_engine::model::{Answer, Model, ModelAsk, ModelError};

/// How often it is looked whether the process has ended, once it said all it had to say.
const LOOK: Duration = Duration::from_millis(10);

/// How much of its complaints is read, in bytes.
const COMPLAINT_BYTES: u64 = 16 * 1024;

/// A command of the shell that answers questions.
#[derive(Debug, Clone)]
pub struct CommandModel {
    /// The command line.
    pub line: String,
    /// How long an answer may take.
    pub timeout: Duration,
    /// Environment variables that it gets beside those of this process, as names and values.
    pub variables: Vec<(&'static str, &'static str)>,
}

impl CommandModel {
    fn start(&self) -> Result<Child, ModelError> {
        let (shell, flag) = if cfg!(windows) {
            ("cmd", "/C")
        } else {
            ("sh", "-c")
        };
        let mut process = Command::new(shell);
        process
            .args([flag, &self.line])
            .current_dir(env::temp_dir());
        process.envs(self.variables.iter().copied());
        process
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut process, 0);
        let spawned = process.spawn();
        spawned.map_err(|error| ModelError::Unusable(format!("it cannot be started: {error}")))
    }
}

impl Model for CommandModel {
    fn complete(&self, ask: &ModelAsk) -> Result<Answer, ModelError> {
        let deadline = Instant::now() + self.timeout;
        let mut child = self.start()?;
        let question = format!("{}\n\n{}", ask.prompt.system, ask.prompt.user);
        let mut stdin = child.stdin.take().expect("a pipe was asked for");
        // None of these threads is waited for: what the process started may keep its pipes open.
        thread::spawn(move || drop(stdin.write_all(question.as_bytes())));
        let said = read(child.stdout.take(), limits::MODEL_REPLY_BYTES as u64 + 1);
        let complained = read(child.stderr.take(), COMPLAINT_BYTES);
        let left = || deadline.saturating_duration_since(Instant::now());
        let answer = said.recv_timeout(left()).map_err(|_| ModelError::TimedOut);
        let status = answer.and_then(|text| match text.len() {
            ..=limits::MODEL_REPLY_BYTES => Ok((text, wait(&mut child, deadline)?)),
            _ => Err(ModelError::Failed(format!(
                "the answer is longer than {} bytes",
                limits::MODEL_REPLY_BYTES
            ))),
        });
        end(&mut child);
        let (text, status) = status?;
        if status.success() {
            return Ok(Answer {
                text: RawText::new(text),
                tokens: None,
            });
        }
        let complaint = complained.recv_timeout(LOOK * 10).unwrap_or_default();
        let complaint = clean_chars(&RawText::new(complaint.trim()), limits::REASON_CHARS);
        let what = format!("it ended with {status}: {complaint}");
        Err(match status.code() {
            Some(126 | 127) => ModelError::Unusable(what),
            _ => ModelError::Failed(what),
        })
    }
}

/// Reads a pipe to its end, or as far as may be.
fn read(pipe: Option<impl std::io::Read + Send + 'static>, most: u64) -> mpsc::Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    let pipe = pipe.expect("a pipe was asked for");
    thread::spawn(move || {
        let mut bytes = Vec::new();
        drop(pipe.take(most).read_to_end(&mut bytes));
        drop(sender.send(String::from_utf8_lossy(&bytes).into_owned()));
    });
    receiver
}

fn wait(child: &mut Child, deadline: Instant) -> Result<std::process::ExitStatus, ModelError> {
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Ok(status),
            Ok(None) if Instant::now() < deadline => thread::sleep(LOOK),
            Ok(None) => return Err(ModelError::TimedOut),
            Err(error) => return Err(ModelError::Failed(error.to_string())),
        }
    }
}

/// Ends the process with all that it started. Those may have ended by themselves.
fn end(child: &mut Child) {
    #[cfg(unix)]
    let _gone = rustix::process::kill_process_group(
        rustix::process::Pid::from_child(child),
        rustix::process::Signal::KILL,
    );
    drop(child.kill());
    drop(child.wait());
}

#[cfg(all(test, unix))]
mod tests {
    use hardwon_core::distil::Prompt;
    use insta::assert_snapshot;

    use super::*;

    fn told(line: &str, seconds: u64) -> String {
        let model = CommandModel {
            line: line.to_owned(),
            timeout: Duration::from_millis(seconds * 1000 + 300),
            variables: vec![("GREETING", "well")],
        };
        let ask = ModelAsk {
            prompt: Prompt {
                system: "Answer in one word.".to_owned(),
                user: "Are you there?".to_owned(),
            },
            wants_json: true,
            answer_tokens: 500,
        };
        match model.complete(&ask) {
            Ok(answer) => format!("{:?}", answer.text.expose()),
            Err(error) => format!("{error:?}"),
        }
    }

    #[test]
    fn a_command_reads_the_question_and_says_the_answer() {
        assert_snapshot!(told("cat", 9), @r#""Answer in one word.\n\nAre you there?""#);
        assert_snapshot!(told("echo \"$GREETING\"", 9), @r#""well\n""#);
        assert_snapshot!(told("echo no; echo 'token=hunter2hunter2 is bad' >&2; exit 3", 9), @r#"Failed("it ended with exit status: 3: token=[REDACTED:token] is bad")"#);
        assert!(told("/no/such/program", 9).starts_with("Unusable"));
    }

    #[test]
    fn a_command_is_ended_with_all_that_it_started() {
        let home = tempfile::tempdir().unwrap();
        let mark = home.path().join("mark");
        let line = format!("(sleep 1; touch {}) & sleep 60", mark.display());
        assert_eq!(told(&line, 0), "TimedOut");
        // One that leaves somebody behind with its pipe is not waited for longer than it may take.
        assert_eq!(told("sleep 60 & echo yes", 0), "TimedOut");
        assert_snapshot!(told("yes | head -c 3000000; sleep 60", 9), @r#"Failed("the answer is longer than 65536 bytes")"#);
        thread::sleep(Duration::from_secs(2));
        assert!(!mark.exists());
    }
}
