//! The user of a token or of a session: their id, and their display name from the claim `name` if they have none.

use std::sync::Arc;

use futures_util::FutureExt as _;
use toolcrib_model::{Id, person_name};
use toolcrib_store::{Db, StoreError, users};

use super::Authenticator;
use crate::error::{AuthError, unavailable};

impl Authenticator {
    /// Returns the id of the user with this subject, if there is a row of that user.
    pub(super) async fn user_id(
        &self,
        subject: &Arc<str>,
        name: Option<&str>,
    ) -> Result<Option<Id>, AuthError> {
        if let Some(known) = self.users.get(subject) {
            return Ok(Some(known));
        }
        let found = users::find(&self.db, &self.issuer, subject).boxed().await;
        let found = found.map_err(|error| unavailable(&error))?;
        if let Some(id) = found {
            self.users.insert(Arc::clone(subject), id);
            if let Some(name) = name {
                self.keep_name(id, name).boxed().await;
            }
        }
        Ok(found)
    }

    /// Stores the name as the user's display name, where none is set. The write is not awaited and may fail: the token
    /// is as good without it.
    async fn keep_name(&self, user: Id, name: &str) {
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
