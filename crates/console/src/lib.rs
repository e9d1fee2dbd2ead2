//! The web console: its pages and assets, which are the same bytes for everybody, and its sign-in. A page
//! reads everything else from the API, with the session as its credential.
//!
//! Depends on `auth`, `engine` and `http`. Names neither `actions` nor `store`, so that no code here can bypass the
//! gates. The pages are in `web/`.
//!
//! To add a page, add it to `web/`; the browser chooses it by the path. To add an endpoint of the sign-in: a
//! handler in `session.rs`, and a line in `routes.rs`.

mod assets;
#[cfg(test)]
mod comments;
mod login;
mod routes;
mod session;

pub use routes::routes;
pub use session::{ConsoleSettings, DemoPerson, ProviderSignIn};
