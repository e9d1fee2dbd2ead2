//! `migrate`: brings a database up to date, and on PostgreSQL makes the three logins that `serve` then has.

use secrecy::ExposeSecret as _;
use toolcrib_store::logins;

use crate::{
    failure::{Failure, Ran},
    ground::Ground,
    output,
};

pub async fn run(ground: &Ground) -> Result<Ran, Failure> {
    let shown = ground.settings.database.shown();
    let Some(logins) = ground.logins() else {
        ground.open().await?.close().await;
        output::line(&format!("`{shown}` is up to date"))?;
        return Ok(Ran::Done);
    };
    let Some(owner) = &ground.settings.owner_database else {
        return Err(Failure::Usage(
            "the logins of `--database`, `--audit-database` and `--worker-database` own nothing: name the owner's with \
             `--owner-database`"
                .into(),
        ));
    };
    let done = logins::migrate_for(owner.expose_secret(), &logins, ground.ids.as_ref()).await;
    done.map_err(|error| ground.unopened(&error))?;
    output::line(&format!("`{shown}` is up to date, and its three logins have what they need"))?;
    Ok(Ran::Done)
}
