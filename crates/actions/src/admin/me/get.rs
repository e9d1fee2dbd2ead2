//! Gets the caller's identity, permissions and memberships.

use toolcrib_access::{Caller, Limits};
use toolcrib_engine::prelude::*;
use toolcrib_model::Role;
use toolcrib_registry::{ActionRegistry, LimitClass};
use toolcrib_store::{lookup::Membership, notifications, users, workspaces};

use crate::{
    admin::{notifications::reader, workspaces::view::mine},
    shared::NoArguments,
};

pub struct GetMe;

/// Result of the operation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The person who acts or for whom somebody acts; null for a key of its own, and for somebody unknown here.
    pub user: Option<UserView>,
    /// The credential.
    pub principal: PrincipalView,
    /// The workspace of this call; null where none was named.
    pub workspace: Option<PlaceView>,
    /// The role in it, as it bounds this credential; null for none.
    pub role: Option<Role>,
    /// A system admin's token.
    pub system_admin: bool,
    /// Every permission that role and scopes leave, in order.
    pub permissions: Vec<String>,
    /// Packs that are on in the workspace, by slug. Permissions for packs that are off are listed too, and of no use.
    pub packs: Vec<String>,
    /// What the credential was given; null for a user token, which the role alone bounds.
    pub scopes: Option<Vec<String>>,
    /// What this call counts as.
    pub caller_type: String,
    /// The workspace's limits and what is left of them; null where none was named.
    pub limits: Option<LimitsView>,
    /// Your notifications, among the newest 500 of the workspace, that you have not read and that have not ended; null
    /// where no workspace was named.
    pub unread_notifications: Option<i64>,
    /// Where the person is a member; for a key, the workspace it was made in.
    pub workspaces: Vec<Membership>,
}

/// A person.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct UserView {
    /// Our id.
    pub user_id: Id,
    /// Issuer (`iss`) of the member's tokens.
    pub issuer: String,
    /// Who they are to that issuer.
    pub subject: String,
    /// What they are called.
    pub display_name: Option<String>,
}

/// A credential.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PrincipalView {
    /// `user`, `agent`, `service` or `operator`.
    pub kind: &'static str,
    /// The user, agent or key; null for somebody unknown here.
    pub id: Option<Id>,
    /// Key that was used; null for a token.
    pub credential_id: Option<Id>,
    /// Slug of the agent.
    pub name: Option<String>,
}

/// A workspace.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PlaceView {
    /// ID.
    pub id: Id,
    /// Name.
    pub name: String,
}

/// A workspace's limits by class.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct LimitsView {
    /// Calls of write and destructive actions per minute.
    pub write: LimitView,
    /// Reads.
    pub read: LimitView,
    /// Calls of external actions per minute.
    pub external: LimitView,
    /// Calls of tools that the caller runs, per minute.
    pub client: LimitView,
}

/// One limit.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct LimitView {
    /// Calls per minute.
    pub limit: u32,
    /// Calls that would be admitted now; null if the limiter is unavailable.
    pub remaining: Option<u32>,
    /// Seconds until the bucket is full; null if the limiter is unavailable.
    pub reset_seconds: Option<u64>,
}

/// Returns the rate limits of the workspace, with the calls that the caller has left.
async fn limits(cx: &ReadCx<'_>) -> LimitsView {
    let Limits { write_per_minute, read_per_minute, external_per_minute, client_per_minute, .. } =
        cx.policy.limits;
    let view = async |class, limit| {
        let left = cx.left(class).await;
        let (remaining, reset_seconds) = left.map(|left| (left.remaining, left.reset_seconds)).unzip();
        LimitView { limit, remaining, reset_seconds }
    };
    LimitsView {
        write: view(LimitClass::Write, write_per_minute).await,
        read: view(LimitClass::Read, read_per_minute).await,
        external: view(LimitClass::External, external_per_minute).await,
        client: view(LimitClass::Client, client_per_minute).await,
    }
}

impl ReadAction for GetMe {
    type Input = NoArguments;
    type Output = Output;

    fn spec() -> Spec {
        Spec::program("me.get", Level::Read, Permission::WORKSPACE_READ).open().describe(
            "Who the caller is here: role, permissions, scopes, limits, and the workspaces of the person.",
        )
    }

    async fn run(&self, cx: &mut ReadCx<'_>, _: &NoArguments) -> Result<Output, ActionError> {
        let caller = cx.caller;
        let user = match caller.principal.user() {
            Some(id) => users::get(cx.tx, id).await?,
            None => None,
        };
        let workspace = workspaces::get(cx.tx).await?;
        let limits = if workspace.is_some() { Some(limits(cx).await) } else { None };
        let unread_notifications = match &workspace {
            Some(_) if caller.holds(&Permission::NOTIFICATIONS_READ) => {
                Some(notifications::count_unread(cx.tx, reader(caller), cx.now).await?)
            }
            _ => None,
        };
        let id = caller.principal.id();
        Ok(Output {
            principal: PrincipalView {
                kind: caller.principal.kind().as_str(),
                id: Some(id),
                credential_id: caller.credential,
                name: caller.caller_name.as_deref().map(str::to_owned),
            },
            user: user.map(|row| UserView {
                user_id: row.id,
                issuer: row.issuer,
                subject: row.subject,
                display_name: row.display_name,
            }),
            limits,
            workspace: workspace.map(|row| PlaceView { id: row.id, name: row.name }),
            role: caller.role,
            system_admin: caller.system_admin,
            permissions: permissions(caller, cx.tools.catalog.registry()),
            packs: cx.tools.catalog.packs_on(&cx.policy.packs).map(|pack| pack.slug().to_owned()).collect(),
            scopes: caller.scopes.words(),
            caller_type: caller.caller_type.to_string(),
            unread_notifications,
            workspaces: mine(cx).await?,
        })
    }

    fn describe(_: &NoArguments, output: &Output) -> String {
        let role = output.role.map_or("no role", Role::as_str);
        match &output.workspace {
            Some(workspace) => {
                format!("You are {} with {role} in `{}`", output.principal.kind, workspace.name)
            }
            None => format!("You are {} and named no workspace", output.principal.kind),
        }
    }
}

fn permissions(caller: &Caller, registry: &ActionRegistry) -> Vec<String> {
    registry.permissions().filter(|p| caller.holds(p)).map(|p| p.to_string()).collect()
}
