//! Inputs generated from a published schema: some that it accepts, and some that break one of its rules.

mod broken;
mod chance;
mod sound;

pub use broken::broken;
pub use chance::Chance;
pub use sound::sound;
