//! A pseudo-random number generator with a fixed seed.

/// `SplitMix64`: small, and good enough for demo data.
#[derive(Clone, Debug)]
pub struct SeededRandom(u64);

impl SeededRandom {
    /// Creates a generator. The same seed gives the same numbers.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number from 0 to `end`, exclusive. Returns 0 if `end` is 0.
    pub fn below(&mut self, end: u32) -> u32 {
        u32::try_from(self.next() % u64::from(end.max(1))).unwrap_or(0)
    }

    /// Returns a random item. Returns `None` if the list is empty.
    pub fn pick<'l, T>(&mut self, list: &'l [T]) -> Option<&'l T> {
        let end = u32::try_from(list.len()).unwrap_or(u32::MAX);
        list.get(usize::try_from(self.below(end)).unwrap_or(0))
    }
}

#[cfg(test)]
mod tests {
    use super::SeededRandom;

    #[test]
    fn the_same_seed_chooses_the_same() {
        let draw = |seed| {
            let mut random = SeededRandom::new(seed);
            [(); 8].map(|()| random.below(100))
        };
        assert_eq!(draw(1), draw(1));
        assert_ne!(draw(1), draw(2));
        assert!(draw(3).iter().all(|n| *n < 100));
        assert_eq!(SeededRandom::new(1).below(0), 0);
        assert!(SeededRandom::new(1).pick::<u8>(&[]).is_none());
    }
}
