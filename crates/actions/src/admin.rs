//! Operations for programs: administration and records. Offered over REST and the command line, never to models.

use toolcrib_engine::Action;

/// Every operation, in order.
pub fn operations() -> Vec<Action> {
    Vec::new()
}
