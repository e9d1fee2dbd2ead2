//! The models that runs may use: those of the operator's provider, for all workspaces, and those of a workspace's
//! upstreams.

use std::sync::Arc;

use parking_lot::RwLock;
use toolcrib_access::Caller;
use toolcrib_connectors::{
    llm::{LlmClient, LlmSettings, Model},
    upstream::UpstreamClient,
};
use toolcrib_engine::{
    ActionError, OperatorRules,
    model_upstreams::{self, ModelChoice},
};
use toolcrib_model::{ErrorCode, Id};
use toolcrib_registry::ArgError;
use toolcrib_store::{Tx, agents, workspaces};

use crate::budget::Ceilings;

/// The context of a model of which nobody said it, and of one on this machine, which often gives less than it could.
const UNKNOWN_CONTEXT: usize = 8_000;
const LOCAL_CONTEXT: usize = 4_000;
/// Names of models that an error lists.
const LISTED: usize = 20;

/// The operator's provider.
pub struct OperatorProvider {
    /// Its name in errors, such as its host.
    pub name: String,
    pub model: Arc<dyn Model>,
    /// The names of its models, the default first. Empty until the provider has listed them.
    pub models: RwLock<Vec<String>>,
    /// The size of the context, in tokens; `None` if nobody said it.
    pub context_tokens: Option<usize>,
    /// Whether its address is a loopback address.
    pub is_local: bool,
}

/// The models that runs may use.
#[derive(Default)]
pub struct Providers {
    pub operator: Option<OperatorProvider>,
    /// How upstreams are asked.
    pub settings: LlmSettings,
    /// The public URL of this service, without a trailing slash.
    pub public_url: String,
    /// What runs may cost at most.
    pub ceilings: Ceilings,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ChosenModel {
    pub model: String,
    /// The workspace's upstream; `None` for the operator's provider.
    pub upstream: Option<String>,
}

pub(crate) struct RunProvider {
    pub name: String,
    pub model: Arc<dyn Model>,
    /// The size of the context, in tokens.
    pub context: usize,
    /// Changes with the account that is asked.
    pub account: String,
}

impl OperatorProvider {
    /// Makes a provider of these models, the default first, whose context nobody said.
    pub fn new(name: &str, model: Arc<dyn Model>, models: &[&str]) -> Self {
        let models = models.iter().map(|&model| model.to_owned()).collect();
        let (name, models) = (name.to_owned(), RwLock::new(models));
        Self { name, model, models, context_tokens: None, is_local: false }
    }

    /// Returns the names of the models, the default first.
    pub fn models(&self) -> Vec<String> {
        self.models.read().clone()
    }

    /// Sets the names of the models as the provider lists them.
    pub fn set_models(&self, models: Vec<String>) {
        *self.models.write() = models;
    }
}

impl Providers {
    /// Returns every model that the caller may choose, the operator's first; those of an upstream as `upstream/model`.
    /// 501 or 502 if there is none.
    pub(crate) async fn list(
        &self,
        tx: &mut Tx,
        rules: &OperatorRules,
        caller: &Caller,
    ) -> Result<Vec<ChosenModel>, ActionError> {
        let mut all: Vec<ChosenModel> = Vec::new();
        if let Some(operator) = &self.operator {
            all.extend(operator.models().into_iter().map(|model| ChosenModel { model, upstream: None }));
        }
        let upstreams = model_upstreams::list(tx, rules, caller).await?;
        let ready = upstreams.into_iter().filter(|upstream| upstream.is_ready);
        all.extend(ready.flat_map(|ModelChoice { name, models, .. }| {
            models.into_iter().map(move |model| ChosenModel { model, upstream: Some(name.clone()) })
        }));
        match (&self.operator, all.is_empty()) {
            (_, false) => Ok(all),
            (None, true) => {
                let missing = missing_secret(tx, rules, caller, |_| true).await?;
                Err(missing.unwrap_or_else(|| not_configured(caller)))
            }
            (Some(operator), true) => {
                let detail = format!("the model provider `{}` has not listed its models", operator.name);
                Err(ActionError::new(ErrorCode::UpstreamError, detail)
                    .hint("try again; the operator can name models with `--assistant-models`"))
            }
        }
    }

    /// Returns the model that the caller names, as [`named`] does. Where its upstream has no secret, the error says how
    /// to set it.
    pub(crate) async fn find(
        &self,
        tx: &mut Tx,
        rules: &OperatorRules,
        caller: &Caller,
        wanted: &str,
    ) -> Result<ChosenModel, ActionError> {
        let all = self.list(tx, rules, caller).await?;
        let unknown = match named(&all, wanted) {
            Ok(found) => return Ok(found),
            Err(error) => error,
        };
        let is_wanted = |choice: &ModelChoice| {
            let is_named = |model: &String| model == wanted || format!("{}/{model}", choice.name) == wanted;
            choice.models.iter().any(is_named)
        };
        Err(match missing_secret(tx, rules, caller, is_wanted).await? {
            Some(ActionError { detail, hint: Some(hint), .. }) => {
                ActionError::invalid("/model", "no_secret", format!("can't be asked: {detail}")).hint(hint)
            }
            _ => unknown,
        })
    }

