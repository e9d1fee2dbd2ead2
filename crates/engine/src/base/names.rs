//! Names that people read, beside the ids of users, agents and keys.

use std::collections::{BTreeMap, BTreeSet};

use toolcrib_model::{Id, person_name, visible};
use toolcrib_store::{StoreError, Tx, display_names};

/// The names of users, agents and keys of a workspace, by id.
#[derive(Clone, Debug, Default)]
pub struct Names(BTreeMap<Id, String>);

impl Names {
    /// Reads the names of the users, agents and keys with these ids. Never a telephone number or the identity
    /// provider's id of a user.
    pub async fn read(tx: &mut Tx, ids: &BTreeSet<Id>) -> Result<Self, StoreError> {
        let found = display_names::find(tx, ids).await?.into_iter();
        let named = found.filter_map(|row| {
            let user = person_name(row.user_name.as_deref()).map(str::to_owned);
            let name = user.or(row.agent_name).or(row.key_name)?;
            Some((row.id, visible(&name).into_owned()))
        });
        Ok(Self(named.collect()))
    }

    /// Returns the name of what has this id, with control and direction characters as code points. `None` if it has no
    /// name, or does not exist any more.
    pub fn of(&self, id: Id) -> Option<String> {
        self.0.get(&id).cloned()
    }
}
