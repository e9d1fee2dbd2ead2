//! Makes the responses of calls that the gates refused or that failed.

use serde_json::Value;
use toolcrib_registry::Spec;
use toolcrib_store::StoreError;

use super::{ApiCall, CallResponse, Outcome, Problem};
use crate::{
    base::{ActionError, CallContext, CallFacts},
    limits::LimitState,
};

/// Makes the response of a call that was refused or failed.
pub(crate) fn refused(
    context: &CallContext,
    facts: &CallFacts,
    error: &ActionError,
    limit: Option<LimitState>,
    what: &str,
) -> CallResponse {
    error.log(&context.request_id);
    let mut problem = Problem::new(error, &context.request_id);
    problem.action = Some(facts.action.clone());
    problem.description =
        Some(format!("`{}` {}{what}", facts.action, if what == "failed" { "" } else { "was " }));
    problem.executed_at = Some(context.now);
    problem.call_id = Some(context.call_id);
    CallResponse { limit, ..Outcome::Refused(Box::new(problem)).into() }
}

/// Makes the response of a call that failed outside of its action.
pub(crate) fn failed(error: &ActionError, request_id: &str) -> CallResponse {
    error.log(request_id);
    Outcome::Refused(Box::new(Problem::new(error, request_id))).into()
}

/// Makes the error for an audit row that can't be written. Nothing was done, because effect and audit row are
/// one commit.
pub(crate) fn audit_unavailable(error: StoreError) -> ActionError {
    ActionError::from(StoreError::NotCommitted(error.to_string()))
}

/// Returns the equivalent call of the platform's services.
pub(crate) fn api_call(spec: &Spec, payload: Value) -> ApiCall {
    let service = format!("{}.{}", spec.permission.resource, verb(spec));
    ApiCall { service, mutation_type: spec.mutation, payload }
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
    use toolcrib_model::Mutation;
    use toolcrib_registry::{Category, Level, Permission};

    use super::*;

    #[test]
    fn an_answer_says_which_call_of_the_services_it_was() {
        let write = |name| Spec::write(name, Category::Tasks, Permission::TASKS_USE);
        let delete = Spec::program("tasks.revoke", Level::Destructive, Permission::TASKS_USE);
        for (spec, service, mutation) in [
            (
                Spec::read("platform_get_task", Category::Tasks, Permission::TASKS_USE),
                "tasks.get",
                Mutation::Read,
            ),
            (write("platform_create_task").creates(), "tasks.create", Mutation::Create),
            (write("platform_update_task"), "tasks.update", Mutation::Update),
            (write("platform_remove_task").deletes(), "tasks.remove", Mutation::Delete),
            (delete, "tasks.revoke", Mutation::Delete),
        ] {
            let call = api_call(&spec, Value::Null);
            assert_eq!((call.service.as_str(), call.mutation_type), (service, mutation), "{}", spec.name);
        }
    }
}
