//! Changes the workspace's settings.

use std::sync::Arc;

use toolcrib_assistant::{Providers, background};
use toolcrib_engine::prelude::*;
use toolcrib_model::WorkRunner;
use toolcrib_store::workspaces;

use super::{
    input::Input,
    rules,
    view::{SettingsView, stored},
};
use crate::admin::guard;

pub struct UpdateSettings(pub Arc<Providers>);

/// Result of the operation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The settings as they are now.
    #[serde(flatten)]
    pub settings: SettingsView,
    /// Whether anything changed.
    pub changed: bool,
    /// Names of the settings that changed.
    pub changed_fields: Vec<&'static str>,
}

impl WriteAction for UpdateSettings {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        Spec::program("settings.update", Level::Write, Permission::SETTINGS_MANAGE)
            .also_system("workspaces:limits")
            .describe(
                "Change the workspace's settings. Only an owner can weaken them, and only a system admin can \
             change limits.",
            )
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        let (row, now) = stored(cx.tx).await?;
        rules::check(cx, &self.0, &now, input).await?;
        Ok(Target { label: format!("settings of workspace `{}`", row.name), ..Target::default() })
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let (_, now) = stored(cx.tx).await?;
        if rules::matches(&now, input) && rules::changes(&now, input).is_empty() {
            return Ok(Output { settings: now, changed: false, changed_fields: Vec::new() });
        }
        guard::lock(cx).await?;
        let (mut row, now) = stored(cx.tx).await?;
        rules::check(&mut cx.reading(), &self.0, &now, input).await?;
        let changed_fields = rules::changes(&now, input);
        rules::apply(&now, input, &mut row);
        workspaces::update(cx.tx, &row, cx.now).await?;
        if changed_fields.contains(&"runner") && row.settings.runner == WorkRunner::External {
            background::stop_all(cx.tx, cx.now).await?;
        }
        cx.emit("settings.updated", "settings:manage", json!({ "changed": changed_fields }));
        Ok(Output { settings: SettingsView::of(&row)?, changed: !changed_fields.is_empty(), changed_fields })
    }

    fn describe(_: &Input, output: &Output) -> String {
        if output.changed {
            format!("Changed the settings: {}", output.changed_fields.join(", "))
        } else {
            "Nothing to change: the settings are already so".to_owned()
        }
    }
}
