//! Responses about runs of the assistant that an operation alone does not give: they wait for a run, stream it to front
//! ends that speak the AI SDK's UI message stream, and pass on what a person decides in a chat.
//!
//! A run is started by its operation, and its message comes from the crate `assistant`. Nothing here reads the
//! database.

pub(crate) mod chat;
mod chunks;
mod decisions;
mod run_stream;
mod run_wait;
mod thread;

pub(crate) use run_wait::RunWait;
pub(crate) use thread::with_current_message;
