//! Tests of joins.
