//! Names that people tell things apart by.

use toolcrib_engine::ActionError;
use toolcrib_model::{code_point, kept_name};

/// Turns the name of a new thing into the form that is kept; 422 for characters that nobody sees, by which two names could
/// look alike and one could look like something else.
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
