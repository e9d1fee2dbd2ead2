//! The `requestState` that a client sends back to resume a call. It contains the id of the confirmation, is
//! encrypted and authenticated, and is bound to the caller, the tool and the arguments. The state grants
//! nothing: the confirmation's row states whether a person approved, and a call runs only once.

use std::sync::Arc;

use secrecy::{ExposeSecret as _, SecretString};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use toolcrib_auth::secret_cipher::SecretCipher;
use toolcrib_engine::ActionError;
use toolcrib_model::{Id, IdGen, Ts};
use toolcrib_registry::digest;

/// The maximum length of a state, in bytes.
const MAX_STATE_LEN: usize = 512;

/// The call to which a state is bound.
pub struct StateBinding(String);

impl StateBinding {
    /// Creates the binding for one call of one caller.
    pub fn new(workspace: Id, principal: Id, tool: &str, arguments: &Value) -> Self {
        Self(format!("mcp-state {workspace} {principal} {tool} {}", digest(arguments)))
    }
}

#[derive(Serialize, Deserialize)]
struct State {
    confirmation: Id,
    until: Ts,
}

/// Encrypts and decrypts states.
#[derive(Clone)]
pub struct StateCipher {
    /// Has the service's own key.
    pub secret_cipher: Arc<SecretCipher>,
    pub ids: Arc<dyn IdGen>,
}

impl StateCipher {
    /// Returns the state of a call that waits for `confirmation`. The state is valid until `until`.
    pub fn seal(&self, binding: &StateBinding, confirmation: Id, until: Ts) -> Result<String, ActionError> {
        let text = serde_json::to_string(&State { confirmation, until })
            .map_err(|error| ActionError::internal(error.to_string()))?;
        Ok(self.secret_cipher.seal(self.ids.as_ref(), binding.0.as_bytes(), &SecretString::from(text))?)
    }

    /// Returns the confirmation of a state, or `None` if the state was changed, belongs to another call or
    /// has expired.
    pub fn open(&self, binding: &StateBinding, text: &str, now: Ts) -> Option<Id> {
        if text.len() > MAX_STATE_LEN {
            return None;
        }
        let opened = self.secret_cipher.open(binding.0.as_bytes(), text).ok()?;
        let state: State = serde_json::from_str(opened.expose_secret()).ok()?;
        (now < state.until).then_some(state.confirmation)
    }
}
