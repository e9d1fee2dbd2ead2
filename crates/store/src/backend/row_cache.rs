//! The rows that a transaction has read.

use std::{
    any::{Any, TypeId},
    collections::HashMap,
    fmt,
};

/// The rows that a transaction has read since it last changed something, by their type and key. The gates and the
/// action of one call look up the same rows; each further look-up would be a round trip to PostgreSQL.
#[derive(Default)]
pub struct RowCache(HashMap<(TypeId, String), Box<dyn Any + Send + Sync>>);

impl fmt::Debug for RowCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RowCache").field("rows", &self.0.len()).finish()
    }
}

impl RowCache {
    /// Returns a row.
    pub fn get<T: Clone + 'static>(&self, key: &impl ToString) -> Option<T> {
        if self.0.is_empty() {
            return None;
        }
        let row = self.0.get(&(TypeId::of::<T>(), key.to_string()))?;
        row.downcast_ref::<T>().cloned()
    }

    /// Adds a row.
    pub fn insert<T: Clone + Send + Sync + 'static>(&mut self, key: &impl ToString, row: T) {
        self.0.insert((TypeId::of::<T>(), key.to_string()), Box::new(row));
    }

    /// Removes all rows.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}
