//! Sessions of the console: sign-in, use, and the end of a session. A session is a user's credential. The
//! database holds the hash of its secret; the browser holds the secret in a cookie.

use std::net::IpAddr;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use futures_util::FutureExt as _;
use toolcrib_model::{ErrorCode, Id, IdGen, Ts};
use toolcrib_store::{
    StoreError,
    sessions::{self, LoginCode, SessionRow},
    users,
};

use super::{
    Authenticator, Resource, bearer,
    claims::{Claims, TokenRefused},
    errors::{refused, unauthenticated, unavailable},
    secret,
    settings::TokenSettings,
    token::TokenError,
};
use crate::{
    base::ActionError,
    caller::{Credential, UserToken},
};

/// The longest session, in seconds.
const LONGEST: i64 = 12 * 3_600;
/// The longest session of a system admin, in seconds.
const LONGEST_OF_ADMIN: i64 = 3_600;
/// A session ends after this many seconds without a request.
const IDLE: i64 = 3_600;
/// Minimum seconds between two updates of a session's `used_at`.
const TOUCH_EVERY: i64 = 60;

/// How a user signed in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionWay {
    /// With a token.
    Token,
    /// With a one-time code.
    Link,
}

impl SessionWay {
    /// Returns the word that the database stores.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Token => "token",
            Self::Link => "link",
        }
    }
}

/// A user who signs in.
#[derive(Clone, Debug)]
pub struct SessionPerson {
    /// The issuer of the user.
    pub issuer: String,
    /// The issuer's id of the user.
    pub subject: String,
}

/// A session that has not ended.
#[derive(Clone, Debug)]
pub struct ConsoleSession {
    /// The user's id. It is derived from issuer and subject if no row of the user exists.
    pub user_id: Id,
    /// Whether a row of the user exists.
    known: bool,
    row: SessionRow,
}

impl ConsoleSession {
    /// The issuer of the user.
    pub fn issuer(&self) -> &str {
        &self.row.issuer
    }

    /// The issuer's id of the user.
    pub fn subject(&self) -> &str {
        &self.row.subject
    }

    /// The user's name, as it was at the sign-in.
    pub fn name(&self) -> Option<&str> {
        self.row.name.as_deref()
    }

    /// Whether the user signed in as a system admin.
    pub fn system_admin(&self) -> bool {
        self.row.system_admin
    }

    /// Whether the user signed in with a one-time code.
    pub fn by_link(&self) -> bool {
        self.row.way == SessionWay::Link.as_str()
    }

    /// When the session ends if it is used without a pause.
    pub fn ends_at(&self) -> Ts {
        self.row.ends_at
    }
}

/// What a sign-in is made from.
struct NewSession {
    person: SessionPerson,
    workspace: Option<String>,
    system_admin: bool,
    way: SessionWay,
    /// The session ends with the token, if a token made it.
    until: Option<Ts>,
    code: Option<LoginCode>,
}

impl Authenticator {
    /// Signs in with the token or one-time code of an `Authorization` header. Returns the secret for the
    /// cookie.
    ///
    /// Returns 401 `unauthenticated` for a credential that is not valid and for a code that was used, 403
    /// `permission_denied` for a key, and 429 `rate_limited` if `peer` failed too often.
    pub async fn sign_in(
        &self,
        authorization: Option<&str>,
        peer: IpAddr,
        ids: &dyn IdGen,
    ) -> Result<String, ActionError> {
        let attempt = async {
            let new = match self.claims_of_code(bearer(authorization)?, peer).await? {
                Some(claims) => of_code(&self.issuer, claims)?,
                None => of_credential(self.attempt(Resource::Api, bearer(authorization)?, peer).await?)?,
            };
            self.begin(new, ids).await
        };
        match attempt.await {
            Err(error) if error.code == ErrorCode::Unauthenticated => Err(self.peers.failed(peer, error)),
            answer => answer,
        }
    }

