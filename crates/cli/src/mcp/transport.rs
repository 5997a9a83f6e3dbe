//! A transport that waits for a request before it hands anything over.
//!
//! A client that gave up on its first question says so (`notifications/cancelled`) and then asks in
//! an older way. The SDK takes a session that begins with anything but a request for a broken one
//! and ends it, so what comes before the first request is dropped here.

use rmcp::{
    RoleServer,
    model::ClientJsonRpcMessage,
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
    transport::Transport,
};

/// A transport without whatever comes before the first request.
#[derive(Debug)]
pub struct FirstRequestTransport<T> {
    inner: T,
    has_begun: bool,
}

impl<T> FirstRequestTransport<T> {
    /// Waits on this transport.
    pub fn new(inner: T) -> Self {
        Self {
            inner,
            has_begun: false,
        }
    }
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for FirstRequestTransport<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.inner.send(item)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            let message = self.inner.receive().await?;
            self.has_begun |= matches!(message, ClientJsonRpcMessage::Request(_));
            if self.has_begun {
                return Some(message);
            }
        }
    }

    fn close(&mut self) -> impl Future<Output = Result<(), Self::Error>> + Send {
        self.inner.close()
    }
}
