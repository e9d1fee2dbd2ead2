//! What depends on a member: keys that they minted, keys of agents that run as them, and objects that they
//! created and that stay without them.

use std::collections::HashMap;

use toolcrib_engine::{NotificationText, prelude::*};
use toolcrib_model::NotificationKind;
use toolcrib_store::minters::{self, KeyAccess, StandingWork};

use crate::admin::keys::{EffectiveAccess, KeyView, adopt_all, may_adopt};

/// The maximum number of keys in a list of a response or notification.
const NAMED: usize = 200;

/// What depends on a member.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Delegates {
    /// Keys that the member created, at most 200. Without the membership they have no permissions until somebody
    /// adopts them.
    pub minted_keys: Vec<DependentKey>,
    /// Keys of agents that run as the member, at most 200. Without the membership they have no permissions, and
    /// nobody can adopt them.
    pub agent_keys: Vec<DependentKey>,
    /// Number of keys beyond these lists.
    pub more_keys: usize,
    /// Objects that the member set up, at most 200. They keep working without the membership, except that with the setting
    /// `runner: internal` schedules, heartbeats, playbooks and missions end when they are next due.
    pub goes_on: Vec<StandingWork>,
}

/// A key that depends on a member.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct DependentKey {
    /// ID.
    pub id: Id,
    /// `agent` or `service`.
    pub kind: String,
    /// Display name.
    pub name: String,
    /// Whether the caller may adopt the key now.
    pub adoptable: bool,
}

impl Delegates {
    /// Returns what depends on a member. Returns `None` if the caller may not read keys.
    pub async fn of(cx: &mut ReadCx<'_>, user_id: Id) -> Result<Option<Self>, ActionError> {
        if !cx.caller.holds(&Permission::KEYS_READ) {
            return Ok(None);
        }
        let (mut minted_keys, mut agent_keys, mut more_keys) = (Vec::new(), Vec::new(), 0);
        for access in minters::depending_on(cx.tx, user_id, cx.now).await? {
            let key = &access.key;
            let list = if key.runs_as == Some(user_id) { &mut agent_keys } else { &mut minted_keys };
            if list.len() == NAMED {
                more_keys += 1;
                continue;
            }
            list.push(DependentKey {
                id: key.id,
                kind: key.kind.clone(),
                name: key.name.clone(),
                adoptable: may_adopt(cx.tx, cx.caller, cx.tools.catalog.registry(), &access, cx.now)
                    .await
                    .is_ok(),
            });
        }
        let goes_on = minters::standing_work(cx.tx, user_id).await?;
        Ok(Some(Self { minted_keys, agent_keys, more_keys, goes_on }))
    }
}

/// The keys that depend on a member, as they were before a change or removal of the member.
pub struct Dependents {
    member: Id,
    keys: Vec<(KeyAccess, EffectiveAccess)>,
}

impl Dependents {
    /// Reads the keys before the change. If `adopts`, also adopts the keys that the member minted. Call it
    /// after `guard::lock`.
    pub async fn before(cx: &mut WriteCx<'_>, member: Id, adopts: bool) -> Result<Self, ActionError> {
        let keys = minters::depending_on(cx.tx, member, cx.now).await?;
        let policy = cx.policy;
        let held = keys.into_iter().map(|key| EffectiveAccess::of(&key, policy).map(|held| (key, held)));
        let dependents = Self { member, keys: held.collect::<Result<_, _>>()? };
        if adopts {
            dependents.adopt(cx).await?;
        }
        Ok(dependents)
    }

    async fn adopt(&self, cx: &mut WriteCx<'_>) -> Result<(), ActionError> {
        let theirs = |key: &&KeyAccess| {
            let minted = key.minters().is_ok_and(|all| all.iter().any(|(id, _)| *id == self.member));
            minted && key.key.runs_as != Some(self.member)
        };
        let minted: Vec<KeyAccess> = self.keys.iter().map(|(key, _)| key).filter(theirs).cloned().collect();
        for id in adopt_all(cx, &minted).await? {
            cx.emit("key.adopted", "keys:read", json!({ "id": id, "new_secret": false }));
        }
        Ok(())
    }

    /// Returns the keys that lost rights through the change, as they are now, and notifies the other admins.
    /// Returns none to a caller that may not read keys.
    pub async fn weakened(&self, cx: &mut WriteCx<'_>) -> Result<Weakened, ActionError> {
        let now = minters::depending_on(cx.tx, self.member, cx.now).await?;
        let mut now: HashMap<Id, KeyAccess> = now.into_iter().map(|key| (key.key.id, key)).collect();
        let mut weakened = Weakened::default();
        for (key, before) in &self.keys {
            let id = key.key.id;
            // An adopted key no longer depends on the member.
            let key = match now.remove(&id) {
                Some(key) => key,
                None => match minters::get(cx.tx, id).await? {
                    Some(key) => key,
                    None => continue,
                },
            };
            if !EffectiveAccess::of(&key, cx.policy)?.less_than(before) {
                continue;
            }
            if weakened.keys.len() == NAMED {
                weakened.more += 1;
            } else {
                weakened.keys.push(KeyView::of(cx.tx, &key, cx.policy).await?);
            }
        }
        if !weakened.keys.is_empty() {
            self.notify_owners(cx, &weakened).await?;
        }
        Ok(if cx.caller.holds(&Permission::KEYS_READ) { weakened } else { Weakened::default() })
    }

    async fn notify_owners(&self, cx: &mut WriteCx<'_>, weakened: &Weakened) -> Result<(), ActionError> {
        let (keys, more) = (&weakened.keys, weakened.more);
        let named: Vec<&str> = keys.iter().map(|key| key.name.as_str()).collect();
        let many = count(keys.len() + more, "key");
        let title = format!("{many} lost rights because a member was changed or removed");
        let others = if more == 0 { String::new() } else { format!(" and {more} more") };
        let body = format!(
            "`{}`{others} may do less than before. An admin who may make such a key can adopt it.",
            named.join("`, `")
        );
        let keys: Vec<_> = keys.iter().map(|key| json!({ "id": key.id, "name": key.name })).collect();
        let data = json!({ "user_id": self.member, "keys": keys, "more": more });
        let text = NotificationText { kind: NotificationKind::KeysWeakened, title, body };
        cx.notify_other_admins(text, &data).await
    }
}

/// Keys that lost rights.
#[derive(Default)]
pub struct Weakened {
    /// At most 200 of these keys.
    pub keys: Vec<KeyView>,
    /// The number of further keys.
    pub more: usize,
}
