//! `token mint`.

use toolcrib_auth::issuer::MintRequest;

use crate::{
    context::AppContext,
    failure::{Failure, Ran},
    output,
};

pub fn mint(
    context: &AppContext,
    subject: String,
    workspace: Option<String>,
    system_admin: bool,
    ttl_seconds: u32,
) -> Result<Ran, Failure> {
    if context.settings.jwks_url.is_some() {
        return Err(Failure::Usage(
            "with `--jwks-url` tokens come from your identity provider; those of the local issuer are refused"
                .into(),
        ));
    }
    let system_role = system_admin.then(|| "admin".to_owned());
    let request = MintRequest { subject, workspace, system_role, ttl_seconds };
    let now = context.now();
    output::line(&context.local_issuer()?.mint(&request, now, context.ids.new_id(now))?)?;
    Ok(Ran::Done)
}
