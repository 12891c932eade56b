//! [`RemoteQueries`]: a plain HTTP server that is asked by suffixes and queries of one URL.
//!
//! ```text
//! Question ─► URL + suffix ? query ─► Session: turns, retries ─► the whole answer, up to a limit
//! ```

use std::io;
use std::sync::Arc;

use object_store::path::Path;
use object_store::{GetOptions, ObjectStore};

use super::body::Body;
use crate::requests::{Behind, RemoteStore, Session, Task};
use crate::wire::Failure;
use ncutils_remote_settings::Secret;
use ncutils_remote_settings::url::{Provider, RemoteUrl};
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
    let mut options = GetOptions::default();
    options.extensions.insert(Behind {
        suffix: question.suffix,
        query: question.query.clone(),
    });
    let result = store.get_opts(&Path::default(), options).await?;
    all(Body::of(result), question.most).await
}

/// All bytes of an answer, at most `most`.
async fn all(mut body: Body, most: u64) -> object_store::Result<Vec<u8>> {
    let too_long = || Failure::last(format!("the answer has more than {most} bytes"));
    let told = body.left();
    if told.is_some_and(|told| told > most) {
        return Err(too_long().into());
    }
    let mut bytes = Vec::new();
    while let Some((piece, _)) = body.next().await? {
        if (bytes.len() + piece.len()) as u64 > most {
            return Err(too_long().into());
        }
        if bytes.try_reserve(piece.len()).is_err() {
            return Err(Failure::last("there is no memory for the answer").into());
        }
        bytes.extend_from_slice(&piece);
    }
    match told.is_some_and(|told| told < bytes.len() as u64) {
        true => Err(Failure::passing("the answer is longer than it told").into()),
        false => Ok(bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::requests::runtime;
    use crate::tests::fixtures::answer;

    fn got(pieces: &[&'static str], told: Option<u64>) -> Result<Vec<u8>, String> {
        let body = Body::of(answer(pieces, told, true));
        let all = runtime().unwrap().block_on(all(body, 6));
        all.map_err(|e| Failure::of(&e).text)
    }

    #[test]
    fn an_answer_has_as_many_bytes_as_told_and_as_are_allowed() {
        assert_eq!(got(&["abc", "de"], Some(5)).unwrap(), b"abcde");
        assert_eq!(got(&["abc", "def"], None).unwrap(), b"abcdef");
        for pieces in [&["abc", "de"][..], &["abcd", "e"]] {
            let error = got(pieces, Some(4)).unwrap_err();
            assert_eq!(error, "the answer is longer than it told");
        }
        for told in [Some(7), None] {
            let error = got(&["abc", "defg"], told).unwrap_err();
            assert_eq!(error, "the answer has more than 6 bytes");
        }
    }
}
