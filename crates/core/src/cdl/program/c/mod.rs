//! Prints a C program that creates a dataset through netCDF-C. It covers the whole netCDF-4 model.
//!
//! ```c
//! static int var_t;                              one identifier for each group, dimension, type, variable
//! static void define(void) { … nc_def_var(…); }
//! static void put_var_t(void) { … nc_put_vara(…); }
//! int main(void) { define(); put_var_t(); nc_close(…); }
//! ```

mod definitions;
mod initializer;
mod literals;
mod program;
mod write;

pub use write::write;
