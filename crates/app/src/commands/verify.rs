//! `audit verify`: exit code 0 if every chain is intact, 1 if one is broken, or with `--strict` has rows that were
//! sealed late.

use std::{collections::BTreeMap, path::Path};

use serde_json::Value;
use toolcrib_engine::chain::{Verification, VerifyRequest, verify};
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
    let text = known.against.map(read_text).transpose()?;
    let db = context.open_existing().await?;
    let workspaces = match workspace {
        Some(text) => vec![log_id(&db, text).await?],
        None => chain::homes(&db).await?,
    };
    seal(context, &db).await?;
    let mut ran = Ran::Done;
    for workspace in workspaces {
        let earlier = match (&text, known.against) {
            (Some(text), Some(file)) => hashes(text, file, workspace)?,
            _ => BTreeMap::new(),
        };
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
    let Verification { rows, sealed, late, checkpoints, signed_seq, overdue, .. } = found;
    let state = if found.ok { "intact" } else { "BROKEN" };
    output::line(&format!(
        "{workspace}: {state}: {rows} rows, {sealed} sealed, {late} of them late, {checkpoints} checkpoints up to place \
         {signed_seq}, head {}",
        found.head_hash
    ))?;
    if let (Some(from), Some(to)) = (found.late_from, found.late_to) {
        let times = if from == to { format!("of {from}") } else { format!("from {from} to {to}") };
        output::line(&format!("  sealed late: {} {times}", count(*late, "row")))?;
    }
    if *overdue > 0 {
        output::line(&format!("  {overdue} rows from more than ten seconds ago have no place"))?;
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

/// Returns the hashes in an earlier export or anchor file, by sequence number. Ignores lines of other
/// workspaces.
fn hashes(text: &str, file: &Path, workspace: Id) -> Result<BTreeMap<i64, String>, Failure> {
    let mut places = BTreeMap::new();
    for (at, line) in text.lines().enumerate() {
        let line: Value = serde_json::from_str(line).unwrap_or_default();
        let place = line.get("checkpoint").unwrap_or(&line);
        let (Some(seq), Some(hash)) = (place["seq"].as_i64(), place["hash"].as_str()) else {
            let (at, shown) = (at + 1, file.display());
            return Err(Failure::Usage(format!("line {at} of `{shown}` is not a line of `audit export`")));
        };
        if place["workspace_id"].as_str().is_none_or(|id| id == workspace.to_string()) {
            places.insert(seq, hash.to_owned());
        }
    }
    Ok(places)
}
