//! Makes the responses of calls that the gates refused or that failed.

use serde_json::Value;
use toolcrib_registry::{Level, Spec};
use toolcrib_store::StoreError;

use super::{ApiCall, CallResponse, Problem, ResponseBody};
use crate::{
    audit::AuditSubject,
    base::{ActionError, CallContext},
    limits::LimitState,
};

/// Makes the response of a call that was refused or failed.
pub(crate) fn refused(
    context: &CallContext,
    subject: &AuditSubject,
    error: &ActionError,
    limit: Option<LimitState>,
    what: &str,
) -> CallResponse {
    log(error, &context.request_id);
    let mut problem = Problem::new(error, &context.request_id);
    problem.action = Some(subject.action.clone());
    problem.description =
        Some(format!("`{}` {}{what}", subject.action, if what == "failed" { "" } else { "was " }));
    problem.executed_at = Some(context.now);
    problem.call_id = Some(context.call_id);
    CallResponse { body: ResponseBody::Refused(Box::new(problem)), limit }
}

/// Makes the response of a call whose action is not known.
pub(crate) fn failed(error: &ActionError, request_id: &str) -> CallResponse {
    log(error, request_id);
    CallResponse { body: ResponseBody::Refused(Box::new(Problem::new(error, request_id))), limit: None }
}

/// Logs the internal cause of an error. The client gets only the code and the request id.
fn log(error: &ActionError, request_id: &str) {
    if let Some(cause) = &error.internal {
        tracing::error!(request_id, code = error.code.as_str(), cause, "call failed");
    }
}

/// Makes the error for an audit row that can't be written. Nothing was done, because effect and audit row are
/// one commit.
pub(crate) fn audit_unavailable(error: StoreError) -> ActionError {
    ActionError::from(StoreError::NotCommitted(error.to_string()))
}

/// Returns the equivalent call of the platform's services.
pub(crate) fn api_call(spec: &Spec, payload: Value) -> ApiCall {
    let service = format!("{}.{}", spec.permission.resource, verb(spec));
    ApiCall { service, mutation_type: mutation_type(spec), payload }
}

/// Returns what the action does to data: `read`, `create`, `update` or `delete`.
pub(crate) fn mutation_type(spec: &Spec) -> &'static str {
    const CREATES: [&str; 8] =
        ["create", "add", "store", "submit", "install", "schedule", "execute", "field"];
    const REMOVES: [&str; 3] = ["remove", "delete", "revoke"];
    match spec.level {
        Level::Read => "read",
        Level::Destructive => "delete",
        Level::Write if CREATES.contains(&verb(spec)) => "create",
        Level::Write if REMOVES.contains(&verb(spec)) => "delete",
        Level::Write => "update",
    }
}

fn verb(spec: &Spec) -> &str {
    let short = spec.short_name();
    match short.split_once('.') {
        Some((_, verb)) => verb,
        None => short.split('_').next().unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use toolcrib_registry::{Category, Permission};

    use super::*;

    #[test]
    fn an_answer_says_which_call_of_the_services_it_was() {
        let write = |name| Spec::write(name, Category::Tasks, Permission::TASKS_USE);
        for (spec, service, mutation) in [
            (Spec { level: Level::Read, ..write("platform_get_task") }, "tasks.get", "read"),
            (Spec { level: Level::Destructive, ..write("platform_drop_task") }, "tasks.drop", "delete"),
            (write("platform_create_task"), "tasks.create", "create"),
            (write("platform_update_task"), "tasks.update", "update"),
            (write("platform_remove_task"), "tasks.remove", "delete"),
            (write("tasks.add"), "tasks.add", "create"),
            (write("tasks.revoke"), "tasks.revoke", "delete"),
            (write("tasks.move"), "tasks.move", "update"),
        ] {
            let call = api_call(&spec, Value::Null);
            assert_eq!((call.service.as_str(), call.mutation_type), (service, mutation), "{}", spec.name);
        }
    }
}
