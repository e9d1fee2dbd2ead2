//! Explains one access decision.

use toolcrib_access::{Caller, decide};
use toolcrib_engine::prelude::*;
use toolcrib_model::Role;
use toolcrib_registry::nearest;
use toolcrib_store::{members, members::MemberRow};

use super::words::{imagined, known_caller_type, sentence};
use crate::shared::refs::Ref;

pub struct ExplainAccess;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The full name of an action or operation.
    pub action: String,
    /// ID or `sub` of a member. Default: yourself.
    pub user: Option<Ref>,
    /// Role of an imagined person, in place of `user`.
    pub role: Option<Role>,
    /// Caller type of the imagined call. Default: `api`.
    #[schemars(length(min = 1, max = 40))]
    pub caller_type: Option<String>,
    /// Slug of an agent, for actions that are limited to named agents.
    #[schemars(length(min = 1, max = 200))]
    pub caller_name: Option<String>,
}

impl Input {
    /// Returns whether the call of another caller than the caller is imagined.
    fn imagines(&self) -> bool {
        self.role.is_some() || self.caller_type.is_some() || self.caller_name.is_some()
    }
}

/// Result of the operation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The action.
    pub action: String,
    /// User ID of the member; null for a credential that acts for no member.
    pub user_id: Option<Id>,
    /// Role of the member; null for none.
    pub role: Option<Role>,
    /// Permission that the action needs.
    pub permission: String,
    /// Permission level.
    pub permission_level: Level,
    /// Whether the call would be allowed.
    pub allowed: bool,
    /// First rule that fails; null if none fails.
    pub reason: Option<&'static str>,
    /// The decision in one sentence.
    pub explanation: String,
    /// Rules and their results, in order.
    pub factors: Vec<FactorView>,
}

/// A rule and its result.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FactorView {
    /// The rule.
    pub rule: &'static str,
    /// Whether the rule allows the call.
    pub passed: bool,
    /// Reason in one sentence.
    pub explanation: String,
}

impl ReadAction for ExplainAccess {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        Spec::program("access.explain", Level::Read, Permission::AUDIT_READ)
            .describe("Explain whether a member, or a person with a role, may call an action now, with every rule that decides it.")
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let registry = cx.tools.catalog.registry();
        let Some(meta) = registry.get(&input.action) else {
            let known: Vec<&str> = registry.all().map(|meta| &*meta.spec.name).collect();
            let error =
                ActionError::new(ErrorCode::UnknownAction, format!("there is no action `{}`", input.action));
            return Err(match nearest(&input.action, &known) {
                Some(near) => error.hint(format!("did you mean `{near}`")),
                None => error.hint("`GET /v1/actions` lists them"),
            });
        };
        if input.user.is_some() && input.role.is_some() {
            let error = ActionError::invalid("/role", "exclusive", "goes without `user`, who has a role");
            return Err(error.hint("leave `role` or `user` out"));
        }
        let known = &cx.tools.catalog.rules().caller_types;
        let caller_type = known_caller_type(known, "/caller_type", input.caller_type.as_deref())?.to_owned();
        let (workspace, name) = (cx.caller.workspace, input.caller_name.as_deref());
        let Some(user) = &input.user else {
            if !input.imagines() {
                return Ok(explain(cx, cx.caller, &meta.spec, None));
            }
            let role = input.role.or(cx.caller.role);
            let caller = imagined(workspace, Id::nil(), role, &caller_type, name);
            return Ok(Output { user_id: None, ..explain(cx, &caller, &meta.spec, None) });
        };
        let member = member(cx, user).await?;
        let role = member.role.parse().ok().filter(|_| member.active);
        let caller = imagined(workspace, member.user_id, role, &caller_type, name);
        Ok(explain(cx, &caller, &meta.spec, Some(&member)))
    }

    fn describe(_: &Input, output: &Output) -> String {
        format!("`{}`: {}", output.action, output.explanation)
    }
}

async fn member(cx: &mut ReadCx<'_>, user: &Ref) -> Result<MemberRow, ActionError> {
    let id = match user.id() {
        Some(id) => Some(id),
        None => members::by_subject(cx.tx, user.as_str()).await?,
    };
    let found = match id {
        Some(id) => members::get(cx.tx, id).await?,
        None => None,
    };
    found.ok_or_else(|| ActionError::not_found("member", user.as_str()).hint("`GET /v1/members` lists them"))
}

fn explain(cx: &ReadCx<'_>, caller: &Caller, spec: &Spec, member: Option<&MemberRow>) -> Output {
    let decision = decide(caller, spec, cx.policy);
    let mut factors: Vec<FactorView> = decision
        .factors
        .iter()
        .map(|factor| FactorView {
            rule: factor.rule.as_str(),
            passed: factor.passed,
            explanation: sentence(factor.rule, factor.passed, caller, spec),
        })
        .collect();
    if let Some(member) = member {
        // Gate 3 checks the membership before any rule.
        let state = if member.active { "is an active member" } else { "is a member, but inactive" };
        let explanation = format!("the person {state} with the role `{}`", member.role);
        factors.insert(0, FactorView { rule: "membership", passed: member.active, explanation });
    }
    let failed = factors.iter().find(|factor| !factor.passed);
    Output {
        action: spec.name.to_string(),
        user_id: caller.principal.user(),
        role: caller.role,
        permission: spec.permission.to_string(),
        permission_level: spec.level,
        allowed: failed.is_none(),
        reason: failed.map(|factor| factor.rule),
        explanation: match failed {
            None => "allowed: every rule passes".to_owned(),
            Some(factor) => format!("denied: {}", factor.explanation),
        },
        factors,
    }
}
