//! `restore --accept`: lists what changed after the backup, takes away again what was taken away, and lets callers in.

use std::collections::BTreeMap;

use serde_json::json;
use toolcrib_actions::LaterChanges;
use toolcrib_config::Anchor;
use toolcrib_engine::{
    Stamp,
    chain::{ExportedLog, read_export, read_heads},
};
use toolcrib_model::{Id, ServingState, Ts, count};
use toolcrib_store::{
    Db, WriteTx,
    audit::chain::{self, Checkpoint, Head},
    serving::{self, ServingRow},
    workspaces,
};

use super::begin::StoredHead;
use crate::{
    administration::audit_row,
    cli::RestoreArgs,
    commands::read_text,
    context::AppContext,
    failure::{Failure, Ran},
    output,
};

/// What was stored outside the database.
struct Outside {
    logs: BTreeMap<Id, ExportedLog>,
    heads: BTreeMap<Id, Checkpoint>,
}

pub async fn run(context: &AppContext, args: &RestoreArgs) -> Result<Ran, Failure> {
    let outside = Outside::read(context, args)?;
    let db = context.open_existing().await?;
    let backup_heads = backup_heads(&db).await?;
    let stamp = context.stamp();
    let homes = chain::homes(&db).await?;
    let mut tx = db.begin_write_as_owner().await?;
    let mut found = Vec::new();
    let known = async {
        let mut known = true;
        for home in homes {
            tx.switch_workspace(home).await?;
            let stored = backup_heads.get(&home.to_string()).cloned();
            let head = stored.map_or_else(Head::start, |head| Head {
                seq: head.seq,
                hash: head.hash,
                ..Head::start()
            });
            known &= one(&mut tx, &outside, &head, stamp, &mut found).await?;
            tx.insert_collected().await?;
        }
        let row = ServingRow { state: ServingState::Accepted, changed_at: stamp.now, heads: None };
        serving::set(&mut tx, &row).await?;
        Ok::<_, Failure>(known)
    };
    let known = match known.await {
        Ok(known) => known,
        Err(error) => {
            tx.rollback().await?;
            return Err(error);
        }
    };
    let accepts = args.accept && (known || args.unknown_changes);
    if accepts {
        tx.commit().await?;
    } else {
        tx.rollback().await?;
    }
    db.close().await;
    for changes in &found {
        changes.print(accepts)?;
    }
    tell(args, accepts)
}

fn tell(args: &RestoreArgs, accepts: bool) -> Result<Ran, Failure> {
    if accepts {
        output::line(
            "accepted: callers are served. Webhooks and due work are held: `toolcrib restore --resume`",
        )?;
        return Ok(Ran::Done);
    }
    if args.list {
        output::line("nothing was changed: `--accept` in place of `--list` does it")?;
        return Ok(Ran::Done);
    }
    output::line(
        "nothing was changed, because it is not known what changed since: name exports of these audit logs with \
         `--audit-export`, or say `--unknown-changes`",
    )?;
    Ok(Ran::No)
}

/// Returns the heads of the backup by workspace. Fails unless the database waits to be accepted.
async fn backup_heads(db: &Db) -> Result<BTreeMap<String, StoredHead>, Failure> {
    let mut tx = db.read(Id::nil()).await?;
    let row = serving::get(&mut tx).await?;
    tx.end().await?;
    match row.map(|row| (row.state, row.heads)) {
        Some((ServingState::Restored, heads)) => serde_json::from_str(&heads.unwrap_or_default())
            .map_err(|error| Failure::could_not("the heads of the backup can't be read", error)),
        None => Err(Failure::Usage("run `toolcrib restore` on this database first".into())),
        Some(_) => Err(Failure::Usage("nothing waits to be accepted in this database".into())),
    }
}

impl Outside {
    fn read(context: &AppContext, args: &RestoreArgs) -> Result<Self, Failure> {
        let (_, keys) = context.audit_key()?;
        let mut logs = BTreeMap::new();
        for file in &args.audit_export {
            let found = read_export(&read_text(file)?, &keys);
            let found = found.map_err(|error| Failure::Usage(format!("`{}`: {error}", file.display())))?;
            for (workspace, log) in found {
                if logs.insert(workspace, log).is_some() {
                    return Err(Failure::Usage(format!(
                        "two exports have the log of {workspace}: name the later one"
                    )));
                }
            }
        }
        let configured = match &context.settings.audit_anchor {
            Some(Anchor::File(file)) if file.exists() => Some(file),
            _ => None,
        };
        let heads = match args.heads.as_ref().or(configured) {
            Some(file) => read_heads(&read_text(file)?, &keys)
                .map_err(|error| Failure::Usage(format!("`{}`: {error}", file.display())))?,
            None => BTreeMap::new(),
        };
        Ok(Self { logs, heads })
    }
}

