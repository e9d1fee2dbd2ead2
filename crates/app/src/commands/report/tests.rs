//! Tests of reports on actions that are restricted to named callers. The truth table is that of the REST
//! tests (`http/tests/it/named_callers.rs`).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolcrib_engine::{Action, ActionError, Catalog, ReadAction, ReadCx};
use toolcrib_registry::{AccessibleBy, Category, Permission};

use super::*;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Nothing {}

macro_rules! actions {
    ($($type:ident $name:literal $types:expr, $names:expr;)*) => {
        $(
            struct $type;
            impl ReadAction for $type {
                type Input = Nothing;
                type Output = Nothing;

                fn spec() -> Spec { Spec::read($name, Category::Agents, Permission::AGENTS_READ)
                    .describe("Answers whom it names.")
                    .accessible_by(AccessibleBy::only($types, $names))}
                async fn run(&self, _: &mut ReadCx<'_>, _: &Nothing) -> Result<Nothing, ActionError> {
                    Ok(Nothing {})
                }
                fn describe(_: &Nothing, _: &Nothing) -> String {
                    "Answered".into()
                }
            }
        )*
        const NAMES: [&str; 6] = [$($name),*];
        fn catalog() -> Catalog {
            Catalog::new(vec![$(Action::read($type)),*]).unwrap()
        }
    };
}

actions! {
    ForType "platform_get_for_type" &["mission"], &[];
    ForName "platform_get_for_name" &[], &["chosen"];
    ForBoth "platform_get_for_both" &["mission"], &["chosen"];
    ForNobody "platform_get_for_nobody" &[], &[];
    NameLikeType "platform_get_name_like_type" &[], &["mission"];
    TypeLikeName "platform_get_type_like_name" &["chosen"], &[];
}

const TABLE: [(Option<&str>, &str, [bool; 6]); 6] = [
    (None, "api", [false; 6]),
    (None, "mission", [true, false, true, false, false, false]),
    (Some("other"), "playbook", [false; 6]),
    (Some("chosen"), "mission", [true, true, true, false, false, false]),
    (Some("chosen"), "playbook", [false, true, true, false, false, false]),
    (Some("mission"), "playbook", [false, false, false, false, true, false]),
];

#[test]
fn a_report_and_an_explanation_follow_type_and_name() {
    let catalog = catalog();
    for (name, kind, expected) in TABLE {
        let caller = caller(Role::Viewer, kind, name);
        let text = of_caller(&catalog, &caller);
        let allowed = expected.iter().filter(|may| **may).count();
        let summary = format!("\n\n{allowed} of 6 actions and operations, {} denied.\n", 6 - allowed);
        assert!(text.contains(&summary), "{text}");
        assert!(text.contains(&format!("\n## Agents ({allowed}/6)\n")), "{text}");
        for (action, may) in NAMES.into_iter().zip(expected) {
            let verdict = if may { "yes" } else { "for named callers only" };
            assert!(
                text.contains(&format!("| `{action}` | read | {verdict} |")),
                "{action} as {kind}: {text}"
            );
            let (why, passes) = explain(&catalog, &caller, &catalog.registry().get(action).unwrap().spec);
            assert_eq!(passes, may, "{why}");
            assert_eq!(why.contains("fails   accessible_by"), !may, "{why}");
        }
    }
}

#[test]
fn a_title_says_whom_it_is_about() {
    let catalog = catalog();
    let first = |caller: Caller| of_caller(&catalog, &caller).lines().next().unwrap().to_owned();
    assert_eq!(first(caller(Role::Viewer, "api", None)), "# What a user with the role viewer may call");
    assert_eq!(
        first(caller(Role::Editor, "mission", Some("chosen"))),
        "# What a user with the role editor, calling as mission, named chosen may call"
    );
}

#[test]
fn people_of_any_role_are_no_named_callers() {
    let text = matrix(&catalog());
    for name in NAMES {
        assert!(text.contains(&format!("| `{name}` | . | . | . | . | . |")), "{text}");
    }
}

#[test]
fn an_explanation_names_every_rule() {
    let catalog = catalog();
    let (text, allowed) = explain(
        &catalog,
        &caller(Role::Viewer, "api", Some("other")),
        &catalog.registry().get(NAMES[2]).unwrap().spec,
    );
    assert!(!allowed);
    assert_eq!(
        text.lines().take(3).collect::<Vec<_>>(),
        [
            "`platform_get_for_both` by a user with the role viewer, named other: no",
            "  passes  enabled         it is on in this workspace",
            "  fails   accessible_by   it is for callers of the type `mission` or the name `chosen`; \
             a caller of the type `api` named `other` is not among them",
        ]
    );
    assert_eq!(text.lines().count(), 9, "{text}");
}
