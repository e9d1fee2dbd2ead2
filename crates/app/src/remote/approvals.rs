//! `approvals …`: calls that wait for a person. They work over the API alone, because a person decides with their
//! own token: the database does not know who types, and whoever opens it is the operator.

mod confirmation;

use std::io::{self, IsTerminal as _};

use reqwest::Method;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Map, Value};
use toolcrib_model::visible;

use confirmation::Confirmation;

use super::{
    answer::{ApiError, fields, print_list},
    api::Api,
};
use crate::{
    cli::ApprovalsCommand,
    failure::{Failure, Ran},
    output,
};

const CONFIRMATIONS: &str = "confirmations";
const APPROVE: &str = "approve";
const DENY: &str = "deny";

pub async fn run(api: &Api, command: ApprovalsCommand) -> Result<Ran, Failure> {
    match command {
        ApprovalsCommand::List { decidable, json } => list(api, decidable, json).await,
        ApprovalsCommand::Show { id, json } => show(api, &id, json).await,
        ApprovalsCommand::Approve { id, yes, phrase, json } => approve(api, &id, yes, phrase, json).await,
        ApprovalsCommand::Deny { id, reason, json } => deny(api, &id, reason, json).await,
    }
}

async fn list(api: &Api, decidable: bool, as_json: bool) -> Result<Ran, Failure> {
    let mut query = vec![("status", "open")];
    if decidable {
        query.push(("decidable", "true"));
    }
    let items = api.list(&["v1", CONFIRMATIONS], &query, usize::MAX).await?;
    print_list(items, as_json, |item: Confirmation| item.line())
}

async fn show(api: &Api, id: &str, as_json: bool) -> Result<Ran, Failure> {
    let found = api.get(&["v1", CONFIRMATIONS, id], &[]).await?;
    if as_json {
        output::json(&found)?;
    } else {
        output::print(&fields::<Confirmation>(&found)?.text())?;
    }
    Ok(Ran::Done)
}

/// Approves a call, without asking if `yes`.
async fn approve(
    api: &Api,
    id: &str,
    yes: bool,
    phrase: Option<String>,
    as_json: bool,
) -> Result<Ran, Failure> {
    if !yes && !io::stdin().is_terminal() {
        return Err(Failure::Usage("without a terminal, an approval needs `--yes`".into()));
    }
    let waiting: Confirmation = fields(&api.get(&["v1", CONFIRMATIONS, id], &[]).await?)?;
    output::explain(&waiting.text());
    waiting.may_be_decided()?;
    if waiting.is_typed() {
        return approve_typed(api, &waiting, phrase, as_json).await;
    }
    if !yes && !is_yes(&ask("Approve? [y/N] ")?) {
        return Ok(not_approved());
    }
    send(api, id, APPROVE, Map::new(), as_json).await
}

/// The answer of the first step.
#[derive(Deserialize)]
struct PhraseRequired {
    phrase: String,
    /// Of a call that an approver changed.
    arguments: Option<Value>,
}

/// Approves in two steps, of which the second sends the phrase.
async fn approve_typed(
    api: &Api,
    waiting: &Confirmation,
    phrase: Option<String>,
    as_json: bool,
) -> Result<Ran, Failure> {
    if phrase.is_none() && !io::stdin().is_terminal() {
        return Err(Failure::Usage("without a terminal, a typed confirmation needs `--phrase`".into()));
    }
    let expected = waiting.phrase.as_deref().unwrap_or_default();
    let typed = phrase.map_or_else(|| ask(&format!("Type `{}` to approve: ", visible(expected))), Ok)?;
    // Wrong phrases are not sent, because five of them void the confirmation.
    if typed != expected {
        return Ok(not_approved());
    }
    let id = waiting.id.to_string();
    let required: PhraseRequired = decide(api, &id, APPROVE, Map::new()).await?;
    let changed = required.arguments.filter(|arguments| *arguments != waiting.arguments);
    if let Some(arguments) = &changed {
        output::explain(&format!("an approver changed the arguments: {}\n", visible(&arguments.to_string())));
    }
    if changed.is_some() || required.phrase != typed {
        return Ok(not_approved());
    }
    let body = Map::from_iter([("phrase".to_owned(), typed.into())]);
    send(api, &id, APPROVE, body, as_json).await
}

async fn deny(api: &Api, id: &str, reason: Option<String>, as_json: bool) -> Result<Ran, Failure> {
    let body = reason.map(|reason| ("reason".to_owned(), reason.into())).into_iter().collect();
    send(api, id, DENY, body, as_json).await
}

/// Sends a decision. Refusals of an approval come from the call that it runs, so they are no wrong usage.
async fn decide<T: DeserializeOwned>(
    api: &Api,
    id: &str,
    verb: &str,
    body: Map<String, Value>,
) -> Result<T, Failure> {
    match api.write(Method::POST, &["v1", CONFIRMATIONS, id, verb], Some(&body.into())).await {
        Err(ApiError::Refused(refusal)) if verb == APPROVE => Err(Failure::CouldNotRun(refusal.text())),
        answer => Ok(answer?),
    }
}

#[derive(Deserialize)]
struct Decided {
    status: String,
    description: Option<String>,
}

/// Decides, and prints the answer.
async fn send(
    api: &Api,
    id: &str,
    verb: &str,
    body: Map<String, Value>,
    as_json: bool,
) -> Result<Ran, Failure> {
    if as_json {
        output::json(&decide(api, id, verb, body).await?)?;
        return Ok(Ran::Done);
    }
    let done = if verb == APPROVE { "approved" } else { "denied" };
    let Decided { status, description } = decide(api, id, verb, body).await?;
    let description = description.map(|text| format!(": {text}")).unwrap_or_default();
    output::line(&format!("{done}, {status}{description}"))?;
    Ok(Ran::Done)
}

fn not_approved() -> Ran {
    output::explain("not approved\n");
    Ran::No
}

/// Asks on the terminal. The question is no part of the result.
fn ask(question: &str) -> Result<String, Failure> {
    output::explain(question);
    let mut answer = String::new();
    io::stdin().read_line(&mut answer)?;
    Ok(answer.trim_end_matches(['\r', '\n']).to_owned())
}

fn is_yes(answer: &str) -> bool {
    matches!(answer.trim(), "y" | "Y" | "yes" | "Yes" | "YES")
}

#[cfg(test)]
mod tests {
    use super::is_yes;

    #[test]
    fn only_yes_is_yes() {
        assert!(["y", " Y ", "yes"].into_iter().all(is_yes));
        assert!(!["", "n", "no", "j", "y?", "yes please"].into_iter().any(is_yes));
    }
}
