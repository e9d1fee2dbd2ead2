//! Operations on webhooks, to which the workspace's events are sent.

mod create;
mod delete;
mod list;
mod list_deliveries;
mod retry_delivery;
mod rotate;
mod rules;
mod test;
mod update;

use toolcrib_engine::Action;

pub fn operations() -> Vec<Action> {
    vec![
        Action::paged(list::ListWebhooks),
        Action::write(create::CreateWebhook),
        Action::write(update::UpdateWebhook),
        Action::write(delete::DeleteWebhook),
        Action::write(rotate::RotateWebhook),
        Action::paged(list_deliveries::ListDeliveries),
        Action::write(retry_delivery::RetryDelivery),
        Action::external(test::TestWebhook),
    ]
}
