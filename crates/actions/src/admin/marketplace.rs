//! Operations on the items of the marketplace, which all workspaces share. They are for system admins.

mod add_item;
mod content;
mod update_item;
mod view;

use toolcrib_engine::Action;

/// Returns the operations on the marketplace, in order.
pub fn operations() -> Vec<Action> {
    vec![Action::write(add_item::AddItem), Action::write(update_item::UpdateItem)]
}
