//! List the services and their state.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolcrib_connectors::embedded::Platform;
use toolcrib_engine::{ActionError, ExternalAction, ExternalCx};
use toolcrib_registry::{Category, Permission, Spec};

use super::view::{ComponentView, EMBEDDED, reach};

/// The action.
pub struct ListServices(pub Arc<Platform>);

/// What it takes.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {}

/// What it gives.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The services: this one first, then what it stands on.
    pub items: Vec<ComponentView>,
    /// Where the answer is from.
    pub source: &'static str,
}

impl ExternalAction for ListServices {
    const SPEC: Spec = Spec::read(
        "platform_list_services",
        Category::Infrastructure,
        Permission::INFRASTRUCTURE_READ,
    )
    .admin_only()
    .external()
    .describe(
        "List the platform's services and whether each is up. For latencies use platform_get_system_health.",
    )
    .tags(&["services", "deployment", "components", "status", "uptime"])
    .examples(&["Which services are running?"]);
    type Input = Input;
    type Output = Output;

    async fn run(&self, cx: &ExternalCx<'_>, _: &Input) -> Result<Output, ActionError> {
        let reach = reach(cx.caller);
        let components = self.0.components().into_iter();
        let items = components.map(|component| ComponentView::of(component, reach)).collect();
        Ok(Output { items, source: EMBEDDED })
    }

    fn describe(_: &Input, output: &Output) -> String {
        let up = output.items.iter().filter(|item| item.state == "up").count();
        format!("{up} of {} services are up", output.items.len())
    }
}
