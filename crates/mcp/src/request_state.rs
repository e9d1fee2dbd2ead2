//! What a client carries between two rounds of one call: which confirmation it waits for, sealed so that nobody reads
//! or writes it, and bound to who called what with which arguments. It is no permission by itself: the confirmation's
//! record says whether a human approved, and lets a call run once.

use std::sync::Arc;

use secrecy::{ExposeSecret as _, SecretString};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use toolcrib_engine::{ActionError, secret_cipher::SecretCipher};
use toolcrib_model::{Id, IdGen, Ts};
use toolcrib_registry::digest;

/// The longest text that can be one of ours.
const LONGEST: usize = 512;

/// What a state is good for: nothing but this.
pub struct Bond(String);

impl Bond {
    /// Of one caller's call.
    pub fn new(workspace: Id, principal: Id, tool: &str, arguments: &Value) -> Self {
        Self(format!("mcp-state {workspace} {principal} {tool} {}", digest(arguments)))
    }
}

#[derive(Serialize, Deserialize)]
struct State {
    confirmation: Id,
    until: Ts,
}

/// Seals and opens states.
#[derive(Clone)]
pub struct Seals {
    secret_cipher: Arc<SecretCipher>,
    ids: Arc<dyn IdGen>,
}

impl Seals {
    /// With the service's own key.
    pub fn new(secret_cipher: Arc<SecretCipher>, ids: Arc<dyn IdGen>) -> Self {
        Self { secret_cipher, ids }
    }

    /// The state of a call that waits for `confirmation`; nobody takes it after `until`.
    pub fn seal(&self, bond: &Bond, confirmation: Id, until: Ts) -> Result<String, ActionError> {
        let text = serde_json::to_string(&State { confirmation, until })
            .map_err(|fault| ActionError::internal(fault.to_string()))?;
        Ok(self.secret_cipher.seal(self.ids.as_ref(), bond.0.as_bytes(), &SecretString::from(text))?)
    }

    /// The confirmation of a state; nothing where it was changed, belongs to another call, or is too old.
    pub fn open(&self, bond: &Bond, text: &str, now: Ts) -> Option<Id> {
        if text.len() > LONGEST {
            return None;
        }
        let opened = self.secret_cipher.open(bond.0.as_bytes(), text).ok()?;
        let state: State = serde_json::from_str(opened.expose_secret()).ok()?;
        (now < state.until).then_some(state.confirmation)
    }
}
