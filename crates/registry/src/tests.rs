//! What the tests of this crate's modules share.

pub(crate) mod test_actions;
