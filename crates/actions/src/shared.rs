//! What several actions share: references and their resolution, paging, small views.

pub mod items;
pub mod models;
pub mod paging;
pub mod refs;
