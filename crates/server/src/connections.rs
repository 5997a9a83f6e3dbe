//! Which connections a listener has, and which of them makes room for another.
//!
//! Nobody who connects has shown a key yet, and whoever connects and says little holds a place. So strangers have places
//! of their own: one more ends the one that has been there for the longest, whatever it is at (half a head,
//! half a form, an answer that it does not read). A connection whose request brings a key takes one of the other places.
//! Where these are taken, the one that has waited for its client for the longest ends, and a request is turned away only
//! if each carries one out. How long a head may take is hyper's to say (`listener.rs`), and a request has a time of its
//! own (`v1/layers.rs`).

use std::{
    collections::HashMap,
    num::NonZeroUsize,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
    time::Duration,
};

use axum::body::{Body, Bytes, HttpBody};
use hyper::body::{Frame, SizeHint};
use parking_lot::Mutex;
use prometheus_client::metrics::counter::Counter;
use tokio::{
    sync::oneshot,
    time::{Instant, sleep_until},
};

/// How long a client with a key may take for an answer, or a pause that hyper does not see.
const ANSWER_TIME: Duration = Duration::from_secs(600);

/// The connections of a listener. Clones share them.
#[derive(Debug, Clone)]
pub(crate) struct Connections {
    open: Arc<Mutex<OpenConnections>>,
    /// How long a stranger may stay without a request that is carried out.
    stranger_time: Duration,
    displaced: Counter,
}

#[derive(Debug)]
struct OpenConnections {
    /// Most that have shown no key, and most that have.
    most: (usize, usize),
    /// The number of the next one.
    next: u64,
    all: HashMap<u64, ConnectionState>,
    /// When a request with a key began or ended last; at first, when the server began.
    last_use: Instant,
}

/// How far a connection is.
#[derive(Debug)]
struct ConnectionState {
    /// Whether a request of it has brought a key. Behind a proxy others may follow that bring none.
    is_keyed: bool,
    /// Whether a request is being carried out or read.
    has_request: bool,
    /// Whether all of that request has come.
    has_body: bool,
    /// When it was opened, or its last request began or ended.
    since: Instant,
    /// Dropped to end the connection.
    _life: oneshot::Sender<()>,
}

impl ConnectionState {
    /// Returns whether a client with a key waits for the server, and not the server for a client.
    fn is_at_work(&self) -> bool {
        self.is_keyed && self.has_request && self.has_body
    }
}

impl OpenConnections {
    /// Sees to it that there is a place for one more with a key, or without. An error says that there is none; else how
    /// many were ended for it.
    fn make_room(&mut self, is_keyed: bool) -> Result<u64, NoRoom> {
        let most = if is_keyed { self.most.1 } else { self.most.0 };
        let alike = self.all.values().filter(|one| one.is_keyed == is_keyed);
        if alike.count() < most {
            return Ok(0);
        }
        let waiting = self.all.iter();
        let waiting = waiting.filter(|(_, one)| one.is_keyed == is_keyed && !one.is_at_work());
        let longest = waiting.min_by_key(|(id, one)| (one.since, **id));
        let longest = longest.map(|(id, _)| *id).ok_or(NoRoom)?;
        self.all.remove(&longest);
        Ok(1)
    }

    /// Opens a connection of a stranger.
    fn open(&mut self) -> (u64, oneshot::Receiver<()>) {
        let (life, ended) = oneshot::channel();
        self.next += 1;
        let state = ConnectionState {
            is_keyed: false,
            has_request: false,
            has_body: false,
            since: Instant::now(),
            _life: life,
        };
        self.all.insert(self.next, state);
        (self.next, ended)
    }

    /// Notes that a request brings a key. A connection that lost its place is about to end.
    fn admit(&mut self, id: u64) -> Result<u64, NoRoom> {
        self.last_use = Instant::now();
        let ended_count = match self.all.get(&id) {
            Some(state) if !state.is_keyed => self.make_room(true)?,
            _ => 0,
        };
        if let Some(state) = self.all.get_mut(&id) {
            state.is_keyed = true;
        }
        Ok(ended_count)
    }

