//! An authenticator over a seeded database, and an issuer that signs what a test asks for.

use std::{
    net::{IpAddr, Ipv4Addr},
    sync::{
        Arc, Mutex,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use futures_util::{FutureExt as _, future::BoxFuture};
use jsonwebtoken::{Algorithm, EncodingKey, jwk::Jwk};
use serde_json::{Value, json};
use toolcrib_auth::{
    Authenticator, Credential, Resource, TokenSettings, UserToken,
    jwks::{JwksFetch, JwksKeys},
};
use toolcrib_engine::ActionError;
use toolcrib_model::{Clock, ErrorCode, TestClock};
use toolcrib_testkit::{ISSUER, NOW, TestDb, TestIds, World, clock, seed};

pub const PEER: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));

/// An issuer behind a JWKS URL, with a key of each accepted kind.
pub struct Issuer {
    pub answer: Mutex<Result<Vec<u8>, String>>,
    pub hangs: AtomicU32,
    pub fetches: AtomicU32,
}

impl JwksFetch for Issuer {
    fn fetch(&self) -> BoxFuture<'_, Result<Vec<u8>, String>> {
        self.fetches.fetch_add(1, Ordering::SeqCst);
        if self.hangs.load(Ordering::SeqCst) > 0 {
            return std::future::pending().boxed();
        }
        let answer = self.answer.lock().unwrap().clone();
        std::future::ready(answer).boxed()
    }
}

impl Issuer {
    pub fn answers(&self, body: &str) {
        *self.answer.lock().unwrap() = Ok(body.as_bytes().to_vec());
    }
}

pub struct Bench {
    pub auth: Authenticator,
    pub keys: JwksKeys,
    pub issuer: Arc<Issuer>,
    pub clock: Arc<TestClock>,
    pub db: TestDb,
    pub world: World,
}

impl Bench {
    pub async fn new() -> Self {
        Self::with(|_| ()).await
    }

    pub async fn with(change: impl FnOnce(&mut TokenSettings)) -> Self {
        Self::over(toolcrib_testkit::sqlite().await, change).await
    }

    pub async fn over(db: TestDb, change: impl FnOnce(&mut TokenSettings)) -> Self {
        let clock = Arc::new(clock());
        let world = seed(&db, &*clock, &TestIds::default()).await;
        let answer = Mutex::new(Ok(key_set(&[("ed", &ed(1))])));
        let issuer = Arc::new(Issuer { answer, hangs: AtomicU32::new(0), fetches: AtomicU32::new(0) });
        let keys =
            JwksKeys::new(Arc::clone(&issuer) as _, Arc::clone(&clock) as _, Duration::from_millis(200));
        let mut settings = TokenSettings { audience: Some("us".into()), ..TokenSettings::new(ISSUER) };
        change(&mut settings);
        let clock_for_auth = Arc::clone(&clock) as Arc<dyn Clock>;
        let auth =
            Authenticator::new(db.clone(), clock_for_auth, settings, Arc::new(keys.clone()), Arc::default());
        Self { auth, keys, issuer, clock, db, world }
    }

    /// Authenticates a request. The error is the one that its caller gets.
    pub async fn authenticate(&self, header: Option<&str>, peer: IpAddr) -> Result<Credential, ActionError> {
        Ok(self.auth.authenticate(Resource::Api, header, peer).await?)
    }

    pub async fn call(&self, text: &str) -> Result<Credential, ActionError> {
        self.authenticate(Some(&format!("Bearer {text}")), PEER).await
    }

    pub async fn user(&self, text: &str) -> UserToken {
        match self.call(text).await.unwrap() {
            Credential::User(user) => user,
            other => panic!("{other:?}"),
        }
    }

    /// Refused with 401; returns what the log is told. Time passes, so that failures don't add up.
    pub async fn refused(&self, text: &str) -> String {
        self.clock.advance(1);
        let error = self.call(text).await.expect_err(text);
        assert_eq!(error.code, ErrorCode::Unauthenticated, "{error:?}");
        error.internal.unwrap()
    }

    pub async fn code(&self, text: &str) -> ErrorCode {
        self.call(text).await.expect_err(text).code
    }
}

/// A private key and its algorithm.
pub type Signer = (EncodingKey, Algorithm);

pub fn ed(seed: u8) -> Signer {
    let der = [b"\x30\x2e\x02\x01\x00\x30\x05\x06\x03\x2b\x65\x70\x04\x22\x04\x20".as_slice(), &[seed; 32]]
        .concat();
    (EncodingKey::from_ed_der(&der), Algorithm::EdDSA)
}

pub fn es256() -> Signer {
    (EncodingKey::from_ec_pem(include_bytes!("es256.pem")).unwrap(), Algorithm::ES256)
}

pub fn rs256() -> Signer {
    (EncodingKey::from_rsa_pem(include_bytes!("rs256.pem")).unwrap(), Algorithm::RS256)
}

pub fn jwk(kid: &str, signer: &Signer) -> Value {
    let mut jwk = serde_json::to_value(Jwk::from_encoding_key(&signer.0, signer.1).unwrap()).unwrap();
    jwk["kid"] = kid.into();
    jwk
}

pub fn key_set(keys: &[(&str, &Signer)]) -> Vec<u8> {
    let keys: Vec<Value> = keys.iter().map(|(kid, signer)| jwk(kid, signer)).collect();
    json!({ "keys": keys }).to_string().into_bytes()
}

/// Signs whatever it is given.
pub fn sign(header: &Value, claims: &str, signer: &Signer) -> String {
    let part = |text: &str| URL_SAFE_NO_PAD.encode(text);
    let message = format!("{}.{}", part(&header.to_string()), part(claims));
    let signature = jsonwebtoken::crypto::sign(message.as_bytes(), &signer.0, signer.1).unwrap();
    format!("{message}.{signature}")
}

/// Good claims, with `changes` laid over; `null` removes one.
pub fn claims(changes: &Value) -> Value {
    let now = NOW.as_seconds();
    let mut claims = json!({ "iss": ISSUER, "aud": "us", "sub": "owner", "iat": now, "exp": now + 3600 });
    for (name, value) in changes.as_object().unwrap() {
        claims[name] = value.clone();
    }
    claims.as_object_mut().unwrap().retain(|_, value| !value.is_null());
    claims
}

/// A token of the key `ed`, with changed claims.
pub fn token(changes: &Value) -> String {
    sign(&json!({"alg": "EdDSA", "kid": "ed"}), &claims(changes).to_string(), &ed(1))
}
