//! The models of the assistant: the operator's provider.

use std::{sync::Arc, time::Duration};

use toolcrib_assistant::{
    Assistant, AssistantSettings as RunSettings, Ceilings, OperatorProvider, Providers,
};
use toolcrib_config::AssistantSettings;
use toolcrib_connectors::{
    llm::{LlmClient, LlmSettings, Provider},
    upstream::{UpstreamClient, UpstreamClientSettings, UpstreamCredential, Url},
};
use toolcrib_engine::Engine;
use toolcrib_store::Db;

use crate::failure::Failure;

/// How often a provider that has not listed its models is asked again.
const LIST_EVERY: Duration = Duration::from_secs(15);

/// The providers, and the client that lists the operator's models if the settings name none.
#[derive(Clone)]
pub struct AssistantModels {
    pub providers: Arc<Providers>,
    unlisted: Option<Arc<LlmClient>>,
}

impl AssistantModels {
    /// Makes the providers from the settings. Without a provider in them the operator's is `operator`.
    pub fn new(
        settings: &AssistantSettings,
        public_url: &str,
        mut operator: Option<OperatorProvider>,
    ) -> Result<Self, Failure> {
        let (llm, mut unlisted) = (LlmSettings::default(), None);
        if let Some(address) = &settings.provider {
            let client = Arc::new(client(settings, address, llm.clone())?);
            operator = Some(operator_provider(settings, address, client.clone()));
            unlisted = settings.models.is_empty().then_some(client);
        }
        let public_url = public_url.to_owned();
        let ceilings = Ceilings {
            run_microusd: settings.run_microusd,
            day_microusd: settings.day_microusd,
            background_microusd: settings.background_microusd,
        };
        let providers = Providers { operator, settings: llm, public_url, ceilings };
        Ok(Self { providers: Arc::new(providers), unlisted })
    }

    /// Returns what carries runs out with these models.
    pub fn assistant(&self, settings: &AssistantSettings, engine: Arc<Engine>, db: Db) -> Arc<Assistant> {
        let kept = RunSettings { lease: settings.lease, ..RunSettings::default() };
        Assistant::new(engine, db, self.providers.clone(), kept)
    }

    /// Asks the operator's provider for its models until it has listed them.
    pub async fn list(self) {
        let (Some(client), Some(operator)) = (self.unlisted, &self.providers.operator) else { return };
        loop {
            match client.models().await {
                Ok(models) if !models.is_empty() => return operator.set_models(models),
                Ok(_) => tracing::warn!(provider = operator.name, "the model provider lists no models"),
                Err(error) => {
                    tracing::warn!(provider = operator.name, %error, "the model provider does not list its models");
                }
            }
            tokio::time::sleep(LIST_EVERY).await;
        }
    }
}

fn client(settings: &AssistantSettings, address: &Url, llm: LlmSettings) -> Result<LlmClient, Failure> {
    let host = address.host_str().unwrap_or_default();
    let port = address.port_or_known_default().unwrap_or_default();
    let allowed =
        UpstreamClientSettings { allowed_hosts: vec![format!("{host}:{port}")], own_hosts: Vec::new() };
    let client = UpstreamClient::new(allowed)
        .map_err(|error| Failure::Usage(format!("`--assistant-provider`: {error}")))?;
    Ok(LlmClient::new(Provider {
        client,
        upstream: "operator".to_owned(),
        base_url: address.clone(),
        format: settings.format,
        credential: settings.key.clone().map(UpstreamCredential::Bearer),
        roots: None,
        settings: llm,
    }))
}

fn operator_provider(
    settings: &AssistantSettings,
    address: &Url,
    client: Arc<LlmClient>,
) -> OperatorProvider {
    let host = address.host_str().unwrap_or_default();
    let is_local = matches!(host, "localhost" | "[::1]") || host.starts_with("127.");
    OperatorProvider {
        name: host.to_owned(),
        model: client,
        models: settings.models.clone().into(),
        context_tokens: settings.context.and_then(|tokens| usize::try_from(tokens).ok()),
        is_local,
    }
}
