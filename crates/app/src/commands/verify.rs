//! `audit verify`: exit code 0 where every chain is intact, 1 where one is broken.

use std::{collections::BTreeMap, fs, path::Path};

use serde_json::Value;
use toolcrib_engine::chain::{Question, Verification, verify};
use toolcrib_model::Id;
use toolcrib_store::{Db, audit::chain};

use super::{audit::seal, workspace_id};
use crate::{
    failure::{Failure, Ran},
    ground::Ground,
    output,
};

pub async fn run(ground: &Ground, workspace: Option<&str>, against: Option<&Path>) -> Result<Ran, Failure> {
    let earlier = against.map(read).transpose()?.unwrap_or_default();
    let db = ground.open_existing().await?;
    let workspaces = match workspace {
        Some(text) => vec![workspace_id(&db, text).await?],
        None => chain::homes(&db).await?,
    };
    seal(ground, &db).await?;
    let mut ran = Ran::Done;
    for workspace in workspaces {
        let found = one(ground, &db, workspace, earlier.clone()).await?;
        tell(workspace, &found)?;
        if !found.ok {
            ran = Ran::No;
        }
    }
    Ok(ran)
}

async fn one(
    ground: &Ground,
    db: &Db,
    workspace: Id,
    earlier: BTreeMap<i64, String>,
) -> Result<Verification, Failure> {
    let (_, trusted) = ground.audit_key()?;
    let question = Question { now: ground.now(), earlier, ..Question::of(&trusted) };
    let mut tx = db.read(workspace).await?;
    let found = verify(&mut tx, &question).await?;
    tx.end().await?;
    Ok(found)
}

fn tell(workspace: Id, found: &Verification) -> Result<(), Failure> {
    let Verification { rows, sealed, checkpoints, signed_seq, overdue, .. } = found;
    let state = if found.ok { "intact" } else { "BROKEN" };
    output::line(&format!(
        "{workspace}: {state}: {rows} rows, {sealed} sealed, {checkpoints} checkpoints up to place {signed_seq}"
    ))?;
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

/// The places and hashes of an earlier export.
fn read(file: &Path) -> Result<BTreeMap<i64, String>, Failure> {
    let shown = file.display();
    let text = fs::read_to_string(file)
        .map_err(|fault| Failure::could_not(&format!("`{shown}` can't be read"), fault))?;
    let mut places = BTreeMap::new();
    for (at, line) in text.lines().enumerate() {
        let line: Value = serde_json::from_str(line).unwrap_or_default();
        let place = line.get("checkpoint").unwrap_or(&line);
        let (Some(seq), Some(hash)) = (place["seq"].as_i64(), place["hash"].as_str()) else {
            return Err(Failure::Usage(format!("line {} of `{shown}` is none of `audit export`", at + 1)));
        };
        places.insert(seq, hash.to_owned());
    }
    Ok(places)
}
