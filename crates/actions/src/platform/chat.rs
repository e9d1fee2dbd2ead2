//! Chat messages, as chat backends report them.

mod search_chat_history;

use toolcrib_access::Caller;
use toolcrib_engine::Action;
use toolcrib_model::{Id, Role};
use toolcrib_store::messages::ChatScope;

pub fn actions() -> Vec<Action> {
    vec![Action::read(search_chat_history::SearchChatHistory)]
}

/// Returns whose chats a caller may read: an admin reads all chats of the workspace, other callers their own.
/// A key that acts for nobody reads none.
pub fn chat_scope(caller: &Caller) -> ChatScope {
    if caller.role >= Some(Role::Admin) {
        return ChatScope::All;
    }
    ChatScope::Of(caller.principal.user().unwrap_or_else(Id::nil))
}
