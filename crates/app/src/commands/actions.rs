//! `actions …`: shows and checks the built-in catalogue.

use std::fmt::Write as _;

use serde_json::{Value, json};
use toolcrib_access::Caller;
use toolcrib_actions::Infrastructure;
use toolcrib_engine::Catalog;
use toolcrib_model::Role;
use toolcrib_registry::{AccessibleBy, ActionKind, ActionMeta, CallerDefault, PREFIX, nearest};

use super::{formats, report};
use crate::{
    cli::{ActionsCommand, HypotheticalCaller},
    context::catalog,
    failure::{Failure, Ran},
    output,
};

mod texts;

pub fn run(command: &ActionsCommand) -> Result<Ran, Failure> {
    match command {
        ActionsCommand::List { json: false } => output::print(&table()?)?,
        ActionsCommand::List { json: true } => {
            let all: Vec<Value> = catalog()?.registry().all().map(|meta| about(meta)).collect();
            output::json(&Value::from(all))?;
        }
        ActionsCommand::Show { name } => show(name)?,
        ActionsCommand::Texts => output::print(&texts::of_registry(catalog()?.registry()))?,
        ActionsCommand::Lint { formats } => return lint(*formats),
        ActionsCommand::Report(caller) => {
            let catalog = catalog()?;
            let caller = hypothetical_caller(catalog.as_ref(), caller)?;
            output::print(&report::of_caller(catalog.as_ref(), &caller))?;
        }
        ActionsCommand::Explain { name, caller } => return explain(name, caller),
        ActionsCommand::Matrix => output::print(&report::matrix(catalog()?.as_ref()))?,
    }
    Ok(Ran::Done)
}

fn table() -> Result<String, Failure> {
    let catalog = catalog()?;
    let width = catalog.registry().all().map(|meta| meta.spec.name.len()).max().unwrap_or(0);
    let mut out = String::new();
    for meta in catalog.registry().all() {
        let spec = &meta.spec;
        // Writing into a string can't fail.
        let _ = writeln!(
            out,
            "{:width$}  {:11}  {:24}  {}",
            spec.name,
            spec.level.as_str(),
            spec.permission.to_string(),
            flags(meta).join(" ")
        );
    }
    let trimmed: Vec<&str> = out.lines().map(str::trim_end).collect();
    Ok(trimmed.join("\n") + "\n")
}

fn flags(meta: &ActionMeta) -> Vec<&'static str> {
    let spec = &meta.spec;
    let flags = [
        (spec.promoted, "promoted"),
        (spec.always_offered, "always"),
        (spec.admin_only, "admin_only"),
        (spec.external, "external"),
        (spec.open, "open"),
        (spec.notifies_admins, "notifies"),
        (spec.caller_default == Some(CallerDefault::Mission), "default:mission"),
        (spec.caller_default == Some(CallerDefault::Agent), "default:agent"),
        (spec.confirmation.as_str() == "simple", "confirm:simple"),
        (spec.confirmation.as_str() == "typed", "confirm:typed"),
        (spec.kind == ActionKind::Operation, "program"),
        (matches!(spec.accessible_by, Some(AccessibleBy::Only { .. })), "named_callers"),
    ];
    flags.into_iter().filter(|(set, _)| *set).map(|(_, word)| word).collect()
}

fn about(meta: &ActionMeta) -> Value {
    let spec = &meta.spec;
    let accessible_by = match &spec.accessible_by {
        Some(AccessibleBy::Only { types, names }) => json!({ "types": types, "names": names }),
        Some(AccessibleBy::Everyone) => json!("everyone"),
        None => Value::Null,
    };
    json!({
        "name": spec.name, "category": spec.category, "permission_level": spec.level, "permission": spec.permission,
        "surface": if spec.kind == ActionKind::Tool { "tool" } else { "program" }, "promoted": spec.promoted,
        "always_offered": spec.always_offered, "admin_only": spec.admin_only, "external": spec.external,
        "confirmation": spec.confirmation, "warning": spec.warning, "notifies_admins": spec.notifies_admins,
        "accessible_by": accessible_by, "caller_default": spec.caller_default,
        "limit_class": spec.limit_class, "timeout_seconds": spec.timeout_seconds,
        "description": spec.description, "tags": spec.tags, "examples": spec.examples,
        "input_schema": meta.input.value(), "output_schema": meta.output.value(),
    })
}

fn hypothetical_caller(catalog: &Catalog, caller: &HypotheticalCaller) -> Result<Caller, Failure> {
    let role: Role = caller.role.parse().map_err(|error| Failure::Usage(format!("{error}")))?;
    let known = &catalog.rules().caller_types;
    if !known.contains(&caller.caller_type) {
        let (given, known) = (&caller.caller_type, known.join(", "));
        return Err(Failure::Usage(format!("`{given}` is not a caller type; use {known}")));
    }
    Ok(report::caller(role, &caller.caller_type, caller.caller_name.as_deref()))
}

fn explain(name: &str, caller: &HypotheticalCaller) -> Result<Ran, Failure> {
    let catalog = catalog()?;
    let caller = hypothetical_caller(catalog.as_ref(), caller)?;
    let (text, allowed) = report::explain(&caller, &find(catalog.as_ref(), name)?.spec);
    output::print(&text)?;
    Ok(if allowed { Ran::Done } else { Ran::No })
}

fn show(name: &str) -> Result<(), Failure> {
    let catalog = catalog()?;
    output::json(&about(find(catalog.as_ref(), name)?))
}

fn find<'c>(catalog: &'c Catalog, name: &str) -> Result<&'c ActionMeta, Failure> {
    let registry = catalog.registry();
    let full = format!("{PREFIX}{name}");
    registry.get(name).or_else(|| registry.get(&full)).map(AsRef::as_ref).ok_or_else(|| {
        let known: Vec<&str> = registry.all().map(|meta| &*meta.spec.name).collect();
        let near = nearest(name, &known).or_else(|| nearest(&full, &known));
        let hint = near.map_or_else(
            || "`toolcrib actions list` names them all".to_owned(),
            |near| format!("did you mean `{near}`?"),
        );
        Failure::Usage(format!("there is no action `{name}`; {hint}"))
    })
}

fn lint(formats: bool) -> Result<Ran, Failure> {
    match toolcrib_actions::catalog(&Infrastructure::default()) {
        Ok(catalog) => {
            let registry = catalog.registry();
            let (tools, programs) = (registry.tools().count(), registry.programs().count());
            if formats {
                output::print(&formats::report(registry))?;
            }
            output::line(&format!("{tools} actions and {programs} operations, no defects"))?;
            Ok(Ran::Done)
        }
        Err(defects) => {
            for defect in &defects {
                output::line(&defect.to_string())?;
            }
            Ok(Ran::No)
        }
    }
}
