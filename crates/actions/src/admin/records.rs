//! Operations with which agent runtimes and chat backends report records. Analytics, activity and search use
//! these records.
//!
//! To add a kind: a file with its record (serde, `JsonSchema`, [`batch::Record`]), a line below.

mod add_chunks;
mod add_documents;
mod add_executions;
mod add_heartbeats;
mod add_llm_usage;
mod add_messages;
mod add_missions;
mod batch;

use batch::Add;
use toolcrib_engine::Action;

/// The scope that a key needs to report records.
const SCOPE: &str = "records:write";

pub fn operations() -> Vec<Action> {
    vec![
        Action::write(add_llm_usage::AddLlmUsage),
        Action::write(Add::<add_executions::Report>::new()),
        Action::write(Add::<add_messages::Message>::new()),
        Action::write(Add::<add_heartbeats::Heartbeat>::new()),
        Action::write(Add::<add_documents::Indexing>::new()),
        Action::write(add_chunks::AddChunks),
        Action::write(Add::<add_missions::Report>::new()),
    ]
}
