//! The task of a copy as plain data: each variable, its route, and bands of record variables.

mod band;
mod route;
mod variable;

pub use band::{Band, Member};
pub use route::{Route, RouteName};
pub use variable::Variable;
