//! `workspace create`, `workspace list` and `member add`.

use serde_json::json;
use toolcrib_actions::command_line::{MemberInput, WorkspaceInput, checked};
use toolcrib_auth::issuer::ISSUER;
use toolcrib_engine::Stamp;
use toolcrib_model::{Id, Role, Ts};
use toolcrib_store::{
    StoreError, WriteTx,
    workspaces::{self, WorkspaceRow},
};

use super::workspace_id;
use crate::{
    administration::{NewMember, add_member, add_workspace, new_workspace},
    context::AppContext,
    failure::{Failure, Ran},
    output,
};

pub async fn create(
    context: &AppContext,
    name: String,
    external_id: Option<String>,
    owner: Option<String>,
) -> Result<Ran, Failure> {
    // The operation makes no workspace without an owner.
    let subject = owner.as_deref().unwrap_or("nobody");
    let input: WorkspaceInput =
        checked(json!({ "name": name, "external_id": external_id, "owner": { "subject": subject } }))?;
    let db = context.open_existing().await?;
    let stamp = context.stamp();
    let row = new_workspace(stamp, input.name, input.external_id);
    let subject = owner.map(|_| input.owner.subject);
    let owner =
        subject.map(|subject| NewMember { issuer: issuer(context), subject, role: Role::Owner, name: None });
    let mut tx = db.begin_write(row.id).await?;
    let made = add(&mut tx, stamp, &row, owner.as_ref()).await;
    let user_id = tx.end(made).await.map_err(|error| match error {
        StoreError::Duplicate => Failure::Usage("a workspace with this external id exists already".into()),
        other => other.into(),
    })?;
    let issuer = owner.map(|owner| owner.issuer);
    output::json(&json!({ "id": row.id, "name": row.name, "owner": user_id, "owner_issuer": issuer }))?;
    Ok(Ran::Done)
}

async fn add(
    tx: &mut WriteTx,
    stamp: Stamp<'_>,
    row: &WorkspaceRow,
    owner: Option<&NewMember>,
) -> Result<Option<Id>, StoreError> {
    add_workspace(tx, stamp, row).await?;
    match owner {
        Some(owner) => add_member(tx, stamp, owner).await.map(Some),
        None => Ok(None),
    }
}

/// Returns the issuer of the tokens of people.
fn issuer(context: &AppContext) -> String {
    context.settings.issuer.clone().unwrap_or_else(|| ISSUER.to_owned())
}

/// Runs `member add`.
pub async fn add_user(
    context: &AppContext,
    workspace: &str,
    subject: String,
    role: &str,
    name: Option<String>,
) -> Result<Ran, Failure> {
    let input: MemberInput = checked(json!({ "subject": subject, "role": role, "display_name": name }))?;
    let MemberInput { subject, role, display_name: name, .. } = input;
    let db = context.open_existing().await?;
    let workspace = workspace_id(&db, workspace).await?;
    let member = NewMember { issuer: issuer(context), subject: subject.clone(), role, name };
    let stamp = context.stamp();
    let mut tx = db.begin_write(workspace).await?;
    let added = add_member(&mut tx, stamp, &member).await;
    let user_id = tx.end(added).await.map_err(|error| match error {
        StoreError::Duplicate => Failure::Usage(format!("`{subject}` is a member of this workspace already")),
        other => other.into(),
    })?;
    output::json(&json!({ "user_id": user_id, "subject": subject, "role": role }))?;
    Ok(Ran::Done)
}

pub async fn list(context: &AppContext, as_json: bool) -> Result<Ran, Failure> {
    let db = context.open_existing().await?;
    let found = workspaces::list(&db).await?;
    db.close().await;
    let time = |micros: i64| Ts::from_micros(micros).to_string();
    if as_json {
        let list: Vec<_> = found
            .iter()
            .map(|row| {
                json!({ "id": row.id, "name": row.name, "external_id": row.external_id,
                    "created_at": time(row.created_at), "deleted_at": row.deleted_at.map(time) })
            })
            .collect();
        output::json(&json!(list))?;
        return Ok(Ran::Done);
    }
    for row in found {
        let external = row.external_id.map(|id| format!(" ({id})")).unwrap_or_default();
        let deleted = row.deleted_at.map(|at| format!(", deleted {}", time(at))).unwrap_or_default();
        output::line(&format!("{} {}{external}{deleted}", row.id, row.name))?;
    }
    Ok(Ran::Done)
}
