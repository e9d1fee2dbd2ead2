//! Adopts a key: the caller becomes its only minter. The minters of a key are the people whose rights limit
//! it.

use toolcrib_auth::secret;
use toolcrib_engine::prelude::*;
use toolcrib_store::{Tx, minters, minters::KeyAccess};

use super::{
    adoption::{adopt, may_adopt},
    view::KeyView,
};
use crate::admin::guard;

/// The maximum time for which the old secret stays valid, in seconds: one day.
const MAX_OVERLAP_SECONDS: i64 = 24 * 3600;
/// The default time for which the old secret stays valid, in seconds: one hour.
const USUAL: i64 = 3600;

pub struct AdoptKey;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The key.
    pub id: Id,
    /// Whether the key gets a new secret. Until the old secret expires, the permissions of the people who know it
    /// limit the key too. Keys that were created with the old secret expire with it.
    pub new_secret: Option<bool>,
    /// Time at which the old secret expires, at most one day from now; a time in the past means at once. Default: one
    /// hour from now. Only with `new_secret`.
    pub old_until: Option<Ts>,
}

/// Result of the operation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// New secret for `Authorization: Bearer`, shown only once; null if the secret stays.
    #[schemars(extend("x-secret" = true))]
    pub secret: Option<String>,
    /// The key as it is now.
    #[serde(flatten)]
    pub key: KeyView,
}

impl WriteAction for AdoptKey {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        Spec::program("keys.adopt", Level::Write, Permission::KEYS_MANAGE).describe(
        "Adopt a key: your permissions limit it from now on, instead of those of its creator. Its ID, secret, \
         confirmations and grants stay.",
    )
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        let access = find(cx.tx, input.id).await?;
        may_adopt(cx.tx, cx.caller, cx.tools.catalog.registry(), &access, cx.now).await?;
        old_until(input, cx.now)?;
        let label = format!("key `{}`", access.key.name);
        Ok(Target { id: Some(input.id), label, ..Target::default() })
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<Output, ActionError> {
        guard::lock(cx).await?;
        let access = find(cx.tx, input.id).await?;
        may_adopt(cx.tx, cx.caller, cx.tools.catalog.registry(), &access, cx.now).await?;
        let until = old_until(input, cx.now)?;
        let bytes = until.map(|_| cx.ids.secret());
        let hash = bytes.map(|bytes| secret::hash(&bytes));
        let new_secret = hash.as_ref().map(<[u8; 32]>::as_slice).zip(until);
        adopt(cx, input.id, new_secret).await?;
        let data = json!({ "id": input.id, "name": access.key.name, "new_secret": bytes.is_some() });
        cx.emit("key.adopted", "keys:read", data);
        let adopted = find(cx.tx, input.id).await?;
        let secret = bytes.map(|bytes| secret::format_key(input.id, &bytes));
        Ok(Output { secret, key: KeyView::of(cx.tx, &adopted, cx.policy).await? })
    }

    fn describe(_: &Input, output: &Output) -> String {
        format!("Adopted the key `{}`", output.key.name)
    }
}

async fn find(tx: &mut Tx, id: Id) -> Result<KeyAccess, ActionError> {
    minters::get(tx, id).await?.ok_or_else(|| ActionError::not_found("key", &id.to_string()))
}

/// Returns when the old secret expires. Returns `None` if the key keeps its secret.
fn old_until(input: &Input, now: Ts) -> Result<Option<Ts>, ActionError> {
    match (input.new_secret.unwrap_or(false), input.old_until) {
        (false, None) => Ok(None),
        (false, Some(_)) => {
            Err(ActionError::invalid("/old_until", "foreign", "is for `new_secret: true` alone"))
        }
        (true, Some(until)) if until > now.plus_seconds(MAX_OVERLAP_SECONDS) => {
            Err(ActionError::invalid("/old_until", "maximum", "must be within a day from now"))
        }
        (true, until) => Ok(Some(until.unwrap_or(now.plus_seconds(USUAL)).max(now))),
    }
}
