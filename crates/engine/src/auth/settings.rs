//! Which tokens are accepted, and where in them the workspace and the platform's administrators are named.

use serde_json::Value;

/// How user tokens are judged.
#[derive(Clone, Debug)]
pub struct TokenSettings {
    /// The only issuer that is accepted.
    pub issuer: String,
    /// What `aud` must hold.
    pub audience: Option<String>,
    /// What `aud` of a token must hold that is good over MCP alone (RFC 8707); absent where every token is good everywhere.
    pub mcp_audience: Option<String>,
    /// What `azp` may be, for issuers that write no `aud`.
    pub authorized_parties: Vec<String>,
    /// The claim that names the workspace: a dotted path, or a URL taken as one name.
    pub workspace_claim: String,
    /// The claim whose value `admin` makes a system admin: a dotted path, or a URL taken as one name.
    pub system_role_claim: String,
}

impl TokenSettings {
    /// Settings for an issuer, with the default claims and no audience yet.
    pub fn new(issuer: impl Into<String>) -> Self {
        Self {
            issuer: issuer.into(),
            audience: None,
            mcp_audience: None,
            authorized_parties: Vec::new(),
            workspace_claim: "workspace".into(),
            system_role_claim: "system_role".into(),
        }
    }
}

/// The claim at a path, and nowhere else.
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
