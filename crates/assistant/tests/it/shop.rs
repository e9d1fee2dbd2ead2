//! A pack with one effect, whose end nobody ever knows.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use toolcrib_engine::{
    Action, ActionError, ExternalCx, Pack, Target, WriteCx,
    effect::{EffectAction, EffectCall, Found, Ready, Resolved, Sent},
};
use toolcrib_registry::{Category, PackInfo, Permission, Spec, Verb};

static SHOP: PackInfo =
    PackInfo { slug: "shop", title: "Shop", description: "Orders.", sources: &[], events: &[] };

struct Order;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// Name of what is ordered.
    name: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
struct Output {}

impl EffectAction for Order {
    type Input = Input;
    type Output = Output;
    type Plan = Value;

    fn spec() -> Spec {
        Spec::write("shop_order", Category::Pack(&SHOP), Permission::of_pack("shop", Verb::Use))
            .creates()
            .external()
            .describe("Order something.")
    }

    async fn resolve(
        &self,
        _: &ExternalCx<'_>,
        input: &Input,
    ) -> Result<Resolved<Value, Output>, ActionError> {
        let target = Target { label: input.name.clone(), ..Target::default() };
        Ok(Resolved::Ready(Ready { target, key: input.name.clone(), plan: json!({}) }))
    }

    async fn send(&self, _: &ExternalCx<'_>, _: &Input, _: &Value) -> Sent<Output> {
        Sent::Unknown(ActionError::conflict("the shop did not answer"))
    }

    async fn look_up(&self, _: &ExternalCx<'_>, _: &EffectCall, _: &Input, _: &Value) -> Found<Output> {
        Found::CannotTell
    }

    async fn record(
        &self,
        _: &mut WriteCx<'_>,
        _: &EffectCall,
        _: &Value,
        _: &Output,
    ) -> Result<(), ActionError> {
        Ok(())
    }

    fn describe(_: &Input, _: &Output) -> String {
        "Ordered it".to_owned()
    }
}

pub fn pack() -> Pack {
    Pack {
        phrases: "shop_order\ta\nshop_order\tb\nshop_order\tc\n",
        calls: r#"[{"action": "shop_order", "params": {"name": "tea"}}]"#,
        ..Pack::new(&SHOP, || vec![Action::effect(Order)])
    }
}
