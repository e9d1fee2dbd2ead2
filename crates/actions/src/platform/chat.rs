//! Chat: what was said, as chat backends report it.

mod search_chat_history;

use toolcrib_access::Caller;
use toolcrib_engine::Action;
use toolcrib_model::{Id, Role};
use toolcrib_store::messages::ChatScope;

/// The actions of this category, in order.
pub fn actions() -> Vec<Action> {
    vec![Action::read::<search_chat_history::SearchChatHistory>()]
}

/// Whose chats a caller sees: an admin all of the workspace, everybody else their own. A key that acts for nobody
/// has none.
pub fn chat_scope(caller: &Caller) -> ChatScope {
    if caller.role >= Some(Role::Admin) {
        return ChatScope::All;
    }
    ChatScope::Of(caller.principal.user().unwrap_or_else(Id::nil))
}
