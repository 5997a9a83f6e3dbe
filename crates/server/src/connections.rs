//! How many connections there are, and how long one may be open without a request.
//!
//! Whoever connects and says nothing, or a byte now and then, holds a place that others need. So a connection has only so
//! long to send the head of a request, and only so long until the next one begins. When all places are taken, a new
//! connection gets that of the one which has been without a request for the longest; if each carries one out, it is
//! turned away. A request itself is bounded by its own time (`v1/layers.rs`).

use std::{
    collections::{BTreeMap, HashMap},
    future::poll_fn,
    io,
    num::NonZeroUsize,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, ready},
    time::Duration,
};

use axum::{Router, extract::Request, response::Response};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
    sync::oneshot,
    time::{Instant, Sleep, sleep_until},
};
use tower::Service;

/// How long a connection may be open without a request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Patience {
    /// From the connection's beginning, or the first byte of a request, to the end of its head.
    pub(crate) head: Duration,
    /// From the end of a request, or the last byte of an answer that could be sent, to the next request.
    pub(crate) idle: Duration,
}

/// The connections of a listener. Clones share them.
#[derive(Debug, Clone)]
pub(crate) struct Connections {
    places: Arc<Mutex<Places>>,
    patience: Patience,
}

/// The places that connections take.
#[derive(Debug)]
struct Places {
    most: usize,
    /// How often a connection began to wait; its value is the place in the order of those that do.
    clock: u64,
    taken: HashMap<u64, Place>,
    /// The connections without a request, by when they began to wait.
    waiting: BTreeMap<u64, u64>,
    /// When a request began or ended last; at first, when the server began.
    last_request: Instant,
}

/// The place of a connection.
#[derive(Debug)]
struct Place {
    /// Where it is among those that wait; `None` while it carries a request out.
    waits_since: Option<u64>,
    /// Whether it has sent anything.
    has_sent: bool,
    /// When its last request ended, if it has had one.
    last_request: Option<Instant>,
    /// Dropped to end the connection.
    _life: oneshot::Sender<()>,
}

impl Places {
    fn new(most: usize) -> Self {
        Self {
            most,
            clock: 0,
            taken: HashMap::new(),
            waiting: BTreeMap::new(),
            last_request: Instant::now(),
        }
    }

    /// Returns since when there is no request; now, while there is one.
    fn idle_since(&self) -> Instant {
        match self.waiting.len() == self.taken.len() {
            true => self.last_request,
            false => Instant::now(),
        }
    }

    /// Gives a place to a new connection, which waits for its first request; `None` if there is none.
    fn take(&mut self) -> Option<(u64, oneshot::Receiver<()>)> {
        if self.taken.len() >= self.most {
            let (_, longest) = self.waiting.pop_first()?;
            drop(self.taken.remove(&longest));
        }
        let (life, ended) = oneshot::channel();
        self.clock += 1;
        let id = self.clock;
        self.taken.insert(
            id,
            Place {
                waits_since: Some(id),
                has_sent: false,
                last_request: None,
                _life: life,
            },
        );
        self.waiting.insert(id, id);
        Some((id, ended))
    }

    fn note_sent(&mut self, id: u64) {
        if let Some(place) = self.taken.get_mut(&id) {
            place.has_sent = true;
        }
    }

    /// Ends the connections that have sent nothing.
    fn end_silent(&mut self) {
        let is_silent = |it: &Place| !it.has_sent && it.waits_since.is_some();
        self.waiting
            .retain(|_, id| self.taken.get(id).is_some_and(|it| !is_silent(it)));
        self.taken.retain(|_, it| !is_silent(it));
    }

    /// Notes that a connection carries a request out. One that lost its place is about to end.
    fn begin_request(&mut self, id: u64) {
        if let Some(place) = self.taken.get_mut(&id)
            && let Some(since) = place.waits_since.take()
        {
            self.waiting.remove(&since);
            self.last_request = Instant::now();
        }
    }

