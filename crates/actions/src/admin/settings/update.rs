//! Changes the workspace's settings.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::json;
use toolcrib_access::ApprovalMode;
use toolcrib_engine::{ActionError, ReadCx, Target, WriteAction, WriteCx};
use toolcrib_registry::{Level, Permission, Spec};
use toolcrib_store::workspaces;

use super::{
    rules,
    view::{SettingsView, stored},
};
use crate::{
    admin::guard,
    shared::limits::{LimitsInput, OpenConfirmationsInput},
};

/// `settings.update`.
pub struct UpdateSettings;

/// Arguments of the operation. An omitted field keeps its value.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// How much a human is asked; less needs the owner.
    pub approval_mode: Option<ApprovalMode>,
    /// The approver must be another person; off needs the owner.
    pub four_eyes: Option<bool>,
    /// Agents of admins are not capped; on needs the owner.
    pub agents_inherit_admin: Option<bool>,
    /// An allowed host's URL with `{id}`; null: our own page.
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>", length(min = 1, max = 500), extend("x-nullable" = true))]
    #[expect(clippy::option_option, reason = "left out, null and a text are three wishes")]
    pub approve_url_template: Option<Option<String>>,
    /// Calls a minute; changing them needs a system admin.
    pub limits: Option<LimitsInput>,
    /// How many confirmations may be open at once.
    pub open_confirmations: Option<OpenConfirmationsInput>,
    /// Default model of agents.
    pub default_model: Option<String>,
    /// The `version` that was read; another one now is refused.
    pub if_match: Option<String>,
}

/// Deserializes a given null as `Some(None)`, because null is a value and differs from an omitted field.
#[expect(clippy::option_option, reason = "left out, null and a text are three things")]
fn given<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Option<String>>, D::Error> {
    Option::<String>::deserialize(from).map(Some)
}

/// Result of the operation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The settings as they are now.
    #[serde(flatten)]
    pub settings: SettingsView,
    /// Whether anything changed.
    pub changed: bool,
    /// The names of the settings that are different now.
    pub changed_fields: Vec<&'static str>,
}

impl WriteAction for UpdateSettings {
    const SPEC: Spec = Spec::program("settings.update", Level::Write, Permission::SETTINGS_MANAGE)
        .also_system("workspaces:limits")
        .describe("Change the workspace's settings. Weakening needs the owner, limits need a system admin.");
    type Input = Input;
    type Output = Output;

    async fn resolve(cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        let (row, now) = stored(cx.tx).await?;
        let hosts = &cx.tools.catalog.rules().approve_hosts;
        rules::check(cx.tx, cx.caller, hosts, &now, input).await?;
        Ok(Target { label: format!("settings of workspace `{}`", row.name), ..Target::default() })
    }

    async fn run(cx: &mut WriteCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let (_, now) = stored(cx.tx).await?;
        if rules::matches(&now, input) && rules::changes(&now, input).is_empty() {
            return Ok(Output { settings: now, changed: false, changed_fields: Vec::new() });
        }
        guard::lock(cx).await?;
        let (mut row, now) = stored(cx.tx).await?;
        let hosts = &cx.tools.catalog.rules().approve_hosts;
        rules::check(cx.tx, cx.caller, hosts, &now, input).await?;
        let changed_fields = rules::changes(&now, input);
        rules::apply(&now, input, &mut row);
        workspaces::update(cx.tx, &row, cx.now).await?;
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
