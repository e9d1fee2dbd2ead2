//! Operations with which agent runtimes and chat backends report records. Analytics, activity and search use
//! these records.
//!
//! To add a kind: a file with its record (serde, `JsonSchema`, [`batch::Record`]) and its operation, a line
//! below.

mod add_chunks;
mod add_documents;
mod add_executions;
mod add_heartbeats;
mod add_llm_usage;
mod add_messages;
mod add_missions;
mod batch;

use toolcrib_engine::Action;

/// The scope that a key needs to report records.
const SCOPE: &str = "records:write";

/// Returns the operations of this resource, in order.
pub fn operations() -> Vec<Action> {
    vec![
        Action::write(add_llm_usage::AddLlmUsage),
        Action::write(add_executions::AddExecutions),
        Action::write(add_messages::AddMessages),
        Action::write(add_heartbeats::AddHeartbeats),
        Action::write(add_documents::AddDocuments),
        Action::write(add_chunks::AddChunks),
        Action::write(add_missions::AddMissions),
    ]
}
