//! `key create`.

use serde_json::json;
use toolcrib_access::Scope;
use toolcrib_auth::secret;
use toolcrib_model::{Id, Role};
use toolcrib_store::{
    Db, Tx, agents, keys, keys::OperatorKeyRow, members, missions, schema_owner, workspaces,
};

use super::workspace_id;
use crate::{
    administration::{Holder, NewKey, add_key, audit_row},
    cli::{KeyArgs, KeyKind},
    context::AppContext,
    failure::{Failure, Ran},
    output,
};

pub async fn create(context: &AppContext, args: KeyArgs) -> Result<Ran, Failure> {
    check_scopes(&args)?;
    if !args.operator {
        args.workspace.in_database()?;
    }
    let db = context.open_existing().await?;
    let secret = match &args.workspace.id {
        Some(workspace) => {
            let workspace = workspace_id(&db, workspace).await?;
            let key = new_key(context, &db, workspace, &args).await?;
            tenant_key(context, &db, workspace, &key).await?
        }
        None => operator_key(context, &db, args).await?,
    };
    print(&secret)
}

/// Prints the secret of a new key, which is stored nowhere.
pub fn print(secret: &str) -> Result<Ran, Failure> {
    output::json(&json!({ "secret": secret }))?;
    Ok(Ran::Done)
}

fn check_scopes(args: &KeyArgs) -> Result<(), Failure> {
    for word in &args.scopes {
        let scope: Scope = word.parse().map_err(|error| Failure::Usage(format!("{error}")))?;
        let operators = matches!(scope, Scope::Special(special) if special.operator_only());
        if operators != args.operator {
            let whose = if operators { "operator keys only" } else { "keys of a workspace only" };
            return Err(Failure::Usage(format!("the scope `{word}` is for {whose}")));
        }
    }
    Ok(())
}

async fn new_key(context: &AppContext, db: &Db, workspace: Id, args: &KeyArgs) -> Result<NewKey, Failure> {
    let holder = match (args.kind, &args.agent, &args.runs_as) {
        (KeyKind::Agent, Some(agent), Some(runs_as)) => {
            agent_of(db, workspace, agent, runs_as, args.mission.as_deref()).await?
        }
        _ => Holder::Service(service_role(&args.role)?),
    };
    let caller_types = args.caller_types();
    if let Some(unknown) = caller_types.iter().find(|name| !context.settings.caller_types.contains(name)) {
        return Err(Failure::Usage(format!("`{unknown}` is not among the caller types of the settings")));
    }
    let expires_at = args.expires_in.map(|seconds| context.now().plus_seconds(seconds.into()));
    Ok(NewKey { name: args.name.clone(), scopes: args.scopes.clone(), caller_types, holder, expires_at })
}

fn service_role(word: &str) -> Result<Role, Failure> {
    let role: Role = word.parse().map_err(|error| Failure::Usage(format!("{error}")))?;
    if role > Role::Editor {
        return Err(Failure::Usage("a service key is at most an editor".into()));
    }
    Ok(role)
}

async fn agent_of(
    db: &Db,
    workspace: Id,
    agent: &str,
    runs_as: &str,
    mission: Option<&str>,
) -> Result<Holder, Failure> {
    let mut tx = db.read(workspace).await?;
    let mission = match mission {
        Some(text) => Some(mission_of(&mut tx, text).await?),
        None => None,
    };
    let found = match Id::try_parse(agent) {
        Ok(id) => agents::get(&mut tx, id).await?,
        Err(_) => agents::by_name(&mut tx, agent).await?,
    };
    let user = match Id::try_parse(runs_as) {
        Ok(id) => {
            members::get(&mut tx, id).await?.filter(|member| member.active).map(|member| member.user_id)
        }
        Err(_) => members::by_subject(&mut tx, runs_as).await?,
    };
    tx.end().await?;
    let agent_id = found
        .map(|row| row.id)
        .ok_or_else(|| Failure::Usage(format!("there is no agent `{agent}` in this workspace")))?;
    let runs_as =
        user.ok_or_else(|| Failure::Usage(format!("`{runs_as}` is not an active member of this workspace")))?;
    Ok(Holder::Agent { agent_id, runs_as, mission })
}

async fn mission_of(tx: &mut Tx, text: &str) -> Result<Id, Failure> {
    let unknown = || Failure::Usage(format!("there is no mission `{text}` in this workspace"));
    let id = Id::try_parse(text).map_err(|_| unknown())?;
    missions::get(tx, id).await?.map(|row| row.id).ok_or_else(unknown)
}

async fn tenant_key(context: &AppContext, db: &Db, workspace: Id, key: &NewKey) -> Result<String, Failure> {
    let stamp = context.stamp();
    let mut tx = db.begin_write(workspace).await?;
    // Locks the workspace's row, so that concurrent requests cannot exceed the limit of keys.
    workspaces::bump_access(&mut tx).await?;
    if !keys::has_room(&mut tx, stamp.now).await? {
        tx.rollback().await?;
        let most = keys::MAX_ACTIVE;
        return Err(Failure::Usage(format!(
            "this workspace has reached its limit of {most} valid keys; revoke some first"
        )));
    }
    let secret = add_key(&mut tx, stamp, key).await?;
    tx.commit().await?;
    Ok(secret)
}

async fn operator_key(context: &AppContext, db: &Db, args: KeyArgs) -> Result<String, Failure> {
    let (stamp, bytes) = (context.stamp(), context.ids.secret());
    let row = OperatorKeyRow {
        id: stamp.new_id(),
        name: args.name,
        secret_hash: secret::hash(&bytes).to_vec(),
        scopes: json!(args.scopes).to_string(),
        created_at: stamp.now,
        expires_at: args.expires_in.map(|seconds| stamp.now.plus_seconds(seconds.into()).as_micros()),
        revoked_at: None,
    };
    let arguments = json!({ "kind": "operator", "name": row.name, "scopes": args.scopes });
    let target = Some(format!("key `{}`", row.name));
    let (id, audit) = (row.id, audit_row(stamp, Id::nil(), "keys.create", &arguments, target));
    schema_owner::add_operator_key(db, row, audit).await?;
    Ok(secret::format_key(id, &bytes))
}
