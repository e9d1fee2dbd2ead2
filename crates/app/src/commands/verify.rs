//! `audit verify`: exit code 0 if every chain is intact, 1 if one is broken, or with `--strict` has rows that were
//! sealed late.

use std::{collections::BTreeMap, path::Path};

use toolcrib_engine::chain::{Verification, VerifyRequest, read_places, verify};
use toolcrib_model::{Id, count};
use toolcrib_store::{Db, audit::chain};

use super::{audit::seal, log_id, read_text};
use crate::{
    context::AppContext,
    failure::{Failure, Ran},
    output,
};

/// Earlier hashes of a workspace's log, against which it is verified.
pub struct Known<'k> {
    /// An export, or a file of `--audit-anchor`.
    pub against: Option<&'k Path>,
    /// The hash of an earlier head.
    pub head: Option<String>,
    /// Only places after this one are verified.
    pub after_seq: i64,
}

pub async fn run(
    context: &AppContext,
    workspace: Option<&str>,
    known: Known<'_>,
    strict: bool,
) -> Result<Ran, Failure> {
    let hash = |head: &String| {
        head.len() == 64 && head.chars().all(|c| c.is_ascii_hexdigit() && !c.is_ascii_uppercase())
    };
    if !known.head.as_ref().is_none_or(hash) {
        return Err(Failure::Usage("`--head` must be a hash: 64 hexadecimal digits in lower case".into()));
    }
    let db = context.open_existing().await?;
    let workspaces = match workspace {
        Some(text) => vec![log_id(&db, text).await?],
        None => chain::homes(&db).await?,
    };
    let mut places = match known.against {
        Some(file) => places(context, file, &workspaces, known.after_seq)?,
        None => BTreeMap::new(),
    };
    seal(context, &db).await?;
    let mut ran = Ran::Done;
    for workspace in workspaces {
        let earlier = places.remove(&workspace).unwrap_or_default();
        let found = one(context, &db, workspace, earlier, &known).await?;
        print(workspace, &found)?;
        if !found.ok || (strict && found.late > 0) {
            ran = Ran::No;
        }
    }
    Ok(ran)
}

async fn one(
    context: &AppContext,
    db: &Db,
    workspace: Id,
    earlier: BTreeMap<i64, String>,
    known: &Known<'_>,
) -> Result<Verification, Failure> {
    let (_, trusted) = context.audit_key()?;
    let (head, after) = (known.head.clone(), known.after_seq);
    let question = VerifyRequest { now: context.now(), earlier, head, after, keys: &trusted };
    let mut tx = db.read(workspace).await?;
    let found = verify(&mut tx, &question).await?;
    tx.end().await?;
    Ok(found)
}

fn print(workspace: Id, found: &Verification) -> Result<(), Failure> {
    let Verification { sealed, late, signed_seq, head_hash, .. } = found;
    let state = if found.ok { "intact" } else { "BROKEN" };
    let (rows, checkpoints) = (count(found.rows, "row"), count(found.checkpoints, "checkpoint"));
    output::line(&format!(
        "{workspace}: {state}: {rows}, {sealed} sealed, {late} of them late, {checkpoints} up to place {signed_seq}, \
         head {head_hash}"
    ))?;
    if let (Some(from), Some(to)) = (found.late_from, found.late_to) {
        let times = if from == to { format!("of {from}") } else { format!("from {from} to {to}") };
        output::line(&format!("  sealed late: {} {times}", count(*late, "row")))?;
    }
    if found.overdue > 0 {
        let overdue = count(found.overdue, "row");
        output::line(&format!("  without a place, from more than ten seconds ago: {overdue}"))?;
    }
    for defect in &found.problems {
        let row = defect.row_id.map(|id| format!(" (row {id})")).unwrap_or_default();
        output::line(&format!("  place {}{row}: {}", defect.seq, defect.problem))?;
    }
    let more = found.defects - i64::try_from(found.problems.len()).unwrap_or_default();
    if more > 0 {
        output::line(&format!("  and {more} more"))?;
    }
    Ok(())
}

/// Returns the hashes in an earlier export or anchor file, by workspace and place. Fails if the file was changed, or
/// has no place after `after_seq` of any of the workspaces: nothing would be compared.
fn places(
    context: &AppContext,
    file: &Path,
    workspaces: &[Id],
    after_seq: i64,
) -> Result<BTreeMap<Id, BTreeMap<i64, String>>, Failure> {
    let (_, trusted) = context.audit_key()?;
    let shown = file.display();
    let places = read_places(&read_text(file)?, &trusted)
        .map_err(|error| Failure::Usage(format!("`{shown}`: {error}")))?;
    let last = |workspace: &Id| places.get(workspace)?.last_key_value().map(|(seq, _)| *seq);
    if workspaces.iter().filter_map(last).all(|seq| seq <= after_seq) {
        let behind = if after_seq > 0 { format!(" behind place {after_seq}") } else { String::new() };
        return Err(Failure::Usage(format!("`{shown}` has no line of this workspace{behind}")));
    }
    Ok(places)
}
