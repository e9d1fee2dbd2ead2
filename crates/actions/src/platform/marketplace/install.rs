//! The implementation that the installation of skills and of plugins share.

use toolcrib_engine::prelude::*;
use toolcrib_store::marketplace::{self, ItemRow};

use crate::shared::{
    items::ItemKind,
    refs::{self, Ref},
};

/// Result.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output<T> {
    /// Item after the call.
    #[serde(flatten)]
    pub item: T,
    /// Whether the call installed it; false if it was already installed.
    pub changed: bool,
}

/// Resolves the item as the target of the call, and replaces the reference by its ID.
pub async fn target(cx: &mut ReadCx<'_>, kind: ItemKind, reference: &mut Ref) -> Result<Target, ActionError> {
    let row = refs::item(cx.tx, kind, reference).await?;
    *reference = row.id.into();
    Ok(Target { id: Some(row.id), label: format!("{} `{}`", kind.as_str(), row.name), ..Target::default() })
}

pub async fn install<T>(
    cx: &mut WriteCx<'_>,
    kind: ItemKind,
    reference: &Ref,
) -> Result<Output<T>, ActionError>
where
    T: for<'r> TryFrom<&'r ItemRow, Error = ActionError>,
{
    let mut row = refs::item(cx.tx, kind, reference).await?;
    let by = cx.caller.principal.user();
    let changed = !row.installed && marketplace::install(cx.tx, row.id, kind.as_str(), by, cx.now).await?;
    if changed {
        row.installed = true;
        row.install_count += 1;
        let data = json!({ "id": row.id, "slug": row.slug, "name": row.name });
        cx.emit(&format!("{}.installed", kind.as_str()), "marketplace:read", data);
    }
    Ok(Output { item: T::try_from(&row)?, changed })
}

/// Describes the call in one sentence for people.
pub fn describe(kind: ItemKind, name: &str, changed: bool) -> String {
    if changed {
        format!("Installed {} `{name}`", kind.as_str())
    } else {
        format!("Nothing to change: {} `{name}` is installed already", kind.as_str())
    }
}
