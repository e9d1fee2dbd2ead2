//! Analytics: what happened, what it cost, how well it went.

mod get_activity_feed;

use toolcrib_engine::Action;

/// The actions of this category, in order.
pub fn actions() -> Vec<Action> {
    vec![Action::read::<get_activity_feed::GetActivityFeed>()]
}
