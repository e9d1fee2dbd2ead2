//! The table of test vectors that every [`Limiter`] passes.

use futures_util::future::BoxFuture;
use toolcrib_model::Id;
use toolcrib_registry::LimitClass::{self, External, Read, Write};

use super::{LimitPerson, LimitRequest, LimitScope, Limited, Limiter};

/// A step of a vector: what happens, and the expected state.
#[derive(Clone, Copy, Debug)]
pub enum Step {
    /// This many seconds pass.
    Wait(i64),
    /// The bucket admits a call. It then holds `remaining` calls and is full after `reset` seconds.
    Admit { bucket: Bucket, remaining: u32, reset: u64 },
    /// The bucket admits this many calls.
    Drain(Bucket, u32),
    /// The bucket refuses a call, with these seconds until a retry and until it is full.
    Refuse { bucket: Bucket, retry_after: u64, reset: u64 },
    /// The person's call is admitted. `told` is the tighter bucket: its size, what remains, and the seconds
    /// until it is full.
    By { person: u128, bucket: Bucket, told: (u32, u32, u64) },
    /// The person is admitted this many times.
    DrainBy(u128, Bucket, u32),
    /// The person is refused. `told` is the size of the tighter bucket, and the seconds until a retry and
    /// until it is full.
    RefuseBy { person: u128, bucket: Bucket, told: (u32, u64, u64) },
    /// The bucket holds this many calls, and reading it changes nothing.
    Holds(Bucket, u32),
    /// The person may make this many calls, and reading that changes nothing.
    HoldsFor(u128, Bucket, u32),
}

/// A bucket of the table: its scope (numbers from 100 on are principals), class and size.
#[derive(Clone, Copy, Debug)]
pub struct Bucket(pub u128, pub LimitClass, pub u32);

impl Bucket {
    pub fn request(self) -> LimitRequest {
        let Self(who, class, per_minute) = self;
        let id = Id::from_u128(who % 100);
        let scope = if who < 100 { LimitScope::Workspace(id) } else { LimitScope::Principal(id) };
        LimitRequest { scope, class, per_minute, person: None, changes: true }
    }

    /// Returns the request of a person whose share is six tenths of the writes.
    pub fn by(self, person: u128) -> LimitRequest {
        let share = (self.1 == Write).then_some(self.2 * 6 / 10);
        LimitRequest { person: Some(LimitPerson { id: Id::from_u128(person), share }), ..self.request() }
    }
}

/// A name and its steps.
pub type Vector = (&'static str, &'static [Step]);

use Step::{Admit, By, Drain, DrainBy, Holds, HoldsFor, Refuse, RefuseBy, Wait};

const TEN: Bucket = Bucket(1, Write, 10);
const ONE: Bucket = Bucket(1, External, 1);
const MANY: Bucket = Bucket(1, Read, 600);
const SEVEN: Bucket = Bucket(1, Write, 7);
const NONE: Bucket = Bucket(1, Write, 0);

