//! The rules: each returns its check and its alerts.

use std::collections::{BTreeMap, HashMap};

use toolcrib_engine::prelude::*;
use toolcrib_store::analytics::{self, AgentBusyTime, Span};

use super::alert::{Alert, Check, Rule, Share, confidence};
use crate::platform::analytics::{
    figures::{percent, real},
    window::Window,
};

/// An hour and a day, in microseconds.
const HOUR: i64 = 3_600_000_000;
const DAY: i64 = 24 * HOUR;
/// Threshold of model calls in an hour.
const CALLS: i64 = 1_000;

/// The result of a rule: its check and its alerts.
type Seen = (Check, Vec<Alert>);

/// Compares the cost of 7 days with the cost of the 7 days before.
pub async fn cost(cx: &mut ReadCx<'_>) -> Result<Seen, ActionError> {
    let (week, both) = (Window::days(Some(7), cx.now), Window::days(Some(14), cx.now));
    let now = analytics::used(cx.tx, week.span()).await?;
    let before = analytics::used(cx.tx, week.span_before()).await?;
    let days = analytics::days_with_calls(cx.tx, both.span()).await?.min(14);
    let (spent, spent_before) = (now.cost_microusd, before.cost_microusd);
    let times = percent(spent, spent_before).map(|percent| percent / 100.0);
    let check = Check::new(Rule::CostJump, both, now.samples + before.samples, times, 1.5);
    // There is no ratio to a cost of 0.
    if spent_before == 0 || i128::from(spent) * 2 <= i128::from(spent_before) * 3 {
        return Ok((check, Vec::new()));
    }
    let (spent, spent_before) = (i128::from(spent), i128::from(spent_before));
    let excess = Share::new(2 * spent - 3 * spent_before, 3 * spent_before);
    let how = format!("{days} of the 14 days have model calls");
    let (confidence, confidence_from) = confidence(Share::new(days.into(), 14), excess, how);
    let times = times.unwrap_or_default();
    let alert = Alert {
        rule: Rule::CostJump,
        agent_id: None,
        agent_name: None,
        message: format!("the last 7 days cost {times} times as much as the 7 days before"),
        value: times,
        numbers: BTreeMap::from([
            ("cost_microusd", now.cost_microusd),
            ("cost_before_microusd", before.cost_microusd),
            ("model_calls", now.samples),
            ("model_calls_before", before.samples),
        ]),
        confidence,
        confidence_from,
    };
    Ok((check, vec![alert]))
}

/// Checks the hour of a day with the most model calls, and names the agent that made most of them.
pub async fn model_calls(cx: &mut ReadCx<'_>) -> Result<Seen, ActionError> {
    let day = Window::days(Some(1), cx.now);
    let samples = analytics::used(cx.tx, day.span()).await?.samples;
    let busiest = analytics::busiest_hour(cx.tx, day.span()).await?;
    let value = busiest.map(|hour| real(hour.calls.into()));
    let check = Check::new(Rule::ModelCallBurst, day, samples, value, real(CALLS.into()));
    let Some(busiest) = busiest.filter(|hour| hour.calls > CALLS) else { return Ok((check, Vec::new())) };
    let (from, to) = (busiest.hour * HOUR, (busiest.hour + 1) * HOUR);
    let hour = Span { from: from.max(day.span().from), until: to.min(day.span().until) };
    let agents = analytics::used_by_agent(cx.tx, hour).await?;
    let most = agents.into_iter().filter(|row| row.agent_id.is_some());
    let most = most.max_by_key(|row| (row.spent.samples, std::cmp::Reverse(row.agent_id)));
    let excess = Share::new((busiest.calls - CALLS).into(), CALLS.into());
    let how = "all model calls of the hour are counted".to_owned();
    let (confidence, confidence_from) = confidence(Share::new(1, 1), excess, how);
    let by_agent = most.as_ref().map_or(0, |row| row.spent.samples);
    let alert = Alert {
        rule: Rule::ModelCallBurst,
        agent_id: most.as_ref().and_then(|row| row.agent_id),
        agent_name: most.and_then(|row| row.name),
        message: format!("{} model calls in one hour; an agent may be in a loop", busiest.calls),
        value: real(busiest.calls.into()),
        numbers: BTreeMap::from([
            ("model_calls", busiest.calls),
            ("model_calls_of_agent", by_agent),
            ("hour_unix_seconds", from / 1_000_000),
        ]),
        confidence,
        confidence_from,
    };
    Ok((check, vec![alert]))
}

/// Finds agents that are busy for most of the day.
pub async fn busy_agents(cx: &mut ReadCx<'_>) -> Result<Seen, ActionError> {
    let day = Window::days(Some(1), cx.now);
    let all = analytics::busy(cx.tx, day.span(), false).await?;
    let ended = analytics::busy(cx.tx, day.span(), true).await?;
    let ended: HashMap<Id, i64> = ended.into_iter().map(|row| (row.agent_id, row.micros)).collect();
    let samples = all.iter().map(|row| row.executions).sum();
    let value = all.iter().map(|row| row.micros).max().and_then(|micros| percent(micros.min(DAY), DAY));
    let check = Check::new(Rule::BusyAgent, day, samples, value, 85.0);
    let over = |row: &&AgentBusyTime| i128::from(row.micros) * 100 > i128::from(DAY) * 85;
    let mut over: Vec<&AgentBusyTime> = all.iter().filter(over).collect();
    over.sort_by_key(|row| (std::cmp::Reverse(row.micros), row.agent_id));
    let alert = |row: &&AgentBusyTime| busy_agent(row, ended.get(&row.agent_id).copied().unwrap_or_default());
    Ok((check, over.iter().map(alert).collect()))
}

/// Returns the alert of a busy agent. The time of running executions counts half for its confidence, because
/// their end may not have been reported.
fn busy_agent(row: &AgentBusyTime, ended: i64) -> Alert {
    let (micros, ended) = (i128::from(row.micros.min(DAY)), i128::from(ended.min(DAY)));
    let excess = Share::new(micros * 100 - i128::from(DAY) * 85, i128::from(DAY) * 15);
    let data = Share::new(micros + ended, 2 * micros);
    let how = format!(
        "{} of {} busy seconds belong to ended executions; the others count half",
        ended / 1_000_000,
        micros / 1_000_000
    );
    let (confidence, confidence_from) = confidence(data, excess, how);
    let value = percent(row.micros.min(DAY), DAY).unwrap_or_default();
    let who =
        row.name.as_ref().map_or_else(|| "a deleted agent".to_owned(), |name| format!("agent `{name}`"));
    Alert {
        rule: Rule::BusyAgent,
        agent_id: Some(row.agent_id),
        agent_name: row.name.clone(),
        message: format!("{who} was busy for {value} % of 24 hours"),
        value,
        numbers: BTreeMap::from([
            ("busy_seconds", row.micros.min(DAY) / 1_000_000),
            ("of_seconds", DAY / 1_000_000),
            ("executions", row.executions),
        ]),
        confidence,
        confidence_from,
    }
}
