//! A gauge of things that are open now.

use metrics::Gauge;

/// Counts one thing in a gauge until it is dropped.
pub struct GaugeGuard(Gauge);

impl GaugeGuard {
    /// Adds one to the gauge.
    #[must_use]
    pub fn new(gauge: Gauge) -> Self {
        gauge.increment(1);
        Self(gauge)
    }
}

impl Drop for GaugeGuard {
    fn drop(&mut self) {
        self.0.decrement(1);
    }
}
