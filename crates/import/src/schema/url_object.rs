//! Recognises objects whose properties stand in a query or a form, each for itself.

use serde_json::Value;

use super::{FlatSchema, SchemaReader, UnfitOperation, choice::without_choice};

const PROPERTY_DEPTH: usize = 2;

impl<'a> SchemaReader<'a> {
    /// Returns what schemas say together if their only values but null are objects with listed properties.
    pub fn object_of_properties(
        &mut self,
        schemas: &[&'a Value],
    ) -> Result<Option<FlatSchema<'a>>, UnfitOperation> {
        // As in a body, an object counts as one value when few levels are read.
        if PROPERTY_DEPTH + 2 > self.depth {
            return Ok(None);
        }
        let Some(flat) = self.flatten(schemas)? else { return Ok(None) };
        let flat = match flat.choice {
            None => flat,
            Some(options) => match self.only_option(&flat, options)? {
                Some(option) => option,
                None => return Ok(None),
            },
        };
        Ok((flat.types() == ["object"] && !flat.all_properties().is_empty()).then_some(flat))
    }

    /// Returns the only option of a choice that is not null.
    fn only_option(
        &mut self,
        flat: &FlatSchema<'a>,
        options: &'a [Value],
    ) -> Result<Option<FlatSchema<'a>>, UnfitOperation> {
        let mut only = None;
        for option in self.options(&without_choice(flat), options)? {
            match option {
                Ok(Some(option)) if option.is_null_only() => {}
                Ok(Some(option)) if only.is_none() && option.choice.is_none() => only = Some(option),
                _ => return Ok(None),
            }
        }
        Ok(only)
    }
}
