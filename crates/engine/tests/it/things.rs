//! A small catalogue: one action of each level and some that misbehave. `choosy` has those with conditions,
//! the one that inserts without a lookup, and the operations.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolcrib_engine::{
    Action, ActionError, Catalog, ExternalAction, ExternalCx, ReadAction, ReadCx, Target, WriteAction,
    WriteCx,
};
use toolcrib_model::{ErrorCode, Id};
use toolcrib_registry::{
    AccessibleBy, Category, Condition, ConfirmationLevel, Escalation, ParamPermission, Permission, Spec,
};
use toolcrib_store::{agents, agents::AgentRow, health};
use toolcrib_testkit::{App, TestDb};

use self::choosy::{
    AnybodysThing, GuardedThing, InsertThing, MissionsOwnThing, OperatorsThing, PickyThing, Poke, TellThing,
    WorkspacesThing,
};

/// An app whose engine has these actions.
pub async fn app(db: TestDb) -> App {
    App::with_catalog(db, catalog()).await
}

pub fn catalog() -> Catalog {
    let actions = vec![
        Action::read(GetThing),
        Action::read(RogueRead),
        Action::read(MissionThing),
        Action::read(SlowRead),
        Action::write(CreateThing),
        Action::write(SlowThing),
        Action::write(PanicThing),
        Action::write(HalfThing),
        Action::write(DeleteThing),
        Action::write(WipeThing),
        Action::write(RiskyThing),
        Action::write(GuardedThing),
        Action::write(MissionsOwnThing),
        Action::write(PickyThing),
        Action::write(InsertThing),
        Action::external(Poke),
        Action::read(AnybodysThing),
        Action::read(OperatorsThing),
        Action::read(WorkspacesThing),
        Action::write(TellThing),
    ];
    Catalog::new(actions).map_err(|defects| format!("{defects:?}")).unwrap()
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Named {
    /// The thing's name.
    pub name: String,
    /// Raises the confirmation level.
    pub dangerous: Option<bool>,
    /// Never written down.
    #[schemars(extend("x-sensitive" = true))]
    pub password: Option<String>,
}

/// Nothing in it is secret.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Plain {
    /// The thing's name.
    pub name: String,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Thing {
    pub id: Id,
    #[schemars(extend("x-untrusted" = "agents"))]
    pub name: String,
    /// Shown once.
    #[schemars(extend("x-secret" = true, "x-ours" = true))]
    pub secret: Option<String>,
}

async fn by_name(tx: &mut toolcrib_store::Tx, name: &str) -> Result<AgentRow, ActionError> {
    agents::by_name(tx, name).await?.ok_or_else(|| ActionError::not_found("thing", name))
}

macro_rules! read {
    ($type:ident, $spec:expr, |$cx:ident, $input:ident| $run:expr) => {
        pub struct $type;
        impl ReadAction for $type {
            type Input = Named;
            type Output = Thing;

            fn spec() -> Spec {
                $spec
            }
            async fn run(&self, $cx: &mut ReadCx<'_>, $input: &Named) -> Result<Thing, ActionError> {
                $run
            }
            fn describe(_: &Named, thing: &Thing) -> String {
                format!("Looked at `{}`", thing.name)
            }
        }
    };
}

macro_rules! write {
    ($type:ident, $spec:expr, |$cx:ident, $input:ident| $run:expr) => {
        pub struct $type;
        impl WriteAction for $type {
            type Input = Named;
            type Output = Thing;

            fn spec() -> Spec {
                $spec
            }
            async fn run(&self, $cx: &mut WriteCx<'_>, $input: &Named) -> Result<Thing, ActionError> {
                $run
            }
            fn describe(_: &Named, thing: &Thing) -> String {
                format!("Made `{}`", thing.name)
            }
        }
    };
}

read!(
    GetThing,
    Spec::read("platform_get_thing", Category::Agents, Permission::AGENTS_READ)
        .describe("Get a thing by its name.")
        .promoted(),
    |cx, input| {
        let row = by_name(cx.tx, &input.name).await?;
        Ok(Thing { id: row.id, name: row.name, secret: None })
    }
);
read!(
    RogueRead,
    Spec::read("platform_rogue_read", Category::Agents, Permission::AGENTS_READ)
        .describe("A read that tries to write."),
    |cx, input| {
        health::attempt_write(cx.tx).await?;
        Ok(Thing { id: Id::nil(), name: input.name.clone(), secret: None })
    }
);
read!(
    MissionThing,
    Spec::read("platform_mission_thing", Category::Missions, Permission::MISSIONS_READ)
        .describe("Only for missions.")
        .accessible_by(AccessibleBy::only(&["mission"], &["chosen"])),
    |_cx, input| Ok(Thing { id: Id::nil(), name: input.name.clone(), secret: None })
);
read!(
    SlowRead,
    Spec::read("platform_slow_read", Category::Agents, Permission::AGENTS_READ)
        .describe("Takes too long to look.")
        .timeout_seconds(1),
    |_cx, input| {
        std::future::pending::<()>().await;
        Ok(Thing { id: Id::nil(), name: input.name.clone(), secret: None })
    }
);

fn row(cx: &WriteCx<'_>, name: &str) -> AgentRow {
    AgentRow {
        id: cx.new_id(),
        name: name.to_owned(),
        slug: name.to_lowercase(),
        role: "worker".into(),
        model: "m".into(),
        status: "active".into(),
        description: None,
        system_prompt: None,
        temperature: None,
        tags: Vec::new(),
        version: 1,
        created_by: None,
        created_at: cx.now,
        updated_at: cx.now,
        last_active_at: None,
    }
}

async fn insert(cx: &mut WriteCx<'_>, name: &str) -> Result<Thing, ActionError> {
    let row = row(cx, name);
    agents::insert(cx.tx, &row).await?;
    Ok(Thing { id: row.id, name: row.name, secret: Some("s3cret-shown-once".into()) })
}

write!(
    CreateThing,
    Spec::write("platform_create_thing", Category::Agents, Permission::AGENTS_MANAGE)
        .describe("Create a thing.")
        .promoted()
        .escalations(&[Escalation::new("dangerous", Condition::IsTrue, ConfirmationLevel::Simple)]),
    |cx, input| insert(cx, &input.name).await
);
write!(
    SlowThing,
    Spec::write("platform_slow_thing", Category::Agents, Permission::AGENTS_MANAGE)
        .describe("Takes too long.")
        .timeout_seconds(1),
    |cx, input| {
        let thing = insert(cx, &input.name).await?;
        std::future::pending::<()>().await;
        Ok(thing)
    }
);
write!(
    PanicThing,
    Spec::write("platform_panic_thing", Category::Agents, Permission::AGENTS_MANAGE).describe("Breaks down."),
    |cx, input| {
        insert(cx, &input.name).await?;
        panic!("this action breaks down")
    }
);
write!(
    HalfThing,
    Spec::write("platform_half_thing", Category::Agents, Permission::AGENTS_MANAGE)
        .describe("Fails half way."),
    |cx, input| {
        insert(cx, &input.name).await?;
        Err(ActionError::conflict("half way through"))
    }
);

pub struct DeleteThing;
impl WriteAction for DeleteThing {
    type Input = Named;
    type Output = Thing;

    fn spec() -> Spec {
        Spec::destructive(
            "platform_delete_thing",
            Category::Agents,
            Permission::AGENTS_DELETE,
            "It goes for good.",
        )
        .describe("Delete a thing.")
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Named) -> Result<Target, ActionError> {
        let row = by_name(cx.tx, &input.name).await?;
        Ok(Target {
            id: Some(row.id),
            label: format!("thing `{}`", row.name),
            version: Some(row.version),
            ..Target::default()
        })
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Named) -> Result<Thing, ActionError> {
        let row = by_name(cx.tx, &input.name).await?;
        agents::delete(cx.tx, row.id).await?;
        Ok(Thing { id: row.id, name: row.name, secret: None })
    }

    fn describe(_: &Named, thing: &Thing) -> String {
        format!("Deleted `{}`", thing.name)
    }
}

write!(
    WipeThing,
    Spec::destructive("platform_wipe_thing", Category::Agents, Permission::AGENTS_MANAGE, "It is emptied.")
        .confirm_simple("It is emptied, and filled again by itself.")
        .describe("Empty a thing."),
    |cx, input| {
        let row = by_name(cx.tx, &input.name).await?;
        Ok(Thing { id: row.id, name: row.name, secret: None })
    }
);

write!(
    RiskyThing,
    Spec::write("platform_risky_thing", Category::Agents, Permission::AGENTS_MANAGE)
        .confirm_simple("It may go wrong.")
        .describe("Create a thing at a risk.")
        .escalations(&[Escalation::new("dangerous", Condition::IsTrue, ConfirmationLevel::Typed)]),
    |cx, input| insert(cx, &input.name).await
);

// This module comes after the macros because it uses them.
mod choosy;
