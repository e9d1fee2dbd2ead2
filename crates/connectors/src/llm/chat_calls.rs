//! The calls of an answer in Chat Completions, which servers stream in many ways.

use serde_json::{Map, Value, json};

use super::{
    MAX_CALLS, ModelCall, ModelError,
    decoder::{is_json, text, unused_id},
    error::Fault,
};

/// How many levels of an object within a member are merged.
const MERGED_LEVELS: usize = 8;

/// The calls that came until now.
#[derive(Default)]
pub struct Calls {
    calls: Vec<PendingCall>,
    /// The bytes of their texts and members.
    pub kept: usize,
}

#[derive(Default)]
struct PendingCall {
    index: Option<u64>,
    /// Empty where the server gives none.
    id: String,
    name: String,
    arguments: String,
    /// Further members of `function`, and of the call.
    of_function: Map<String, Value>,
    further: Map<String, Value>,
}

impl Calls {
    pub fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// Takes the next piece of `tool_calls`.
    pub fn push(&mut self, piece: Value) -> Result<(), Fault> {
        let Value::Object(mut piece) = piece else { return Ok(()) };
        let mut function = match piece.remove("function") {
            Some(Value::Object(function)) => function,
            _ => Map::new(),
        };
        let index = piece.remove("index").and_then(|index| index.as_u64());
        let (id, name) = (text(piece.remove("id")), text(function.remove("name")));
        let arguments = text(function.remove("arguments"));
        piece.remove("type");
        self.kept += id.len() + name.len() + arguments.len() + size(&piece) + size(&function);
        let at = match self.continued(index, &id, &name, &arguments) {
            Some(at) => at,
            None if self.calls.len() == MAX_CALLS => {
                return Err(Fault::lasting(ModelError::TooLarge("more than 256 calls")));
            }
            None => {
                self.calls.push(PendingCall { index, id, ..PendingCall::default() });
                self.calls.len() - 1
            }
        };
        let Some(call) = self.calls.get_mut(at) else { return Ok(()) };
        // A server that repeats the name sends it whole; another one sends fragments before the arguments.
        if name != call.name && call.arguments.is_empty() {
            call.name.push_str(&name);
        }
        call.arguments.push_str(&arguments);
        function.into_iter().for_each(|(name, value)| merge(&mut call.of_function, name, value));
        piece.into_iter().for_each(|(name, value)| merge(&mut call.further, name, value));
        Ok(())
    }

    /// Finds the call that a piece belongs to; `None` where it begins one.
    fn continued(&self, index: Option<u64>, id: &str, name: &str, arguments: &str) -> Option<usize> {
        let of_index = || self.calls.iter().rposition(|call| call.index == index);
        let at = if !id.is_empty() && !name.is_empty() {
            self.calls.iter().rposition(|call| call.id == id && (index.is_none() || call.index == index))?
        } else if index.is_some() {
            // Some servers make a new ID for each piece: only the first has a name.
            of_index()?
        } else if id.is_empty() {
            self.calls.len().checked_sub(1)?
        } else {
            self.calls.iter().rposition(|call| call.id == id)?
        };
        let call = self.calls.get(at)?;
        let is_whole = !call.arguments.is_empty()
            && (name != call.name || (!arguments.is_empty() && is_json(&call.arguments)));
        (name.is_empty() || !is_whole).then_some(at)
    }

    /// Returns the calls, and `tool_calls` to send back. `None` where a call has no name.
    pub fn end(self) -> Option<(Vec<ModelCall>, Vec<Value>)> {
        let mut calls: Vec<ModelCall> = Vec::with_capacity(self.calls.len());
        let mut native = Vec::with_capacity(self.calls.len());
        for PendingCall { id, name, mut arguments, of_function, further, .. } in self.calls {
            if name.is_empty() {
                return None;
            }
            if arguments.trim().is_empty() {
                "{}".clone_into(&mut arguments);
            }
            let id = unused_id(&id, &calls);
            let mut function = json!({ "name": name, "arguments": arguments });
            let mut call = json!({ "id": id, "type": "function" });
            extend(&mut function, of_function);
            extend(&mut call, further);
            call["function"] = function;
            native.push(call);
            calls.push(ModelCall { id, name, arguments });
        }
        Some((calls, native))
    }
}

/// The bytes of the members.
pub fn size(members: &Map<String, Value>) -> usize {
    members.iter().map(|(name, value)| name.len() + value.to_string().len()).sum()
}

/// Adds a piece of a member: texts are joined, lists appended, and of other values the last one counts.
pub fn merge(members: &mut Map<String, Value>, name: String, piece: Value) {
    match (members.get_mut(&name), piece) {
        (_, Value::Null) => {}
        (Some(Value::String(text)), Value::String(piece)) => text.push_str(&piece),
        (Some(Value::Array(list)), Value::Array(piece)) => list.extend(piece),
        (Some(Value::Object(object)), Value::Object(piece)) => merge_object(object, piece, MERGED_LEVELS),
        (_, piece) => {
            members.insert(name, piece);
        }
    }
}

/// Adds the members of a piece of an object. Of values that are no objects the last one counts.
fn merge_object(object: &mut Map<String, Value>, piece: Map<String, Value>, levels: usize) {
    for (name, piece) in piece {
        match (object.get_mut(&name), piece) {
            (Some(_), Value::Null) => {}
            (Some(Value::Object(inner)), Value::Object(piece)) if levels > 1 => {
                merge_object(inner, piece, levels - 1);
            }
            (_, piece) => {
                object.insert(name, piece);
            }
        }
    }
}

pub fn extend(object: &mut Value, members: Map<String, Value>) {
    if let Some(object) = object.as_object_mut() {
        object.extend(members);
    }
}
