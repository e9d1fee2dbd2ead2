//! `tools`: prints the tool list that a user with a role gets.

use serde_json::{Value, json};
use toolcrib_config::Settings;
use toolcrib_engine::{ActionError, CallerTools, Pack};
use toolcrib_model::Role;

use super::report;
use crate::{
    cli::ToolsArgs,
    context::catalog,
    failure::{Failure, Ran},
    output,
};

pub fn run(args: ToolsArgs, packs: &[Pack], settings: &Settings) -> Result<Ran, Failure> {
    let role: Role = args.role.parse().map_err(|error| Failure::Usage(format!("{error}")))?;
    let catalog = catalog(packs, settings)?;
    let (caller, policy) = (report::caller(role, &args.caller_type, None), report::policy(&catalog));
    let asked = asked(args);
    let list =
        toolcrib_http::tool_list(&CallerTools::new(&catalog, &caller, &policy), asked).map_err(wrong)?;
    output::json(&list)?;
    Ok(Ran::Done)
}

/// Returns the body of `POST /v1/tools` for the arguments.
fn asked(args: ToolsArgs) -> Value {
    let mut asked = json!({
        "format": args.format, "strategy": args.strategy, "strict": args.strict, "detail": args.detail,
    });
    if let Some(query) = args.query {
        asked["query"] = query.into();
    }
    if let Some(most) = args.max_tokens {
        asked["max_tokens"] = most.into();
    }
    asked
}

fn wrong(error: ActionError) -> Failure {
    let errors = error.errors.iter().map(|one| format!("; `{}` {}", one.pointer, one.message));
    Failure::Usage(errors.fold(error.detail.clone(), |text, one| text + &one))
}
