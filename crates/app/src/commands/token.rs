//! `token mint`.

use toolcrib_engine::auth::issuer::MintRequest;

use crate::{
    failure::{Failure, Ran},
    ground::Ground,
    output,
};

pub fn mint(
    ground: &Ground,
    subject: String,
    workspace: Option<String>,
    system_admin: bool,
    ttl_seconds: u32,
) -> Result<Ran, Failure> {
    if ground.settings.jwks_url.is_some() {
        return Err(Failure::Usage(
            "with `--jwks-url` tokens come from your identity provider; those of the local issuer are refused"
                .into(),
        ));
    }
    let system_role = system_admin.then(|| "admin".to_owned());
    let request = MintRequest { subject, workspace, system_role, ttl_seconds };
    let now = ground.now();
    output::line(&ground.local_issuer()?.mint(&request, now, ground.ids.new_id(now))?)?;
    Ok(Ran::Done)
}
