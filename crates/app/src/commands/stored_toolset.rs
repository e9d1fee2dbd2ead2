//! `toolset apply` and `toolset export`: documents in the database.

use std::{fmt::Write as _, path::Path};

use serde_json::{Map, Value, json};
use toolcrib_actions::toolsets::{AppliedToolset, ChangeKind, apply, checked};
use toolcrib_engine::{ActionError, OperatorRules, workspace_toolsets};
use toolcrib_model::visible;
use toolcrib_registry::digest;
use toolcrib_store::WriteTx;

use super::workspace_id;
use crate::{
    administration::{Moment, audit_row},
    cli::ToolsetCommand,
    context::AppContext,
    failure::{Failure, Ran},
    output,
    services::toolsets,
    toolset_files,
};

/// Runs the command. The other commands on toolsets need no database.
pub async fn run(context: &AppContext, command: ToolsetCommand) -> Result<Ran, Failure> {
    match command {
        ToolsetCommand::Apply { file, workspace, json } => store(context, &file, &workspace, json).await,
        ToolsetCommand::Export { slug, workspace, json } => export(context, &slug, &workspace, json).await,
        ToolsetCommand::Check { .. }
        | ToolsetCommand::Matrix { .. }
        | ToolsetCommand::Import(_)
        | ToolsetCommand::Schema => Ok(Ran::Done),
    }
}

/// Returns what the check knows beside the document: the settings and the operator's toolsets.
fn rules(context: &AppContext) -> Result<OperatorRules, Failure> {
    let settings = &context.settings;
    let toolsets = toolsets::read(&settings.toolset, &settings.caller_types)?;
    let caller_types = toolsets::caller_types(&settings.caller_types, &toolsets);
    Ok(OperatorRules { caller_types, toolsets, ..OperatorRules::default() })
}

async fn store(context: &AppContext, file: &Path, workspace: &str, as_json: bool) -> Result<Ran, Failure> {
    let Value::Object(document) = toolset_files::read(file)? else {
        return Err(Failure::Usage(format!("{}: must be an object", file.display())));
    };
    let rules = rules(context)?;
    let db = context.open_existing().await?;
    let workspace = workspace_id(&db, workspace).await?;
    let moment = Moment { now: context.now(), ids: context.ids.as_ref() };
    let mut tx = db.begin_write(workspace).await?;
    let applied = store_in(&mut tx, &rules, &document, moment).await;
    match tx.end(applied).await {
        Ok(applied) => print(&applied, as_json),
        Err(error) => refused(&error, file, as_json),
    }
}

async fn store_in(
    tx: &mut WriteTx,
    rules: &OperatorRules,
    document: &Map<String, Value>,
    moment: Moment<'_>,
) -> Result<AppliedToolset, ActionError> {
    let new = checked(tx, rules, document, "").await?;
    let applied = apply(tx, rules, &new, None, (None, moment.now)).await?;
    if applied.changed {
        let target = Some(format!("toolset `{}`", new.slug));
        // A whole document is too large for an audit row.
        let arguments = json!({ "slug": new.slug, "digest": digest(&new.to_json()) });
        tx.audit(audit_row(moment, tx.workspace(), "toolsets.put", &arguments, target));
    }
    Ok(applied)
}

fn print(applied: &AppliedToolset, as_json: bool) -> Result<Ran, Failure> {
    let (slug, version) = (&applied.toolset.toolset.slug, applied.toolset.version);
    if as_json {
        let changes = &applied.changes;
        output::json(
            &json!({ "slug": slug, "version": version, "changed": applied.changed, "changes": changes }),
        )?;
        return Ok(Ran::Done);
    }
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
        let _ = writeln!(text, "  {word}: {}", change.tool);
    }
    output::print(&text)?;
    Ok(Ran::Done)
}

/// Prints the defects of a document. Other errors end the command.
fn refused(error: &ActionError, file: &Path, as_json: bool) -> Result<Ran, Failure> {
    if error.errors.is_empty() {
        let hint = error.hint.as_deref().map(|hint| format!("; {hint}")).unwrap_or_default();
        return Err(Failure::CouldNotRun(format!("{}{hint}", error.detail)));
    }
    if as_json {
        output::json(&json!({ "defects": error.errors }))?;
        return Ok(Ran::No);
    }
    let mut text = format!("{}: {} defects, nothing was stored\n", file.display(), error.errors.len());
    for one in &error.errors {
        let pointer = if one.pointer.is_empty() { "/" } else { &one.pointer };
        let _ = writeln!(text, "  {}: {}", visible(pointer), one.message);
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
    if as_json {
        output::json(&found.toolset.to_json())?;
    } else {
        output::print(&found.toolset.to_toml().map_err(|error| {
            Failure::CouldNotRun(format!("the document is no TOML ({error}); `--json` prints it"))
        })?)?;
    }
    Ok(Ran::Done)
}