    /// Notes that a connection waits for its next request.
    fn end_request(&mut self, id: u64) {
        if let Some(place) = self.taken.get_mut(&id)
            && place.waits_since.is_none()
        {
            self.clock += 1;
            place.waits_since = Some(self.clock);
            self.last_request = Instant::now();
            place.last_request = Some(self.last_request);
            self.waiting.insert(self.clock, id);
        }
    }

    fn leave(&mut self, id: u64) {
        let place = self.taken.remove(&id);
        if let Some(since) = place.and_then(|it| it.waits_since) {
            self.waiting.remove(&since);
        }
    }

    fn is_waiting(&self, id: u64) -> bool {
        let place = self.taken.get(&id);
        place.is_none_or(|it| it.waits_since.is_some())
    }

    /// Returns when the last request of a connection ended, if it has had one.
    fn last_request(&self, id: u64) -> Option<Instant> {
        self.taken.get(&id)?.last_request
    }
}

impl Connections {
    pub(crate) fn new(most: NonZeroUsize, patience: Patience) -> Self {
        Self {
            places: Arc::new(Mutex::new(Places::new(most.get()))),
            patience,
        }
    }

    /// Returns how many there are.
    pub(crate) fn count(&self) -> usize {
        self.lock().taken.len()
    }

    /// Ends the connections that have sent nothing, because nobody waits for an answer there.
    pub(crate) fn end_silent(&self) {
        self.lock().end_silent();
    }

    fn lock(&self) -> MutexGuard<'_, Places> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets a connection in, if there is a place for it.
    pub(crate) fn admit<I>(
        &self,
        stream: I,
        router: Router,
    ) -> io::Result<(BoundedStream<I>, CountedRouter)> {
        let full = || io::Error::other("every connection carries a request out");
        let (id, ended) = self.lock().take().ok_or_else(full)?;
        let connection = Arc::new(Connection {
            all: self.clone(),
            id,
        });
        let stream = BoundedStream {
            stream,
            ended,
            has_head_begun: true,
            deadline: Box::pin(sleep_until(Instant::now() + self.patience.head)),
            connection: Arc::clone(&connection),
        };
        Ok((stream, CountedRouter { router, connection }))
    }
}

/// Whether anybody uses a server.
#[derive(Debug, Clone)]
pub struct ServerUsage(pub(crate) Connections);

impl ServerUsage {
    /// Waits until there has been no request for this long.
    pub async fn wait_until_idle(&self, length: Duration) {
        loop {
            let end = self.0.lock().idle_since() + length;
            if end <= Instant::now() {
                return;
            }
            sleep_until(end).await;
        }
    }
}

/// A connection, for as long as this lives.
#[derive(Debug)]
struct Connection {
    all: Connections,
    id: u64,
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.all.lock().leave(self.id);
    }
}

/// Tells a connection that a request is over, also if it is given up.
struct RequestGuard(Arc<Connection>);

impl Drop for RequestGuard {
    fn drop(&mut self) {
        self.0.all.lock().end_request(self.0.id);
    }
}

/// The routes, for one connection, which knows whether it carries a request out.
#[derive(Debug, Clone)]
pub(crate) struct CountedRouter {
    router: Router,
    connection: Arc<Connection>,
}

impl<B> Service<Request<B>> for CountedRouter
where
    B: axum::body::HttpBody<Data = axum::body::Bytes> + Send + 'static,
    B::Error: Into<axum::BoxError>,
{
    type Response = Response;
    type Error = std::convert::Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Service::<Request<B>>::poll_ready(&mut self.router, context)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        self.connection.all.lock().begin_request(self.connection.id);
        let guard = RequestGuard(Arc::clone(&self.connection));
        let answer = self.router.call(request);
        Box::pin(async move {
            let answer = answer.await;
            drop(guard);
            answer
        })
    }
}

/// A stream that ends when its connection lost its place, or waited for too long.
#[derive(Debug)]
pub(crate) struct BoundedStream<I> {
    stream: I,
    ended: oneshot::Receiver<()>,
    /// Whether the first byte of a request has come, or none has been waited for yet.
    has_head_begun: bool,
    deadline: Pin<Box<Sleep>>,
    connection: Arc<Connection>,
}

impl<I> BoundedStream<I> {
    fn is_waiting(&self) -> bool {
        let connection = &self.connection;
        connection.all.lock().is_waiting(connection.id)
    }

