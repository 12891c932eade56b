//! [`RetryConfig`]: how often and how long a request is tried, and the waits between tries.

use std::time::Duration;

use ncutils_remote_settings::timeout;

/// How often and how long a request is tried.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RetryConfig {
    /// Tries without progress, at most.
    pub(crate) tries: u32,
    /// Tries of a connection, while none was ever made: the host may not be there at all.
    pub(crate) first_tries: u32,
    /// Time without progress after which no further try begins.
    pub(crate) total: Duration,
    /// Wait before the second try. Each further wait is twice as long.
    pub(crate) first_wait: Duration,
    /// Longest wait.
    pub(crate) longest_wait: Duration,
}

impl RetryConfig {
    /// What users get.
    pub(crate) const DEFAULT: Self = Self {
        tries: 10,
        first_tries: 4,
        total: Duration::from_secs(180),
        first_wait: Duration::from_millis(100),
        longest_wait: Duration::from_secs(15),
    };

    /// What users get who set the time after which a silent server is given up.
    pub(crate) fn asked() -> Self {
        match timeout() {
            Some(total) => Self {
                tries: u32::MAX,
                total,
                ..Self::DEFAULT
            },
            None => Self::DEFAULT,
        }
    }

    /// The wait after a number of tries: between half of it and all of it, by chance, so that clients that failed together
    /// do not come back together.
    pub(super) fn wait(&self, tries: u32, chance: f64) -> Duration {
        let doubled = self
            .first_wait
            .saturating_mul(1 << tries.saturating_sub(1).min(16));
        doubled.min(self.longest_wait).mul_f64(0.5 + chance / 2.0)
    }
}

/// What stores of `object_store` get. The session retries, and what they retried would be tried ten times ten times.
pub(crate) fn no_retries() -> object_store::RetryConfig {
    object_store::RetryConfig {
        max_retries: 0,
        ..Default::default()
    }
}
