//! `key create`.

use serde_json::{Value, json};
use toolcrib_access::Scope;
use toolcrib_actions::{
    Infrastructure,
    command_line::{KeyInput, checked, plan_key},
};
use toolcrib_auth::secret;
use toolcrib_engine::{Catalog, Stamp};
use toolcrib_model::{Id, Role, Ts};
use toolcrib_store::{Db, Tx, WriteTx, keys, keys::OperatorKeyRow, members, schema_owner, workspaces};

use super::{stored_toolset, workspace_id};
use crate::{
    administration::{Holder, NewKey, add_key, audit_row},
    cli::{KeyArgs, KeyKind},
    context::{self, AppContext},
    failure::{Failure, Ran},
    output,
};

pub async fn create(context: &AppContext, args: KeyArgs) -> Result<Ran, Failure> {
    if args.operator {
        check_operator_scopes(&args.scopes)?;
    } else {
        args.workspace.in_database()?;
    }
    let db = context.open_existing().await?;
    let secret = match &args.workspace.id {
        Some(workspace) => {
            let workspace = workspace_id(&db, workspace).await?;
            tenant_key(context, &db, workspace, &args).await?
        }
        None => operator_key(context, &db, &args).await?,
    };
    print(&secret)
}

/// Prints the secret of a new key, which is stored nowhere.
pub fn print(secret: &str) -> Result<Ran, Failure> {
    output::json(&json!({ "secret": secret }))?;
    Ok(Ran::Done)
}

/// Returns the body of `POST /v1/keys`. The member as whom an agent runs may be a `sub`, which the API does not take.
pub fn body(args: &KeyArgs, now: Ts) -> Value {
    let kind = match args.kind {
        KeyKind::Service => "service",
        KeyKind::Agent => "agent",
    };
    let expires_at = args.expires_in.map(|seconds| now.plus_seconds(seconds.into()));
    let mut body = json!({
        "kind": kind, "name": args.name, "scopes": args.scopes, "caller_types": args.caller_types(),
        "agent": args.agent, "runs_as": args.runs_as, "mission": args.mission, "role": args.role,
        "expires_at": expires_at,
    });
    if let Some(fields) = body.as_object_mut() {
        fields.retain(|_, value| !value.is_null());
    }
    body
}

fn check_operator_scopes(words: &[String]) -> Result<(), Failure> {
    for word in words {
        let scope: Scope = word.parse().map_err(|error| Failure::Usage(format!("{error}")))?;
        if !matches!(scope, Scope::Special(special) if special.operator_only()) {
            return Err(Failure::Usage(format!("the scope `{word}` is for keys of a workspace only")));
        }
    }
    Ok(())
}

async fn tenant_key(context: &AppContext, db: &Db, workspace: Id, args: &KeyArgs) -> Result<String, Failure> {
    let rules = stored_toolset::rules(context)?;
    let catalog =
        context::catalog_over(&Infrastructure::default(), rules, &context.packs, &context.settings)?;
    let mut tx = db.begin_write(workspace).await?;
    let made = add(&mut tx, context.stamp(), &catalog, args).await;
    tx.end(made).await
}

async fn add(
    tx: &mut WriteTx,
    stamp: Stamp<'_>,
    catalog: &Catalog,
    args: &KeyArgs,
) -> Result<String, Failure> {
    // Locks the workspace's row, so that concurrent requests cannot exceed the limit of keys.
    workspaces::bump_access(tx).await?;
    let mut body = body(args, stamp.now);
    if let Some(user) = &args.runs_as {
        let user_id = user_id(tx, user).await?;
        body["runs_as"] = json!(user_id);
    }
    let input: KeyInput = checked(body)?;
    let plan = plan_key(tx, None, catalog, stamp.now, &input).await?;
    if !keys::has_room(tx, stamp.now).await? {
        let most = keys::MAX_ACTIVE;
        return Err(Failure::Usage(format!(
            "this workspace has reached its limit of {most} valid keys; revoke some first"
        )));
    }
    let holder = match (plan.agent_id, plan.runs_as) {
        (Some(agent_id), Some(runs_as)) => Holder::Agent { agent_id, runs_as, mission: input.mission },
        _ => Holder::Service(plan.role.unwrap_or(Role::Viewer)),
    };
    let key = NewKey {
        name: input.name,
        scopes: plan.scopes,
        caller_types: plan.caller_types,
        holder,
        expires_at: plan.expires_at,
    };
    Ok(add_key(tx, stamp, &key).await?)
}

async fn user_id(tx: &mut Tx, user: &str) -> Result<Id, Failure> {
    let found = match Id::try_parse(user) {
        Ok(id) => Some(id),
        Err(_) => members::by_subject(tx, user).await?,
    };
    found.ok_or_else(|| Failure::Usage(format!("`{user}` is not an active member of this workspace")))
}

async fn operator_key(context: &AppContext, db: &Db, args: &KeyArgs) -> Result<String, Failure> {
    let (stamp, bytes) = (context.stamp(), context.ids.secret());
    let input: KeyInput = checked(body(args, stamp.now))?;
    let row = OperatorKeyRow {
        id: stamp.new_id(),
        name: input.name,
        secret_hash: secret::hash(&bytes).to_vec(),
        scopes: json!(input.scopes).to_string(),
        created_at: stamp.now,
        expires_at: input.expires_at.map(Ts::as_micros),
        revoked_at: None,
    };
    let arguments = json!({ "kind": "operator", "name": row.name, "scopes": input.scopes });
    let target = Some(format!("key `{}`", row.name));
    let (id, audit) = (row.id, audit_row(stamp, Id::nil(), "keys.create", &arguments, target));
    schema_owner::add_operator_key(db, row, audit).await?;
    Ok(secret::format_key(id, &bytes))
}