    fn give(&mut self, time: Duration) {
        self.deadline.as_mut().reset(Instant::now() + time);
    }

    /// Notes that bytes came.
    fn note_read(&mut self) {
        let Connection { all, id } = &*self.connection;
        let patience = all.patience;
        all.lock().note_sent(*id);
        let is_waiting = self.is_waiting();
        if is_waiting && !self.has_head_begun {
            self.give(patience.head);
        }
        self.has_head_begun = is_waiting;
    }

    /// Notes that bytes of an answer went out.
    fn note_write(&mut self) {
        let patience = self.connection.all.patience;
        self.has_head_begun = false;
        self.give(patience.idle);
    }

    /// Returns the error that ends the connection, if it is time.
    fn check_patience(&mut self, context: &mut Context<'_>) -> io::Result<()> {
        if Pin::new(&mut self.ended).poll(context).is_ready() {
            let lost = "another connection took the place of this one";
            return Err(io::Error::new(io::ErrorKind::ConnectionAborted, lost));
        }
        while self.deadline.as_mut().poll(context).is_ready() && self.is_waiting() {
            let later = self.find_later_deadline();
            let late = || io::Error::from(io::ErrorKind::TimedOut);
            self.deadline.as_mut().reset(later.ok_or_else(late)?);
        }
        Ok(())
    }

    /// Returns until when the connection may wait, if a request ended after the deadline was set.
    fn find_later_deadline(&self) -> Option<Instant> {
        let Connection { all, id } = &*self.connection;
        let end = all.lock().last_request(*id)? + all.patience.idle;
        (end > self.deadline.deadline()).then_some(end)
    }
}

impl BoundedStream<TcpStream> {
    /// Waits for the first byte, and leaves it where it is; `None` if the other side ended without one.
    pub(crate) async fn peek(&mut self) -> io::Result<Option<u8>> {
        poll_fn(|context| {
            self.check_patience(context)?;
            let mut byte = [0];
            let mut buffer = ReadBuf::new(&mut byte);
            ready!(self.stream.poll_peek(context, &mut buffer))?;
            Poll::Ready(Ok(buffer.filled().first().copied()))
        })
        .await
    }
}

impl<I: AsyncRead + Unpin> AsyncRead for BoundedStream<I> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let it = self.get_mut();
        it.check_patience(context)?;
        let before = buffer.filled().len();
        let read = Pin::new(&mut it.stream).poll_read(context, buffer);
        if buffer.filled().len() > before {
            it.note_read();
        }
        read
    }
}

impl<I: AsyncWrite + Unpin> AsyncWrite for BoundedStream<I> {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let it = self.get_mut();
        it.check_patience(context)?;
        let written = Pin::new(&mut it.stream).poll_write(context, bytes);
        if matches!(written, Poll::Ready(Ok(1..))) {
            it.note_write();
        }
        written
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(context)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let it = self.get_mut();
        it.check_patience(context)?;
        let written = Pin::new(&mut it.stream).poll_write_vectored(context, parts);
        if matches!(written, Poll::Ready(Ok(1..))) {
            it.note_write();
        }
        written
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_one_that_waits_for_longest_makes_room() {
        let mut places = Places::new(2);
        let (first, mut first_end) = places.take().unwrap();
        let (second, mut second_end) = places.take().unwrap();
        // The first one has had a request since, so the second one has waited for longer.
        places.begin_request(first);
        places.end_request(first);
        let (third, _third_end) = places.take().unwrap();
        assert!(second_end.try_recv().is_err() && places.is_waiting(second));
        assert_eq!(places.taken.len(), 2);
        places.begin_request(first);
        places.begin_request(third);
        assert!(places.take().is_none(), "each carries a request out");
        assert!(matches!(
            first_end.try_recv(),
            Err(oneshot::error::TryRecvError::Empty)
        ));
        places.leave(third);
        assert!(places.take().is_some());
        // What lost its place changes nothing any more.
        places.end_request(second);
        places.leave(second);
        assert_eq!((places.taken.len(), places.waiting.len()), (2, 1));
    }
}
