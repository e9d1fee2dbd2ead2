//! Settings of user tokens: which are accepted, and which claims hold the workspace and the system role.

use serde_json::Value;

/// The rules for user tokens.
#[derive(Clone, Debug)]
pub struct TokenSettings {
    /// The only accepted issuer.
    pub issuer: String,
    /// The audience that `aud` must contain.
    pub audience: Option<String>,
    /// The audience of tokens that are valid for MCP only (RFC 8707); absent if all tokens are valid for all
    /// protocols.
    pub mcp_audience: Option<String>,
    /// The accepted values of `azp`, for issuers that send no `aud`.
    pub authorized_parties: Vec<String>,
    /// The claim with the workspace: a dotted path, or a URL as a single name.
    pub workspace_claim: String,
    /// The claim whose value `admin` makes a system admin: a dotted path, or a URL as a single name.
    pub system_role_claim: String,
    /// Seconds by which the issuer's clock may differ from that of this service.
    pub leeway_seconds: i64,
    /// The `aud` of one-time codes that sign in to the console. Absent if the issuer makes none.
    pub login_audience: Option<String>,
}

impl TokenSettings {
    /// Returns settings for an issuer, with the default claims and without an audience.
    pub fn new(issuer: impl Into<String>) -> Self {
        Self {
            issuer: issuer.into(),
            audience: None,
            mcp_audience: None,
            authorized_parties: Vec::new(),
            workspace_claim: "workspace".into(),
            system_role_claim: "system_role".into(),
            leeway_seconds: 60,
            login_audience: None,
        }
    }
}

/// Returns the claim at a path. A path that contains `://` is a single name.
pub fn claim<'c>(claims: &'c Value, path: &str) -> Option<&'c Value> {
    if path.contains("://") {
        return claims.get(path);
    }
    path.split('.').try_fold(claims, |at, name| at.as_object()?.get(name))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_path_is_followed_exactly() {
        let claims = json!({"a": {"b": 1}, "a.b": 2, "https://x.test/a": 3, "l": [4]});
        assert_eq!(claim(&claims, "a.b"), Some(&json!(1)));
        assert_eq!(claim(&claims, "https://x.test/a"), Some(&json!(3)));
        assert_eq!(claim(&claims, "b"), None);
        assert_eq!(claim(&claims, "l.0"), None);
    }
}
