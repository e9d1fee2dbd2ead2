//! An action that inserts a row without looking for an existing one.

use toolcrib_store::StoreError;

use super::*;

pub struct InsertThing;

impl WriteAction for InsertThing {
    type Input = Named;
    type Output = Thing;

    fn spec() -> Spec {
        Spec::write("platform_insert_thing", Category::Agents, Permission::AGENTS_MANAGE)
            .describe("Create a thing, and don't look whether there is one.")
            .notifies_admins()
            .escalations(&[Escalation::new("dangerous", Condition::IsTrue, ConfirmationLevel::Simple)])
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Named) -> Result<Thing, ActionError> {
        let row = row(cx, &input.name);
        match agents::insert(cx.tx, &row).await {
            Err(StoreError::Duplicate) => {
                return Err(ActionError::conflict(format!("`{}` came first", input.name)));
            }
            inserted => inserted?,
        }
        Ok(Thing { id: row.id, name: row.name, secret: None })
    }

    fn describe(_: &Named, thing: &Thing) -> String {
        format!("Made `{}`", thing.name)
    }
}
