//! `console link`.

use crate::{
    context::AppContext,
    failure::{Failure, Ran},
    output,
    services::{login_link, reachable},
};

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
