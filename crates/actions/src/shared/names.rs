//! Normalizes display names.

use toolcrib_engine::ActionError;
use toolcrib_model::{code_point, kept_name};

/// Normalizes the name of a new object. 422 for invisible characters, because two names could look equal, or
/// a name could look like something else.
pub fn keep(name: &mut String) -> Result<(), ActionError> {
    match kept_name(name) {
        Ok(kept) => {
            *name = kept;
            Ok(())
        }
        Err(c) => {
            let text = format!(
                "must not contain control, direction, invisible or private-use characters; it contains `{}`",
                code_point(c)
            );
            Err(ActionError::invalid("/name", "characters", text)
                .hint("remove that character; emoji are allowed"))
        }
    }
}
