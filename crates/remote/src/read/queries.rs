//! [`RemoteQueries`]: a plain HTTP server that is asked by suffixes and queries of one URL.
//!
//! ```text
//! Question ─► URL + suffix ? query ─► Session: turns, retries ─► the whole answer, up to a limit
//! ```

use std::io;
use std::sync::Arc;

use futures_util::StreamExt;
use object_store::path::Path;
use object_store::{GetOptions, ObjectStore};

use super::download::{Pace, begins_a_page, is_web_page};
use crate::requests::{Behind, RemoteStore, Session, Task};
use crate::secret::Secret;
use crate::url::{Provider, RemoteUrl};
use crate::wire::Failure;
use ncutils_store::{QueryServer, Question};

/// A plain HTTP server that answers questions about the dataset of one URL.
pub struct RemoteQueries {
    session: Arc<Session>,
    typed: Option<Secret>,
}

impl RemoteQueries {
    /// The server of a URL; `None` for a URL of an object store.
    pub fn of(url: &RemoteUrl, session: &Arc<Session>) -> Option<Self> {
        (url.provider() == Provider::Http).then(|| Self {
            session: Arc::clone(session),
            typed: url.query().cloned(),
        })
    }
}

impl QueryServer for RemoteQueries {
    fn ask(&self, question: &Question) -> io::Result<Vec<u8>> {
        let task = Task::new("read", "");
        self.session.run(&task, |store| whole(store, question))
    }

    fn typed_query(&self) -> &str {
        self.typed.as_ref().map_or("", Secret::expose)
    }

    fn in_flight(&self) -> usize {
        self.session.requests()
    }
}

/// One try: the answer from its beginning to its end.
async fn whole(store: Arc<dyn RemoteStore>, question: &Question) -> object_store::Result<Vec<u8>> {
    let too_long = || Failure::last(format!("the answer has more than {} bytes", question.most));
    let mut options = GetOptions::default();
    options.extensions.insert(Behind {
        suffix: question.suffix,
        query: question.query.clone(),
    });
    let result = store.get_opts(&Path::default(), options).await?;
    let is_page = is_web_page(&result);
    let told = Some(result.meta.size).filter(|size| *size != u64::MAX);
    if told.is_some_and(|told| told > question.most) {
        return Err(too_long().into());
    }
    let mut bytes = Vec::new();
    let room = usize::try_from(told.unwrap_or(0));
    if room.map_or(true, |room| bytes.try_reserve_exact(room).is_err()) {
        return Err(Failure::last("there is no memory for the answer").into());
    }
    let (mut pieces, mut pace) = (result.into_stream(), Pace::new());
    while let Some(piece) = pieces.next().await {
        let piece = piece?;
        pace.came(piece.len())?;
        if is_page && bytes.is_empty() && begins_a_page(&piece) {
            return Err(Failure::web_page().into());
        }
        if (bytes.len() + piece.len()) as u64 > question.most {
            return Err(too_long().into());
        }
        bytes.extend_from_slice(&piece);
    }
    match told.is_some_and(|told| told != bytes.len() as u64) {
        true => Err(Failure::passing("the answer ended too early").into()),
        false => Ok(bytes),
    }
}
