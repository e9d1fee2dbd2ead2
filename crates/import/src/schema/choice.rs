//! Reads `anyOf` and `oneOf`. Both become `anyOf`: closed objects may overlap where open ones did not.

use serde_json::{Value, json};

use super::{FlatSchema, SchemaReader, UnfitOperation, any_value, finish::add_null, flatten::ReferenceTrail};

/// Keywords that make an option more than a condition on its siblings.
const CONTENT: [&str; 9] =
    ["type", "properties", "items", "enum", "const", "$ref", "allOf", "anyOf", "oneOf"];

/// What an option says, or why it can't be read.
type ReadOption<'a> = Result<Option<FlatSchema<'a>>, String>;

impl<'a> SchemaReader<'a> {
    /// Reads a choice. The other keywords of the schema hold for every option.
    pub(super) fn choice(
        &mut self,
        flat: &FlatSchema<'a>,
        options: &'a [Value],
        depth: usize,
    ) -> Result<Value, UnfitOperation> {
        let base = without_choice(flat);
        if is_condition_only(options) {
            self.note("a choice between groups of required properties was dropped");
            return self.of_types(&base, depth);
        }
        if depth + 1 > self.depth {
            self.note("a choice that is nested too deep became any value");
            return Ok(any_value());
        }
        let mut read = Vec::new();
        let (mut nullable, mut unfit) = (false, None);
        for (option, flat) in options.iter().zip(self.options(&base, options)?) {
            match self.read_option(option, flat, depth + 1) {
                Ok((schema, null)) => {
                    nullable |= null;
                    let new = schema.filter(|schema| !read.contains(schema));
                    read.extend(new);
                }
                Err(UnfitOperation::Reason(reason)) => {
                    self.note(format!("an option of a choice was dropped: it {reason}"));
                    unfit = Some(reason);
                }
                Err(too_detailed) => return Err(too_detailed),
            }
        }
        let mut schema = match (read.len(), unfit) {
            (0, Some(reason)) => return Err(reason.into()),
            (0, None) => self.of_types(&base, depth)?,
            (1, _) => read.swap_remove(0),
            _ => json!({ "anyOf": read }),
        };
        if nullable {
            add_null(&mut schema);
        }
        Ok(schema)
    }

    /// Returns the schema of an option, unless null is its only value, and whether null is a value.
    fn read_option(
        &mut self,
        option: &'a Value,
        read: ReadOption<'a>,
        depth: usize,
    ) -> Result<(Option<Value>, bool), UnfitOperation> {
        match read? {
            Some(flat) if flat.is_null_only() => Ok((None, true)),
            Some(flat) => {
                let nullable = flat.nullable;
                let schema = self.build(&FlatSchema { nullable: false, ..flat }, depth)?;
                Ok((Some(schema), nullable))
            }
            None => Ok((Some(self.recursive(&[option])), false)),
        }
    }

    /// Returns the options, each with what the schema says beside them, or why it can't be read. `None` is a recursive
    /// option.
    pub(super) fn options(
        &mut self,
        base: &FlatSchema<'a>,
        options: &'a [Value],
    ) -> Result<Vec<ReadOption<'a>>, UnfitOperation> {
        let mut flat = Vec::new();
        for option in options {
            let mut whole = base.clone();
            whole.keywords.retain(|(key, _)| !matches!(*key, "description" | "default"));
            flat.push(match self.add(&mut whole, option, &mut ReferenceTrail::default()) {
                Ok(fits) => Ok(fits.then_some(whole)),
                Err(UnfitOperation::Reason(reason)) => Err(reason),
                Err(too_detailed) => return Err(too_detailed),
            });
        }
        Ok(flat)
    }
}

/// Returns what a schema says beside its choice.
pub fn without_choice<'a>(flat: &FlatSchema<'a>) -> FlatSchema<'a> {
    FlatSchema { choice: None, nullable: false, opened: Vec::new(), ..flat.clone() }
}

/// Returns whether a choice says nothing about values but which properties they have together.
pub fn is_condition_only(options: &[Value]) -> bool {
    options.iter().all(is_condition)
}

fn is_condition(option: &Value) -> bool {
    option.as_object().is_some_and(|object| !CONTENT.iter().any(|key| object.contains_key(*key)))
}
