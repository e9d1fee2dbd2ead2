//! Sessions of the console: their use and their end. A session is a user's credential. The
//! database holds the hash of its secret; the browser holds the secret in a cookie.

use std::net::IpAddr;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use futures_util::FutureExt as _;
use toolcrib_model::{Id, Ts};
use toolcrib_store::{
    sessions::{self, SessionRow},
    users,
};

use super::Authenticator;
use crate::{
    credential::{Credential, UserToken},
    error::{AuthError, unauthenticated, unavailable},
    secret,
};

/// A session ends after this many seconds without a request.
const IDLE: i64 = 3_600;
/// Minimum seconds between two updates of a session's `used_at`.
const TOUCH_EVERY: i64 = 60;

/// How a user signed in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionWay {
    Token,
    /// With a one-time code.
    Link,
    /// Through the identity provider.
    Oidc,
}

impl SessionWay {
    /// Returns the word that the database stores.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Token => "token",
            Self::Link => "link",
            Self::Oidc => "oidc",
        }
    }
}

/// A user who signs in.
#[derive(Clone, Debug)]
pub struct SessionPerson {
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

impl Authenticator {
    /// Returns the session with this secret and notes its use. Fails with [`AuthError::Unauthenticated`]
    /// if it has ended.
    pub async fn session(&self, cookie: &str, peer: IpAddr) -> Result<ConsoleSession, AuthError> {
        self.peers.counted(peer, self.find_session(cookie).boxed().await)
    }

    /// Verifies a session as the credential of a request to the REST API.
    pub async fn authenticate_session(&self, cookie: &str, peer: IpAddr) -> Result<Credential, AuthError> {
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

    pub async fn sign_out(&self, session: &ConsoleSession) -> Result<(), AuthError> {
        let ended = async {
            let mut tx = self.db.begin_write(Id::nil()).await?;
            sessions::delete(&mut tx, &session.row.id_hash).await?;
            tx.commit().await
        };
        ended.await.map_err(|error| unavailable(&error))
    }

    /// Ends all sessions of the session's user and returns their number.
    pub async fn sign_out_everywhere(&self, session: &ConsoleSession) -> Result<u64, AuthError> {
        let row = &session.row;
        let ended = async {
            let mut tx = self.db.begin_write(Id::nil()).await?;
            let ended = sessions::delete_of_user(&mut tx, &row.issuer, &row.subject).await?;
            tx.commit().await.map(|()| ended)
        };
        ended.await.map_err(|error| unavailable(&error))
    }

    async fn find_session(&self, cookie: &str) -> Result<ConsoleSession, AuthError> {
        let decoded = URL_SAFE_NO_PAD.decode(cookie).ok().and_then(|bytes| <[u8; 32]>::try_from(bytes).ok());
        let secret = decoded.ok_or_else(|| session_ended("not in the form of a session"))?;
        let found = sessions::find(&self.db, &secret::hash(&secret)).await;
        let row =
            found.map_err(|error| unavailable(&error))?.ok_or_else(|| session_ended("no such session"))?;
        if !secret::matches(&secret, &row.id_hash) {
            return Err(session_ended("another secret"));
        }
        let now = self.clock.now();
        if row.issuer != *self.issuer {
            return Err(session_ended("of another issuer"));
        }
        if now >= row.ends_at || now >= row.used_at.plus_seconds(IDLE) {
            return Err(session_ended("its time is over"));
        }
        self.touch_session(&row, now).await;
        let known = self.user_id(&row.subject.as_str().into(), row.name.as_deref()).await?;
        let user_id = known.unwrap_or_else(|| users::id_of(&row.issuer, &row.subject));
        Ok(ConsoleSession { user_id, known: known.is_some(), row })
    }

    /// Notes the use of a session, at most once a minute. A use that can't be noted ends the session too
    /// early at worst.
    async fn touch_session(&self, row: &SessionRow, now: Ts) {
        if now < row.used_at.plus_seconds(TOUCH_EVERY) {
            return;
        }
        let noted = async {
            let mut tx = self.db.begin_write(Id::nil()).await?;
            sessions::touch(&mut tx, &row.id_hash, now).await?;
            tx.commit().await
        };
        if let Err(error) = noted.await {
            tracing::warn!(%error, "the use of a session can't be noted");
        }
    }
}

/// Makes the error for a session that does not count. Only the log contains `reason`.
fn session_ended(reason: &str) -> AuthError {
    unauthenticated("the session has ended", "sign in again at `/console/login`", reason)
}
