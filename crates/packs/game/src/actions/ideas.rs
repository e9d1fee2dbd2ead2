//! Threads of ideas, and the brainstorms that they become.

mod conversation;
mod create_idea_thread;
mod finalize_threads_to_brainstorm;
mod get_thread_messages;
mod list_idea_threads;
mod mark_thread_read;
mod post_idea_message;

use toolcrib_engine::prelude::*;
use toolcrib_store::Tx;

use crate::tables::threads::{self, MessageRow};

/// The number of threads of a project.
const MAX_THREADS: i64 = 5_000;
/// The number of messages of a thread.
const MAX_MESSAGES: i64 = 10_000;

pub fn actions() -> Vec<Action> {
    vec![
        Action::paged(list_idea_threads::ListIdeaThreads),
        Action::paged(get_thread_messages::GetThreadMessages),
        Action::write(mark_thread_read::MarkThreadRead),
        Action::write(create_idea_thread::CreateIdeaThread),
        Action::write(post_idea_message::PostIdeaMessage),
        Action::write(finalize_threads_to_brainstorm::FinalizeThreadsToBrainstorm),
    ]
}

/// Returns a message of the thread; 404 for one of another thread.
async fn message(tx: &mut Tx, project: Id, thread: Id, id: Id) -> Result<MessageRow, ActionError> {
    let found = threads::message(tx, project, thread, Some(id)).await?;
    found.ok_or_else(|| {
        ActionError::new(ErrorCode::NotFound, format!("there is no message `{id}` in this thread"))
            .hint("`game_get_thread_messages` lists them")
    })
}
