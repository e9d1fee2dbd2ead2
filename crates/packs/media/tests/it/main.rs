//! The pack `media`, against servers that speak as the services do.
#![expect(clippy::unwrap_used, reason = "tests")]

mod adds;
mod assistant;
mod calendars;
mod cuts;
mod discovery;
mod fakes;
mod faults;
mod house;
mod messages;
mod queue;
mod removals;
mod searches;
mod settings;
mod status;
mod walls;
mod words;