/// What is known of a workspace whose callers are to be let in.
struct Found {
    workspace: Id,
    /// The `seq` of the log's head in the backup.
    backup_seq: i64,
    last: Option<(Head, Ts)>,
    /// Whether rows before `last` are in no export.
    gap: bool,
    changes: LaterChanges,
}

/// Applies the changes of the transaction's workspace, and adds them to `found`. Returns whether they are known.
async fn one(
    tx: &mut WriteTx,
    outside: &Outside,
    head: &Head,
    stamp: Stamp<'_>,
    found: &mut Vec<Found>,
) -> Result<bool, Failure> {
    let workspace = tx.workspace();
    // The log that belongs to no workspace has nothing that could come back, and a deleted workspace no callers. Read
    // before the changes are applied, because they may delete the workspace.
    let counts = !workspace.is_nil() && workspaces::is_deleted(tx).await? == Some(false);
    let (log, anchor) = (outside.logs.get(&workspace), outside.heads.get(&workspace));
    let changes = match log {
        Some(log) => {
            let rows = log
                .after(head)
                .map_err(|problem| Failure::Usage(format!("the export of {workspace}: {problem}")))?;
            LaterChanges::apply(tx, rows, stamp.now).await?
        }
        None => LaterChanges::default(),
    };
    let last = last_known(log.and_then(ExportedLog::head), anchor);
    let reached = log.and_then(ExportedLog::head).map_or(head.seq, |end| end.seq.max(head.seq));
    let gap = anchor.is_some_and(|anchor| anchor.seq > reached);
    let known = !counts || ((log.is_some() || anchor.is_some()) && !gap && changes.unresolved.is_empty());
    let last_head = last.as_ref().map(|(head, _)| json!({ "seq": head.seq, "hash": head.hash }));
    let arguments = json!({ "backup_head": { "seq": head.seq, "hash": head.hash }, "last_known_head": last_head,
        "applied": changes.applied, "unresolved": changes.unresolved });
    tx.audit(audit_row(stamp, workspace, "backups.accept", &arguments, None));
    if counts {
        found.push(Found { workspace, backup_seq: head.seq, last, gap, changes });
    }
    Ok(known)
}

/// Returns the later one of the last row of an export and the last signed head, with its time.
fn last_known(exported: Option<Head>, anchor: Option<&Checkpoint>) -> Option<(Head, Ts)> {
    let exported = exported.map(|head| {
        let at = head.newest;
        (head, at)
    });
    let signed = anchor.map(|anchor| {
        (Head { seq: anchor.seq, hash: anchor.hash.clone(), newest: anchor.made_at }, anchor.made_at)
    });
    match (exported, signed) {
        (Some(exported), Some(signed)) => Some(if signed.0.seq > exported.0.seq { signed } else { exported }),
        (exported, signed) => exported.or(signed),
    }
}

impl Found {
    /// Prints the changes, which were made if the database was accepted.
    fn print(&self, accepted: bool) -> Result<(), Failure> {
        let Self { workspace, backup_seq, last, gap, changes } = self;
        let known = match last {
            None => "nothing is known of the time after it".to_owned(),
            Some((last, at)) if *gap => {
                format!("the log went on to place {} at {at}, and no export has these rows", last.seq)
            }
            Some((last, at)) => format!("the last that is known is place {} at {at}", last.seq),
        };
        output::line(&format!(
            "{workspace}: the backup has the audit log up to place {backup_seq}; {known}"
        ))?;
        let (taken, void) =
            if accepted { ("taken", "are void now") } else { ("would be taken", "would be void") };
        for applied in &changes.applied {
            output::line(&format!("  {taken} away again: {applied}"))?;
        }
        for unresolved in &changes.unresolved {
            output::line(&format!("  NOT taken away, because it is not found: {unresolved}"))?;
        }
        if changes.decided > 0 {
            output::line(&format!(
                "  {} on confirmations, which {void}",
                count(changes.decided, "decision")
            ))?;
        }
        for (action, times) in &changes.lost {
            output::line(&format!("  lost: {times} {action}"))?;
        }
        Ok(())
    }
}
