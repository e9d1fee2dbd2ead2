//! Links that sign in to the console.

use toolcrib_auth::issuer::LocalIssuer;

use crate::{context::AppContext, failure::Failure};

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
