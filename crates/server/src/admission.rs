//! What a connection goes through before a request of it is read: it gets a place among the others, and where the
//! listener has a certificate, TLS begins. Whoever waits holds a place, so it is bounded by the same times.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll},
};

use axum::Router;
use axum_server::accept::Accept;
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
};
use tokio_rustls::server::TlsStream;

use crate::{
    connections::{BoundedStream, Connections, CountedRouter},
    tls::Certificate,
};

/// Lets connections of a listener in.
#[derive(Debug, Clone)]
pub(crate) struct Admission {
    pub(crate) connections: Connections,
    /// The certificate of a listener with TLS.
    pub(crate) certificate: Option<Certificate>,
}

/// The bytes of a connection, behind TLS if there is any. One type for both, so that HTTP is in the program once.
#[derive(Debug)]
pub(crate) enum AdmittedStream {
    Plain(BoundedStream<TcpStream>),
    Encrypted(Box<TlsStream<BoundedStream<TcpStream>>>),
}

type AdmittedConnection = io::Result<(AdmittedStream, CountedRouter)>;

impl Accept<TcpStream, Router> for Admission {
    type Stream = AdmittedStream;
    type Service = CountedRouter;
    type Future = Pin<Box<dyn Future<Output = AdmittedConnection> + Send>>;

    fn accept(&self, stream: TcpStream, router: Router) -> Self::Future {
        let admitted = self.connections.admit(stream, router);
        let certificate = self.certificate.clone();
        Box::pin(async move {
            let (stream, router) = admitted?;
            let stream = match certificate {
                Some(certificate) => {
                    AdmittedStream::Encrypted(Box::new(certificate.begin(stream).await?))
                }
                None => AdmittedStream::Plain(stream),
            };
            Ok((stream, router))
        })
    }
}

impl AsyncRead for AdmittedStream {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_read(context, buffer),
            Self::Encrypted(stream) => Pin::new(stream).poll_read(context, buffer),
        }
    }
}

impl AsyncWrite for AdmittedStream {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_write(context, bytes),
            Self::Encrypted(stream) => Pin::new(stream).poll_write(context, bytes),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_flush(context),
            Self::Encrypted(stream) => Pin::new(stream).poll_flush(context),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_shutdown(context),
            Self::Encrypted(stream) => Pin::new(stream).poll_shutdown(context),
        }
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_write_vectored(context, parts),
            Self::Encrypted(stream) => Pin::new(stream).poll_write_vectored(context, parts),
        }
    }

    fn is_write_vectored(&self) -> bool {
        match self {
            Self::Plain(stream) => stream.is_write_vectored(),
            Self::Encrypted(stream) => stream.is_write_vectored(),
        }
    }
}
