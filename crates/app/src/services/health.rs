//! Health checks, for readiness and for the actions that report the health of services.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use tokio::sync::watch;
use toolcrib_auth::secret_cipher::SecretCipher;
use toolcrib_connectors::embedded::{ComponentKind, Probe};
use toolcrib_engine::{
    Engine,
    limits::{LimitRequest, LimitScope, Limiter},
};
use toolcrib_http::ReadyCheck;
use toolcrib_model::Id;
use toolcrib_registry::LimitClass;
use toolcrib_store::{Db, health};

/// Checks that the database responds.
pub struct DatabaseProbe(pub Db);

/// Checks that the rate limiter responds.
pub struct LimiterProbe(pub Arc<dyn Limiter>);

/// Checks that the database and the rate limiter respond, the key of stored secrets is readable, the
/// database's clock agrees, and the service is not shutting down.
pub struct Ready {
    pub database: DatabaseProbe,
    pub limits: LimiterProbe,
    /// Compares its clock with the database's.
    pub engine: Arc<Engine>,
    pub secret_cipher: Arc<SecretCipher>,
    /// `true` when the service shuts down.
    pub ending: watch::Receiver<bool>,
}

impl Probe for DatabaseProbe {
    fn name(&self) -> &'static str {
        "database"
    }

    fn kind(&self) -> ComponentKind {
        ComponentKind::Database
    }

    fn check(&self) -> BoxFuture<'_, Result<(), String>> {
        Box::pin(async { health::ping(&self.0).await.map_err(|error| error.to_string()) })
    }
}

impl Probe for LimiterProbe {
    fn name(&self) -> &'static str {
        "limiter"
    }

    fn kind(&self) -> ComponentKind {
        ComponentKind::Limiter
    }

    fn check(&self) -> BoxFuture<'_, Result<(), String>> {
        let scope = LimitScope::Principal(Id::nil());
        let request =
            LimitRequest { scope, class: LimitClass::Read, per_minute: 1, person: None, changes: false };
        Box::pin(async move {
            self.0.peek(request).await.map(drop).map_err(|_| "the limiter does not answer".to_owned())
        })
    }
}

impl ReadyCheck for Ready {
    fn ready(&self) -> BoxFuture<'_, Result<(), String>> {
        Box::pin(async {
            if *self.ending.borrow() {
                return Err("the service is ending".to_owned());
            }
            // The response must not contain the database's error message.
            if let Err(error) = self.database.check().await {
                tracing::warn!(error, "not ready: the database does not answer");
                return Err("the database does not answer".to_owned());
            }
            if let Err(error) = self.secret_cipher.check() {
                tracing::warn!(%error, "not ready: stored secrets can't be read");
                return Err("the key of stored secrets can't be read".to_owned());
            }
            self.engine.clocks_agree().await?;
            self.limits.check().await
        })
    }
}