    fn set_request(&mut self, id: u64, has_request: bool) {
        if let Some(state) = self.all.get_mut(&id) {
            (state.has_request, state.has_body) = (has_request, false);
            state.since = Instant::now();
            if state.is_keyed {
                self.last_use = state.since;
            }
        }
    }
}

/// Each connection carries a request out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NoRoom;

impl Connections {
    /// Bounds connections: a quarter of them may be without a key, so that they cost little. What is ended to make room is counted.
    pub(crate) fn new(most: NonZeroUsize, stranger_time: Duration, displaced: Counter) -> Self {
        let strangers = (most.get() / 4).max(1);
        let keyed_count = (most.get() - strangers).max(1);
        Self {
            open: Arc::new(Mutex::new(OpenConnections {
                most: (strangers, keyed_count),
                next: 0,
                all: HashMap::new(),
                last_use: Instant::now(),
            })),
            stranger_time,
            displaced,
        }
    }

    /// Returns how many there are.
    pub(crate) fn count(&self) -> usize {
        self.open.lock().all.len()
    }

    /// Opens a connection, which ends when the receiver does.
    pub(crate) fn open(&self) -> (Connection, oneshot::Receiver<()>) {
        let mut open = self.open.lock();
        self.displaced.inc_by(open.make_room(false).unwrap_or(0));
        let (id, ended) = open.open();
        let connections = self.clone();
        (Connection { connections, id }, ended)
    }

    /// Ends the strangers of whom no request is carried out, because nobody waits for an answer there.
    pub(crate) fn end_silent(&self) {
        let mut open = self.open.lock();
        open.all
            .retain(|_, state| state.is_keyed || state.has_request);
    }

    /// Ends all of them.
    pub(crate) fn end_all(&self) {
        self.open.lock().all.clear();
    }
}

/// A connection. Every request of it has this among its extensions.
#[derive(Debug, Clone)]
pub(crate) struct Connection {
    connections: Connections,
    id: u64,
}

impl Connection {
    /// Notes that a request brings a key, for which the connection may stay. An error says that there is no room.
    pub(crate) fn admit(&self) -> Result<(), NoRoom> {
        let ended_count = self.connections.open.lock().admit(self.id)?;
        self.connections.displaced.inc_by(ended_count);
        Ok(())
    }

    /// Notes a request for as long as the guard lives, and when all of its body has come.
    pub(crate) fn begin_request(&self, body: Body) -> (RequestGuard, Body) {
        self.connections.open.lock().set_request(self.id, true);
        let guard = RequestGuard(self.clone());
        if body.is_end_stream() {
            self.note_body();
            return (guard, body);
        }
        let connection = self.clone();
        (guard, Body::new(NotedBody { body, connection }))
    }

    fn note_body(&self) {
        if let Some(state) = self.connections.open.lock().all.get_mut(&self.id) {
            state.has_body = true;
        }
    }

    /// Waits until the client has had its time.
    pub(crate) async fn wait_until_late(&self) {
        while let Some(end) = self.find_deadline()
            && end > Instant::now()
        {
            sleep_until(end).await;
        }
    }

    /// Returns until when the client may take; of one whose request is carried out, when to look again.
    fn find_deadline(&self) -> Option<Instant> {
        let open = self.connections.open.lock();
        let state = open.all.get(&self.id)?;
        let start = if state.has_request {
            Instant::now()
        } else {
            state.since
        };
        let time = if state.is_keyed {
            ANSWER_TIME
        } else {
            self.connections.stranger_time
        };
        Some(start + time)
    }

    /// Gives the place back.
    pub(crate) fn close(&self) {
        self.connections.open.lock().all.remove(&self.id);
    }
}

