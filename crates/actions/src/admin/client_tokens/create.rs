//! Creates a client token.

use toolcrib_auth::ClientTokenClaims;
use toolcrib_engine::prelude::*;
use toolcrib_store::{Tx, keys, keys::KeyRow};

use crate::admin::{guard::forbidden, members::rules};

/// The lifetime of a client token, if the request names none, in minutes.
const DEFAULT_MINUTES: i64 = 15;

pub struct CreateClientToken;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Active member whose confirmations the token shows and decides.
    pub user: Id,
    /// Conversation, as in `X-Session-Id` of the calls.
    #[schemars(length(min = 1, max = 200))]
    pub session: String,
    /// Minutes until the token expires. Default: 15.
    #[schemars(range(min = 1, max = 60))]
    pub minutes: Option<i64>,
}

/// Result of the operation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Token for `Authorization: Bearer`. Shown only once.
    #[schemars(extend("x-secret" = true))]
    pub token: String,
    /// Time of expiry: no later than that of the key and of its old secret.
    pub expires_at: Ts,
}

impl WriteAction for CreateClientToken {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        Spec::program("client_tokens.create", Level::Write, Permission::WORKSPACE_READ).creates()
            .for_keys("approvals:relay")
            .describe(
                "Create a token with which a browser shows the confirmations of one member in one conversation, and approves \
                 or denies the simple ones.",
            )
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        check_member(cx.tx, input.user).await?;
        let label = format!("client token of `{}`", input.user);
        Ok(Target { id: Some(input.user), label, ..Target::default() })
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<Output, ActionError> {
        check_member(cx.tx, input.user).await?;
        let id = cx.caller.credential.ok_or_else(|| forbidden("only a key makes client tokens"))?;
        let key = keys::get(cx.tx, id).await?.ok_or_else(|| forbidden("the key that was used is gone"))?;
        let expires_at = end(&key, cx.now, input.minutes.unwrap_or(DEFAULT_MINUTES));
        let claims = ClientTokenClaims {
            workspace: cx.tx.workspace(),
            key: id,
            secret_hash: key.secret_hash,
            user: input.user,
            session: input.session.clone(),
            expires_at,
        };
        let token = claims.seal(&cx.tools.catalog.rules().datasources.secret_cipher, cx.ids)?;
        Ok(Output { token, expires_at })
    }

    fn describe(input: &Input, _: &Output) -> String {
        format!("Created a client token for `{}` in the conversation `{}`", input.user, input.session)
    }
}

/// Returns 404 if the user is not a member of this workspace, and 422 if the member is not active.
async fn check_member(tx: &mut Tx, user: Id) -> Result<(), ActionError> {
    if rules::find(tx, user).await?.active {
        return Ok(());
    }
    Err(ActionError::invalid("/user", "inactive", "names a member who is not active"))
}

/// Returns when the token expires: no later than the key. While an old secret of the key is valid, no later
/// than that secret, because the token may be made with it.
fn end(key: &KeyRow, now: Ts, minutes: i64) -> Ts {
    let ends = [key.expires_at, key.old_secret_until.filter(|until| *until > now.as_micros())];
    let wished = now.plus_seconds(minutes * 60);
    ends.into_iter().flatten().map(Ts::from_micros).fold(wished, Ts::min)
}
