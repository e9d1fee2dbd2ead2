//! Creates a key for an agent or a service.

use toolcrib_access::{Caller, Scope};
use toolcrib_auth::secret;
use toolcrib_engine::{Catalog, OperatorRules, prelude::*, workspace_toolsets};
use toolcrib_model::Role;
use toolcrib_registry::ArgError;
use toolcrib_store::{Tx, keys, keys::KeyRow, minters};

use super::{
    grant, mint,
    view::{KeyKind, KeyView},
};
use crate::{
    admin::{command_line::CheckedInput, guard},
    platform::missions::view::mission,
    shared::refs::{self, Ref},
};

pub struct CreateKey;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Kind of the key.
    pub kind: KeyKind,
    /// Display name.
    pub name: String,
    /// For an agent's key: ID or exact name of the agent.
    pub agent: Option<Ref>,
    /// For an agent's key: member whose role limits the agent. Default: you.
    pub runs_as: Option<Id>,
    /// For an agent's key: mission of the agent. The key can't use the field of another mission.
    pub mission: Option<Id>,
    /// For a service key: role for calls that act for no member, at most `editor`. Default: your role, at most `editor`.
    pub role: Option<Role>,
    /// Scopes, such as `*:read` or `tasks:use`; only scopes that you have. Only owners can give `act_as` and
    /// `approvals:relay`. An agent's key can't have these two, nor `records:write`.
    #[schemars(length(min = 1, max = 50), inner(length(min = 1, max = 80)))]
    pub scopes: Vec<String>,
    /// Caller types that the key may use; the first is the default. Default: `api`. A key can give only its own
    /// caller types.
    #[schemars(length(max = 20), inner(length(min = 1, max = 40)))]
    pub caller_types: Option<Vec<String>>,
    /// Time of expiry. Default: never. A key that is created with another key expires no later than that key and
    /// its old secret.
    pub expires_at: Option<Ts>,
}

/// Result of the operation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Secret for `Authorization: Bearer`. Shown only once.
    #[schemars(extend("x-secret" = true))]
    pub secret: String,
    /// The key.
    #[serde(flatten)]
    pub key: KeyView,
}

impl WriteAction for CreateKey {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        Spec::program("keys.create", Level::Write, Permission::KEYS_MANAGE)
            .creates()
            .describe("Create a key for an agent or a service. Its secret is shown once.")
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        input.check()?;
        let plan = plan(cx.tx, Some(cx.caller), cx.tools.catalog, cx.now, input).await?;
        input.agent = plan.agent_id.map(Ref::from);
        Ok(Target { label: format!("key `{}`", input.name), ..Target::default() })
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<Output, ActionError> {
        guard::lock(cx).await?;
        let plan = plan(cx.tx, Some(cx.caller), cx.tools.catalog, cx.now, input).await?;
        has_room(cx.tx, cx.now).await?;
        let (id, bytes) = (cx.new_id(), cx.ids.secret());
        let row = KeyRow {
            workspace_id: cx.tx.workspace(),
            id,
            kind: input.kind.as_str().to_owned(),
            name: input.name.clone(),
            secret_hash: secret::hash(&bytes).to_vec(),
            agent_id: plan.agent_id,
            runs_as: plan.runs_as,
            mission_id: input.mission,
            role: plan.role.map(|role| role.as_str().to_owned()),
            scopes: json!(plan.scopes).to_string(),
            caller_types: json!(plan.caller_types).to_string(),
            created_by: cx.caller.principal.user(),
            created_at: cx.now,
            expires_at: plan.expires_at.map(Ts::as_micros),
            revoked_at: None,
            last_used_at: None,
            parent_id: plan.parent,
            old_secret_hash: None,
            old_secret_until: None,
        };
        keys::insert(cx.tx, &row).await?;
        mint::record(cx.tx, id, cx.caller, plan.parent, cx.now).await?;
        cx.emit("key.created", "keys:read", json!({ "id": id, "kind": row.kind, "name": row.name }));
        let made =
            minters::get(cx.tx, id).await?.ok_or_else(|| ActionError::internal("a new key is gone"))?;
        let key = KeyView::of(cx.tx, &made, cx.policy).await?;
        Ok(Output { secret: secret::format_key(id, &bytes), key })
    }

