//! Sets the promoted actions of a caller type or an agent.

use std::collections::BTreeSet;

use toolcrib_engine::prelude::*;
use toolcrib_registry::{ActionKind, ActionRegistry, ArgError, nearest};
use toolcrib_store::workspaces;

use super::view::{Named, PromotionView, stored};
use crate::admin::guard;

pub struct SetPromotions;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// A caller type, or an agent's id or name.
    pub caller: String,
    /// Full names of actions. If empty, every action is behind the dispatcher.
    #[schemars(length(max = 32), inner(length(min = 1, max = 64)))]
    pub actions: Vec<String>,
}

impl WriteAction for SetPromotions {
    type Input = Input;
    type Output = PromotionView;

    fn spec() -> Spec {
        Spec::program("promotions.set", Level::Write, Permission::AGENTS_MANAGE).describe(
            "Set which actions have their own tool for a caller type or an agent, instead of the default.",
        )
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        let errors = unknown(cx.tools.catalog.registry(), &input.actions);
        if !errors.is_empty() {
            return Err(ActionError::invalid_all(errors));
        }
        let named = Named::find(cx, &input.caller).await?;
        let id = if let Named::Agent(id, _) = &named { Some(*id) } else { None };
        Ok(Target { id, label: named.label(), ..Target::default() })
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<PromotionView, ActionError> {
        guard::lock(cx).await?;
        let named = Named::find(&mut cx.reading(), &input.caller).await?;
        let mut all = stored(cx.tx).await?;
        let unique: BTreeSet<&String> = input.actions.iter().collect();
        named.set(&mut all, Some(unique.into_iter().cloned().collect()));
        workspaces::set_promotions(cx.tx, all.write().as_deref(), cx.now).await?;
        let view = named.view(&all, cx.tools.catalog.registry());
        cx.emit(
            "promotions.updated",
            "agents:manage",
            json!({ "caller": view.caller, "actions": view.actions }),
        );
        Ok(view)
    }

    fn describe(_: &Input, view: &PromotionView) -> String {
        format!("Promoted {} for `{}`", count(view.actions.len(), "action"), view.caller)
    }
}

fn unknown(registry: &ActionRegistry, names: &[String]) -> Vec<ArgError> {
    let known: Vec<&str> = registry.tools().map(|meta| &*meta.spec.name).collect();
    let is_tool = |name: &str| registry.get(name).is_some_and(|meta| meta.spec.kind == ActionKind::Tool);
    let wrong = names.iter().enumerate().filter(|(_, name)| !is_tool(name));
    let say = |(at, name): (usize, &String)| {
        let hint = nearest(name, &known).map_or_else(
            || "`GET /v1/actions` lists them".to_owned(),
            |near| format!("did you mean `{near}`"),
        );
        ArgError::new(
            &format!("/actions/{at}"),
            "unknown_action",
            format!("there is no action `{name}`; {hint}"),
        )
    };
    wrong.map(say).collect()
}
