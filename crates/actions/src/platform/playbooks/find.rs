//! Resolves references to playbooks, and stores changed playbooks.

use toolcrib_engine::{ActionError, Target, WriteCx};
use toolcrib_store::{Tx, WriteTx, playbooks, playbooks::PlaybookRow};

use crate::shared::{
    or_conflict,
    refs::{Ref, missing},
};

/// Returns the playbook of this reference. 404 with similar names if there is none.
pub async fn playbook(tx: &mut Tx, reference: &Ref) -> Result<PlaybookRow, ActionError> {
    let found = match reference.id() {
        Some(id) => playbooks::get(tx, id).await?,
        None => playbooks::by_name(tx, reference.as_str()).await?,
    };
    match found {
        Some(row) => Ok(row),
        None => Err(missing("playbook", reference, &playbooks::names(tx).await?, "platform_list_playbooks")),
    }
}

/// Returns the playbook that [`target`] resolved. Other calls that change it wait until this one ends.
pub async fn lock(tx: &mut WriteTx, reference: &Ref) -> Result<PlaybookRow, ActionError> {
    let found = match reference.id() {
        Some(id) => playbooks::lock(tx, id).await?,
        None => None,
    };
    found.ok_or_else(|| ActionError::not_found("playbook", reference.as_str()))
}

/// Resolves the playbook as the target of a write, and replaces the reference by its ID.
pub async fn target(tx: &mut Tx, reference: &mut Ref) -> Result<(PlaybookRow, Target), ActionError> {
    let row = playbook(tx, reference).await?;
    *reference = row.id.into();
    let label = format!("playbook `{}`", row.name);
    let target = Target { id: Some(row.id), label, version: Some(row.version), ..Target::default() };
    Ok((row, target))
}

/// Stores a changed playbook. 409 if another call changed it in the meantime.
pub async fn store(cx: &mut WriteCx<'_>, row: &mut PlaybookRow) -> Result<(), ActionError> {
    row.updated_at = cx.now;
    // Whoever changed it last answers for what its schedule does.
    row.caller = Some(cx.stored_caller().as_str().to_owned());
    row.set_by = cx.caller.principal.user();
    if or_conflict(playbooks::update(cx.tx, row).await, || taken(&row.name))? {
        return Ok(());
    }
    let detail = format!("playbook `{}` was changed by another call in the meantime", row.name);
    Err(ActionError::conflict(detail)
        .quoting("playbooks")
        .hint("read it again with `platform_get_playbook` and try again"))
}

/// Returns the 409 error of a name that another playbook has.
pub fn taken(name: &str) -> ActionError {
    ActionError::conflict(format!("a playbook named `{name}` exists already"))
        .hint("choose another name, or change that one with `platform_update_playbook`")
}
