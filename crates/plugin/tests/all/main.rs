//! Tests of plugins, in one program.

mod plugin;
