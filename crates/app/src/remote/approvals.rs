//! `approvals …`: calls that wait for a person. They work over the API alone, because a person decides with their
//! own token: the database does not know who types, and whoever opens it is the operator.

mod confirmation;

use std::io::{self, IsTerminal as _};

use reqwest::Method;
use serde::Deserialize;
use serde_json::{Map, Value};
use toolcrib_model::visible;

use confirmation::{Confirmation, Line};

use super::{
    answer::{fields, print_list},
    api::Api,
};
use crate::{
    cli::ApprovalsCommand,
    failure::{Failure, Ran},
    output,
};

const CONFIRMATIONS: &str = "confirmations";

pub async fn run(api: &Api, command: ApprovalsCommand) -> Result<Ran, Failure> {
    match command {
        ApprovalsCommand::List { decidable, json, .. } => list(api, decidable, json).await,
        ApprovalsCommand::Show { id, json, .. } => show(api, &id, json).await,
        ApprovalsCommand::Approve { id, yes, phrase, json, .. } => approve(api, &id, yes, phrase, json).await,
        ApprovalsCommand::Deny { id, reason, json, .. } => deny(api, &id, reason, json).await,
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
        return approve_typed(api, id, phrase, as_json).await;
    }
    if !yes && !is_yes(&ask("Approve? [y/N] ")?) {
        return not_approved();
    }
    print(&decide(api, id, "approve", Map::new()).await?, "approved", as_json)
}

#[derive(Deserialize)]
struct PhraseRequired {
    phrase: String,
    /// Of arguments that an approver changed.
    summary: Option<Vec<Line>>,
}

/// Approves in two steps: the first returns the phrase, and the second sends it.
async fn approve_typed(api: &Api, id: &str, phrase: Option<String>, as_json: bool) -> Result<Ran, Failure> {
    if phrase.is_none() && !io::stdin().is_terminal() {
        return Err(Failure::Usage("without a terminal, a typed confirmation needs `--phrase`".into()));
    }
    let step = decide(api, id, "approve", Map::new()).await?;
    let required: PhraseRequired = fields(&step)?;
    for line in required.summary.iter().flatten() {
        output::explain(&format!("changed by an approver: {}\n", visible(&line.text())));
    }
    let asked = format!("Type `{}` to approve: ", visible(&required.phrase));
    let typed = phrase.map_or_else(|| ask(&asked), Ok)?;
    // Wrong phrases are not sent, because five of them void the confirmation.
    if typed != required.phrase {
        return not_approved();
    }
    let body = Map::from_iter([("phrase".to_owned(), typed.into())]);
    print(&decide(api, id, "approve", body).await?, "approved", as_json)
}

async fn deny(api: &Api, id: &str, reason: Option<String>, as_json: bool) -> Result<Ran, Failure> {
    let body = reason.map(|reason| ("reason".to_owned(), reason.into())).into_iter().collect();
    print(&decide(api, id, "deny", body).await?, "denied", as_json)
}

async fn decide(api: &Api, id: &str, verb: &str, body: Map<String, Value>) -> Result<Value, Failure> {
    Ok(api.write(Method::POST, &["v1", CONFIRMATIONS, id, verb], Some(&body.into())).await?)
}

#[derive(Deserialize)]
struct Decided {
    status: String,
    description: Option<String>,
}

fn print(answer: &Value, done: &str, as_json: bool) -> Result<Ran, Failure> {
    if as_json {
        output::json(answer)?;
        return Ok(Ran::Done);
    }
    let Decided { status, description } = fields(answer)?;
    let description = description.map(|text| format!(": {text}")).unwrap_or_default();
    output::line(&visible(&format!("{done}, {status}{description}")))?;
    Ok(Ran::Done)
}

fn not_approved() -> Result<Ran, Failure> {
    output::line("not approved")?;
    Ok(Ran::No)
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