    /// Returns how a run asks its model. 501 or 404 if its service is gone.
    pub(crate) async fn of_run(
        &self,
        tx: &mut Tx,
        rules: &OperatorRules,
        caller: &Caller,
        upstream: Option<&str>,
        client: &UpstreamClient,
    ) -> Result<RunProvider, ActionError> {
        let Some(name) = upstream else {
            let operator = self.operator.as_ref().ok_or_else(|| not_configured(caller))?;
            let unknown = if operator.is_local { LOCAL_CONTEXT } else { UNKNOWN_CONTEXT };
            return Ok(RunProvider {
                name: operator.name.clone(),
                model: operator.model.clone(),
                context: operator.context_tokens.unwrap_or(unknown),
                account: String::new(),
            });
        };
        let upstream = model_upstreams::find(tx, rules, caller, name).await?;
        let account = format!("{name} {}", upstream.secret_version.as_deref().unwrap_or_default());
        let context = upstream.context_tokens.and_then(|tokens| usize::try_from(tokens).ok());
        let model = LlmClient::new(upstream.provider(client.clone(), self.settings.clone()));
        Ok(RunProvider {
            name: upstream.name,
            model: Arc::new(model),
            context: context.unwrap_or(UNKNOWN_CONTEXT),
            account,
        })
    }
}

impl ChosenModel {
    /// Returns the name by which clients choose it.
    pub(crate) fn name(&self) -> String {
        match &self.upstream {
            Some(upstream) => format!("{upstream}/{}", self.model),
            None => self.model.clone(),
        }
    }
}

/// Returns why the first upstream that is wanted can't be asked for the caller: 501, which says who sets its secret.
/// `None` if the wanted ones have theirs.
async fn missing_secret(
    tx: &mut Tx,
    rules: &OperatorRules,
    caller: &Caller,
    is_wanted: impl Fn(&ModelChoice) -> bool,
) -> Result<Option<ActionError>, ActionError> {
    let upstreams = model_upstreams::list(tx, rules, caller).await?;
    match upstreams.iter().find(|upstream| !upstream.is_ready && is_wanted(upstream)) {
        Some(upstream) => Ok(model_upstreams::find(tx, rules, caller, &upstream.name).await.err()),
        None => Ok(None),
    }
}

/// Returns the model with this name: the operator's, `upstream/model`, or the only upstream's that has it. 422 if there
/// is none, or several.
pub(crate) fn named(all: &[ChosenModel], wanted: &str) -> Result<ChosenModel, ActionError> {
    if let Some(found) = all.iter().find(|model| model.name() == wanted) {
        return Ok(found.clone());
    }
    let mut of_upstreams = all.iter().filter(|model| model.model == wanted);
    match (of_upstreams.next(), of_upstreams.next()) {
        (Some(found), None) => Ok(found.clone()),
        (found, _) => {
            let why = if found.is_some() { "is a model of several upstreams" } else { "names no model" };
            let error = ArgError::new("/model", "unknown_model", format!("{why}: `{wanted}`"));
            let names: Vec<String> =
                all.iter().take(LISTED).map(|model| format!("`{}`", model.name())).collect();
            Err(ActionError::invalid_all(vec![error]).hint(format!("the models are {}", names.join(", "))))
        }
    }
}

/// Returns the model of a run for which nobody chose one: the agent's, the workspace's, or the first, where it is
/// listed; and the name of the agent's where that is not listed. The workspace's is one of the catalogue, and often no
/// model of its services.
pub(crate) async fn default_model(
    tx: &mut Tx,
    all: Vec<ChosenModel>,
    agent: Option<Id>,
) -> Result<(ChosenModel, Option<String>), ActionError> {
    let of_agent = match agent {
        Some(agent) => agents::get(tx, agent).await?.map(|agent| agent.model),
        None => None,
    };
    let of_workspace = workspaces::get(tx).await?.and_then(|row| row.default_model);
    let replaced = of_agent.clone().filter(|name| named(&all, name).is_err());
    let mut preferred = [of_agent, of_workspace].into_iter().flatten();
    let found = preferred.find_map(|name| named(&all, &name).ok());
    let found = found.or_else(|| all.into_iter().next());
    Ok((found.ok_or_else(|| ActionError::internal("the list of models is empty"))?, replaced))
}

fn not_configured(caller: &Caller) -> ActionError {
    use toolcrib_registry::Permission;
    let hint = if caller.holds(&Permission::INTEGRATIONS_MANAGE) {
        "add an upstream of the kind `openai`, `openai_responses` or `anthropic` with its models, and set its secret: \
         `POST /v1/upstreams`. The operator can set `--assistant-provider` for all workspaces"
    } else {
        "ask an admin of the workspace to add an upstream with models, or the operator to set `--assistant-provider`"
    };
    ActionError::new(ErrorCode::ConnectorNotConfigured, "no language model is configured").hint(hint)
}
