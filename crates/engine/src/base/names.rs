//! Names that people read, beside the ids of users, agents and keys.

use std::collections::{BTreeMap, BTreeSet};

use toolcrib_model::{Id, visible};
use toolcrib_store::{StoreError, Tx, display_names};

/// A name with this many digits is treated as a telephone number, because users of messengers may have their
/// number as name.
const NUMBER: usize = 7;

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

/// Returns the display name of a person, unless it is empty or looks like a telephone number.
pub(crate) fn person_name(name: Option<&str>) -> Option<&str> {
    let name = name.map(str::trim).filter(|name| !name.is_empty())?;
    (name.chars().filter(|c| c.is_numeric()).count() < NUMBER).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::person_name;

    #[test]
    fn nobody_is_called_by_a_number() {
        for name in [
            None,
            Some(""),
            Some("  "),
            Some("+49 170 1234567"),
            Some("Anna (0170/1234567)"),
            Some("٠١٢٣٤٥٦٧"),
            Some("Anna 1234567"),
        ] {
            assert_eq!(person_name(name), None, "{name:?}");
        }
        assert_eq!(person_name(Some(" Anna 2 ")), Some("Anna 2"));
        assert_eq!(person_name(Some("Anna 123456")), Some("Anna 123456"));
    }
}
