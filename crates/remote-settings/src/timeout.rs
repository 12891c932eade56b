//! How long this process waits for silent servers, and whom it tells that it waits.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The longest time without an answer, in seconds; 0 for the defaults.
static LONGEST: AtomicU64 = AtomicU64::new(0);

/// Gets the name of a silent host.
type Teller = Box<dyn Fn(&str) + Send + Sync>;

static TELLER: OnceLock<Teller> = OnceLock::new();

/// Gives up a server that has not answered for `seconds`, over all tries. Applies to sessions that are made later.
pub fn set_timeout(seconds: u64) {
    LONGEST.store(seconds, Ordering::Relaxed);
}

/// The time after which a silent server is given up, if one was set.
pub fn timeout() -> Option<Duration> {
    let seconds = LONGEST.load(Ordering::Relaxed);
    (seconds > 0).then(|| Duration::from_secs(seconds))
}

/// Lets `tell` know of each host that has been silent for some seconds. Has no effect the second time.
pub fn tell_waits(tell: impl Fn(&str) + Send + Sync + 'static) {
    // The first one is of the same process, and tells the same.
    let _ = TELLER.set(Box::new(tell));
}

/// Tells that a host is silent.
pub fn tell_silent_host(host: &str) {
    if let Some(tell) = TELLER.get() {
        tell(host);
    }
}