    fn describe(_: &Input, output: &Output) -> String {
        format!("Created the {} key `{}`", output.key.kind, output.key.name)
    }
}

/// Returns the slugs in these scopes that are those of existing toolsets.
async fn named_toolsets(
    tx: &mut Tx,
    rules: &OperatorRules,
    words: &[String],
) -> Result<Vec<String>, ActionError> {
    let mut known = Vec::new();
    for scope in words.iter().filter_map(|word| word.parse::<Scope>().ok()) {
        if let Some(slug) = scope.toolset()
            && workspace_toolsets::exists(tx, rules, slug).await?
        {
            known.push(slug.to_owned());
        }
    }
    Ok(known)
}

/// Returns 409 if the workspace has reached its limit of valid keys. There is a limit because each change of
/// a member reads all keys that depend on the member.
async fn has_room(tx: &mut Tx, now: Ts) -> Result<(), ActionError> {
    if keys::has_room(tx, now).await? {
        return Ok(());
    }
    let most = keys::MAX_ACTIVE;
    let detail = format!("this workspace has reached its limit of {most} valid keys");
    Err(ActionError::conflict(detail).hint("revoke keys that nobody needs: `DELETE /v1/keys/{id}`"))
}

/// The properties of the new key, after all checks.
pub struct Plan {
    /// The agent of an agent's key.
    pub agent_id: Option<Id>,
    /// The member whose role limits the agent.
    pub runs_as: Option<Id>,
    /// The role of a service key.
    pub role: Option<Role>,
    pub scopes: Vec<String>,
    pub caller_types: Vec<String>,
    pub expires_at: Option<Ts>,
    parent: Option<Id>,
}

/// Checks what a new key may have, and finds what it names. On the command line there is no caller, whose permissions
/// would limit the key.
pub async fn plan(
    tx: &mut Tx,
    caller: Option<&Caller>,
    catalog: &Catalog,
    now: Ts,
    input: &Input,
) -> Result<Plan, ActionError> {
    let rules = catalog.rules();
    if input.expires_at.is_some_and(|at| at <= now) {
        return Err(ActionError::invalid("/expires_at", "past", "must be in the future"));
    }
    let parent = match caller {
        Some(caller) => mint::parent(tx, caller).await?,
        None => None,
    };
    let expires_at = mint::end(parent.as_ref(), input.expires_at, now)?;
    let given = input.caller_types.as_deref();
    let caller_types = grant::caller_types(&rules.caller_types, parent.as_ref(), given)?;
    let parent = parent.map(|parent| parent.id);
    let toolsets = named_toolsets(tx, rules, &input.scopes).await?;
    let scopes = grant::scopes(caller, input.kind, &input.scopes, catalog.registry(), &toolsets)?;
    let mut plan =
        Plan { agent_id: None, runs_as: None, role: None, scopes, caller_types, expires_at, parent };
    match (input.kind, &input.agent) {
        (KeyKind::Agent, Some(agent)) => {
            plan.agent_id = Some(refs::agent(tx, agent).await?.id);
            plan.runs_as = Some(grant::runs_as(tx, caller, input.runs_as).await?);
            if let Some(id) = input.mission {
                mission(tx, id).await?;
            }
        }
        _ => plan.role = Some(grant::service_role(caller, input.role)?),
    }
    Ok(plan)
}

impl CheckedInput for Input {
    fn check(&self) -> Result<(), ActionError> {
        fits_kind(self)
    }
}

/// Refuses parameters that belong to the other kind of key.
fn fits_kind(input: &Input) -> Result<(), ActionError> {
    let mut errors = Vec::new();
    let mut foreign = |pointer: &str, given: bool, kind: &str| {
        if given {
            errors.push(ArgError::new(pointer, "foreign", format!("is for keys of the kind `{kind}` alone")));
        }
    };
    match input.kind {
        KeyKind::Agent => {
            foreign("/role", input.role.is_some(), "service");
            if input.agent.is_none() {
                errors.push(ArgError::new("/agent", "required", "is required for an agent's key"));
            }
        }
        KeyKind::Service => {
            foreign("/agent", input.agent.is_some(), "agent");
            foreign("/runs_as", input.runs_as.is_some(), "agent");
            foreign("/mission", input.mission.is_some(), "agent");
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(ActionError::invalid_all(errors)) }
}
