//! Events: those that calls write into the outbox, the notifications of users, and the streams that read the
//! outbox.

pub(crate) mod emit;
mod names;
mod reader;
mod tail;
mod visibility;

pub use emit::{NotificationText, Stamp, notify_admins};
pub use names::EVENT_NAMES;
pub(crate) use reader::ReaderParts;
pub(crate) use reader::is_operator;
pub use reader::{Event, EventReader, Events, EventsFilter};
pub(crate) use tail::OutboxTail;
