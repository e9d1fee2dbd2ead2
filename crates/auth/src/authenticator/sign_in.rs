//! Sign-in to the console: a token or a one-time code makes a session.

use std::net::IpAddr;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use toolcrib_model::{Id, IdGen, Ts};
use toolcrib_store::{
    WriteTx,
    sessions::{self, LoginCode, SessionRow},
    users,
};

use super::{
    Authenticator, Resource, bearer,
    sessions::{ConsoleSession, SessionPerson, SessionWay},
};
use crate::{
    claims::{Claims, TokenRefused},
    credential::Credential,
    error::{AuthError, token_words, unauthenticated},
    invitations::{InvitationCode, Invitations, InvitedPerson},
    secret,
    settings::TokenSettings,
    sign_in_problem::SignInProblem,
    token::TokenError,
};

/// The longest session, in seconds.
const MAX_SESSION_SECONDS: i64 = 12 * 3_600;
/// The longest session of a system admin, in seconds.
const MAX_ADMIN_SESSION_SECONDS: i64 = 3_600;

/// What the header of a sign-in carries.
const OF_PEOPLE: &str = "send `Authorization: Bearer` with a user token or a one-time code";

struct NewSession {
    person: SessionPerson,
    /// The name in the token.
    name: Option<String>,
    workspace: Option<String>,
    system_admin: bool,
    way: SessionWay,
    /// The session ends with the token, if a token made it.
    until: Option<Ts>,
    code: Option<LoginCode>,
}

/// The use of an invitation by the person who signs in.
pub(super) struct Redemption<'r> {
    pub code: InvitationCode,
    pub person: InvitedPerson,
    pub invitations: &'r dyn Invitations,
}

impl Authenticator {
    /// Signs in with the token or one-time code of an `Authorization` header. Returns the secret for the
    /// cookie.
    ///
    /// Fails with [`AuthError::Unauthenticated`] for a credential that is not valid and for a code that was used, with
    /// [`AuthError::KeySignsIn`] for a key, and with [`AuthError::TooManyFailures`] if `peer` failed too often.
    pub async fn sign_in(
        &self,
        authorization: Option<&str>,
        peer: IpAddr,
        ids: &dyn IdGen,
    ) -> Result<String, AuthError> {
        let attempt = async {
            let text = bearer(authorization, OF_PEOPLE)?;
            let new = match self.claims_of_code(text, peer).await? {
                Some(claims) => of_code(&self.issuer, claims)?,
                None => of_credential(self.attempted(text, peer).await?)?,
            };
            self.begin(new, None, ids).await
        };
        self.peers.counted(peer, attempt.await)
    }

    /// Ends a session that began with a one-time code, and begins one of another user. The caller checks that
    /// this may be: only in a demo. Returns the secret for the cookie.
    pub async fn become_other(
        &self,
        session: &ConsoleSession,
        person: SessionPerson,
        ids: &dyn IdGen,
    ) -> Result<String, AuthError> {
        let new = NewSession {
            person,
            name: None,
            workspace: None,
            system_admin: false,
            way: SessionWay::Link,
            until: Some(session.ends_at()),
            code: None,
        };
        let secret = self.begin(new, None, ids).await?;
        self.sign_out(session).await?;
        Ok(secret)
    }

    /// Verifies a pasted credential. A token of the provider that is refused for a setting names it.
    async fn attempted(&self, text: &str, peer: IpAddr) -> Result<Credential, AuthError> {
        let of_provider = self.settings.login_audience.is_none();
        self.attempt(Resource::Api, text, peer).await.map_err(|error| match error {
            // Pasted tokens expire while they wait in a clipboard.
            AuthError::Token(refused) if of_provider && refused != TokenRefused::Expired => {
                explained(refused, SignInProblem::Audience)
            }
            other => other,
        })
    }

    /// Returns the claims of a one-time code, or `None` if the text is for another audience.
    async fn claims_of_code(&self, text: &str, peer: IpAddr) -> Result<Option<Claims>, AuthError> {
        let Some(audience) = self.settings.login_audience.clone() else { return Ok(None) };
        if text.starts_with(secret::PREFIX) {
            return Ok(None);
        }
        let settings = self.settings_for(audience);
        let keys = self.usable_keys().await?;
        match self.check(text, &keys, &settings, peer).await {
            Ok(claims) => Ok(Some(claims)),
            Err(TokenError::Refused(TokenRefused::Expired)) => Err(AuthError::Token(TokenRefused::Expired)),
            // Whether it is a token is checked next.
            Err(_) => Ok(None),
        }
    }

    /// Verifies an ID token for a client and with a nonce.
    pub(super) async fn id_token_claims(
        &self,
        text: &str,
        client_id: &str,
        nonce: &str,
        peer: IpAddr,
    ) -> Result<Claims, AuthError> {
        let settings = self.settings_for(client_id.to_owned());
        let (_, claims) = self.claims_under(text, &settings, peer).await.map_err(|error| match error {
            AuthError::Token(refused) => explained(refused, SignInProblem::ClientId),
            other => other,
        })?;
        if claims.nonce.as_deref() != Some(nonce) {
            return Err(AuthError::Token(TokenRefused::Invalid("another nonce")));
        }
        if claims.authorized_party.as_deref().is_some_and(|party| party != client_id) {
            return Err(explained(
                TokenRefused::Audience("made for another client"),
                SignInProblem::ClientId,
            ));
        }
        Ok(claims)
    }

