//! Actions with conditions on their caller, their parameters and their target, one that inserts a row without
//! looking for an existing one, and the operations for programs.

use serde_json::json;
use toolcrib_registry::{Level, LimitClass};
use toolcrib_store::StoreError;

use super::*;

write!(
    GuardedThing,
    Spec::write("platform_guarded_thing", Category::Agents, Permission::AGENTS_MANAGE)
        .describe("Some of its parameters need more.")
        .param_permissions(&[
            ParamPermission::new("dangerous", Condition::IsTrue, Permission::AGENTS_DELETE),
            ParamPermission::new("password", Condition::Present, Permission::SETTINGS_MANAGE),
        ]),
    |cx, input| insert(cx, &input.name).await
);

write!(
    MissionsOwnThing,
    Spec::write("platform_missions_own_thing", Category::Missions, Permission::MISSIONS_MANAGE)
        .describe("Only missions make it.")
        .confirm_simple("It stays.")
        .accessible_by(AccessibleBy::only(&["mission"], &[])),
    |cx, input| insert(cx, &input.name).await
);

/// An action whose name argument selects how it fails to resolve its target.
pub struct PickyThing;
impl WriteAction for PickyThing {
    type Input = Plain;
    type Output = Thing;

    fn spec() -> Spec {
        Spec::write("platform_picky_thing", Category::Agents, Permission::AGENTS_MANAGE)
            .describe("Finds fault with its target.")
            .notifies_admins()
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Plain) -> Result<Target, ActionError> {
        match input.name.as_str() {
            "broken" => Err(ActionError::internal("the target can't be read")),
            "missing" => Err(ActionError::not_found("thing", "missing")),
            "foreign" => Err(ActionError::new(ErrorCode::PermissionDenied, "it is somebody else's")),
            "scoped" => Err(ActionError::new(ErrorCode::InsufficientScope, "it needs a scope")),
            "taken" => Err(ActionError::conflict("it is taken")),
            "unnamed" => Ok(Target::default()),
            "five" => {
                let id = Id::from_u128(5);
                input.name = id.to_string();
                Ok(Target { id: Some(id), label: "thing `Five`".into(), ..Target::default() })
            }
            // Its name changes when there is a thing `renamed`.
            "six" => {
                let renamed = agents::by_name(cx.tx, "renamed").await?;
                let label = renamed.map_or("thing `Six`", |_| "thing `Seven`").to_owned();
                Ok(Target { id: Some(Id::from_u128(6)), label, ..Target::default() })
            }
            name => Ok(Target { label: format!("thing `{name}`"), ..Target::default() }),
        }
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Plain) -> Result<Thing, ActionError> {
        match input.name.as_str() {
            "breaks" => Err(ActionError::internal("it broke while it ran")),
            name => insert(cx, name).await,
        }
    }

    fn describe(_: &Plain, thing: &Thing) -> String {
        format!("Picked `{}`", thing.name)
    }
}

pub struct Poke;
impl ExternalAction for Poke {
    type Input = Named;
    type Output = Thing;

    fn spec() -> Spec {
        Spec::read("platform_poke", Category::Infrastructure, Permission::INFRASTRUCTURE_READ)
            .describe("Poke.")
            .admin_only()
            .timeout_seconds(1)
            .external()
    }

    async fn run(&self, _: &ExternalCx<'_>, input: &Named) -> Result<Thing, ActionError> {
        if input.name == "slow" {
            std::future::pending::<()>().await;
        }
        Ok(Thing { id: Id::nil(), name: input.name.clone(), secret: None })
    }

    fn describe(_: &Named, _: &Thing) -> String {
        "Poked".into()
    }
}

/// Inserts a row without looking for an existing one.
pub struct InsertThing;

impl WriteAction for InsertThing {
    type Input = Named;
    type Output = Thing;

    fn spec() -> Spec {
        Spec::write("platform_insert_thing", Category::Agents, Permission::AGENTS_MANAGE)
            .describe("Create a thing, and don't look whether there is one.")
            .notifies_admins()
            .escalations(&[Escalation::new("dangerous", Condition::IsTrue, ConfirmationLevel::Simple)])
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Named) -> Result<Thing, ActionError> {
        let row = row(cx, &input.name);
        match agents::insert(cx.tx, &row).await {
            Err(StoreError::Duplicate) => {
                return Err(ActionError::conflict(format!("`{}` came first", input.name)));
            }
            inserted => inserted?,
        }
        Ok(Thing { id: row.id, name: row.name, secret: None })
    }

    fn describe(_: &Named, thing: &Thing) -> String {
        format!("Made `{}`", thing.name)
    }
}

// Operations for programs. No model is shown them, and some need no workspace.
read!(
    AnybodysThing,
    Spec::program("things.anybodys", Level::Read, Permission::AGENTS_READ).open().describe("Anybody's."),
    |cx, input| Ok(Thing { id: cx.caller.workspace, name: input.name.clone(), secret: None })
);
read!(
    OperatorsThing,
    Spec::program("things.operators", Level::Read, Permission::AGENTS_READ)
        .system("workspaces:create")
        .describe("The operator's."),
    |cx, input| Ok(Thing { id: cx.caller.workspace, name: input.name.clone(), secret: None })
);
read!(
    WorkspacesThing,
    Spec::program("things.workspaces", Level::Read, Permission::AGENTS_READ).describe("A workspace's."),
    |cx, input| Ok(Thing { id: cx.caller.workspace, name: input.name.clone(), secret: None })
);
write!(
    TellThing,
    Spec::program("things.tell", Level::Write, Permission::AGENTS_MANAGE).describe("Tells of itself."),
    |cx, input| {
        let left = cx.reading().left(LimitClass::Write).await.map(|state| state.remaining);
        cx.emit("thing.told", "agents:read", json!({ "name": input.name, "writes_left": left }));
        if input.dangerous == Some(true) {
            cx.notify_admins();
        }
        Ok(Thing { id: Id::nil(), name: input.name.clone(), secret: None })
    }
);
