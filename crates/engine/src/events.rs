//! What happens, told to whoever may know: the events that calls write into the outbox, notifications for people, and
//! streams over the outbox.

pub(crate) mod emit;
mod names;
mod reader;
mod tail;
mod visibility;

pub use names::EVENT_NAMES;
pub(crate) use reader::is_operator;
pub use reader::{Event, EventReader, Events, EventsFilter};
pub(crate) use tail::OutboxTail;
