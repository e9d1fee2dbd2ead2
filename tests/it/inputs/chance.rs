//! Seeded random values, which are the same for the same seed.

use proptest::{
    strategy::{Strategy, ValueTree as _},
    test_runner::{Config, RngAlgorithm, TestRng, TestRunner},
};

/// A seeded random generator.
pub struct Chance(TestRunner);

impl Chance {
    /// Creates a generator. The same seed gives the same values.
    pub fn new(seed: u64) -> Self {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
        Self(TestRunner::new_with_rng(Config::default(), rng))
    }

    /// Draws a value of a strategy.
    pub fn draw<T: std::fmt::Debug>(&mut self, strategy: impl Strategy<Value = T>) -> T {
        strategy.new_tree(&mut self.0).unwrap().current()
    }

    /// A number from 0 up to, but not including, `end`.
    pub fn below(&mut self, end: usize) -> usize {
        self.draw(0..end)
    }

    /// One item of the list.
    pub fn pick<'l, T>(&mut self, list: &'l [T]) -> &'l T {
        &list[self.below(list.len())]
    }
}