    /// Makes the session of an ID token. `id` is that of the sign-in, which ends with this, and `until` is when it
    /// would have expired.
    pub(super) async fn begin_with_claims(
        &self,
        claims: Claims,
        id: &str,
        until: Ts,
        redemption: Option<Redemption<'_>>,
        ids: &dyn IdGen,
    ) -> Result<String, AuthError> {
        let code = LoginCode { jti: id.to_owned(), expires_at: until };
        self.begin(of_claims(&self.issuer, claims, SessionWay::Oidc, code), redemption, ids).await
    }

    /// Returns the rules for tokens that are for this audience alone.
    fn settings_for(&self, audience: String) -> TokenSettings {
        TokenSettings {
            audience: Some(audience),
            mcp_audience: None,
            authorized_parties: Vec::new(),
            ..self.settings.clone()
        }
    }

    async fn begin(
        &self,
        new: NewSession,
        redemption: Option<Redemption<'_>>,
        ids: &dyn IdGen,
    ) -> Result<String, AuthError> {
        let (now, secret) = (self.clock.now(), ids.secret());
        let longest = if new.system_admin { MAX_ADMIN_SESSION_SECONDS } else { MAX_SESSION_SECONDS };
        let ends_at = [Some(now.plus_seconds(longest)), new.until].into_iter().flatten().min().unwrap_or(now);
        let mut row = SessionRow {
            id_hash: secret::hash(&secret).into(),
            issuer: new.person.issuer,
            subject: new.person.subject,
            workspace: new.workspace,
            name: new.name,
            system_admin: new.system_admin,
            way: new.way.as_str().to_owned(),
            created_at: now,
            used_at: now,
            ends_at,
        };
        let workspace = redemption.as_ref().map_or(Id::nil(), |redemption| redemption.code.workspace);
        let mut tx = self.db.begin_write(workspace).await?;
        let stored = store(&mut tx, &mut row, new.code.as_ref(), redemption.as_ref()).await;
        tx.end(stored).await?;
        tracing::info!(way = new.way.as_str(), system_admin = new.system_admin, "signed in to the console");
        Ok(URL_SAFE_NO_PAD.encode(secret))
    }
}

/// Stores a session, the use of its code and the membership of its invitation in one commit, with the name that the
/// user has now.
async fn store(
    tx: &mut WriteTx,
    row: &mut SessionRow,
    code: Option<&LoginCode>,
    redemption: Option<&Redemption<'_>>,
) -> Result<(), AuthError> {
    if let Some(code) = code
        && !sessions::use_code(tx, code).await?
    {
        let hint = "begin again at `/console/login`, or get a new link";
        return Err(unauthenticated("this sign-in was used before", hint, "a code that was used"));
    }
    if let Some(Redemption { code, person, invitations }) = redemption {
        invitations.redeem(tx, code, person).await?;
    }
    if let Some(id) = users::find_in(tx, &row.issuer, &row.subject).await? {
        let stored = users::get(tx, id).await?.and_then(|user| user.display_name);
        row.name = stored.or_else(|| row.name.take());
    }
    sessions::insert(tx, row).await?;
    Ok(())
}

/// Makes the error for a token of the provider, with the setting that can mend it.
fn explained(token: TokenRefused, audience: SignInProblem) -> AuthError {
    match SignInProblem::of_token(token, audience) {
        Some(problem) => AuthError::SignIn { problem, reason: token_words(token).2.to_owned() },
        None => AuthError::Token(token),
    }
}

fn of_code(issuer: &str, claims: Claims) -> Result<NewSession, AuthError> {
    let jti = claims.jti.clone();
    let jti = jti.ok_or(AuthError::Token(TokenRefused::Invalid("a code without a jti")))?;
    let code = LoginCode { jti, expires_at: claims.expires_at };
    Ok(of_claims(issuer, claims, SessionWay::Link, code))
}

fn of_claims(issuer: &str, claims: Claims, way: SessionWay, code: LoginCode) -> NewSession {
    NewSession {
        person: SessionPerson { issuer: issuer.to_owned(), subject: claims.subject },
        name: claims.name,
        workspace: claims.workspace,
        system_admin: claims.system_admin,
        way,
        until: None,
        code: Some(code),
    }
}

fn of_credential(credential: Credential) -> Result<NewSession, AuthError> {
    let Credential::User(token) = credential else {
        return Err(AuthError::KeySignsIn);
    };
    Ok(NewSession {
        person: SessionPerson {
            issuer: token.issuer.as_ref().to_owned(),
            subject: token.subject.as_ref().to_owned(),
        },
        name: None,
        workspace: token.workspace.map(|workspace| workspace.as_ref().to_owned()),
        system_admin: token.system_admin,
        way: SessionWay::Token,
        until: Some(token.expires_at),
        code: None,
    })
}
