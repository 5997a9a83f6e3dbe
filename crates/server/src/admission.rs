//! What a connection goes through before a request of it is read: it gets a place among the others, and where the
//! listener has a certificate, TLS begins. Whoever waits holds a place, so it is bounded by the same times.

use std::{io, pin::Pin};

use axum::Router;
use axum_server::accept::Accept;
use tokio::net::TcpStream;
use tokio_rustls::server::TlsStream;
use tokio_util::either::Either;

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
type AdmittedStream = Either<BoundedStream<TcpStream>, Box<TlsStream<BoundedStream<TcpStream>>>>;

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
                Some(certificate) => Either::Right(Box::new(certificate.begin(stream).await?)),
                None => Either::Left(stream),
            };
            Ok((stream, router))
        })
    }
}
