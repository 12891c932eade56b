//! Tells of a host that does not answer, while the request goes on.

use std::collections::HashSet;
use std::future::Future;
use std::pin::pin;
use std::time::Duration;

use parking_lot::Mutex;

use crate::patience;

/// Time without an answer after which the user is told.
const SILENCE: Duration = Duration::from_secs(5);

/// The hosts that were told. Each is told once.
static TOLD: Mutex<Option<HashSet<String>>> = Mutex::new(None);

/// The output of a request, whose host is told if it is silent for long.
pub(crate) async fn watched<F: Future>(host: &str, request: F) -> F::Output {
    let mut request = pin!(request);
    if let Ok(answer) = tokio::time::timeout(SILENCE, &mut request).await {
        return answer;
    }
    if TOLD.lock().get_or_insert_default().insert(host.to_owned()) {
        patience::tell(host);
    }
    request.await
}
