//! Hands the engine's work to threads, so that a slow disk or a panic harms one request.
//!
//! Look-ups and changes have permits of their own: changes queue in the order in which they came (a semaphore is fair),
//! and never take the threads of look-ups. A request waits for its permit without holding a thread. When too many wait,
//! or one waits too long, it is turned away.

use std::{
    num::NonZeroUsize,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::{sync::Semaphore, task::spawn_blocking, time::timeout};

/// How many long transcripts are read at once.
const LEARNERS: usize = 2;

/// Threads for the engine's work.
#[derive(Debug)]
pub(crate) struct Workers {
    readers: Arc<Semaphore>,
    writers: Arc<Semaphore>,
    learners: Arc<Semaphore>,
    waiting: AtomicUsize,
    max_waiting: usize,
    patience: Duration,
}

/// What a piece of work does to the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WorkKind {
    /// It looks.
    Read,
    /// It may change something.
    Write,
    /// It reads for a long time and changes something now and then: the store has them take turns with other changes.
    Learn,
}

/// Why work was not done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NotRun {
    /// Too much waits already.
    Overloaded,
    /// It broke off inside.
    Panicked,
}

impl Workers {
    pub(crate) fn new(
        readers: NonZeroUsize,
        writers: NonZeroUsize,
        max_waiting: usize,
        patience: Duration,
    ) -> Self {
        Self {
            readers: Arc::new(Semaphore::new(readers.get())),
            writers: Arc::new(Semaphore::new(writers.get())),
            learners: Arc::new(Semaphore::new(LEARNERS)),
            waiting: AtomicUsize::new(0),
            max_waiting,
            patience,
        }
    }

    /// Runs work on a thread, when it is its turn.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        kind: WorkKind,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, NotRun> {
        let permits = match kind {
            WorkKind::Read => &self.readers,
            WorkKind::Write => &self.writers,
            WorkKind::Learn => &self.learners,
        };
        let permit = {
            let _waits = self.count_waiting()?;
            let turn = timeout(self.patience, Arc::clone(permits).acquire_owned()).await;
            turn.map_err(|_| NotRun::Overloaded)?
                .map_err(|_| NotRun::Overloaded)?
        };
        // The permit goes with the work: a request that is given up leaves its thread busy for as long as it is.
        let result = spawn_blocking(move || {
            let result = work();
            drop(permit);
            result
        });
        result.await.map_err(|_| NotRun::Panicked)
    }

    fn count_waiting(&self) -> Result<WaitingGuard<'_>, NotRun> {
        let guard = WaitingGuard(&self.waiting);
        if self.waiting.fetch_add(1, Ordering::Relaxed) < self.max_waiting {
            Ok(guard)
        } else {
            Err(NotRun::Overloaded)
        }
    }

    /// Returns how many requests wait for a thread.
    pub(crate) fn waiting(&self) -> usize {
        self.waiting.load(Ordering::Relaxed)
    }
}

/// Counts one waiting request, for as long as it lives.
struct WaitingGuard<'a>(&'a AtomicUsize);

impl Drop for WaitingGuard<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn workers(max_waiting: usize) -> Workers {
        let one = NonZeroUsize::new(1).unwrap();
        Workers::new(one, one, max_waiting, Duration::from_millis(50))
    }

    #[tokio::test]
    async fn work_is_done_and_a_panic_is_its_own() {
        let workers = workers(1);
        assert_eq!(workers.run(WorkKind::Read, || 7).await, Ok(7));
        let broken = workers.run(WorkKind::Write, || panic!("inside")).await;
        assert_eq!(broken, Err::<(), _>(NotRun::Panicked));
        assert_eq!(workers.run(WorkKind::Write, || 8).await, Ok(8));
        assert_eq!(workers.waiting(), 0);
    }

    #[tokio::test]
    async fn what_waits_too_long_is_turned_away() {
        let workers = workers(1);
        let (free, held) = std::sync::mpsc::channel::<()>();
        let slow = workers.run(WorkKind::Write, move || held.recv().is_ok());
        let quick = async {
            tokio::task::yield_now().await;
            let turned_away = workers.run(WorkKind::Write, || 1).await;
            let read = workers.run(WorkKind::Read, || 2).await;
            free.send(()).unwrap();
            (turned_away, read)
        };
        let (slow, quick) = tokio::join!(slow, quick);
        assert_eq!((slow, quick), (Ok(true), (Err(NotRun::Overloaded), Ok(2))));
    }

    #[tokio::test]
    async fn when_too_many_wait_the_next_is_turned_away() {
        let workers = workers(0);
        assert_eq!(
            workers.run(WorkKind::Read, || 1).await,
            Err(NotRun::Overloaded)
        );
        assert_eq!(workers.waiting(), 0);
    }
}
