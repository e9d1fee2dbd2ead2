//! Governance: blueprints (rules for agents) and budgets.

mod check_budget;
mod create_blueprint;
mod get_blueprint;
mod list_blueprints;
mod update_blueprint;
mod validate_agent;
mod view;

use toolcrib_engine::Action;

pub fn actions() -> Vec<Action> {
    vec![
        Action::paged(list_blueprints::ListBlueprints),
        Action::read(get_blueprint::GetBlueprint),
        Action::write(create_blueprint::CreateBlueprint),
        Action::write(update_blueprint::UpdateBlueprint),
        Action::read(validate_agent::ValidateAgent),
        Action::read(check_budget::CheckBudget),
    ]
}
