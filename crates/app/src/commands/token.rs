//! `token mint` and `console link`: what the local issuer signs.

use toolcrib_auth::issuer::MintRequest;

use crate::{
    context::AppContext,
    failure::{Failure, Ran},
    output,
    services::{login_link, reachable},
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

pub fn link(context: &AppContext, subject: &str) -> Result<Ran, Failure> {
    let settings = &context.settings;
    if settings.jwks_url.is_some() {
        return Err(Failure::Usage(
            "with `--jwks-url` people sign in through your identity provider; links are made by the local issuer"
                .into(),
        ));
    }
    let address = || format!("http://{}", reachable(settings.bind));
    let base = settings.public_url.clone().unwrap_or_else(address);
    output::line(&login_link(context, &context.local_issuer()?, &base, subject)?)?;
    Ok(Ran::Done)
}
