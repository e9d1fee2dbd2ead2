//! The hash chain of the audit log: the key that signs checkpoints, the sealer that appends rows to the
//! chains in the background, and the verification, which anybody can repeat.

mod export;
mod exported;
mod key;
#[cfg(test)]
mod places;
mod sealer;
mod verify;

pub use export::{AuditExport, ExportRange, checkpoint_line};
pub use exported::{ExportProblem, ExportedLog, ExportedRow, read_export, read_heads, read_places};
pub use key::{AuditKey, AuditKeyError, FILE, TrustedKeys};
pub use sealer::{Depth, Sealer, Signed};
pub use verify::{ChainDefect, Verification, VerifyRequest, verify};

/// Number of links that are read at once.
const PAGE: i64 = 1_000;
/// Seconds of lateness that the sealer expects. Rows that commit up to this long after newer rows are found
/// within a minute. The verification reports a row as late if it was sealed further from its own time.
const GRACE_SECONDS: i64 = 300;
/// Seconds by which a row may be older than one that was sealed before it, because calls commit side by side: a call
/// takes about a minute at most, and its row is found within another. The verification reports an older row as late.
const DISORDER_SECONDS: i64 = 150;
/// Seconds after which a row that is not sealed is reported.
const OVERDUE_SECONDS: i64 = 10;
