//! The bridge from synchronous callers to the asynchronous client.
//!
//! A caller's thread waits while a runtime's own threads serve the connections. So a call must come from a thread that
//! may wait: never from a task on the runtime itself.

use std::io;

use tokio::runtime::{Builder, Handle, Runtime};

/// The runtime that serves a store's connections.
#[derive(Debug)]
pub(crate) struct Bridge {
    handle: Handle,
    /// The runtime, until this is dropped.
    own: Option<Runtime>,
}

impl Bridge {
    /// Starts a small runtime.
    pub(crate) fn start() -> io::Result<Self> {
        let mut builder = Builder::new_multi_thread();
        builder.worker_threads(1).thread_name("hardwon-postgres");
        let own = builder.enable_all().build()?;
        Ok(Self {
            handle: own.handle().clone(),
            own: Some(own),
        })
    }

    /// Waits for a future.
    pub(crate) fn wait<F: Future>(&self, future: F) -> F::Output {
        self.handle.block_on(future)
    }

    /// Runs a future without waiting for it.
    pub(crate) fn spawn(&self, future: impl Future<Output = ()> + Send + 'static) {
        drop(self.handle.spawn(future));
    }
}

impl Drop for Bridge {
    /// Ends the runtime without waiting for its tasks, which would panic on a thread of another runtime.
    fn drop(&mut self) {
        if let Some(own) = self.own.take() {
            own.shutdown_background();
        }
    }
}
