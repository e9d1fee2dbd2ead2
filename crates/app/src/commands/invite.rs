//! `invite`: an invitation of the operator, for the first owner of a workspace.

use serde_json::json;
use toolcrib_auth::{InvitationCode, is_email};
use toolcrib_engine::Stamp;
use toolcrib_model::{Id, Role, Ts};
use toolcrib_store::{
    Db, StoreError, WriteTx,
    invitations::{self, InvitationRow},
    members,
};

use super::workspace_id;
use crate::{
    administration::audit_row,
    cli::InviteArgs,
    context::AppContext,
    failure::{Failure, Ran},
    output,
};

/// How long an invitation of the operator can be used, in hours.
const HOURS: i64 = 24;

pub async fn run(context: &AppContext, args: InviteArgs) -> Result<Ran, Failure> {
    let role: Role = args.role.parse().map_err(|error| Failure::Usage(format!("{error}")))?;
    if args.email.as_deref().is_some_and(|email| !is_email(email)) {
        return Err(Failure::Usage("`--email` must be an e-mail address".into()));
    }
    let db = context.open_existing().await?;
    let workspace = workspace_id(&db, &args.workspace).await?;
    match &args.revoke {
        Some(id) => revoke(context, &db, workspace, id).await,
        None => make(context, &db, workspace, role, args.email).await,
    }
}

async fn make(
    context: &AppContext,
    db: &Db,
    workspace: Id,
    role: Role,
    email: Option<String>,
) -> Result<Ran, Failure> {
    let (issuer, public_url) = provider(context)?;
    let stamp = context.stamp();
    let code = InvitationCode { workspace, secret: stamp.ids.secret() };
    let row = InvitationRow {
        workspace_id: workspace,
        id: stamp.new_id(),
        code_hash: code.hash().to_vec(),
        role: role.as_str().to_owned(),
        email,
        inviter: None,
        invited_by: None,
        issuer: Some(issuer.to_owned()),
        created_at: stamp.now,
        expires_at: stamp.now.plus_seconds(HOURS * 3_600),
        used_by: None,
        used_at: None,
        revoked_at: None,
    };
    let mut tx = db.begin_write(workspace).await?;
    let made = insert(&mut tx, stamp, &row).await;
    tx.end(made).await?;
    output::json(&json!({ "id": row.id, "role": row.role, "email": row.email, "issuer": row.issuer,
        "expires_at": row.expires_at, "url": code.link(public_url) }))?;
    Ok(Ran::Done)
}

/// Returns the issuer whose people can use the invitation, and the address of the console.
fn provider(context: &AppContext) -> Result<(&str, &str), Failure> {
    let settings = &context.settings;
    match (&settings.issuer, &settings.public_url, &settings.console_client_id) {
        (Some(issuer), Some(public_url), Some(_)) => Ok((issuer, public_url)),
        _ => Err(Failure::Usage(
            "an invitation is used by a sign-in through your identity provider: set `--jwks-url`, `--issuer`, `--audience`, \
             `--public-url` and `--console-client-id` as for `serve`, best in the settings file"
                .into(),
        )),
    }
}

async fn insert(tx: &mut WriteTx, stamp: Stamp<'_>, row: &InvitationRow) -> Result<(), Failure> {
    if members::count_active(tx, Role::Owner.as_str()).await? > 0 {
        return Err(Failure::Usage(
            "this workspace has an owner, who invites the others in the console, under People".into(),
        ));
    }
    invitations::insert(tx, row).await?;
    let arguments =
        json!({ "invitation": row.id, "role": row.role, "email": row.email, "issuer": row.issuer });
    let target = Some(format!("invitation as {}", row.role));
    tx.audit(audit_row(stamp, row.workspace_id, "invitations.create", &arguments, target));
    Ok(())
}

async fn revoke(context: &AppContext, db: &Db, workspace: Id, id: &str) -> Result<Ran, Failure> {
    let id =
        Id::try_parse(id).map_err(|_| Failure::Usage("`--revoke` must be the ID of an invitation".into()))?;
    let stamp = context.stamp();
    let mut tx = db.begin_write(workspace).await?;
    let revoked = end(&mut tx, stamp, id).await;
    let changed = tx.end(revoked).await?;
    output::json(&json!({ "id": id, "revoked": changed }))?;
    Ok(if changed { Ran::Done } else { Ran::No })
}

async fn end(tx: &mut WriteTx, stamp: Stamp<'_>, id: Id) -> Result<bool, Failure> {
    let Some(row) = invitations::get(tx, id).await? else {
        return Err(Failure::Usage(format!("there is no invitation `{id}` in this workspace")));
    };
    let changed = invitations::revoke(tx, id, stamp.now).await?;
    if changed {
        let target = Some(format!("invitation as {}", row.role));
        tx.audit(audit_row(stamp, row.workspace_id, "invitations.revoke", &json!({ "id": id }), target));
    }
    Ok(changed)
}

/// Returns a line for each open invitation of the operator, for `doctor`.
pub async fn open(db: &Db, now: Ts) -> Result<Vec<String>, StoreError> {
    let found = invitations::open_of_operator(db, now).await?;
    let line = |row: InvitationRow| {
        let (workspace, id, role, until) = (row.workspace_id, row.id, row.role, row.expires_at);
        let email = row.email.map(|email| format!(" for {email}")).unwrap_or_default();
        format!(
            "an invitation as {role}{email} of workspace {workspace} can be used until {until}; \
             `toolcrib invite --workspace {workspace} --revoke {id}` ends it"
        )
    };
    Ok(found.into_iter().map(line).collect())
}
