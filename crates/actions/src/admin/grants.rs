//! Operations on session grants. `DELETE /v1/sessions/{id}/grants/{grant_id}` revokes one.

mod list;

use toolcrib_engine::Action;

pub fn operations() -> Vec<Action> {
    vec![Action::paged(list::ListGrants)]
}
