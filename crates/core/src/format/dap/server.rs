//! [`Server`]: questions to a server, many at once.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc;

use super::limits::MOST_OF_A_TEXT;
use crate::error::{Error, Result};
use crate::store::{FetchPool, QueryServer, Question};

/// A server that is asked by several threads.
pub struct Server {
    server: Arc<dyn QueryServer>,
    pool: FetchPool,
}

impl Server {
    pub fn new(server: &Arc<dyn QueryServer>) -> Self {
        Self {
            server: Arc::clone(server),
            pool: FetchPool::new(server.in_flight()),
        }
    }

    /// The query that the user typed.
    pub fn typed_query(&self) -> &str {
        self.server.typed_query()
    }

    /// A text that describes the dataset. Bytes that are not UTF-8 are replaced.
    ///
    /// # Errors
    /// Those of the server.
    pub fn text(&self, suffix: &'static str, query: String) -> Result<String> {
        let question = Question {
            suffix,
            query,
            most: MOST_OF_A_TEXT,
        };
        let bytes = self
            .server
            .ask(&question)
            .map_err(|e| Error::io("cannot read", e))?;
        Ok(String::from_utf8(bytes).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned()))
    }

    /// Asks all questions at once, and passes the answers to `each` in the order of the questions.
    ///
    /// # Errors
    /// The first one of the server or of `each`. Answers that are still on their way are dropped.
    pub fn answers(&self, questions: Vec<Question>, mut each: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
        let failed = |e| Error::io("cannot read", e);
        if let [one] = &questions[..] {
            return each(&self.server.ask(one).map_err(failed)?);
        }
        let (tell, told) = mpsc::channel();
        for (n, question) in questions.into_iter().enumerate() {
            let (server, tell) = (Arc::clone(&self.server), tell.clone());
            self.pool.run(move || {
                // Nobody listens after the first error.
                let _ = tell.send((n, server.ask(&question)));
            });
        }
        drop(tell);
        let (mut early, mut next) = (BTreeMap::new(), 0);
        for (n, answer) in told {
            early.insert(n, answer.map_err(failed)?);
            while let Some(answer) = early.remove(&next) {
                each(&answer)?;
                next += 1;
            }
        }
        match early.is_empty() {
            true => Ok(()),
            false => Err(Error::Internal("a question has no answer".to_owned())),
        }
    }
}
