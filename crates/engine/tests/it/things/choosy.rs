//! Actions with conditions on their caller, their parameters and their target.

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

    async fn resolve(&self, _: &mut ReadCx<'_>, input: &mut Plain) -> Result<Target, ActionError> {
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
