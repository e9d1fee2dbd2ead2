//! The settings of external services and their tokens.

use secrecy::SecretString;

use super::values::Values;
use crate::ConfigError;

/// The settings of external services. [`crate::TABLE`] describes each. A URL may contain a login.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "described in the table")]
pub struct OutsideSettings {
    pub workspace_label: String,
    pub prometheus_url: Option<SecretString>,
    pub prometheus_token: Option<SecretString>,
    pub loki_url: Option<SecretString>,
    pub loki_token: Option<SecretString>,
    pub loki_service_label: String,
    pub alertmanager_url: Option<SecretString>,
    pub alertmanager_token: Option<SecretString>,
    pub alertmanager_webhook_token: Option<SecretString>,
    pub railway_url: SecretString,
    pub railway_token: Option<SecretString>,
    pub railway_project: Option<String>,
    pub railway_environment: String,
}

/// Parses these settings. Returns the first error.
pub(super) fn settings(values: &Values<'_>) -> Result<OutsideSettings, ConfigError> {
    let settings = OutsideSettings {
        workspace_label: label(values, "workspace_label")?,
        prometheus_url: values.url("prometheus_url")?.map(SecretString::from),
        prometheus_token: values.secret("prometheus_token"),
        loki_url: values.url("loki_url")?.map(SecretString::from),
        loki_token: values.secret("loki_token"),
        loki_service_label: label(values, "loki_service_label")?,
        alertmanager_url: values.url("alertmanager_url")?.map(SecretString::from),
        alertmanager_token: values.secret("alertmanager_token"),
        alertmanager_webhook_token: values.secret("alertmanager_webhook_token"),
        railway_url: values
            .url("railway_url")?
            .ok_or_else(|| values.wrong("railway_url", "must not be empty"))?
            .into(),
        railway_token: values.secret("railway_token"),
        railway_project: values.option("railway_project"),
        railway_environment: values.text("railway_environment")?,
    };
    if settings.railway_token.is_some() != settings.railway_project.is_some() {
        return Err(ConfigError::Together(
            "`--railway-token` and `--railway-project` go together: which project the token is for".into(),
        ));
    }
    values.check_token("alertmanager_webhook_token", settings.alertmanager_webhook_token.as_ref())?;
    Ok(settings)
}

/// Parses a label name that needs no quotes in a query.
fn label(values: &Values<'_>, key: &'static str) -> Result<String, ConfigError> {
    let text = values.text(key)?;
    let begins = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && !text.starts_with("__");
    if begins && text.len() <= 100 && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return Ok(text);
    }
    Err(values.wrong(key, "must be a letter, then letters, digits and `_`"))
}
