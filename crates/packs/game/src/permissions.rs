//! The declarations of the actions: their category, permission and level.

use toolcrib_registry::{Category, Permission, Spec, Verb};

use crate::INFO;

/// The permission that readers of the pack's events need.
pub const EVENTS: &str = "game:read";

const CATEGORY: Category = Category::Pack(&INFO);

/// Declares an action that reads, for viewers.
pub fn read(name: &str) -> Spec {
    Spec::read(name, CATEGORY, Permission::of_pack(INFO.slug, Verb::Read))
}

/// Declares an action of day-to-day work, for members.
pub fn work(name: &str) -> Spec {
    Spec::write(name, CATEGORY, Permission::of_pack(INFO.slug, Verb::Use))
}

/// Declares an action that changes a design, for editors.
pub fn manage(name: &str) -> Spec {
    Spec::write(name, CATEGORY, Permission::of_pack(INFO.slug, Verb::Manage))
}

/// Declares an action that can't be undone, for editors. One person approves it.
pub fn destroy(name: &str, warning: &str) -> Spec {
    Spec::destructive(name, CATEGORY, Permission::of_pack(INFO.slug, Verb::Manage), warning)
        .confirm_simple(warning)
}

/// Declares the deletion of a whole project, for admins. A person types a phrase.
pub fn delete(name: &str, warning: &str) -> Spec {
    Spec::destructive(name, CATEGORY, Permission::of_pack(INFO.slug, Verb::Delete), warning)
}
