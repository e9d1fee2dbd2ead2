//! The settings of the operator's model provider, which the assistant of every workspace may use.

use std::time::Duration;

use secrecy::{ExposeSecret as _, SecretString};
use toolcrib_model::ModelFormat;
use url::Url;

use super::values::Values;
use crate::ConfigError;

/// The operator's model provider. [`crate::TABLE`] describes each setting.
#[derive(Clone, Debug)]
pub struct AssistantSettings {
    /// Address that the paths of the format are appended to. It has no login, no query and no fragment; it may be
    /// private.
    pub provider: Option<Url>,
    /// The key with which the provider is asked.
    pub key: Option<SecretString>,
    /// Names of the models that people may choose, each once. Empty: those that the provider lists.
    pub models: Vec<String>,
    /// The one of the setting, or that of the provider's host.
    pub format: ModelFormat,
    /// Tokens that fit into a request and its answer. `None` if not set.
    pub context: Option<u32>,
    /// What a run may cost at most, in millionths of a dollar.
    pub run_microusd: i64,
    /// What the runs of a workspace may cost in 24 hours at most, in millionths of a dollar.
    pub day_microusd: i64,
    /// What those with no person beside them may cost of it.
    pub background_microusd: i64,
    /// How long a process holds a run without renewing its lease.
    pub lease: Duration,
}

const MAX_MODELS: usize = 50;
/// In bytes.
const MAX_MODEL_LEN: usize = 200;
const MIN_CONTEXT: u32 = 1_000;
const MAX_CONTEXT: u32 = 100_000_000;
const MAX_LEASE_SECONDS: u32 = 300;
/// A million dollars.
const MAX_CENTS: u32 = 100_000_000;
const MICROUSD_PER_CENT: i64 = 10_000;

/// Parses these settings. Returns the first error.
pub(super) fn settings(values: &Values<'_>) -> Result<AssistantSettings, ConfigError> {
    let provider = provider(values)?;
    let settings = AssistantSettings {
        key: key(values)?,
        models: models(values)?,
        format: format(values, provider.as_ref())?,
        context: context(values)?,
        run_microusd: microusd(values, "assistant_run_cents")?,
        day_microusd: microusd(values, "assistant_day_cents")?,
        background_microusd: microusd(values, "assistant_background_cents")?,
        lease: lease(values)?,
        provider,
    };
    let others = ["assistant_key", "assistant_models", "assistant_format", "assistant_context"];
    match others.into_iter().find(|key| values.option(key).is_some()) {
        Some(key) if settings.provider.is_none() => Err(ConfigError::Together(format!(
            "`--{}` needs `--assistant-provider`: the address of the models",
            key.replace('_', "-")
        ))),
        _ => Ok(settings),
    }
}

fn provider(values: &Values<'_>) -> Result<Option<Url>, ConfigError> {
    let key = "assistant_provider";
    let Some(text) = values.url(key)? else { return Ok(None) };
    let Ok(url) = Url::parse(&text) else {
        return Err(values.wrong(key, "must be a URL, such as http://127.0.0.1:11434/v1"));
    };
    if !url.username().is_empty() || url.password().is_some() {
        return Err(values.wrong(key, "must not contain a login; set `--assistant-key`"));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(
            values.wrong(key, "must not have a query or a fragment, because paths are appended to it")
        );
    }
    Ok(Some(url))
}

fn key(values: &Values<'_>) -> Result<Option<SecretString>, ConfigError> {
    let key = values.secret("assistant_key");
    let is_sendable = |key: &SecretString| key.expose_secret().bytes().all(|byte| byte.is_ascii_graphic());
    if key.as_ref().is_none_or(is_sendable) {
        return Ok(key);
    }
    Err(values
        .wrong("assistant_key", "must be visible ASCII without spaces: the key alone, without `Bearer`"))
}

fn models(values: &Values<'_>) -> Result<Vec<String>, ConfigError> {
    let models = values.list("assistant_models");
    let is_name =
        |name: &String| name.len() <= MAX_MODEL_LEN && name.bytes().all(|byte| byte.is_ascii_graphic());
    if let Some(wrong) = models.iter().find(|name| !is_name(name)) {
        let problem = format!(
            "must be names of at most {MAX_MODEL_LEN} visible ASCII characters without spaces, not `{}`",
            toolcrib_model::visible(wrong)
        );
        return Err(values.wrong("assistant_models", &problem));
    }
    if let Some((_, twice)) = models.iter().enumerate().find(|(at, name)| models[..*at].contains(name)) {
        return Err(values.wrong("assistant_models", &format!("names `{twice}` twice; remove one")));
    }
    if models.len() > MAX_MODELS {
        return Err(values.wrong("assistant_models", &format!("must be at most {MAX_MODELS} names")));
    }
    Ok(models)
}

fn format(values: &Values<'_>, provider: Option<&Url>) -> Result<ModelFormat, ConfigError> {
    let host = provider.and_then(Url::host_str).unwrap_or_default().trim_end_matches('.');
    let of_host = match host {
        "api.openai.com" => ModelFormat::OpenAiResponses,
        "api.anthropic.com" => ModelFormat::Anthropic,
        _ => ModelFormat::OpenAi,
    };
    let words = "must be openai, openai_responses or anthropic";
    let format = values.parse_option("assistant_format", words)?.unwrap_or(of_host);
    if format == ModelFormat::OpenAi && of_host == ModelFormat::OpenAiResponses {
        let problem = "must be openai_responses for api.openai.com: its Chat Completions refuse tools together with \
                       reasoning";
        return Err(values.wrong("assistant_format", problem));
    }
    Ok(format)
}

fn context(values: &Values<'_>) -> Result<Option<u32>, ConfigError> {
    let problem = format!("must be a whole number of tokens from {MIN_CONTEXT} to {MAX_CONTEXT}");
    let context: Option<u32> = values.parse_option("assistant_context", &problem)?;
    if context.is_some_and(|tokens| !(MIN_CONTEXT..=MAX_CONTEXT).contains(&tokens)) {
        return Err(values.wrong("assistant_context", &problem));
    }
    Ok(context)
}

fn microusd(values: &Values<'_>, key: &'static str) -> Result<i64, ConfigError> {
    Ok(i64::from(values.number(key, MAX_CENTS)?) * MICROUSD_PER_CENT)
}

fn lease(values: &Values<'_>) -> Result<Duration, ConfigError> {
    let seconds = values.number("assistant_lease_seconds", MAX_LEASE_SECONDS)?;
    Ok(Duration::from_secs(seconds.into()))
}
