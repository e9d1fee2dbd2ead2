//! The display name of a user who has none, from the claim `name` of their token.

use toolcrib_model::Id;
use toolcrib_store::{Db, StoreError, users};

use super::Authenticator;
use crate::base::person_name;

impl Authenticator {
    /// Stores the name as the user's display name, where none is set. The write is not awaited and may fail: the token
    /// is as good without it.
    pub(super) async fn keep_name(&self, user: Id, name: &str) {
        let Some(name) = person_name(Some(name)) else { return };
        match self.is_unnamed(user).await {
            Ok(true) => {}
            Ok(false) => return,
            Err(error) => return warn(&error),
        }
        let (db, name) = (self.db.clone(), name.to_owned());
        tokio::spawn(async move {
            if let Err(error) = set_name(&db, user, &name).await {
                warn(&error);
            }
        });
    }

    async fn is_unnamed(&self, user: Id) -> Result<bool, StoreError> {
        let mut tx = self.db.read(Id::nil()).await?;
        let row = users::get(&mut tx, user).await?;
        tx.end().await?;
        Ok(row.is_some_and(|row| row.display_name.is_none()))
    }
}

async fn set_name(db: &Db, user: Id, name: &str) -> Result<(), StoreError> {
    let mut tx = db.begin_write(Id::nil()).await?;
    users::name_unnamed(&mut tx, user, name).await?;
    tx.commit().await
}

fn warn(error: &StoreError) {
    tracing::warn!(%error, "the display name of a user can't be stored");
}