/// Tells a connection that a request is over, also if it is given up.
#[derive(Debug)]
pub(crate) struct RequestGuard(Connection);

impl Drop for RequestGuard {
    fn drop(&mut self) {
        self.0.connections.open.lock().set_request(self.0.id, false);
    }
}

/// The body of a request, which tells its connection when all of it has come.
struct NotedBody {
    body: Body,
    connection: Connection,
}

impl HttpBody for NotedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(context));
        if frame.is_none() || self.body.is_end_stream() {
            self.connection.note_body();
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// Whether anybody uses a server.
#[derive(Debug, Clone)]
pub struct ServerUsage(pub(crate) Connections);

impl ServerUsage {
    /// Waits until there has been no request with a key for this long.
    pub async fn wait_until_idle(&self, length: Duration) {
        loop {
            let end = self.idle_since() + length;
            if end <= Instant::now() {
                return;
            }
            sleep_until(end).await;
        }
    }

    /// Returns since when there is no such request; now, while there is one.
    fn idle_since(&self) -> Instant {
        let open = self.0.open.lock();
        let mut all = open.all.values();
        if all.any(|state| state.is_keyed && state.has_request) {
            Instant::now()
        } else {
            open.last_use
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn connections(strangers: usize, keyed: usize) -> Connections {
        let hour = Duration::from_secs(3600);
        let all = Connections::new(NonZeroUsize::MIN, hour, Counter::default());
        all.open.lock().most = (strangers, keyed);
        all
    }

    fn is_over(ended: &mut oneshot::Receiver<()>) -> bool {
        ended.try_recv() == Err(oneshot::error::TryRecvError::Closed)
    }

    #[tokio::test]
    async fn strangers_make_room_for_strangers_only() {
        let all = connections(2, 2);
        let (keyed, mut keyed_end) = all.open();
        keyed.admit().unwrap();
        let (busy, mut first_end) = all.open();
        let _busy = busy.begin_request(Body::empty());
        let (_second, mut second_end) = all.open();
        let (_third, mut third_end) = all.open();
        assert!(is_over(&mut first_end), "it was there for the longest");
        assert!(!is_over(&mut second_end) && !is_over(&mut third_end) && !is_over(&mut keyed_end));
        assert_eq!((all.count(), all.displaced.get()), (3, 1));
        // What lost its place changes nothing any more.
        busy.admit().unwrap();
        busy.close();
        assert_eq!(all.count(), 3);
        all.end_silent();
        assert_eq!(all.count(), 1);
    }

    #[tokio::test]
    async fn of_those_with_a_key_only_who_is_at_work_stays() {
        let all = connections(2, 2);
        let [(first, mut first_end), (second, mut second_end)] = [all.open(), all.open()];
        let (half, body) = first.begin_request(Body::from("half"));
        let at_work = second.begin_request(Body::empty());
        first.admit().unwrap();
        second.admit().unwrap();
        let (third, _third_end) = all.open();
        let _third = third.begin_request(Body::empty());
        third.admit().unwrap();
        assert!(is_over(&mut first_end) && !is_over(&mut second_end));
        let (fourth, mut fourth_end) = all.open();
        assert_eq!(fourth.admit(), Err(NoRoom), "both are at work");
        assert!(!is_over(&mut fourth_end), "it is told so");
        drop((half, body, at_work));
        fourth.admit().unwrap();
        assert!(is_over(&mut second_end), "it waits for its next request");
    }

    #[tokio::test]
    async fn a_body_that_has_come_is_noted() {
        let all = connections(1, 1);
        let (connection, _end) = all.open();
        connection.admit().unwrap();
        let (_guard, body) = connection.begin_request(Body::from("whole"));
        let is_at_work = || all.open.lock().all[&connection.id].is_at_work();
        assert!(!is_at_work());
        axum::body::to_bytes(body, 100).await.unwrap();
        assert!(is_at_work());
    }
}
