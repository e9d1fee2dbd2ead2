//! Lists the services and their state.

use toolcrib_connectors::{
    embedded::ComponentKind,
    railway::{Deployed, Deployment, Railway},
};
use toolcrib_engine::prelude::*;

use super::view::{ComponentView, EMBEDDED, RAILWAY, platform_only, reach, state, upstream};
use crate::{Infrastructure, shared::NoArguments};

pub struct ListServices(pub Infrastructure);

/// Result of `platform_list_services`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Services: those of the Railway project if Railway is configured, otherwise this service and its dependencies.
    pub items: Vec<ComponentView>,
    /// Source of the services.
    #[schemars(extend("x-ours" = true))]
    pub source: &'static str,
}

impl ExternalAction for ListServices {
    type Input = NoArguments;
    type Output = Output;

    fn spec() -> Spec {
        Spec::read("platform_list_services", Category::Infrastructure, Permission::INFRASTRUCTURE_READ)
            .admin_only()
            .external()
            .describe(
                "List the platform's services and whether each is up. For latencies use platform_get_system_health.",
            )
            .tags(&["services", "deployment", "components", "status", "uptime"])
            .examples(&["Which services are running?"])
    }

    async fn run(&self, cx: &ExternalCx<'_>, _: &NoArguments) -> Result<Output, ActionError> {
        if let Some(railway) = &self.0.connectors.railway {
            platform_only(cx.caller, "Railway")?;
            return deployed(railway, cx.now).await;
        }
        let reach = reach(cx.caller);
        let components = self.0.platform.components().into_iter();
        let items = components.map(|component| ComponentView::of(component, reach)).collect();
        Ok(Output { items, source: EMBEDDED })
    }

    fn describe(_: &NoArguments, output: &Output) -> String {
        let up = output.items.iter().filter(|item| item.state == "up").count();
        let verb = if up == 1 { "is" } else { "are" };
        format!("{up} of {} {verb} up", count(output.items.len(), "service"))
    }
}

async fn deployed(railway: &Railway, now: Ts) -> Result<Output, ActionError> {
    let services = railway.services().await.map_err(|error| upstream("Railway", &error))?;
    let items = services.into_iter().map(|service| view(service, now)).collect();
    Ok(Output { items, source: RAILWAY })
}

fn view(service: Deployed, now: Ts) -> ComponentView {
    let up = service.deployment.as_ref().and_then(Deployment::up);
    let status = service.deployment.as_ref().map(|deployment| deployment.status.to_lowercase());
    ComponentView {
        name: service.service,
        kind: ComponentKind::Service.as_str(),
        state: state(up),
        latency_ms: None,
        since: service.deployment.map(|deployment| deployment.created_at),
        checked_at: Some(now),
        error: match up {
            Some(true) => None,
            _ => Some(
                status.map_or_else(|| "never deployed".to_owned(), |status| format!("deployment {status}")),
            ),
        },
    }
}
