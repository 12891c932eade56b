//! [`QueryServer`]: a server that answers questions about one dataset, and gives no bytes at positions.

use std::io;

/// One question: what follows the dataset's URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// What is put behind the path, such as `.dds`.
    pub suffix: &'static str,
    /// The query, escaped for a URL; empty for none.
    pub query: String,
    /// Most bytes of the answer. A longer one is an error, and is not read.
    pub most: u64,
}

/// A server that answers questions about one dataset.
pub trait QueryServer: Send + Sync {
    /// The whole answer to a question. Blocks until it is there.
    ///
    /// # Errors
    /// The server's refusal, a broken answer, or one of more bytes than the question allows.
    fn ask(&self, question: &Question) -> io::Result<Vec<u8>>;

    /// The query that the user typed behind the URL, as typed; empty for none.
    fn typed_query(&self) -> &str;

    /// The most questions that are asked at once.
    fn in_flight(&self) -> usize;
}
