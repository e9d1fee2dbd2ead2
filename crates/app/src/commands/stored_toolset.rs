//! `toolset apply` and `toolset export`: documents in the database.

use std::{fmt::Write as _, path::Path};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use toolcrib_actions::toolsets::{AppliedToolset, ChangeKind, ToolChange, apply, checked};
use toolcrib_engine::{ActionError, OperatorRules, workspace_toolsets};
use toolcrib_model::{count, visible};
use toolcrib_registry::{ArgError, digest};
use toolcrib_store::WriteTx;
use toolcrib_toolset::Toolset;

use super::{over_api_alone, workspace_id};
use crate::{
    administration::audit_row,
    cli::ToolsetCommand,
    context::AppContext,
    failure::{Failure, Ran},
    output, toolset_files,
};

/// Runs the command. The other commands on toolsets need no database.
pub async fn run(context: &AppContext, command: ToolsetCommand) -> Result<Ran, Failure> {
    match command {
        ToolsetCommand::Apply { file, workspace, json } => {
            store(context, &file, workspace.in_database()?, json).await
        }
        ToolsetCommand::Export { slug, workspace, json } => {
            export(context, &slug, workspace.in_database()?, json).await
        }
        ToolsetCommand::List { .. } => Err(over_api_alone()),
        ToolsetCommand::Check { .. }
        | ToolsetCommand::Matrix { .. }
        | ToolsetCommand::Import(_)
        | ToolsetCommand::Schema => Ok(Ran::Done),
    }
}

/// Returns what the check knows beside the document: the settings and the operator's toolsets.
pub fn rules(context: &AppContext) -> Result<OperatorRules, Failure> {
    let settings = &context.settings;
    let toolsets = toolset_files::of_operator(&settings.toolset, &settings.caller_types, &context.packs)?;
    let caller_types = toolset_files::caller_types(&settings.caller_types, &toolsets);
    Ok(OperatorRules { caller_types, toolsets, ..OperatorRules::default() })
}

async fn store(context: &AppContext, file: &Path, workspace: &str, as_json: bool) -> Result<Ran, Failure> {
    let document = toolset_files::read_object(file)?;
    let rules = rules(context)?;
    let db = context.open_existing().await?;
    let workspace = workspace_id(&db, workspace).await?;
    let mut tx = db.begin_write(workspace).await?;
    let applied = store_in(&mut tx, context, &rules, &document).await;
    match tx.end(applied).await {
        Ok(applied) => print(&Applied::from(applied), as_json),
        Err(error) if !error.errors.is_empty() => print_defects(file, &error.errors, as_json),
        Err(error) => Err(failed(&error)),
    }
}

async fn store_in(
    tx: &mut WriteTx,
    context: &AppContext,
    rules: &OperatorRules,
    document: &Map<String, Value>,
) -> Result<AppliedToolset, ActionError> {
    let stamp = context.stamp();
    let packs = toolset_files::pack_slugs(&context.packs);
    let new = checked(tx, rules, packs, document, "").await?;
    let applied = apply(tx, rules, &new, None, None, stamp.now).await?;
    if applied.changed {
        let target = Some(format!("toolset `{}`", new.slug));
        // A whole document is too large for an audit row.
        let arguments = json!({ "slug": new.slug, "digest": digest(&new.to_json()) });
        tx.audit(audit_row(stamp, tx.workspace(), "toolsets.put", &arguments, target));
    }
    Ok(applied)
}

/// What became of a document: the fields of the answer of `PUT /v1/toolsets/{slug}` that are printed.
#[derive(Serialize, Deserialize)]
pub struct Applied {
    slug: String,
    version: i64,
    changed: bool,
    changes: Vec<ToolChange>,
}

impl From<AppliedToolset> for Applied {
    fn from(applied: AppliedToolset) -> Self {
        let AppliedToolset { toolset, changed, changes } = applied;
        Self { slug: toolset.toolset.slug.clone(), version: toolset.version, changed, changes }
    }
}

/// Prints what became of a document.
pub fn print(applied: &Applied, as_json: bool) -> Result<Ran, Failure> {
    if as_json {
        output::json(&json!(applied))?;
        return Ok(Ran::Done);
    }
    let (slug, version) = (visible(&applied.slug), applied.version);
    let state = if applied.changed { "stored" } else { "unchanged" };
    let mut text = format!("`{slug}` {state}, version {version}\n");
    for change in &applied.changes {
        let word = match change.change {
            ChangeKind::Added => "added",
            ChangeKind::Redefined => "redefined",
            ChangeKind::Updated => "updated",
            ChangeKind::Removed => "removed",
        };
        // Writing into a string can't fail.
        let _ = writeln!(text, "  {word}: {}", visible(&change.tool));
    }
    output::print(&text)?;
    Ok(Ran::Done)
}

fn failed(error: &ActionError) -> Failure {
    let hint = error.hint.as_deref().map(|hint| format!("; {hint}")).unwrap_or_default();
    Failure::CouldNotRun(format!("{}{hint}", error.detail))
}

pub fn print_defects(file: &Path, defects: &[ArgError], as_json: bool) -> Result<Ran, Failure> {
    if as_json {
        output::json(&json!({ "defects": defects }))?;
        return Ok(Ran::No);
    }
    let mut text = format!("{}: {}, nothing was stored\n", file.display(), count(defects.len(), "defect"));
    for one in defects {
        let pointer = if one.pointer.is_empty() { "/" } else { &one.pointer };
        let _ = writeln!(text, "  {}: {}", visible(pointer), visible(&one.message));
    }
    output::print(&text)?;
    Ok(Ran::No)
}

async fn export(context: &AppContext, slug: &str, workspace: &str, as_json: bool) -> Result<Ran, Failure> {
    let rules = rules(context)?;
    let db = context.open_existing().await?;
    let workspace = workspace_id(&db, workspace).await?;
    let mut tx = db.read(workspace).await?;
    let found = workspace_toolsets::find(&mut tx, &rules, slug).await;
    tx.end().await?;
    let found = found.map_err(|error| Failure::Usage(error.detail))?;
    print_document(&found.toolset.document, as_json)
}

/// Prints a document as TOML or as JSON.
pub fn print_document(document: &Toolset, as_json: bool) -> Result<Ran, Failure> {
    if as_json {
        output::json(&json!(document))?;
        return Ok(Ran::Done);
    }
    let text = document.to_toml().map_err(|error| {
        Failure::CouldNotRun(format!("the document is no TOML ({error}); `--json` prints it"))
    })?;
    output::print(&output::on_terminal(&text))?;
    Ok(Ran::Done)
}
