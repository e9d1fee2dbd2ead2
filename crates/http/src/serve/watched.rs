//! A stream that fails if its client exceeds a time limit: for the head of a request, between two requests,
//! or for reading what is written. Bodies have a time limit of their own (`unread_body.rs`).

use std::{
    io::{self, IoSlice},
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    task::{Context, Poll, ready},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{Instant, Sleep, sleep_until},
};

use super::ConnectionLimits;

/// The requests of one connection: how many began, how many ended, and when the last one ended.
pub struct Requests {
    since: Instant,
    begun: AtomicU64,
    ended: AtomicU64,
    /// Microseconds after `since`.
    last_end: AtomicU64,
}

impl Requests {
    /// Creates the counters of a connection that begins now.
    pub fn new() -> Self {
        let zero = || AtomicU64::new(0);
        Self { since: Instant::now(), begun: zero(), ended: zero(), last_end: zero() }
    }

    pub fn begin(&self) {
        self.begun.fetch_add(1, Ordering::Relaxed);
    }

    pub fn end(&self) {
        let micros = u64::try_from(self.since.elapsed().as_micros()).unwrap_or(u64::MAX);
        self.last_end.store(micros, Ordering::Relaxed);
        self.ended.fetch_add(1, Ordering::Release);
    }

    fn last_end(&self) -> Instant {
        self.since + Duration::from_micros(self.last_end.load(Ordering::Relaxed))
    }
}

/// What the client has to do next, and until when.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Waits {
    /// Nothing, because a request runs.
    Nothing,
    /// Send the first byte of a request.
    Next(Instant),
    /// Send the rest of a head.
    Head(Instant),
}

/// The stream of one connection.
pub struct Watched<S> {
    stream: S,
    bounds: ConnectionLimits,
    requests: Arc<Requests>,
    /// How many requests had begun when `waits` was set.
    seen: u64,
    waits: Waits,
    reading: Timer,
    /// When the pending write fails.
    blocked: Option<Instant>,
    writing: Timer,
}

impl<S> Watched<S> {
    /// Starts the time limit of the first head.
    pub fn new(stream: S, bounds: ConnectionLimits, requests: Arc<Requests>) -> Self {
        let waits = Waits::Head(Instant::now() + bounds.head);
        let (reading, writing) = (Timer::default(), Timer::default());
        Self { stream, bounds, requests, seen: 0, waits, reading, blocked: None, writing }
    }

    /// Updates `waits` from the counters of requests.
    fn update_waits(&mut self) {
        let (begun, ended) =
            (self.requests.begun.load(Ordering::Relaxed), self.requests.ended.load(Ordering::Acquire));
        if begun > ended {
            self.waits = Waits::Nothing;
        } else if begun > self.seen || self.waits == Waits::Nothing {
            self.waits = Waits::Next(self.requests.last_end() + self.bounds.idle);
        }
        self.seen = begun;
    }

    /// Returns `Ready` if the client exceeded its time limit. The end of a request does not wake this task,
    /// so while a request runs the timer checks again after each `bounds.idle`.
    fn poll_late(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        loop {
            let until = match self.waits {
                Waits::Next(until) | Waits::Head(until) => until,
                Waits::Nothing => Instant::now() + self.bounds.idle,
            };
            ready!(self.reading.poll(cx, until));
            self.update_waits();
            match self.waits {
                Waits::Next(until) | Waits::Head(until) if until <= Instant::now() => return Poll::Ready(()),
                _ => {}
            }
        }
    }

    /// Returns the result of a write. Fails if the write was pending for longer than `bounds.write`.
    fn progress<T>(&mut self, cx: &mut Context<'_>, written: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.blocked = None;
            return written;
        }
        let write = self.bounds.write;
        let until = *self.blocked.get_or_insert_with(|| Instant::now() + write);
        ready!(self.writing.poll(cx, until));
        Poll::Ready(Err(late("nothing of an answer was taken in time")))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Watched<S> {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let before = buf.filled().len();
        let read = Pin::new(&mut this.stream).poll_read(cx, buf);
        this.update_waits();
        if read.is_ready() {
            if buf.filled().len() > before && matches!(this.waits, Waits::Next(_)) {
                this.waits = Waits::Head(Instant::now() + this.bounds.head);
            }
            return read;
        }
        ready!(this.poll_late(cx));
        Poll::Ready(Err(late("no request came in time")))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Watched<S> {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let written = Pin::new(&mut this.stream).poll_write(cx, bytes);
        this.progress(cx, written)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let written = Pin::new(&mut this.stream).poll_write_vectored(cx, parts);
        this.progress(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(cx)
    }
}

/// Wakes its task at a deadline that may change. Sets the sleep to an earlier deadline immediately, but to a
/// later one only when the sleep ends, because a reset costs more than an early wake-up.
#[derive(Default)]
struct Timer(Option<Pin<Box<Sleep>>>);

impl Timer {
    fn poll(&mut self, cx: &mut Context<'_>, until: Instant) -> Poll<()> {
        let sleep = self.0.get_or_insert_with(|| Box::pin(sleep_until(until)));
        if sleep.deadline() > until {
            sleep.as_mut().reset(until);
        }
        while sleep.as_mut().poll(cx).is_ready() {
            if sleep.deadline() >= until {
                return Poll::Ready(());
            }
            sleep.as_mut().reset(until);
        }
        Poll::Pending
    }
}

fn late(what: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, what)
}
