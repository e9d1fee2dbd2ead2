//! Operations on the items of the marketplace, which all workspaces share. They are for system admins.

mod add_item;
mod content;
mod update_item;

use toolcrib_engine::Action;

pub fn operations() -> Vec<Action> {
    vec![Action::write(add_item::AddItem), Action::write(update_item::UpdateItem)]
}

toolcrib_model::closed_set! {
    "a status",
    /// Whether an item is offered.
    Status {
        /// Not visible yet.
        Pending = "pending",
        /// Visible to every workspace and installable.
        Approved = "approved",
        /// No longer installable; existing installations stay.
        Withdrawn = "withdrawn",
    }
}
