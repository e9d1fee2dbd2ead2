//! Checks that the operations on upstreams share.

use std::sync::Arc;

use secrecy::SecretString;
use toolcrib_access::Caller;
use toolcrib_connectors::webhooks::Allowed;
use toolcrib_engine::{
    Catalog, OperatorRules,
    prelude::*,
    upstreams::{CatalogUpstream, find_upstream},
};
use toolcrib_store::{
    Tx,
    upstreams::{self, UpstreamRow, UpstreamSecretRow},
};
use toolcrib_toolset::{
    SecretOwner, ToolsetSource, UpstreamKind, wrong_auth_name, wrong_base_url, wrong_secret,
};

use super::view::AuthInput;

/// Refuses the change if workspaces may have no upstreams of their own.
pub fn permitted(rules: &OperatorRules) -> Result<(), ActionError> {
    if rules.workspace_upstreams {
        return Ok(());
    }
    Err(ActionError::new(
        ErrorCode::PermissionDenied,
        "the operator forbids workspaces upstreams of their own: the setting `upstreams` is off",
    )
    .hint("use the tools of the operator's toolsets, or ask the operator"))
}

/// Refuses a base URL that is not written as one, and one that the operator does not allow. Does not look its host up:
/// the address is checked when it is connected to.
pub fn address(rules: &OperatorRules, kind: UpstreamKind, text: &str) -> Result<(), ActionError> {
    let refused = |message: &str| {
        ActionError::invalid("/base_url", "address", message).hint(
            "an upstream has a public https address; the operator may allow private hosts with `upstream_hosts`",
        )
    };
    if let Some(message) = wrong_base_url(text, Some(kind)) {
        return Err(refused(&message));
    }
    let url = Allowed::new(&rules.upstream_hosts).address(text).map_err(refused)?;
    if rules.is_own_address(&url) { Err(refused("must not be the address of this service")) } else { Ok(()) }
}

/// Refuses a header that the authentication can't have.
pub fn auth(auth: &AuthInput) -> Result<(), ActionError> {
    match wrong_auth_name(auth.kind, auth.name.as_deref()) {
        Some(message) => Err(ActionError::invalid("/auth/name", "header", message)),
        None => Ok(()),
    }
}

/// Returns the upstream of the workspace, or 404. An upstream of an operator's toolset can't be changed.
pub async fn own(tx: &mut Tx, rules: &OperatorRules, name: &str) -> Result<UpstreamRow, ActionError> {
    if rules.upstream(name).is_some() {
        return Err(ActionError::conflict(format!("`{name}` belongs to an operator's toolset"))
            .hint("only the operator changes it; switch the toolset off if you do not want its tools"));
    }
    let row = upstreams::get(tx, name).await?;
    row.ok_or_else(|| ActionError::not_found("upstream", name))
}

/// Refuses a change if `if_match` names another version than the current one.
pub fn matches(row: &UpstreamRow, if_match: Option<&str>) -> Result<(), ActionError> {
    let Some(wanted) = if_match.map(|tag| tag.trim_matches('"')) else { return Ok(()) };
    if wanted == "*" || row.version.to_string() == wanted { Ok(()) } else { Err(changed_meanwhile()) }
}

/// The 412 for an upstream that somebody else changed.
pub fn changed_meanwhile() -> ActionError {
    ActionError::new(ErrorCode::PreconditionFailed, "the upstream changed since it was read")
        .hint("read it again, and send its `version` in `If-Match`")
}

/// Returns the upstream with this name whose secret belongs to `owner`.
pub async fn with_owner(
    tx: &mut Tx,
    rules: &OperatorRules,
    name: &str,
    owner: SecretOwner,
) -> Result<Arc<CatalogUpstream>, ActionError> {
    let upstream = find_upstream(tx, rules, name).await?;
    let refused = |why: String, hint: String| Err(ActionError::conflict(why).hint(hint));
    match (owner, upstream.owner, upstream.source) {
        (SecretOwner::Workspace, SecretOwner::User, _) => refused(
            format!("`{name}` is called with the secret of the acting user, and has none for all callers"),
            format!("each user sets their own: `PUT /v1/upstreams/{name}/secret/mine`"),
        ),
        (SecretOwner::User, SecretOwner::Workspace, _) => refused(
            format!("`{name}` is called with one secret for all callers, and users have none of their own"),
            format!("a workspace admin sets it: `PUT /v1/upstreams/{name}/secret`"),
        ),
        (SecretOwner::Workspace, _, ToolsetSource::Operator) => refused(
            format!("`{name}` belongs to an operator's toolset"),
            "the operator sets its secret".to_owned(),
        ),
        _ => Ok(upstream),
    }
}

/// Stores a secret: a user's own, or the one for all callers. Returns the upstream's name, and whether there was one
/// before.
pub async fn store_secret(
    cx: &mut WriteCx<'_>,
    name: &str,
    user_id: Option<Id>,
    text: &str,
) -> Result<(String, bool), ActionError> {
    let catalog = cx.tools.catalog;
    let rules = catalog.rules();
    let owner = if user_id.is_some() { SecretOwner::User } else { SecretOwner::Workspace };
    let upstream = with_owner(cx.tx, rules, name, owner).await?;
    let secret = secret(catalog, &upstream, text)?;
    let workspace = cx.tx.workspace();
    let row = UpstreamSecretRow {
        upstream: upstream.reference.clone(),
        user_id,
        sealed: upstream.seal(&rules.datasources.secret_cipher, cx.ids, workspace, user_id, &secret)?,
        set_by: cx.caller.principal.user(),
        set_at: cx.now,
    };
    let replaced = upstreams::put_secret(cx.tx, &row).await?;
    Ok((row.upstream, replaced))
}

/// Returns the secret, or 422 if it can't be sent or can't be one of the service that a pack asks by this name.
pub fn secret(
    catalog: &Catalog,
    upstream: &CatalogUpstream,
    text: &str,
) -> Result<SecretString, ActionError> {
    if let Some(message) = wrong_secret(upstream.auth, text) {
        return Err(ActionError::invalid("/secret", "secret", message));
    }
    let needs = catalog.packs().iter().flat_map(|pack| pack.pack.upstreams);
    let mut of_service = needs.filter(|need| need.name == upstream.name).filter_map(|need| need.wrong_secret);
    match of_service.find_map(|wrong| wrong(text)) {
        Some(message) => Err(ActionError::invalid("/secret", "secret", message)),
        None => Ok(SecretString::from(text)),
    }
}

/// Returns the user whose own secret the caller may set. A key that acts for them needs the scope of those who manage
/// upstreams: with the secret of somebody else, what the user writes would go to that person's account.
pub fn own_user(caller: &Caller) -> Result<Id, ActionError> {
    if !caller.scopes.cover(&Permission::INTEGRATIONS_MANAGE) {
        return Err(ActionError::new(
            ErrorCode::InsufficientScope,
            "this needs the user's own credential, or a key with the scope `integrations:manage`",
        ));
    }
    caller.principal.user().ok_or_else(|| {
        ActionError::conflict("this credential acts for nobody, so there is nobody whose secret it is")
            .hint("send the user's own credential, or name the user on whose behalf the key acts")
    })
}

/// Returns the label of an upstream for people.
pub fn label(name: &str) -> String {
    format!("upstream `{name}`")
}
