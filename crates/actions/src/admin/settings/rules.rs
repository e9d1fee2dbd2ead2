//! Checks of changes to settings: who may change which setting to which value.

use toolcrib_access::Caller;
use toolcrib_assistant::Providers;
use toolcrib_engine::{policy, prelude::*};
use toolcrib_model::Role;
use toolcrib_store::{
    Tx, members,
    workspaces::{Settings, WorkspaceRow},
};

use super::{input::Input, view::SettingsView};
use crate::{admin::guard::forbidden, shared::models};

/// Returns the names of the settings that would change.
pub fn changes(now: &SettingsView, input: &Input) -> Vec<&'static str> {
    let differs = [
        ("approval_mode", input.approval_mode.is_some_and(|mode| mode != now.approval_mode)),
        ("four_eyes", input.four_eyes.is_some_and(|on| on != now.four_eyes)),
        ("agents_inherit_admin", input.agents_inherit_admin.is_some_and(|on| on != now.agents_inherit_admin)),
        ("runner", input.runner.is_some_and(|runner| runner != now.runner)),
        (
            "approve_url_template",
            input.approve_url_template.as_ref().is_some_and(|url| *url != now.approve_url_template),
        ),
        ("limits", input.limits.is_some_and(|limits| limits.over(now.limits) != now.limits)),
        (
            "open_confirmations",
            input
                .open_confirmations
                .is_some_and(|open| open.over(now.open_confirmations) != now.open_confirmations),
        ),
        (
            "assistant_budget",
            input.assistant_budget.is_some_and(|own| own.over(now.assistant_budget) != now.assistant_budget),
        ),
        ("default_model", input.default_model.is_some() && input.default_model != now.default_model),
    ];
    differs.into_iter().filter(|(_, differs)| *differs).map(|(name, _)| name).collect()
}

/// Whether `if_match` names the current version or is `*` or absent. A version may have the quotes of an
/// `ETag`.
pub fn matches(now: &SettingsView, input: &Input) -> bool {
    let Some(wanted) = &input.if_match else { return true };
    wanted.split(',').map(str::trim).any(|tag| tag == "*" || tag.trim_matches('"') == now.version)
}

/// Refuses changes that this caller may not make, and invalid values.
pub async fn check(
    cx: &mut ReadCx<'_>,
    providers: &Providers,
    now: &SettingsView,
    input: &Input,
) -> Result<(), ActionError> {
    if !matches(now, input) {
        return Err(ActionError::new(
            ErrorCode::PreconditionFailed,
            "the settings changed since they were read",
        )
        .hint("read them again, and send their `version`"));
    }
    let (changes, caller) = (changes(now, input), cx.caller);
    if changes.contains(&"limits") && !may_limit(caller) {
        return Err(forbidden("changing limits needs a system admin").hint("leave `limits` out"));
    }
    if changes.iter().any(|name| *name != "limits") && !caller.holds(&Permission::SETTINGS_MANAGE) {
        return Err(forbidden("you may change this workspace's limits and nothing else of it"));
    }
    if let Some(what) = weakened(now, input).filter(|_| caller.role != Some(Role::Owner)) {
        return Err(forbidden(format!("{what} needs the owner")).hint("ask an owner"));
    }
    if let Some(Some(url)) =
        input.approve_url_template.as_ref().filter(|_| changes.contains(&"approve_url_template"))
    {
        approve_url(&cx.tools.catalog.rules().approve_hosts, url)?;
    }
    if let Some(model) = input.default_model.as_deref().filter(|_| changes.contains(&"default_model")) {
        let at_setting = |error: ActionError| error.moved(|_| "/default_model".to_owned());
        models::require(cx, providers, model).await.map_err(at_setting)?;
    }
    if input.four_eyes == Some(true) && !now.four_eyes {
        two_approvers(cx.tx).await?;
    }
    Ok(())
}

/// Whether the caller may change the limits: a system admin, or an operator key with the scope
/// `workspaces:limits`.
fn may_limit(caller: &Caller) -> bool {
    caller.system_admin || caller.scopes.special_word("workspaces:limits")
}

fn weakened(now: &SettingsView, input: &Input) -> Option<&'static str> {
    let mode = input.approval_mode.unwrap_or(now.approval_mode);
    if mode < now.approval_mode {
        return Some("asking humans less (`approval_mode`)");
    }
    if now.four_eyes && input.four_eyes == Some(false) {
        return Some("switching `four_eyes` off");
    }
    if !now.agents_inherit_admin && input.agents_inherit_admin == Some(true) {
        return Some("switching `agents_inherit_admin` on");
    }
    None
}

/// Returns 409 if there are fewer than two approvers, because with `four_eyes` some calls could then never be
/// approved.
async fn two_approvers(tx: &mut Tx) -> Result<(), ActionError> {
    if members::count_approvers(tx).await? >= 2 {
        return Ok(());
    }
    Err(ActionError::conflict("four eyes need two active admins or owners; there are fewer")
        .hint("add another admin first"))
}

/// Checks that the URL is an absolute HTTPS URL with a host that the operator allows and `{id}` after the
/// host.
fn approve_url(hosts: &[String], url: &str) -> Result<(), ActionError> {
    let bad = |code: &str, message: String| Err(ActionError::invalid("/approve_url_template", code, message));
    let Some(rest) = url.strip_prefix("https://") else {
        return bad("https", "must begin with `https://`".to_owned());
    };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (host, path) = rest.split_at(end);
    if !path.contains("{id}") {
        return bad("id", "must hold `{id}` behind the host, where the confirmation's id goes".to_owned());
    }
    if url.chars().any(|c| c.is_control() || c.is_whitespace()) {
        return bad("format", "must not hold spaces or control characters".to_owned());
    }
    if hosts.iter().any(|allowed| allowed.eq_ignore_ascii_case(host)) {
        return Ok(());
    }
    bad("host", format!("`{host}` is not among the hosts that the operator allows"))
}

pub fn apply(now: &SettingsView, input: &Input, row: &mut WorkspaceRow) {
    let limits = input.limits.unwrap_or_default().over(now.limits);
    let open = input.open_confirmations.unwrap_or_default().over(now.open_confirmations);
    let budget = input.assistant_budget.unwrap_or_default().over(now.assistant_budget);
    let url = input.approve_url_template.as_ref().unwrap_or(&now.approve_url_template);
    row.settings = Settings {
        approval_mode: input.approval_mode.unwrap_or(now.approval_mode).as_str().to_owned(),
        four_eyes: input.four_eyes.unwrap_or(now.four_eyes),
        agents_inherit_admin: input.agents_inherit_admin.unwrap_or(now.agents_inherit_admin),
        runner: input.runner.unwrap_or(now.runner),
        approve_url_template: url.clone(),
        ..policy::new_settings(limits, open)
    };
    row.assistant_run_microusd = budget.run_microusd;
    row.assistant_day_microusd = budget.day_microusd;
    row.assistant_background_microusd = budget.background_microusd;
    if input.default_model.is_some() {
        row.default_model.clone_from(&input.default_model);
    }
}
