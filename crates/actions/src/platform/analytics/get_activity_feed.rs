//! Gets one merged feed of recent activity.

mod item;

use std::collections::BTreeMap;

use toolcrib_engine::prelude::*;
use toolcrib_registry::{PermissionResource, Verb};
use toolcrib_store::{
    activity::{self, ActivityEvent, CallEntry, CallFilter, EventCounts, EventFilter, MAX_COUNTED},
    messages::{self, ChatCounts, ChatEntry},
};

use super::super::chat;
use item::{Item, ItemType};

pub struct GetActivityFeed;

/// Length of the period.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub enum Period {
    /// 24 hours.
    #[serde(rename = "1d")]
    Day,
    /// 7 days.
    #[default]
    #[serde(rename = "7d")]
    Week,
    /// 30 days.
    #[serde(rename = "30d")]
    Month,
    /// 90 days.
    #[serde(rename = "90d")]
    Quarter,
}

impl Period {
    const fn days(self) -> i64 {
        match self {
            Self::Day => 1,
            Self::Week => 7,
            Self::Month => 30,
            Self::Quarter => 90,
        }
    }
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Length of the period. Default: `7d`.
    #[schemars(extend("x-plain-words" = true))]
    pub period: Option<Period>,
    /// Only items of these types. Default: all types.
    #[schemars(length(min = 1, max = 6))]
    pub types: Option<Vec<ItemType>>,
    /// Maximum number of items. Default: 20.
    #[schemars(range(min = 1, max = 100))]
    pub limit: Option<i64>,
}

/// Result of `platform_get_activity_feed`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Items, newest first.
    pub items: Vec<Item>,
    /// Number of items of each requested type, including those not returned. Only the newest 500 events, calls and chat messages
    /// of the period are counted.
    #[schemars(extend("x-ours" = true))]
    pub counts: BTreeMap<&'static str, i64>,
    /// Whether `counts` has every item of the period. `false` if there may be more events, calls or chat messages than were
    /// counted.
    #[schemars(extend("x-ours" = true))]
    pub counts_complete: bool,
    /// Start of the period.
    pub from: Ts,
}

impl ReadAction for GetActivityFeed {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        Spec::read("platform_get_activity_feed", Category::Analytics, Permission::ANALYTICS_READ)
            .promoted()
            .describe(
                "Get one feed of recent activity, newest first: chats, playbooks, heartbeats, missions, tasks and calls.",
            )
            .tags(&["activity", "feed", "recent", "history", "timeline"])
            .examples(&["What happened here since yesterday?", "Show me the latest activity"])
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let from = cx.now.plus_days(-input.period.unwrap_or_default().days());
        let limit = input.limit.unwrap_or(20);
        let wanted = |kind: &ItemType| input.types.as_ref().is_none_or(|types| types.contains(kind));
        let types: Vec<ItemType> = ItemType::ALL.iter().copied().filter(wanted).collect();
        let mut counts: BTreeMap<&'static str, i64> = types.iter().map(|kind| (kind.as_str(), 0)).collect();
        let (events, chats, calls) = activity_of(cx, &types, from, limit).await?;
        let (mut items, mut most) = (Vec::new(), 0);
        if let Some((number, events)) = events {
            most = most.max(number.counted);
            counts.extend(types.iter().map(|kind| (kind.as_str(), kind.events(&number))));
            items.extend(events.into_iter().filter_map(Item::of_event));
        }
        if let Some((number, chats)) = chats {
            most = most.max(number.counted);
            counts.insert(ItemType::Chat.as_str(), number.chats);
            items.extend(chats.into_iter().map(Item::of_chat));
        }
        if let Some((number, calls)) = calls {
            most = most.max(number);
            counts.insert(ItemType::Call.as_str(), number);
            items.extend(calls.into_iter().map(Item::of_call));
        }
        items.sort_by_key(|item| std::cmp::Reverse(item.at));
        items.truncate(usize::try_from(limit).unwrap_or(20));
        Ok(Output { items, counts, counts_complete: most < MAX_COUNTED, from })
    }

    fn describe(_: &Input, output: &Output) -> String {
        let total = count(output.counts.values().sum::<i64>(), "item");
        let at_least = if output.counts_complete { "" } else { "at least " };
        format!("Listed {} of {at_least}{total}", output.items.len())
    }
}

/// The counts and the newest items of events, chats and calls; `None` where the caller may read none or asked for none.
type Found = (
    Option<(EventCounts, Vec<ActivityEvent>)>,
    Option<(ChatCounts, Vec<ChatEntry>)>,
    Option<(i64, Vec<CallEntry>)>,
);

/// Reads the counts and the newest items.
async fn activity_of(
    cx: &mut ReadCx<'_>,
    types: &[ItemType],
    from: Ts,
    limit: i64,
) -> Result<Found, ActionError> {
    let (mut events, mut chats, mut calls) = (None, None, None);
    let filter = events_of(cx, types, from);
    if !filter.prefixes.is_empty() {
        let counts = activity::event_counts(cx.tx, &filter).await?;
        events = Some((counts, activity::events(cx.tx, &filter, limit).await?));
    }
    if types.contains(&ItemType::Chat) && cx.caller.holds(&Permission::CHAT_READ) {
        let scope = chat::chat_scope(cx.caller);
        let counts = messages::chat_counts(cx.tx, from, scope, MAX_COUNTED).await?;
        chats = Some((counts, messages::chats(cx.tx, from, scope, limit).await?));
    }
    if types.contains(&ItemType::Call) {
        let filter = calls_of(cx, from);
        let count = activity::call_count(cx.tx, &filter).await?;
        calls = Some((count, activity::calls(cx.tx, &filter, limit).await?));
    }
    Ok((events, chats, calls))
}

/// Returns a filter for the events that the caller may read: an agent's key without `tasks:read` gets no
/// events of tasks.
fn events_of(cx: &ReadCx<'_>, types: &[ItemType], from: Ts) -> EventFilter {
    let held = Permission::ALL.iter().filter(|permission| cx.caller.holds(permission));
    EventFilter {
        prefixes: types.iter().filter_map(|kind| kind.prefix()).collect(),
        permissions: held.map(ToString::to_string).collect(),
        from,
    }
}

/// Returns a filter for calls of actions on resources that the caller may read. Refused calls of others are
/// only for readers of the audit log.
fn calls_of<'c>(cx: &ReadCx<'c>, from: Ts) -> CallFilter<'c> {
    let readable = |resource: &PermissionResource| {
        let mut reads = Permission::ALL.iter().filter(|permission| permission.verb == Verb::Read);
        reads.any(|permission| permission.resource == *resource && cx.caller.holds(permission))
    };
    let tools = cx.tools.catalog.registry().tools();
    CallFilter {
        actions: tools
            .filter(|meta| readable(&meta.spec.permission.resource))
            .map(|meta| &*meta.spec.name)
            .collect(),
        all_refusals: cx.caller.holds(&Permission::AUDIT_READ),
        reader: cx.caller.principal.user(),
        from,
    }
}
