//! What a token with a good signature must say before it is believed.

use serde_json::Value;
use toolcrib_model::Ts;

use super::settings::{TokenSettings, claim};

/// Seconds that the issuer's clock may differ from ours.
const LEEWAY: i64 = 5;
/// The longest subject or workspace that is read.
const MAX_TEXT: usize = 255;

/// Why a token is refused. The reason is for the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenRefused {
    /// It was good once.
    Expired,
    /// It will be good.
    NotYet,
    /// Anything else.
    Invalid(&'static str),
}

/// What is taken from a token.
#[derive(Clone, Debug)]
pub struct Claims {
    pub subject: String,
    pub workspace: Option<String>,
    pub system_admin: bool,
    /// It is for the MCP resource, and not for the rest of the API.
    pub mcp_alone: bool,
    pub expires_at: Ts,
}

/// Judges the claims of a token whose signature was verified.
pub fn check(claims: &Value, settings: &TokenSettings, now: Ts) -> Result<Claims, TokenRefused> {
    if claims.get("iss").and_then(Value::as_str) != Some(settings.issuer.as_str()) {
        return Err(TokenRefused::Invalid("another issuer, or none"));
    }
    // What tells of events gives no access: a logout token without a `typ` of its own has this claim.
    if claims.get("events").is_some() {
        return Err(TokenRefused::Invalid("it tells of events, as a logout token does"));
    }
    let mcp_alone = check_audience(claims, settings)?;
    let expires_at = time(claims, "exp")?.ok_or(TokenRefused::Invalid("no exp"))?;
    if now >= expires_at.plus_seconds(LEEWAY) {
        return Err(TokenRefused::Expired);
    }
    let horizon = now.plus_seconds(LEEWAY);
    if time(claims, "nbf")?.is_some_and(|from| from > horizon) {
        return Err(TokenRefused::NotYet);
    }
    if time(claims, "iat")?.is_some_and(|issued| issued > horizon) {
        return Err(TokenRefused::Invalid("issued in the future"));
    }
    let subject = text(claims.get("sub"), "sub")?.ok_or(TokenRefused::Invalid("no sub"))?;
    let workspace = text(claim(claims, &settings.workspace_claim), "workspace claim")?;
    let system_admin = claim(claims, &settings.system_role_claim).and_then(Value::as_str) == Some("admin");
    Ok(Claims { subject, workspace, system_admin, mcp_alone, expires_at })
}

/// Whether the token is good over MCP alone: its `aud` has that audience, and not the API's. Where an audience is configured,
/// an `aud` without any of ours is refused; else `azp` must be a configured party.
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
        return Err(TokenRefused::Invalid("another audience"));
    }
    let party = claims.get("azp").and_then(Value::as_str);
    if party.is_some_and(|azp| settings.authorized_parties.iter().any(|known| known == azp)) {
        return Ok(false);
    }
    Err(TokenRefused::Invalid("no audience of ours"))
}

fn holds(aud: &Value, wanted: &str) -> bool {
    match aud {
        Value::String(one) => one == wanted,
        Value::Array(many) => many.iter().all(Value::is_string) && many.iter().any(|one| one == wanted),
        _ => false,
    }
}

/// A time in whole seconds, as an integer and nothing else.
fn time(claims: &Value, name: &str) -> Result<Option<Ts>, TokenRefused> {
    let Some(value) = claims.get(name) else { return Ok(None) };
    let seconds = value.as_u64().and_then(|seconds| i64::try_from(seconds).ok());
    seconds
        .map(|seconds| Some(Ts::from_micros(0).plus_seconds(seconds)))
        .ok_or(TokenRefused::Invalid("a time that is no whole number of seconds"))
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
