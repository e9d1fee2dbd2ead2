//! Reads `anyOf` and `oneOf`. Both become `anyOf`: closed objects may overlap where open ones did not.

use serde_json::{Value, json};

use super::{FlatSchema, SchemaReader, UnfitOperation, any_value, flatten::ReferenceTrail};

/// Keywords that make an option more than a condition on its siblings.
const CONTENT: [&str; 9] =
    ["type", "properties", "items", "enum", "const", "$ref", "allOf", "anyOf", "oneOf"];

impl<'a> SchemaReader<'a> {
    /// Reads a choice. The other keywords of the schema hold for every option.
    pub(super) fn choice(
        &mut self,
        flat: &FlatSchema<'a>,
        options: &'a [Value],
        depth: usize,
    ) -> Result<Value, UnfitOperation> {
        let base = without_choice(flat);
        if options.iter().all(is_condition) {
            self.note("a choice between groups of required properties was dropped");
            return self.of_types(&base, depth);
        }
        if depth + 1 > self.depth {
            self.note("a choice that is nested too deep became any value");
            return Ok(any_value());
        }
        let mut read = Vec::new();
        let mut unfit = None;
        for option in self.options(&base, options)? {
            let built = match option {
                Some(flat) => self.build(&FlatSchema { nullable: false, ..flat }, depth + 1),
                None => Ok(self.recursive()),
            };
            match built {
                Ok(schema) if read.contains(&schema) => {}
                Ok(schema) => read.push(schema),
                Err(UnfitOperation::Reason(reason)) => unfit = Some(reason),
                Err(too_detailed) => return Err(too_detailed),
            }
        }
        match (read.len(), unfit) {
            (0, Some(reason)) => Err(reason.into()),
            (0, None) => self.of_types(&base, depth),
            (1, _) => Ok(read.swap_remove(0)),
            _ => Ok(json!({ "anyOf": read })),
        }
    }

    /// Returns the options without null, each with what the schema says beside them. `None` is a recursive option.
    pub(super) fn options(
        &mut self,
        base: &FlatSchema<'a>,
        options: &'a [Value],
    ) -> Result<Vec<Option<FlatSchema<'a>>>, UnfitOperation> {
        let mut flat = Vec::new();
        for option in options.iter().filter(|option| !is_null(option)) {
            let mut whole = base.clone();
            whole.keywords.retain(|(key, _)| !matches!(*key, "description" | "default"));
            let fits = self.add(&mut whole, option, &mut ReferenceTrail::default())?;
            flat.push(fits.then_some(whole));
        }
        Ok(flat)
    }
}

/// Returns what a schema says beside its choice.
pub fn without_choice<'a>(flat: &FlatSchema<'a>) -> FlatSchema<'a> {
    FlatSchema { choice: None, nullable: false, opened: Vec::new(), ..flat.clone() }
}

/// Returns whether an option is null.
pub fn is_null(option: &Value) -> bool {
    let is = |value: &Value, null: &Value| value == null || value == &json!([null]);
    option.get("type").is_some_and(|kind| is(kind, &json!("null")))
        || option.get("enum").is_some_and(|values| is(values, &Value::Null))
        || option.get("const").is_some_and(Value::is_null)
}

fn is_condition(option: &Value) -> bool {
    option.as_object().is_some_and(|object| !CONTENT.iter().any(|key| object.contains_key(*key)))
}
