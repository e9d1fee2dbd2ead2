//! Operations on members and their roles.

mod add;
mod delegates;
mod get;
mod list;
mod remove;
pub(super) mod rules;
mod update;

use toolcrib_engine::Action;

pub use add::Input as MemberInput;

pub fn operations() -> Vec<Action> {
    vec![
        Action::paged(list::ListMembers),
        Action::read(get::GetMember),
        Action::write(add::AddMember),
        Action::write(update::UpdateMember),
        Action::write(remove::RemoveMember),
    ]
}
