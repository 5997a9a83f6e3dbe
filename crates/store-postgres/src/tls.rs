//! Encrypted connections: rustls between the client and its socket.
//!
//! The server is always verified, with its name: by the roots of the web, or by those that somebody names, because many
//! databases have a certificate of their own house. So `sslmode=require` asks for as much as `verify-full` does. The
//! password is not bound to the channel; that the certificate is verified stands in for it.

use std::{
    fmt, io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use hardwon_store::{Result, StoreError, StoreErrorKind};
use rustls::{
    ClientConfig, RootCertStore,
    crypto::ring,
    pki_types::{CertificateDer, ServerName, pem::PemObject as _},
};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect};
use tokio_rustls::{TlsConnector, client};

/// Makes the encrypted stream of each connection.
#[derive(Clone)]
pub(crate) struct RustlsMaker(Arc<ClientConfig>);

impl RustlsMaker {
    /// Trusts the roots in these bytes, which are PEM, or else those of the web.
    pub(crate) fn new(roots: Option<&[u8]>) -> Result<Self> {
        let roots = match roots {
            Some(pem) => read_roots(pem)?,
            None => webpki_roots::TLS_SERVER_ROOTS.iter().cloned().collect(),
        };
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(|error| tls_error(&error))?
            .with_root_certificates(roots)
            .with_no_client_auth();
        Ok(Self(Arc::new(config)))
    }
}

fn read_roots(pem: &[u8]) -> Result<RootCertStore> {
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(pem) {
        let certificate = certificate.map_err(|error| tls_error(&error))?;
        roots.add(certificate).map_err(|error| tls_error(&error))?;
    }
    if roots.is_empty() {
        Err(tls_error(&"the file has no certificate"))
    } else {
        Ok(roots)
    }
}

fn tls_error(cause: &dyn fmt::Display) -> StoreError {
    let message = format!("the roots of its certificate cannot be read ({cause})");
    StoreError::new(StoreErrorKind::Invalid, "opening the database", message)
        .with_hint("name a file of certificates in PEM form")
}

impl<S> MakeTlsConnect<S> for RustlsMaker
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    type Stream = TlsStream<S>;
    type TlsConnect = NamedConnector;
    type Error = rustls::pki_types::InvalidDnsNameError;

    fn make_tls_connect(&mut self, host: &str) -> Result<NamedConnector, Self::Error> {
        Ok(NamedConnector {
            connector: Arc::clone(&self.0).into(),
            server: ServerName::try_from(host.to_owned())?,
        })
    }
}

/// Connects to a server of this name.
pub(crate) struct NamedConnector {
    connector: TlsConnector,
    server: ServerName<'static>,
}

impl<S> TlsConnect<S> for NamedConnector
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    type Stream = TlsStream<S>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<TlsStream<S>>> + Send>>;

    fn connect(self, stream: S) -> Self::Future {
        Box::pin(async move {
            let stream = self.connector.connect(self.server, stream).await?;
            Ok(TlsStream(stream))
        })
    }
}

/// An encrypted stream.
pub(crate) struct TlsStream<S>(client::TlsStream<S>);

impl<S: AsyncRead + AsyncWrite + Unpin> tokio_postgres::tls::TlsStream for TlsStream<S> {
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for TlsStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for TlsStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        data: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, data)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}
