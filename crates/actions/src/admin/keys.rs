//! Operations on keys of agents and services.

mod adopt;
mod adoption;
mod create;
pub(super) mod grant;
mod list;
mod mint;
mod revoke;
mod view;

use toolcrib_engine::Action;

pub use adoption::{adopt_all, may_adopt};
pub use create::{Input as KeyInput, plan};
pub use view::{EffectiveAccess, KeyKind, KeyView};

pub fn operations() -> Vec<Action> {
    vec![
        Action::paged(list::ListKeys),
        Action::write(create::CreateKey),
        Action::write(adopt::AdoptKey),
        Action::write(revoke::RevokeKey),
    ]
}
