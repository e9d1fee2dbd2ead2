//! Names that do not fit their level.

use toolcrib_registry::Level;

use crate::{
    defect::{below, quoted},
    grammar::words,
    note::{CheckReport, NoteKind},
    rules::ToolScope,
};

/// First words of names, and the level that they promise.
const VERBS: [(&str, Level); 27] = [
    ("get", Level::Read),
    ("list", Level::Read),
    ("read", Level::Read),
    ("fetch", Level::Read),
    ("search", Level::Read),
    ("show", Level::Read),
    ("count", Level::Read),
    ("describe", Level::Read),
    ("create", Level::Write),
    ("add", Level::Write),
    ("update", Level::Write),
    ("set", Level::Write),
    ("edit", Level::Write),
    ("write", Level::Write),
    ("send", Level::Write),
    ("post", Level::Write),
    ("move", Level::Write),
    ("rename", Level::Write),
    ("replace", Level::Write),
    ("close", Level::Write),
    ("delete", Level::Destructive),
    ("remove", Level::Destructive),
    ("purge", Level::Destructive),
    ("destroy", Level::Destructive),
    ("drop", Level::Destructive),
    ("erase", Level::Destructive),
    ("wipe", Level::Destructive),
];

/// Notes a name that promises to do less than the level says, or more than it.
pub fn check(scope: &ToolScope<'_>, report: &mut CheckReport) {
    let (Some(name), Some(level)) = (&scope.tool.name, scope.tool.permission_level) else { return };
    let words = words(name);
    let verb = words.first().and_then(|word| VERBS.iter().find(|(verb, _)| verb == word));
    let Some((verb, promised)) = verb else { return };
    let differs = match (promised, level) {
        // A write tool may become destructive by what it overwrites.
        (Level::Write, level) => level == Level::Read,
        (promised, level) => *promised != level,
    };
    if differs {
        let message = format!(
            "{} begins with `{verb}`, and its level is `{}`; check the level",
            quoted(name),
            level.as_str()
        );
        report.note(NoteKind::NameAndLevel, below(&scope.at, "permission_level"), message);
    }
}
