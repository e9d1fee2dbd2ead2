//! `console link`, and the links that sign in to the console.

use toolcrib_auth::issuer::LocalIssuer;

use crate::{
    context::AppContext,
    failure::{Failure, Ran},
    output,
    services::reachable,
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

/// Returns a link that signs in a user of the local issuer. It works once, within ten minutes. The code is
/// behind `#`, so that no server, proxy or log gets it with the address.
pub fn login_link(
    context: &AppContext,
    issuer: &LocalIssuer,
    base: &str,
    subject: &str,
) -> Result<String, Failure> {
    let now = context.now();
    let code = issuer.mint_login_code(subject, now, context.ids.new_id(now))?;
    Ok(format!("{base}/console/login#code={code}"))
}
