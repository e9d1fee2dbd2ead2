//! `migrate`: opening a database brings it up to date.

use crate::{
    failure::{Failure, Ran},
    ground::Ground,
    output,
};

pub async fn run(ground: &Ground) -> Result<Ran, Failure> {
    let db = ground.open().await?;
    db.close().await;
    output::line(&format!("`{}` is up to date", ground.settings.database.shown()))?;
    Ok(Ran::Done)
}
