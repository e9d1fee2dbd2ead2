//! What a run of the assistant is told of the household: which services are set.

use futures_util::future::BoxFuture;
use toolcrib_engine::{ActionError, ReadCx, is_service_set};

use crate::UPSTREAMS;

/// Returns the brief. It asks no service.
pub fn brief(mut cx: ReadCx<'_>) -> BoxFuture<'_, Result<Option<String>, ActionError>> {
    Box::pin(async move {
        let (mut set, mut missing) = (Vec::new(), Vec::new());
        for need in &UPSTREAMS {
            let is_set = is_service_set(&mut cx, need.name).await?;
            let names = if is_set { &mut set } else { &mut missing };
            names.push(format!("`{}`", need.name));
        }
        let words = |names: &[String]| if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        Ok(Some(format!("services that are set: {}; not set: {}.", words(&set), words(&missing))))
    })
}
