//! Creates a workspace with its owner.

use toolcrib_access::{Limits, OpenConfirmations};
use toolcrib_engine::{policy, prelude::*};
use toolcrib_model::Role;
use toolcrib_store::{
    lookup::Membership,
    members,
    users::{self, UserRow},
    workspaces::{self, WorkspaceRow},
};

use crate::{
    admin::{command_line::CheckedInput, guard},
    shared::{check_characters, limits::LimitsInput, or_conflict},
};

pub struct CreateWorkspace;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Display name.
    pub name: String,
    /// ID at the identity provider. Must not be a UUID.
    pub external_id: Option<String>,
    /// Owner of the workspace.
    pub owner: OwnerInput,
    /// Rate limits, in calls per minute. Default: the built-in limits.
    pub limits: Option<LimitsInput>,
}

/// Who owns a new workspace.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct OwnerInput {
    /// Subject (`sub`) of the member's tokens.
    pub subject: String,
    /// Issuer (`iss`) of the member's tokens. Default: the issuer of your own token.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub issuer: Option<String>,
}

/// Result of the operation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The workspace.
    #[serde(flatten)]
    pub workspace: Membership,
    /// User ID of the owner.
    pub owner_id: Id,
}

impl CheckedInput for Input {
    fn check(&self) -> Result<(), ActionError> {
        let external_id = self.external_id.as_deref().unwrap_or_default();
        if Id::try_parse(external_id).is_ok() {
            let message = "must not be a UUID: those are our own ids";
            return Err(ActionError::invalid("/external_id", "uuid", message));
        }
        check_characters("/external_id", external_id)?;
        check_characters("/owner/subject", &self.owner.subject)?;
        check_characters("/owner/issuer", self.owner.issuer.as_deref().unwrap_or_default())
    }
}

impl WriteAction for CreateWorkspace {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        Spec::program("workspaces.create", Level::Write, Permission::SETTINGS_MANAGE)
            .creates()
            .system("workspaces:create")
            .describe("Create a workspace with its owner. For system admins and operator keys.")
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        input.check()?;
        if input.owner.issuer.is_none() {
            input.owner.issuer = Some(guard::own_issuer(cx, "/owner/issuer").await?);
        }
        Ok(Target { label: format!("workspace `{}`", input.name), ..Target::default() })
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let limits = input.limits.unwrap_or_default().over(Limits::default());
        let settings = policy::new_settings(limits, OpenConfirmations::default());
        let (name, external_id) = (input.name.clone(), input.external_id.clone());
        let row = WorkspaceRow::new(cx.new_id(), name, external_id, settings, cx.now);
        // All following rows, including the audit row, belong to the new workspace.
        cx.tx.switch_workspace(row.id).await?;
        let taken = || ActionError::conflict("another workspace has this external id");
        or_conflict(workspaces::insert(cx.tx, &row).await, taken)?;
        let issuer = input.owner.issuer.clone().unwrap_or_default();
        let owner = UserRow {
            id: users::id_of(&issuer, &input.owner.subject),
            issuer,
            subject: input.owner.subject.clone(),
            display_name: None,
            created_at: cx.now,
        };
        let owner_id = users::ensure(cx.tx, &owner).await?;
        members::insert(cx.tx, owner_id, Role::Owner.as_str(), None, cx.now).await?;
        cx.emit("workspace.created", "workspace:read", json!({ "id": row.id, "name": row.name }));
        let role = (cx.caller.principal.user() == Some(owner_id)).then_some(Role::Owner);
        Ok(Output { workspace: Membership::new(row, role), owner_id })
    }

    fn describe(_: &Input, output: &Output) -> String {
        format!("Created the workspace `{}`", output.workspace.name)
    }
}
