//! An action that leaves what it adds for the commit.

use toolcrib_store::StoreError;

use super::*;

write!(
    LateThing,
    Spec::write("platform_late_thing", Category::Agents, Permission::AGENTS_MANAGE)
        .describe("Create a thing when all is over, and don't look whether there is one.")
        .notifies_admins()
        .escalations(&[Escalation {
            parameter: "dangerous",
            when: Condition::IsTrue,
            level: ConfirmationLevel::Simple
        }]),
    |cx, input| {
        let row = row(cx, &input.name);
        let taken = ActionError::conflict(format!("`{}` came first", input.name));
        match agents::insert_late(cx.tx, &row).await {
            Err(StoreError::Duplicate) => return Err(taken),
            done => done?,
        }
        cx.if_taken(taken);
        Ok(Thing { id: row.id, name: row.name, secret: None })
    }
);