    /// Ends a session that began with a one-time code, and begins one of another user. The caller checks that
    /// this may be: only in a demo. Returns the secret for the cookie.
    pub async fn become_other(
        &self,
        session: &ConsoleSession,
        person: SessionPerson,
        ids: &dyn IdGen,
    ) -> Result<String, ActionError> {
        let new = NewSession {
            person,
            workspace: None,
            system_admin: false,
            way: SessionWay::Link,
            until: Some(session.ends_at()),
            code: None,
        };
        let secret = self.begin(new, ids).await?;
        self.sign_out(session).await?;
        Ok(secret)
    }

    /// Returns the session with this secret and notes its use. 401 `unauthenticated` if it has ended.
    pub async fn session(&self, cookie: &str, peer: IpAddr) -> Result<ConsoleSession, ActionError> {
        match self.find_session(cookie).boxed().await {
            Err(error) if error.code == ErrorCode::Unauthenticated => Err(self.peers.failed(peer, error)),
            answer => answer,
        }
    }

    /// Verifies a session as the credential of a request to the REST API.
    pub async fn authenticate_session(&self, cookie: &str, peer: IpAddr) -> Result<Credential, ActionError> {
        let session = self.session(cookie, peer).await?;
        let row = session.row;
        Ok(Credential::User(UserToken {
            user_id: session.known.then_some(session.user_id),
            issuer: row.issuer.into(),
            subject: row.subject.into(),
            workspace: row.workspace.map(Into::into),
            system_admin: row.system_admin,
            expires_at: row.ends_at,
            console: true,
        }))
    }

    /// Ends a session.
    pub async fn sign_out(&self, session: &ConsoleSession) -> Result<(), ActionError> {
        let hash = session.row.id_hash.clone();
        let ended: Result<(), StoreError> = self
            .db
            .write(Id::nil(), move |tx| async move { sessions::delete(tx, &hash).await }.boxed())
            .await;
        ended.map_err(|fault| unavailable(&fault))
    }

    /// Ends all sessions of the session's user and returns their number.
    pub async fn sign_out_everywhere(&self, session: &ConsoleSession) -> Result<u64, ActionError> {
        let (issuer, subject) = (session.row.issuer.clone(), session.row.subject.clone());
        let ended: Result<u64, StoreError> = self
            .db
            .write(Id::nil(), move |tx| {
                async move { sessions::delete_of_user(tx, &issuer, &subject).await }.boxed()
            })
            .await;
        ended.map_err(|fault| unavailable(&fault))
    }

    /// Returns the claims of a one-time code, or `None` if the text is for another audience.
    async fn claims_of_code(&self, text: &str, peer: IpAddr) -> Result<Option<Claims>, ActionError> {
        let Some(audience) = self.settings.login_audience.clone() else { return Ok(None) };
        if text.starts_with(secret::PREFIX) {
            return Ok(None);
        }
        let settings = TokenSettings {
            audience: Some(audience),
            mcp_audience: None,
            authorized_parties: Vec::new(),
            ..self.settings.clone()
        };
        let keys = self.usable_keys().await?;
        match self.check(text, &keys, &settings, peer).await {
            Ok(claims) => Ok(Some(claims)),
            Err(TokenError::Refused(TokenRefused::Expired)) => Err(refused(TokenRefused::Expired)),
            // Whether it is a token is checked next.
            Err(_) => Ok(None),
        }
    }

    async fn begin(&self, new: NewSession, ids: &dyn IdGen) -> Result<String, ActionError> {
        let (now, secret) = (self.clock.now(), ids.secret());
        let longest = if new.system_admin { LONGEST_OF_ADMIN } else { LONGEST };
        let ends_at = [Some(now.plus_seconds(longest)), new.until].into_iter().flatten().min().unwrap_or(now);
        let row = SessionRow {
            id_hash: secret::hash(&secret).into(),
            issuer: new.person.issuer,
            subject: new.person.subject,
            workspace: new.workspace,
            name: None,
            system_admin: new.system_admin,
            way: new.way.as_str().to_owned(),
            created_at: now,
            used_at: now,
            ends_at,
        };
        let code = new.code;
        self.db.write(Id::nil(), move |tx| store(tx, row, code).boxed()).await?;
        tracing::info!(way = new.way.as_str(), system_admin = new.system_admin, "signed in to the console");
        Ok(URL_SAFE_NO_PAD.encode(secret))
    }

