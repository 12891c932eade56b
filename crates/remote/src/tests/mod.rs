//! Stores and servers that only tests use.

pub(crate) mod faulty_store;
pub(crate) mod fixtures;
pub(crate) mod test_server;
