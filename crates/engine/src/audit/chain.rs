//! The audit log, made provable: the key that signs how far a workspace's chain reached, the sealer that appends to the
//! chains beside the requests, and the verification that anybody may repeat.

mod key;
#[cfg(test)]
mod places;
mod sealer;
mod verify;

pub use key::{AuditKey, AuditKeyError, FILE, TrustedKeys};
pub use sealer::{Depth, Sealer, Signed};
pub use verify::{ChainDefect, Verification, VerifyRequest, verify};

/// Places that are read at once.
const PAGE: i64 = 1_000;
/// A row that committed this much later than others of its time is found within a minute; and one that was sealed further
/// from its own time is told as late.
const GRACE_SECONDS: i64 = 300;
/// A row that waits for its place longer than this is reported.
const OVERDUE_SECONDS: i64 = 10;
