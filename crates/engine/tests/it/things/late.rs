//! An action that leaves what it adds for the commit.

use serde_json::Value;
use toolcrib_store::{Ahead, StoreError};

use super::*;

pub struct LateThing;

impl WriteAction for LateThing {
    const SPEC: Spec = Spec::write("platform_late_thing", Category::Agents, Permission::AGENTS_MANAGE)
        .describe("Create a thing when all is over, and don't look whether there is one.")
        .notifies_admins()
        .escalations(&[Escalation {
            parameter: "dangerous",
            when: Condition::IsTrue,
            level: ConfirmationLevel::Simple,
        }]);
    type Input = Named;
    type Output = Thing;

    fn ahead(arguments: &Value) -> Option<Ahead> {
        agents::ahead(arguments.get("name")?.as_str()?).map(Ahead::only)
    }

    async fn run(cx: &mut WriteCx<'_>, input: &Named) -> Result<Thing, ActionError> {
        let row = row(cx, &input.name);
        let taken = ActionError::conflict(format!("`{}` came first", input.name));
        match agents::insert_late(cx.tx, &row).await {
            Err(StoreError::Duplicate) => return Err(taken),
            done => done?,
        }
        cx.if_taken(taken);
        Ok(Thing { id: row.id, name: row.name, secret: None })
    }

    fn describe(_: &Named, thing: &Thing) -> String {
        format!("Made `{}`", thing.name)
    }
}
