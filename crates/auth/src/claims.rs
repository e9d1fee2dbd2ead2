//! Checks the claims of a token whose signature is verified.

use std::time::Duration;

use serde_json::Value;
use toolcrib_model::Ts;

use crate::settings::{TokenSettings, claim};

/// Maximum length of a subject or workspace claim, in bytes.
const MAX_TEXT: usize = 255;

/// Why a token is refused. Only the log contains the reason of `Invalid`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenRefused {
    /// The time in `exp` has passed.
    Expired,
    /// The time in `nbf` is in the future.
    NotYet,
    /// The time in `iat` is in the future.
    FromFuture,
    /// `iss` is another one, or missing.
    Issuer,
    /// `aud` or `azp` is another one, or missing.
    Audience(&'static str),
    /// The token names a key that the issuer does not have, or its signature does not fit.
    UnknownKey,
    /// Another reason.
    Invalid(&'static str),
}

/// The claims that the service uses.
#[derive(Clone, Debug)]
pub struct Claims {
    pub subject: String,
    /// The id of the token, if it is text of 1 to 255 bytes.
    pub jti: Option<String>,
    pub name: Option<String>,
    /// The `nonce` of the request for the token.
    pub nonce: Option<String>,
    /// The client for which the token was made, if it says so.
    pub authorized_party: Option<String>,
    /// The e-mail address, if the issuer says with JSON `true` that it is verified.
    pub verified_email: Option<String>,
    pub workspace: Option<String>,
    pub system_admin: bool,
    /// Whether the token is valid for the MCP resource only.
    pub mcp_only: bool,
    pub expires_at: Ts,
}

/// Checks the claims of a token whose signature is verified.
pub fn check(claims: &Value, settings: &TokenSettings, now: Ts) -> Result<Claims, TokenRefused> {
    if claims.get("iss").and_then(Value::as_str) != Some(settings.issuer.as_str()) {
        return Err(TokenRefused::Issuer);
    }
    // A security event gives no access. A logout token without a specific `typ` has this claim.
    if claims.get("events").is_some() {
        return Err(TokenRefused::Invalid("it tells of events, as a logout token does"));
    }
    let mcp_only = check_audience(claims, settings)?;
    let expires_at = time(claims, "exp")?.ok_or(TokenRefused::Invalid("no exp"))?;
    if now >= expires_at.plus_seconds(settings.leeway_seconds) {
        return Err(TokenRefused::Expired);
    }
    let horizon = now.plus_seconds(settings.leeway_seconds);
    if time(claims, "nbf")?.is_some_and(|from| from > horizon) {
        return Err(TokenRefused::NotYet);
    }
    if time(claims, "iat")?.is_some_and(|issued| issued > horizon) {
        return Err(TokenRefused::FromFuture);
    }
    let subject = text(claims.get("sub"), "sub")?.ok_or(TokenRefused::Invalid("no sub"))?;
    // No token is refused for the form of a claim that access tokens do not need.
    let jti = text(claims.get("jti"), "jti").unwrap_or_default();
    let name = name(claims);
    let [nonce, authorized_party] =
        ["nonce", "azp"].map(|name| text(claims.get(name), name).unwrap_or_default());
    let verified_email = verified_email(claims);
    let workspace = text(claim(claims, &settings.workspace_claim), "workspace claim")?;
    let system_admin = claim(claims, &settings.system_role_claim).and_then(Value::as_str) == Some("admin");
    Ok(Claims {
        subject,
        jti,
        name,
        nonce,
        authorized_party,
        verified_email,
        workspace,
        system_admin,
        mcp_only,
        expires_at,
    })
}

pub fn name(claims: &Value) -> Option<String> {
    text(claims.get("name"), "name").unwrap_or_default()
}

/// Returns the claim `email`, if `email_verified` is JSON `true` beside it. The text `"true"` is none.
pub fn verified_email(claims: &Value) -> Option<String> {
    let is_verified = claims.get("email_verified") == Some(&Value::Bool(true));
    is_verified.then(|| text(claims.get("email"), "email").unwrap_or_default()).flatten()
}

/// Returns whether the token is valid for MCP only: its `aud` contains the MCP audience and not the API's.
/// Refuses an `aud` without either if an audience is configured. Otherwise `azp` must be a configured party.
fn check_audience(claims: &Value, settings: &TokenSettings) -> Result<bool, TokenRefused> {
    let aud = claims.get("aud");
    let names =
        |wanted: &Option<String>| wanted.as_deref().zip(aud).is_some_and(|(wanted, aud)| holds(aud, wanted));
    if names(&settings.audience) {
        return Ok(false);
    }
    if names(&settings.mcp_audience) {
        return Ok(true);
    }
    if settings.audience.is_some() && aud.is_some() {
        return Err(TokenRefused::Audience("another audience"));
    }
    let party = claims.get("azp").and_then(Value::as_str);
    if party.is_some_and(|azp| settings.authorized_parties.iter().any(|known| known == azp)) {
        return Ok(false);
    }
    Err(TokenRefused::Audience("no audience of ours"))
}

fn holds(aud: &Value, wanted: &str) -> bool {
    match aud {
        Value::String(one) => one == wanted,
        Value::Array(many) => many.iter().all(Value::is_string) && many.iter().any(|one| one == wanted),
        _ => false,
    }
}

/// Parses a time claim: a number of seconds, which may have a fraction (`NumericDate` of RFC 7519).
fn time(claims: &Value, name: &str) -> Result<Option<Ts>, TokenRefused> {
    let Some(value) = claims.get(name) else { return Ok(None) };
    let since_1970 = value.as_f64().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    since_1970
        .and_then(|time| i64::try_from(time.as_micros()).ok())
        .map(|micros| Some(Ts::from_micros(micros)))
        .ok_or(TokenRefused::Invalid("a time that is no number of seconds"))
}

fn text(value: Option<&Value>, name: &'static str) -> Result<Option<String>, TokenRefused> {
    match value {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) if !text.is_empty() && text.len() <= MAX_TEXT => Ok(Some(text.clone())),
        Some(_) => Err(TokenRefused::Invalid(match name {
            "sub" => "a sub that is no text of 1 to 255 bytes",
            _ => "a workspace claim that is no text of 1 to 255 bytes",
        })),
    }
}
