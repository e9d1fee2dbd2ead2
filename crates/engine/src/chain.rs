//! The audit log, made provable: the key that signs how far a workspace's chain reached, the sealer that appends to the
//! chains beside the requests, and the verification that anybody may repeat.

mod key;
mod sealer;
mod verify;

pub use key::{AuditKey, AuditKeyError, FILE, TrustedKeys};
pub use sealer::{Depth, Sealer, Signed};
pub use verify::{Defect, Question, Verification, verify};
