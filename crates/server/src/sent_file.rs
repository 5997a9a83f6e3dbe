//! A body that is too long to hold in memory: written to a private file as it comes in, and gone when it was read.
//!
//! It may hold secrets. Only this server's user can read the file, and it is removed when the value is dropped, which
//! also happens when the sender gives up. One that a killed server left behind is removed by [`delete_old_files`].

use std::{
    io::{self, Read as _},
    path::Path,
    time::{Duration, SystemTime},
};

use axum::body::Body;
use hardwon_core::digest;
use hardwon_engine::private_file;
use http_body_util::BodyExt as _;
use tempfile::NamedTempFile;
use tokio::{fs::File, io::AsyncWriteExt as _};

/// How long a file may stay that nobody removes: longer than any request takes.
const LONGEST_STAY: Duration = Duration::from_secs(60 * 60);
/// How much of a file is read at once to hash it.
const CHUNK_BYTES: usize = 64 * 1024;

/// A body in a file.
pub(crate) struct SentFile(NamedTempFile);

/// Why a body could not be taken in.
#[derive(Debug)]
pub(crate) enum ReceiveError {
    /// It is longer than allowed.
    TooLong,
    /// It ended before its end.
    Broken,
    /// There is no room for it.
    Full,
    /// The file could not be written.
    File(io::Error),
}

impl From<io::Error> for ReceiveError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::Full,
            _ => Self::File(error),
        }
    }
}

impl SentFile {
    /// Takes a body in, to a new file in this folder.
    pub(crate) async fn receive(
        folder: &Path,
        mut body: Body,
        most: u64,
    ) -> Result<Self, ReceiveError> {
        private_file::make_folder(folder)?;
        let new_file = Self(NamedTempFile::new_in(folder)?);
        let mut file = File::from_std(new_file.0.reopen()?);
        let mut length = 0;
        while let Some(frame) = body.frame().await {
            // A frame without data has trailers.
            let Ok(bytes) = frame.map_err(|_| ReceiveError::Broken)?.into_data() else {
                continue;
            };
            length += bytes.len() as u64;
            if length > most {
                return Err(ReceiveError::TooLong);
            }
            file.write_all(&bytes).await?;
        }
        file.flush().await?;
        Ok(new_file)
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// Hashes the content, a piece at a time.
    pub(crate) fn hash_content(&self) -> io::Result<[u8; 32]> {
        let mut file = self.0.reopen()?;
        let mut hash = [0; 32];
        let mut chunk = Vec::with_capacity(CHUNK_BYTES);
        loop {
            chunk.clear();
            let whole = CHUNK_BYTES as u64;
            if file.by_ref().take(whole).read_to_end(&mut chunk)? == 0 {
                return Ok(hash);
            }
            hash = digest::hash_parts([&hash[..], &chunk]);
        }
    }
}

/// Removes what servers left behind that were killed.
pub(crate) fn delete_old_files(folder: &Path, now: SystemTime) {
    private_file::delete_older(folder, now, LONGEST_STAY, usize::MAX);
}
