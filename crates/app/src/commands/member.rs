//! `member add`.

use serde_json::json;
use toolcrib_auth::issuer;
use toolcrib_model::Role;
use toolcrib_store::StoreError;

use super::workspace_id;
use crate::{
    administration::{Moment, NewMember, add_member},
    context::AppContext,
    failure::{Failure, Ran},
    output,
};

pub async fn add(
    context: &AppContext,
    workspace: &str,
    subject: String,
    role: &str,
    name: Option<String>,
) -> Result<Ran, Failure> {
    let role: Role = role.parse().map_err(|error| Failure::Usage(format!("{error}")))?;
    let db = context.open_existing().await?;
    let workspace = workspace_id(&db, workspace).await?;
    let issuer = context.settings.issuer.clone().unwrap_or_else(|| issuer::ISSUER.to_owned());
    let member = NewMember { issuer, subject: subject.clone(), role, name };
    let moment = Moment { now: context.now(), ids: context.ids.as_ref() };
    let mut tx = db.begin_write(workspace).await?;
    let added = add_member(&mut tx, moment, &member).await;
    let user_id = tx.end(added).await.map_err(|error| match error {
        StoreError::Duplicate => Failure::Usage(format!("`{subject}` is a member of this workspace already")),
        other => other.into(),
    })?;
    output::json(&json!({ "user_id": user_id, "subject": subject, "role": role }))?;
    Ok(Ran::Done)
}
