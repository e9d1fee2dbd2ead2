//! Operations on upstreams: the services that declared tools call and those with language models, and their secrets.

mod create;
mod delete;
mod delete_own_secret;
mod delete_secret;
mod discover;
mod list;
mod models;
mod rules;
mod set_own_secret;
mod set_secret;
mod test;
mod tool_view;
mod tools;
mod update;
mod view;

use toolcrib_engine::Action;

pub fn operations() -> Vec<Action> {
    vec![
        Action::read(list::ListUpstreams),
        Action::write(create::CreateUpstream),
        Action::write(update::UpdateUpstream),
        Action::write(delete::DeleteUpstream),
        Action::write(set_secret::SetUpstreamSecret),
        Action::write(delete_secret::DeleteUpstreamSecret),
        Action::write(set_own_secret::SetOwnSecret),
        Action::write(delete_own_secret::DeleteOwnSecret),
        Action::read(tools::ListUpstreamTools),
        Action::external(discover::DiscoverUpstream),
        Action::external(test::TestUpstream),
    ]
}