    async fn find_session(&self, cookie: &str) -> Result<ConsoleSession, ActionError> {
        let decoded = URL_SAFE_NO_PAD.decode(cookie).ok().and_then(|bytes| <[u8; 32]>::try_from(bytes).ok());
        let secret = decoded.ok_or_else(|| ended("not in the form of a session"))?;
        let found = sessions::find(&self.db, &secret::hash(&secret)).await;
        let row = found.map_err(|fault| unavailable(&fault))?.ok_or_else(|| ended("no such session"))?;
        if !secret::matches(&secret, &row.id_hash) {
            return Err(ended("another secret"));
        }
        let now = self.clock.now();
        if row.issuer != *self.issuer {
            return Err(ended("of another issuer"));
        }
        if now >= row.ends_at || now >= row.used_at.plus_seconds(IDLE) {
            return Err(ended("its time is over"));
        }
        self.touch_session(&row, now).await;
        let known = self.user_id(&row.subject.as_str().into()).await?;
        let user_id = known.unwrap_or_else(|| users::id_of(&row.issuer, &row.subject));
        Ok(ConsoleSession { user_id, known: known.is_some(), row })
    }

    /// Notes the use of a session, at most once a minute. A use that can't be noted ends the session too
    /// early at worst.
    async fn touch_session(&self, row: &SessionRow, now: Ts) {
        if now < row.used_at.plus_seconds(TOUCH_EVERY) {
            return;
        }
        let hash = row.id_hash.clone();
        let noted: Result<(), StoreError> = self
            .db
            .write(Id::nil(), move |tx| async move { sessions::touch(tx, &hash, now).await }.boxed())
            .await;
        if let Err(fault) = noted {
            tracing::warn!(%fault, "the use of a session can't be noted");
        }
    }
}

/// Stores a session and the use of its code in one commit, with the name that the user has now.
async fn store(
    tx: &mut toolcrib_store::WriteTx,
    mut row: SessionRow,
    code: Option<LoginCode>,
) -> Result<(), ActionError> {
    if let Some(code) = code
        && !sessions::use_code(tx, &code).await?
    {
        let hint = "get a new link, or sign in with a token";
        return Err(unauthenticated("this link was used before", hint, "a code that was used"));
    }
    if let Some(id) = users::find_in(tx, &row.issuer, &row.subject).await? {
        row.name = users::get(tx, id).await?.and_then(|user| user.display_name);
    }
    sessions::insert(tx, &row).await?;
    Ok(())
}

fn of_code(issuer: &str, claims: Claims) -> Result<NewSession, ActionError> {
    let jti = claims.jti.ok_or_else(|| refused(TokenRefused::Invalid("a code without a jti")))?;
    Ok(NewSession {
        person: SessionPerson { issuer: issuer.to_owned(), subject: claims.subject },
        workspace: claims.workspace,
        system_admin: claims.system_admin,
        way: SessionWay::Link,
        until: None,
        code: Some(LoginCode { jti, expires_at: claims.expires_at }),
    })
}

fn of_credential(credential: Credential) -> Result<NewSession, ActionError> {
    let Credential::User(token) = credential else {
        return Err(ActionError::new(ErrorCode::PermissionDenied, "a key does not sign in to the console")
            .hint("sign in with the token of a person; keys are for programs"));
    };
    Ok(NewSession {
        person: SessionPerson {
            issuer: token.issuer.as_ref().to_owned(),
            subject: token.subject.as_ref().to_owned(),
        },
        workspace: token.workspace.map(|workspace| workspace.as_ref().to_owned()),
        system_admin: token.system_admin,
        way: SessionWay::Token,
        until: Some(token.expires_at),
        code: None,
    })
}

/// Makes the error for a session that does not count. Only the log contains `reason`.
fn ended(reason: &str) -> ActionError {
    unauthenticated("the session has ended", "sign in again at `/console/login`", reason)
}
