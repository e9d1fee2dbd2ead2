//! `actions …` and `tools`: show and check the built-in catalogue, and what a role gets of it.

use std::fmt::Write as _;

use serde_json::{Value, json};
use toolcrib_access::Caller;
use toolcrib_actions::Infrastructure;
use toolcrib_config::Settings;
use toolcrib_engine::{CallerTools, Catalog, Pack};
use toolcrib_model::Role;
use toolcrib_registry::{
    AccessibleBy, ActionKind, ActionMeta, ActionRegistry, CallerDefault, PREFIX, nearest,
};

use super::{formats, report};
use crate::{
    cli::{ActionsCommand, HypotheticalCaller, ToolsArgs},
    context::catalog,
    failure::{Failure, Ran},
    output,
};

mod texts;

pub fn run(command: &ActionsCommand, packs: &[Pack], settings: &Settings) -> Result<Ran, Failure> {
    let is_offered = |pack: &&Pack| {
        settings.packs.as_ref().is_none_or(|offered| offered.iter().any(|slug| *slug == *pack.info.slug))
    };
    let packs: Vec<Pack> = packs.iter().filter(is_offered).cloned().collect();
    match command {
        ActionsCommand::Lint { formats } => lint(&packs, settings, *formats),
        command => show(command, catalog(&packs, settings)?.as_ref()),
    }
}

fn show(command: &ActionsCommand, catalog: &Catalog) -> Result<Ran, Failure> {
    let registry = catalog.registry();
    match command {
        ActionsCommand::List { json: false } => output::print(&table(registry))?,
        ActionsCommand::List { json: true } => {
            let all: Vec<Value> = registry.all().map(|meta| about(meta)).collect();
            output::json(&Value::from(all))?;
        }
        ActionsCommand::Show { name } => output::json(&about(find(catalog, name)?))?,
        ActionsCommand::Texts => output::print(&texts::of_registry(registry))?,
        ActionsCommand::Report(caller) => {
            let caller = hypothetical_caller(catalog, caller)?;
            output::print(&report::of_caller(catalog, &caller))?;
        }
        ActionsCommand::Explain { name, caller } => return explain(catalog, name, caller),
        ActionsCommand::Matrix => output::print(&report::matrix(catalog))?,
        // `run` has handled it, because it shows the defects of a catalogue.
        ActionsCommand::Lint { .. } => {}
    }
    Ok(Ran::Done)
}

fn table(registry: &ActionRegistry) -> String {
    let width = registry.all().map(|meta| meta.spec.name.len()).max().unwrap_or(0);
    let mut out = String::new();
    for meta in registry.all() {
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
    trimmed.join("\n") + "\n"
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

fn explain(catalog: &Catalog, name: &str, caller: &HypotheticalCaller) -> Result<Ran, Failure> {
    let caller = hypothetical_caller(catalog, caller)?;
    let (text, allowed) = report::explain(catalog, &caller, &find(catalog, name)?.spec);
    output::print(&text)?;
    Ok(if allowed { Ran::Done } else { Ran::No })
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

fn lint(packs: &[Pack], settings: &Settings, formats: bool) -> Result<Ran, Failure> {
    let offered = settings.packs.as_deref();
    match toolcrib_actions::catalog_with_packs(&Infrastructure::default(), packs, offered) {
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

/// Runs `tools`.
pub fn tools(args: ToolsArgs, packs: &[Pack], settings: &Settings) -> Result<Ran, Failure> {
    let role: Role = args.role.parse().map_err(|error| Failure::Usage(format!("{error}")))?;
    let catalog = catalog(packs, settings)?;
    let (caller, policy) = (report::caller(role, &args.caller_type, None), report::policy(&catalog));
    let asked = asked(args);
    let list = toolcrib_http::tool_list(&CallerTools::new(&catalog, &caller, &policy), asked)?;
    output::json(&list)?;
    Ok(Ran::Done)
}

/// Returns the body of `POST /v1/tools` for the arguments.
fn asked(args: ToolsArgs) -> Value {
    let mut asked = json!({
        "format": args.format, "strategy": args.strategy, "strict": args.strict, "detail": args.detail,
    });
    if let Some(query) = args.query {
        asked["query"] = query.into();
    }
    if let Some(most) = args.max_tokens {
        asked["max_tokens"] = most.into();
    }
    asked
}
