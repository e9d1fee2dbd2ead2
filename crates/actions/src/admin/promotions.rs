//! Operations on promotions: which actions have a tool of their own for a caller type or an agent.

mod delete;
mod list;
mod set;
mod view;

use toolcrib_engine::Action;

pub fn operations() -> Vec<Action> {
    vec![
        Action::read(list::ListPromotions),
        Action::write(set::SetPromotions),
        Action::write(delete::DeletePromotions),
    ]
}
