//! The models that runs may use: the operator's provider, for all workspaces.

use std::sync::{Arc, PoisonError, RwLock};

use toolcrib_connectors::llm::Model;
use toolcrib_engine::ActionError;
use toolcrib_model::ErrorCode;
use toolcrib_registry::ArgError;

/// The operator's provider.
pub struct OperatorProvider {
    /// Its name in errors, such as its host.
    pub name: String,
    /// Asks its models.
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
    /// The public URL of this service, without a trailing slash.
    pub public_url: String,
}

impl OperatorProvider {
    /// Returns the names of the models, the default first.
    pub fn models(&self) -> Vec<String> {
        self.models.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Sets the names of the models as the provider lists them.
    pub fn set_models(&self, models: Vec<String>) {
        *self.models.write().unwrap_or_else(PoisonError::into_inner) = models;
    }
}

impl Providers {
    /// Returns the operator's provider. 501 if there is none.
    pub(crate) fn operator(&self) -> Result<&OperatorProvider, ActionError> {
        self.operator.as_ref().ok_or_else(|| {
            ActionError::new(ErrorCode::ConnectorNotConfigured, "no language model is configured")
                .hint("the operator sets `--assistant-provider` to the address of a model server")
        })
    }

    /// Returns the model that a run uses. 422 if the wanted one is not listed.
    pub(crate) fn choose(&self, wanted: Option<&str>) -> Result<String, ActionError> {
        let operator = self.operator()?;
        let models = operator.models();
        let Some(default) = models.first() else {
            let detail = format!("the model provider `{}` has not listed its models", operator.name);
            return Err(ActionError::new(ErrorCode::UpstreamError, detail)
                .hint("try again; the operator can name models with `--assistant-models`"));
        };
        let Some(wanted) = wanted else { return Ok(default.clone()) };
        if models.iter().any(|model| model == wanted) {
            return Ok(wanted.to_owned());
        }
        let error = ArgError::new("/model", "unknown_model", format!("there is no model `{wanted}`"));
        Err(ActionError::invalid_all(vec![error]).hint(format!(
            "the models are {}",
            models.iter().take(20).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
        )))
    }
}
