//! Operations on packs: which of the compiled packs a workspace uses, and with which settings.

mod delete_data;
mod list;
mod update;
mod view;

use toolcrib_engine::Action;

pub fn operations() -> Vec<Action> {
    vec![
        Action::read(list::ListPacks),
        Action::write(update::UpdatePack),
        Action::write(delete_data::DeletePackData),
    ]
}
