//! TLS of the API's listener: a certificate and its key, which are read again when their files change.
//!
//! Whoever renews a certificate replaces two files, so new ones are taken only if they belong together; until then the
//! ones before stay in use. HTTP/1.1 is all that is offered. Who comes without TLS by mistake is told so.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, SystemTime},
};

use hardwon_engine::regular_file;
use parking_lot::RwLock;
use rustls::{
    ServerConfig,
    crypto::ring,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject as _},
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    time::{sleep, timeout},
};
use tokio_rustls::{TlsAcceptor, server::TlsStream};

use crate::log::log_line;

/// Time between two looks at the files.
const INTERVAL: Duration = Duration::from_secs(10);
/// How a connection with TLS begins.
const HANDSHAKE: u8 = 0x16;
/// Most bytes that are read of a request without TLS, so that its sender reads the answer.
const PLAIN_BYTES: usize = 64 * 1024;
/// How long they are waited for.
const PLAIN_TIME: Duration = Duration::from_secs(1);
/// What a request without TLS is answered.
const PLAIN_ANSWER: &str = concat!(
    "HTTP/1.1 400 Bad Request\r\ncontent-type: application/problem+json\r\nconnection: close\r\ncontent-length: 139\r\n\r\n",
    "{\"error\":\"this port speaks HTTPS: write https:// in the address\",\"title\":\"Bad Request\",\"status\":400,",
    "\"detail\":\"this port speaks HTTPS only\"}",
);

/// Where a certificate and its key are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsFiles {
    /// The certificate, followed by those between it and one that clients trust, in PEM form.
    pub certificate: PathBuf,
    /// Its key, in PEM form.
    pub key: PathBuf,
}

/// The certificate that is in use. Clones share it.
#[derive(Debug, Clone)]
pub(crate) struct Certificate {
    files: TlsFiles,
    current: Arc<RwLock<Arc<ServerConfig>>>,
}

/// How files are, to see that they were replaced.
type FileStates = [Option<(SystemTime, u64)>; 2];

impl Certificate {
    /// Reads the files.
    ///
    /// # Errors
    ///
    /// What is wrong with which of them. What is in them is not told.
    pub(crate) fn load(files: TlsFiles) -> io::Result<Self> {
        let current = files.read()?;
        Ok(Self {
            files,
            current: Arc::new(RwLock::new(current)),
        })
    }

    fn current(&self) -> Arc<ServerConfig> {
        Arc::clone(&self.current.read())
    }

    /// Reads the files again, and says what came of it.
    fn reload(&self) {
        match self.files.read() {
            Ok(config) => {
                *self.current.write() = config;
                log_line("the certificate was read again");
            }
            Err(error) => log_line(&format!("the certificate before stays in use: {error}")),
        }
    }

    /// Begins TLS on a connection. One without is told so, and ends.
    pub(crate) async fn begin(&self, stream: TcpStream) -> io::Result<TlsStream<TcpStream>> {
        let mut first = [0];
        if stream.peek(&mut first).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if first == [HANDSHAKE] {
            return TlsAcceptor::from(self.current()).accept(stream).await;
        }
        refuse_plain(stream).await?;
        let plain = "a client spoke without TLS";
        Err(io::Error::new(io::ErrorKind::InvalidData, plain))
    }
}

/// Answers a request without TLS, and takes in what its sender has still to say, or the answer could be lost.
async fn refuse_plain(mut stream: TcpStream) -> io::Result<()> {
    stream.write_all(PLAIN_ANSWER.as_bytes()).await?;
    stream.shutdown().await?;
    let rest = async {
        let mut rest = stream.take(PLAIN_BYTES as u64);
        tokio::io::copy(&mut rest, &mut tokio::io::sink()).await
    };
    timeout(PLAIN_TIME, rest).await.ok();
    Ok(())
}

/// Reads the files again when they were replaced, or when the process is told to (SIGHUP). Goes on until it is given
/// up.
pub(crate) async fn watch(certificate: Certificate) {
    let mut hang_up = HangUp::listen();
    let mut last_states = certificate.files.find_states();
    loop {
        let is_asked = tokio::select! {
            () = sleep(INTERVAL) => false,
            () = hang_up.wait() => true,
        };
        let states = certificate.files.find_states();
        if is_asked || states != last_states {
            certificate.reload();
            last_states = states;
        }
    }
}

/// The signal by which a process is told to read its files again, where there is one.
struct HangUp {
    #[cfg(unix)]
    signal: Option<tokio::signal::unix::Signal>,
    #[cfg(not(unix))]
    signal: std::future::Pending<()>,
}

impl HangUp {
    #[cfg(unix)]
    fn listen() -> Self {
        use tokio::signal::unix::{SignalKind, signal};
        Self {
            signal: signal(SignalKind::hangup()).ok(),
        }
    }

    #[cfg(not(unix))]
    fn listen() -> Self {
        Self {
            signal: std::future::pending(),
        }
    }

    #[cfg(unix)]
    async fn wait(&mut self) {
        match &mut self.signal {
            Some(signal) => drop(signal.recv().await),
            None => std::future::pending().await,
        }
    }

    #[cfg(not(unix))]
    async fn wait(&mut self) {
        (&mut self.signal).await;
    }
}

impl TlsFiles {
    fn read(&self) -> io::Result<Arc<ServerConfig>> {
        let certificates = read_text("certificate", &self.certificate)?;
        let certificates: Result<Vec<_>, _> =
            CertificateDer::pem_slice_iter(certificates.as_bytes()).collect();
        let certificates = certificates
            .ok()
            .filter(|certificate| !certificate.is_empty())
            .ok_or_else(|| {
                unusable(
                    "certificate",
                    &self.certificate,
                    &"there is none in it in PEM form",
                )
            })?;
        let key = read_text("key", &self.key)?;
        let key = PrivateKeyDer::from_pem_slice(key.as_bytes())
            .map_err(|_| unusable("key", &self.key, &"there is none in it in PEM form"))?;
        let unfit = |error: rustls::Error| {
            unusable(
                "certificate",
                &self.certificate,
                &format!("with the key {}: {error}", self.key.display()),
            )
        };
        let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(unfit)?
            .with_no_client_auth()
            .with_single_cert(certificates, key)
            .map_err(unfit)?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Arc::new(config))
    }

    fn find_states(&self) -> FileStates {
        [&self.certificate, &self.key].map(|path| {
            let about = fs::metadata(path).ok()?;
            Some((about.modified().ok()?, about.len()))
        })
    }
}

fn read_text(what: &str, path: &Path) -> io::Result<String> {
    regular_file::read_to_string(path).map_err(|error| unusable(what, path, &error))
}

fn unusable(what: &str, path: &Path, why: &dyn std::fmt::Display) -> io::Error {
    let message = format!("reading the {what} {}: {why}", path.display());
    io::Error::new(io::ErrorKind::InvalidInput, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_without_tls_is_as_long_as_it_says() {
        let (head, body) = PLAIN_ANSWER.split_once("\r\n\r\n").unwrap();
        assert!(
            head.ends_with(&format!("content-length: {}", body.len())),
            "{}",
            body.len()
        );
        assert!(serde_json::from_str::<serde_json::Value>(body).is_ok());
    }
}
