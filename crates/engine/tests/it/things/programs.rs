//! Operations for programs. No model is shown them, and some need no workspace.

use serde_json::json;
use toolcrib_registry::{Level, LimitClass};

use super::*;

read!(
    AnybodysThing,
    Spec::program("things.anybodys", Level::Read, Permission::AGENTS_READ).open().describe("Anybody's."),
    |cx, input| Ok(Thing { id: cx.caller.workspace, name: input.name.clone(), secret: None })
);
read!(
    OperatorsThing,
    Spec::program("things.operators", Level::Read, Permission::AGENTS_READ)
        .system("workspaces:create")
        .describe("The operator's."),
    |cx, input| Ok(Thing { id: cx.caller.workspace, name: input.name.clone(), secret: None })
);
read!(
    WorkspacesThing,
    Spec::program("things.workspaces", Level::Read, Permission::AGENTS_READ).describe("A workspace's."),
    |cx, input| Ok(Thing { id: cx.caller.workspace, name: input.name.clone(), secret: None })
);
write!(
    TellThing,
    Spec::program("things.tell", Level::Write, Permission::AGENTS_MANAGE).describe("Tells of itself."),
    |cx, input| {
        let left = cx.reading().left(LimitClass::Write).await.map(|state| state.remaining);
        cx.emit("thing.told", "agents:read", json!({ "name": input.name, "writes_left": left }));
        if input.dangerous == Some(true) {
            cx.notify_admins();
        }
        Ok(Thing { id: Id::nil(), name: input.name.clone(), secret: None })
    }
);
