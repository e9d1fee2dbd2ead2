//! Analytics: activity, cost and success. Every figure is computed from rows; without rows `samples` is 0 and the
//! figure is null.

pub(super) mod figures;
mod get_activity_feed;
mod get_agent_ranking;
mod get_bottlenecks;
mod get_completion_time;
mod get_cost_breakdown;
mod get_cost_per_execution;
mod get_efficiency_score;
mod get_error_rates;
mod get_llm_usage;
mod get_peak_hours;
mod get_predictive_alerts;
mod get_queue_depth;
mod get_sla_compliance;
mod get_success_rate;
mod window;
mod workspace_stats;

use toolcrib_engine::Action;

pub fn actions() -> Vec<Action> {
    vec![
        Action::read(get_llm_usage::GetLlmUsage),
        Action::read(get_cost_breakdown::GetCostBreakdown),
        Action::read(workspace_stats::WorkspaceStats),
        Action::read(get_activity_feed::GetActivityFeed),
        Action::read(get_success_rate::GetSuccessRate),
        Action::read(get_completion_time::GetCompletionTime),
        Action::read(get_error_rates::GetErrorRates),
        Action::read(get_queue_depth::GetQueueDepth),
        Action::read(get_efficiency_score::GetEfficiencyScore),
        Action::read(get_cost_per_execution::GetCostPerExecution),
        Action::read(get_peak_hours::GetPeakHours),
        Action::read(get_bottlenecks::GetBottlenecks),
        Action::read(get_predictive_alerts::GetPredictiveAlerts),
        Action::read(get_agent_ranking::GetAgentRanking),
        Action::read(get_sla_compliance::GetSlaCompliance),
    ]
}
