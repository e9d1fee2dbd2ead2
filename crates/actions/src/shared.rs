//! What several actions share: references and their resolution, paging, small views.

pub mod limits;
pub mod paging;
pub mod refs;
