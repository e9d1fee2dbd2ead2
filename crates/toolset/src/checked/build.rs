//! Fills in the defaults of a tool.

use std::{collections::BTreeMap, sync::Arc};

use toolcrib_model::Role;
use toolcrib_registry::{AccessibleBy, Condition, ConfirmationLevel, Escalation, Level, slug_form};

use super::{CheckedTool, ToolExecutor, definition::definition_digest};
use crate::{
    context::KnownUpstream,
    document::{ClientExecution, DeclaredAccess, DeclaredTool, EscalationCondition, Toolset},
    limits::{DEFAULT_CLAIM_SECONDS, DEFAULT_RUN_SECONDS, DEFAULT_TIMEOUT_SECONDS},
    rules::resolve_access,
    tool_schema::no_parameters,
};

/// Returns the tool with every default filled in. `None` if a required field is missing, which is a defect.
pub fn checked_tool(
    tool: &DeclaredTool,
    toolset: &Toolset,
    upstreams: Option<&BTreeMap<String, KnownUpstream>>,
) -> Option<CheckedTool> {
    let upstream = tool.http.as_ref().and_then(|http| http.upstream.as_ref());
    let upstream = upstream.or_else(|| tool.mcp.as_ref().and_then(|mcp| mcp.upstream.as_ref()));
    let upstream = upstream.and_then(|name| upstreams?.get(name));
    let level = tool.permission_level?;
    let name = tool.name.clone()?;
    let access = resolve_access(tool, toolset).map_or_else(|| AccessibleBy::only(&[], &[]), access_rule);
    let default_role = toolset.defaults.as_ref().and_then(|defaults| defaults.min_role);
    let mut checked = CheckedTool {
        full_name: format!("{}__{name}", toolset.slug.as_deref()?),
        name,
        description: tool.description.clone()?,
        level,
        min_role: tool.min_role.or(default_role).unwrap_or(role_of(level)),
        access,
        confirmation: tool.confirmation.unwrap_or(confirmation_of(level)),
        simple_because: tool.simple_because.clone(),
        warning: tool.warning.clone(),
        escalations: escalations(tool)?,
        confirm_text: tool.confirm_text.clone(),
        result_text: tool.result_text.clone(),
        always_show: tool.always_show.clone().unwrap_or_default(),
        parameters: tool.parameters.clone().unwrap_or_else(no_parameters),
        output: tool.output.clone(),
        promoted: tool.promoted.unwrap_or_default(),
        tags: tool.tags.clone().unwrap_or_default(),
        examples: tool.examples.clone().unwrap_or_default(),
        notifies_admins: tool.notifies_admins.unwrap_or_default(),
        timeout_seconds: tool.timeout_seconds.unwrap_or(DEFAULT_TIMEOUT_SECONDS),
        draft: tool.draft.unwrap_or_default(),
        executor: executor(tool)?,
        definition: String::new(),
    };
    checked.definition = definition_digest(&checked, upstream);
    Some(checked)
}

fn access_rule(access: &DeclaredAccess) -> AccessibleBy {
    match access {
        DeclaredAccess::Word(_) => AccessibleBy::Everyone,
        DeclaredAccess::Lists(lists) => AccessibleBy::Only {
            types: lists.types.iter().map(|word| word.as_str().into()).collect(),
            names: lists.names.iter().map(|name| slug_form(name).into()).collect(),
        },
    }
}

fn role_of(level: Level) -> Role {
    match level {
        Level::Read => Role::Viewer,
        Level::Write => Role::Member,
        Level::Destructive => Role::Admin,
    }
}

fn confirmation_of(level: Level) -> ConfirmationLevel {
    match level {
        Level::Read | Level::Write => ConfirmationLevel::None,
        Level::Destructive => ConfirmationLevel::Typed,
    }
}

fn escalations(tool: &DeclaredTool) -> Option<Arc<[Escalation]>> {
    let escalations = tool.escalations.iter().flatten().map(|escalation| {
        let when = match escalation.when.as_ref()? {
            EscalationCondition::Present => Condition::Present,
            EscalationCondition::IsTrue => Condition::IsTrue,
            EscalationCondition::Equals(word) => Condition::Equals(word.as_str().into()),
        };
        Some(Escalation::new(escalation.parameter.as_ref()?, when, escalation.level?))
    });
    escalations.collect()
}

fn executor(tool: &DeclaredTool) -> Option<ToolExecutor> {
    if let Some(mapping) = &tool.http {
        return Some(ToolExecutor::Http(Box::new(mapping.clone())));
    }
    if let Some(mapping) = &tool.mcp {
        return Some(ToolExecutor::Mcp(mapping.clone()));
    }
    let ClientExecution { claim_seconds, run_seconds } = tool.client?;
    Some(ToolExecutor::Client {
        claim_seconds: claim_seconds.unwrap_or(DEFAULT_CLAIM_SECONDS),
        run_seconds: run_seconds.unwrap_or(DEFAULT_RUN_SECONDS),
    })
}
