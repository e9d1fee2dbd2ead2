//! The catalogue for a system prompt.

use axum::{
    extract::State,
    http::{HeaderMap, StatusCode, Uri},
    response::Response,
};
use toolcrib_engine::Tools;
use toolcrib_registry::{ActionMeta, prompt as write};

use super::{cache::tag_of, tagged};
use crate::{fault::Fault, reply, signed::Signed, state::Shared};

/// `GET /v1/tools/prompt`
pub(crate) async fn prompt(
    State(shared): State<Shared>,
    Signed(identity): Signed,
    headers: HeaderMap,
    uri: Uri,
) -> Result<Response, Fault> {
    let asked = shared.frames.prompt.query(&uri)?;
    let (caller, policy, limit) = shared.engine().admit_list(&identity).await?;
    let tools = Tools::new(shared.catalog(), &caller, &policy);
    let allowed = tools.allowed();
    let (direct, behind): (Vec<&ActionMeta>, Vec<&ActionMeta>) =
        allowed.into_iter().map(AsRef::as_ref).partition(|meta| tools.promoted(meta));
    let text = write(&direct, &behind, asked.include_promoted);
    let tag = tag_of(text.as_bytes());
    let mut response = if tagged::known(&headers, &tag) {
        tagged::unchanged()
    } else {
        reply::typed(StatusCode::OK, "text/markdown; charset=utf-8", text)
    };
    tagged::tag(response.headers_mut(), &tag);
    reply::limits(response.headers_mut(), &limit);
    Ok(response)
}
