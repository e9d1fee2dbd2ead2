//! Lists the scopes of keys, in words, and which of them the caller may give.

use toolcrib_access::Special;
use toolcrib_engine::prelude::*;
use toolcrib_registry::{ActionRegistry, Verb};

use crate::{
    admin::keys::{KeyKind, grant},
    shared::NoArguments,
};

pub struct ListScopes;

/// Result of the operation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Scopes: patterns from broad to narrow, then special scopes. Those of one toolset have its slug in place of `tools`.
    pub items: Vec<ScopeView>,
}

/// A scope.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ScopeView {
    /// The scope, as keys have it.
    pub scope: String,
    /// What a key with this scope may do, as far as its role allows it.
    pub description: String,
    /// Whether it is a special scope, which no pattern covers.
    pub special: bool,
    /// Whether you may give it to a key.
    pub allowed: bool,
    /// Why you may not; null if you may.
    pub reason: Option<String>,
}

impl ReadAction for ListScopes {
    type Input = NoArguments;
    type Output = Output;

    fn spec() -> Spec {
        Spec::program("access.scopes", Level::Read, Permission::KEYS_READ)
            .describe("List the scopes that keys may have, in words, and whether you may give each.")
    }

    async fn run(&self, cx: &mut ReadCx<'_>, _: &NoArguments) -> Result<Output, ActionError> {
        let registry = cx.tools.catalog.registry();
        let view = |special: bool, (scope, description): (String, String)| {
            // What checks the scopes of a new key.
            let words = std::slice::from_ref(&scope);
            let refused = grant::scopes(Some(cx.caller), KeyKind::Service, words, registry, &[]).err();
            let reason = refused.map(|error| error.detail);
            ScopeView { scope, description, special, allowed: reason.is_none(), reason }
        };
        let patterns = patterns(registry).into_iter().map(|one| view(false, one));
        Ok(Output { items: patterns.chain(special().into_iter().map(|one| view(true, one))).collect() })
    }

    fn describe(_: &NoArguments, output: &Output) -> String {
        let given = output.items.iter().filter(|item| item.allowed).count();
        format!("You may give {given} of {} scopes", output.items.len())
    }
}

/// Returns the patterns: of all resources, of toolsets, of packs, and of each resource.
fn patterns(registry: &ActionRegistry) -> Vec<(String, String)> {
    let mut found =
        vec![("*:*".to_owned(), "everything except tools of toolsets and actions of packs".to_owned())];
    let mut verbs: Vec<Verb> = Vec::new();
    for permission in Permission::ALL {
        if !verbs.contains(&permission.verb) {
            verbs.push(permission.verb);
        }
    }
    found.extend(verbs.iter().map(|verb| {
        (
            format!("*:{}", verb.as_str()),
            format!("{} everything except tools of toolsets and actions of packs", words(*verb)),
        )
    }));
    found.push(("tools:*".to_owned(), "call all tools of all toolsets".to_owned()));
    for (verb, level) in [(Verb::Read, "read"), (Verb::Use, "write"), (Verb::Delete, "delete")] {
        found.push((format!("tools:{}", verb.as_str()), format!("call tools of toolsets that {level}")));
    }
    found.push(("packs:*".to_owned(), "everything with all packs".to_owned()));
    let mut last = String::new();
    for permission in registry.permissions() {
        let resource = permission.resource.as_str();
        if resource != last && !found.iter().any(|(scope, _)| *scope == format!("{resource}:*")) {
            found.push((format!("{resource}:*"), format!("everything with {}", plain(resource))));
        }
        found.push((permission.to_string(), format!("{} {}", words(permission.verb), plain(resource))));
        resource.clone_into(&mut last);
    }
    found
}

/// Returns the special scopes that a key of a workspace may have.
fn special() -> Vec<(String, String)> {
    let scopes = [
        (Special::ActAs, "act for a member whom the request names"),
        (Special::ApprovalsRelay, "relay a member's decision on a confirmation"),
        (Special::RecordsWrite, "write the records of agent runtimes"),
        (Special::EventsRead, "read the events that its role or member may read"),
    ];
    scopes.map(|(special, words)| (special.as_str().to_owned(), words.to_owned())).into()
}

const fn words(verb: Verb) -> &'static str {
    match verb {
        Verb::Read => "read",
        Verb::Use => "use",
        Verb::Manage => "create and change",
        Verb::Delete => "delete",
        Verb::ChangeRole => "change the role of",
        Verb::Impersonate => "let keys act for",
        Verb::Billing => "read and change the billing of",
    }
}

fn plain(resource: &str) -> String {
    resource.replace('_', " ")
}