/// The test vectors. Sizes and waits are chosen so that microseconds and nanoseconds give the same whole
/// seconds.
pub const VECTORS: &[Vector] = &[
    (
        "a burst, then a refusal",
        &[
            Holds(TEN, 10),
            Admit { bucket: TEN, remaining: 9, reset: 6 },
            Admit { bucket: TEN, remaining: 8, reset: 12 },
            Drain(TEN, 8),
            Refuse { bucket: TEN, retry_after: 6, reset: 60 },
            Refuse { bucket: TEN, retry_after: 6, reset: 60 },
            Holds(TEN, 0),
        ],
    ),
    (
        "waiting exactly as told is enough, and a second less is not",
        &[
            Drain(TEN, 10),
            Wait(5),
            Refuse { bucket: TEN, retry_after: 1, reset: 55 },
            Wait(1),
            Admit { bucket: TEN, remaining: 0, reset: 60 },
            Refuse { bucket: TEN, retry_after: 6, reset: 60 },
            Wait(6),
            Admit { bucket: TEN, remaining: 0, reset: 60 },
        ],
    ),
    (
        "a fraction of a second is rounded up",
        &[
            Drain(MANY, 600),
            Refuse { bucket: MANY, retry_after: 1, reset: 60 },
            Wait(1),
            Drain(MANY, 10),
            Refuse { bucket: MANY, retry_after: 1, reset: 60 },
            Drain(SEVEN, 7),
            Refuse { bucket: SEVEN, retry_after: 9, reset: 60 },
            Wait(9),
            Admit { bucket: SEVEN, remaining: 0, reset: 60 },
        ],
    ),
    (
        "it refills evenly and never beyond its size",
        &[
            Drain(TEN, 10),
            Wait(30),
            Holds(TEN, 5),
            Drain(TEN, 5),
            Refuse { bucket: TEN, retry_after: 6, reset: 60 },
            Wait(60),
            Holds(TEN, 10),
            Wait(3600),
            Holds(TEN, 10),
            Drain(TEN, 10),
            Refuse { bucket: TEN, retry_after: 6, reset: 60 },
        ],
    ),
    (
        "workspaces and principals are apart, even under the same id",
        &[
            Drain(TEN, 10),
            Admit { bucket: Bucket(2, Write, 10), remaining: 9, reset: 6 },
            Admit { bucket: Bucket(101, Write, 10), remaining: 9, reset: 6 },
            Refuse { bucket: TEN, retry_after: 6, reset: 60 },
        ],
    ),
    (
        "classes are apart",
        &[
            Drain(TEN, 10),
            Admit { bucket: Bucket(1, Read, 10), remaining: 9, reset: 6 },
            Refuse { bucket: TEN, retry_after: 6, reset: 60 },
        ],
    ),
    (
        "a changed size is another bucket, which starts full",
        &[
            Drain(TEN, 10),
            Drain(SEVEN, 7),
            Refuse { bucket: SEVEN, retry_after: 9, reset: 60 },
            Refuse { bucket: TEN, retry_after: 6, reset: 60 },
        ],
    ),
    (
        "who is alone has all of it",
        &[
            By { person: 1, bucket: TEN, told: (10, 9, 6) },
            HoldsFor(1, TEN, 9),
            DrainBy(1, TEN, 9),
            RefuseBy { person: 1, bucket: TEN, told: (10, 6, 60) },
        ],
    ),
    (
        "who is not alone has a share, and is told of the tighter bucket",
        &[
            DrainBy(2, MANY, 1),
            By { person: 1, bucket: TEN, told: (6, 5, 10) },
            DrainBy(1, TEN, 4),
            By { person: 1, bucket: TEN, told: (6, 0, 60) },
            RefuseBy { person: 1, bucket: TEN, told: (6, 10, 60) },
            HoldsFor(1, TEN, 0),
            // The other person gets what remains.
            HoldsFor(2, TEN, 4),
            By { person: 2, bucket: TEN, told: (10, 3, 42) },
            DrainBy(2, TEN, 3),
            RefuseBy { person: 2, bucket: TEN, told: (10, 6, 60) },
            RefuseBy { person: 1, bucket: TEN, told: (6, 10, 60) },
            Wait(6),
            RefuseBy { person: 1, bucket: TEN, told: (6, 4, 54) },
            By { person: 2, bucket: TEN, told: (10, 0, 60) },
            Wait(4),
            RefuseBy { person: 1, bucket: TEN, told: (10, 2, 56) },
            Wait(2),
            By { person: 1, bucket: TEN, told: (6, 0, 58) },
        ],
    ),
    (
        "a minute after the others' last call one is alone again",
        &[
            DrainBy(2, MANY, 1),
            DrainBy(1, TEN, 6),
            RefuseBy { person: 1, bucket: TEN, told: (6, 10, 60) },
            Wait(1),
            DrainBy(3, TEN, 1),
            Wait(58),
            // Two other persons were active; the last of them still is.
            By { person: 1, bucket: TEN, told: (6, 4, 11) },
            Wait(2),
            By { person: 1, bucket: TEN, told: (10, 8, 10) },
            DrainBy(1, TEN, 8),
            // One person has used the whole bucket. From now on it is limited to its share.
            DrainBy(2, MANY, 1),
            RefuseBy { person: 1, bucket: TEN, told: (6, 10, 60) },
            Wait(6),
            DrainBy(2, TEN, 1),
        ],
    ),
    (
        "somebody else's workspace makes nobody active here",
        &[
            DrainBy(2, Bucket(2, Write, 10), 1),
            DrainBy(1, TEN, 10),
            RefuseBy { person: 1, bucket: TEN, told: (10, 6, 60) },
        ],
    ),
    (
        "the smallest sizes",
        &[
            Admit { bucket: ONE, remaining: 0, reset: 60 },
            Wait(59),
            Refuse { bucket: ONE, retry_after: 1, reset: 1 },
            Wait(1),
            Admit { bucket: ONE, remaining: 0, reset: 60 },
            Holds(NONE, 0),
            Refuse { bucket: NONE, retry_after: 60, reset: 60 },
        ],
    ),
];

/// Runs one vector against a new limiter. `wait` moves its clock.
pub async fn run((name, steps): Vector, limiter: &dyn Limiter, wait: &dyn Fn(i64) -> BoxFuture<'static, ()>) {
    for (n, step) in steps.iter().enumerate() {
        let at = format!("{name}, step {n}: {step:?}");
        match *step {
            Wait(seconds) => wait(seconds).await,
            Drain(bucket, times) => {
                for _ in 0..times {
                    limiter.spend(bucket.request()).await.expect(&at);
                }
            }
            By { person, bucket, told } => {
                let state = limiter.spend(bucket.by(person)).await.expect(&at);
                assert_eq!((state.limit, state.remaining, state.reset_seconds), told, "{at}");
            }
            DrainBy(person, bucket, times) => {
                for _ in 0..times {
                    limiter.spend(bucket.by(person)).await.expect(&at);
                }
            }
            RefuseBy { person, bucket, told } => {
                let Err(Limited::Exceeded { state, retry_after }) = limiter.spend(bucket.by(person)).await
                else {
                    panic!("not refused: {at}");
                };
                assert_eq!((state.limit, retry_after, state.reset_seconds), told, "{at}");
                assert_eq!(state.remaining, 0, "{at}");
            }
            Holds(bucket, remaining) => {
                for _ in 0..2 {
                    let state = limiter.peek(bucket.request()).await.expect(&at);
                    assert_eq!((state.remaining, state.limit), (remaining, bucket.2), "{at}");
                }
            }
            HoldsFor(person, bucket, remaining) => {
                for _ in 0..2 {
                    let state = limiter.peek(bucket.by(person)).await.expect(&at);
                    assert_eq!(state.remaining, remaining, "{at}");
                }
            }
            Admit { bucket, remaining, reset } => {
                let state = limiter.spend(bucket.request()).await.expect(&at);
                assert_eq!((state.remaining, state.reset_seconds), (remaining, reset), "{at}");
                assert_eq!((state.class, state.limit), (bucket.1, bucket.2), "{at}");
            }
            Refuse { bucket, retry_after, reset } => {
                let Err(Limited::Exceeded { state, retry_after: told }) =
                    limiter.spend(bucket.request()).await
                else {
                    panic!("not refused: {at}");
                };
                assert_eq!((told, state.remaining, state.reset_seconds), (retry_after, 0, reset), "{at}");
            }
        }
    }
}
