use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolcrib_registry::{Category, Permission, Spec};

use super::*;
use super::{
    ExternalCx, ReadCx, WriteCx,
    action::{ExternalAction, ReadAction, WriteAction},
};
use crate::base::ActionError;

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Nothing {}

pub(crate) struct Look;
impl ReadAction for Look {
    type Input = Nothing;
    type Output = Nothing;

    fn spec() -> Spec {
        Spec::read("platform_look", Category::Agents, Permission::AGENTS_READ).describe("Look.")
    }

    async fn run(&self, _: &mut ReadCx<'_>, _: &Nothing) -> Result<Nothing, ActionError> {
        Ok(Nothing {})
    }

    fn describe(_: &Nothing, _: &Nothing) -> String {
        String::new()
    }
}

struct Change;
impl WriteAction for Change {
    type Input = Nothing;
    type Output = Nothing;

    fn spec() -> Spec {
        Spec::write("platform_change", Category::Agents, Permission::AGENTS_MANAGE).describe("Change.")
    }

    async fn run(&self, _: &mut WriteCx<'_>, _: &Nothing) -> Result<Nothing, ActionError> {
        Ok(Nothing {})
    }

    fn describe(_: &Nothing, _: &Nothing) -> String {
        String::new()
    }
}

/// Asks a service that is configured, or not.
struct Ask(bool);
impl ExternalAction for Ask {
    type Input = Nothing;
    type Output = Nothing;

    fn spec() -> Spec {
        Spec::read("platform_ask", Category::Agents, Permission::AGENTS_READ).external().describe("Ask.")
    }

    async fn run(&self, _: &ExternalCx<'_>, _: &Nothing) -> Result<Nothing, ActionError> {
        Ok(Nothing {})
    }

    fn describe(_: &Nothing, _: &Nothing) -> String {
        String::new()
    }

    fn available(&self) -> bool {
        self.0
    }
}

#[test]
fn an_action_runs_the_way_that_its_level_and_flags_say() {
    let read = Action::read(Look).runner;
    let external = Action::external(Ask(true)).runner;
    let write = Action::write(Change).runner;
    for (level, outside, fits) in [
        (Level::Read, false, [true, false, false]),
        (Level::Read, true, [false, true, false]),
        (Level::Write, false, [false, false, true]),
        (Level::Write, true, [false, false, false]),
        (Level::Destructive, false, [false, false, true]),
    ] {
        let spec = Spec { level, external: outside, ..Look::spec() };
        let found = [&read, &external, &write].map(|runner| mismatch(&spec, runner).is_none());
        assert_eq!(found, fits, "{level:?} {outside}");
    }
}

#[test]
fn a_change_that_would_run_as_a_look_is_a_defect() {
    let mut sly = Action::write(Change);
    sly.runner = Action::read(Look).runner;
    let defects = Catalog::new(vec![Action::external(Ask(true)), sly]).err().unwrap();
    let message = "is registered in another way than its level and flags say".to_owned();
    assert_eq!(defects, [Defect { action: "platform_change".into(), message }]);
}

#[test]
fn what_is_not_configured_is_not_available() {
    for configured in [true, false] {
        let actions = vec![Action::read(Look), Action::external(Ask(configured))];
        let catalog = Catalog::new(actions).unwrap();
        let found = ["platform_ask", "platform_look", "platform_gone"].map(|name| catalog.available(name));
        assert_eq!(found, [configured, true, false]);
    }
}

#[test]
fn the_operators_rules_are_those_that_were_given() {
    let catalog = Catalog::new(Vec::new()).unwrap();
    assert!(catalog.rules().approve_hosts.is_empty());
    let rules = OperatorRules { approve_hosts: vec!["app.test".into()], ..OperatorRules::default() };
    assert_eq!(catalog.under(rules).rules().approve_hosts, ["app.test"]);
}
