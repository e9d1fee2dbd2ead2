//! The operating system's figures about this process.

use std::fs;

/// The figures of this process. A figure that the system does not report is `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Process {
    /// Memory in use, in bytes.
    pub resident_bytes: Option<u64>,
    /// The peak memory use, in bytes.
    pub peak_bytes: Option<u64>,
    pub threads: Option<u64>,
}

impl Process {
    /// Reads the current figures. Every figure is `None` on systems other than Linux.
    pub fn now() -> Self {
        fs::read_to_string("/proc/self/status").map(|text| Self::of(&text)).unwrap_or_default()
    }

    pub(super) fn of(status: &str) -> Self {
        let number = |name: &str| -> Option<u64> {
            let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
            line.split_whitespace().next()?.parse().ok()
        };
        let bytes = |name| number(name)?.checked_mul(1_024);
        Self { resident_bytes: bytes("VmRSS"), peak_bytes: bytes("VmHWM"), threads: number("Threads") }
    }
}
