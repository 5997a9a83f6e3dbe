//! Reads objects by their id, from one process of git that is asked again and again.

use std::{
    io::{self, BufRead as _, BufReader, Read, Write as _},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Stdio},
};

use crate::{ObjectId, RepositoryError, Result, git};

const DOING: &str = "reading an object";

/// A process of git that gives the contents of objects.
#[derive(Debug)]
pub struct BlobReader {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl BlobReader {
    pub(crate) fn start(folder: &Path) -> Result<Self> {
        let mut child = git::git_in(folder)
            .args(["cat-file", "--batch"])
            .stdin(Stdio::piped())
            .spawn()
            .map_err(RepositoryError::NoGit)?;
        let input = child.stdin.take();
        let output = child.stdout.take();
        let output = output.ok_or(RepositoryError::Unexpected { doing: DOING })?;
        Ok(Self {
            child,
            input,
            output: BufReader::with_capacity(64 << 10, output),
        })
    }

    /// Gives the content of an object to `read`, however large it is; what is not read of it is passed over.
    ///
    /// # Errors
    /// If there is no such object, or it cannot be read.
    pub fn read_object<T>(
        &mut self,
        id: &ObjectId,
        read: impl FnOnce(&mut dyn Read) -> io::Result<T>,
    ) -> Result<T> {
        let fail = RepositoryError::io(DOING);
        let size = self.ask(id)?;
        let mut content = (&mut self.output).take(size);
        let value = read(&mut content).map_err(fail)?;
        io::copy(&mut content, &mut io::sink()).map_err(fail)?;
        match content.limit() {
            0 => {}
            _ => return Err(RepositoryError::Unexpected { doing: DOING }),
        }
        let mut end = [0];
        self.output.read_exact(&mut end).map_err(fail)?;
        Ok(value)
    }

    /// Asks for an object, and returns its size.
    fn ask(&mut self, id: &ObjectId) -> Result<u64> {
        let result = match &mut self.input {
            Some(input) => writeln!(input, "{id}").and_then(|()| input.flush()),
            None => Ok(()),
        };
        let mut head = String::new();
        let read = self.output.read_line(&mut head);
        if result.is_err() || !matches!(read, Ok(1..)) {
            let message = git::read_complaint(&mut self.child);
            return Err(RepositoryError::failed(DOING, message));
        }
        let size = head.split_whitespace().nth(2).map(str::parse);
        match size {
            Some(Ok(size)) => Ok(size),
            // `<id> missing`
            _ => Err(RepositoryError::failed(DOING, head.trim())),
        }
    }
}

impl Drop for BlobReader {
    fn drop(&mut self) {
        drop(self.input.take());
        // It ends by itself when nobody asks any more; one that hangs is not waited for.
        let _killed = self.child.kill();
        let _ended = self.child.wait();
    }
}
