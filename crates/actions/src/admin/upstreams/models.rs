//! Checks of upstreams with language models.

use toolcrib_engine::prelude::*;
use toolcrib_store::upstreams::UpstreamRow;
use toolcrib_toolset::UpstreamKind;
use url::Url;

/// The host of OpenAI's own service.
const OPENAI_HOST: &str = "api.openai.com";

/// Refuses an upstream with language models that names none, models of another kind of upstream, and names that are
/// none.
pub fn check(row: &UpstreamRow) -> Result<(), ActionError> {
    let kind: UpstreamKind = row.kind.parse().unwrap_or(UpstreamKind::Http);
    if kind.has_models() {
        return check_names(kind, row);
    }
    let given = [("/models", row.models.is_some()), ("/context_tokens", row.context_tokens.is_some())];
    match given.into_iter().find(|(_, given)| *given) {
        Some((at, _)) => {
            let message = format!(
                "is not possible for the kind `{kind}`; only `openai`, `openai_responses` and `anthropic` have models"
            );
            Err(ActionError::invalid(at, "kind", message))
        }
        None => Ok(()),
    }
}

fn check_names(kind: UpstreamKind, row: &UpstreamRow) -> Result<(), ActionError> {
    let names = row.model_names();
    if names.is_empty() {
        let message =
            format!("is required for the kind `{kind}`: the names of the models that people may choose");
        return Err(ActionError::invalid("/models", "required", message));
    }
    for (at, name) in names.iter().enumerate() {
        let message = if !name.bytes().all(|byte| byte.is_ascii_graphic()) {
            "must be visible ASCII without spaces: the name that the service has for the model"
        } else if names[..at].contains(name) {
            "is named twice; remove one"
        } else {
            continue;
        };
        return Err(ActionError::invalid(&format!("/models/{at}"), "model", message));
    }
    Ok(())
}

/// Refuses Chat Completions of OpenAI itself, which refuse tools together with reasoning. `at` is the argument that
/// can be changed.
pub fn check_format(kind: UpstreamKind, base_url: &str, at: &str) -> Result<(), ActionError> {
    let url = Url::parse(base_url).ok();
    let host = url.as_ref().and_then(Url::host_str).unwrap_or_default().trim_end_matches('.');
    if kind != UpstreamKind::OpenAi || host != OPENAI_HOST {
        return Ok(());
    }
    let message = format!(
        "an upstream at {OPENAI_HOST} has the kind `openai_responses`: its Chat Completions refuse tools together with \
         reasoning"
    );
    Err(ActionError::invalid(at, "kind", message)
        .hint("`openai` is for services that are compatible with it"))
}
