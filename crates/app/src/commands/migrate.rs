//! `migrate`: creates the tables, and creates the three logins of `serve` on PostgreSQL.

use secrecy::ExposeSecret as _;
use toolcrib_store::logins;

use crate::{
    context::AppContext,
    failure::{Failure, Ran},
    output,
};

pub async fn run(context: &AppContext) -> Result<Ran, Failure> {
    let shown = context.settings.database.shown();
    let Some(logins) = context.logins() else {
        context.open().await?.close().await;
        output::line(&format!("`{shown}` is up to date"))?;
        return Ok(Ran::Done);
    };
    let Some(owner) = &context.settings.owner_database else {
        return Err(Failure::Usage(
            "the logins of `--database`, `--audit-database` and `--worker-database` own nothing: name the owner's with \
             `--owner-database`"
                .into(),
        ));
    };
    let done = {
        let schemas = context.pack_schemas();
        logins::migrate_for(owner.expose_secret(), &logins, context.ids.as_ref(), &schemas).await
    };
    done.map_err(|error| context.unopened(&error))?;
    output::line(&format!("`{shown}` is up to date, and its three logins have what they need"))?;
    Ok(Ran::Done)
}
