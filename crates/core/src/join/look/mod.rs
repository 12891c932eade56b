//! One look at each input: what it has, and whether it goes on with the first.
//!
//! ```text
//! input ─► frame ─┬─ names:          its items, by the paths of the first input's
//!                 ├─ compare:        types (same_type), lengths, packing
//!                 ├─ units:          the same, or times that are converted
//!                 └─ static_values:  values that all inputs must share, else their difference
//!            │
//!            ▼
//!          Look ─► judge: what is refused, and what is told
//! ```

mod compare;
mod difference;
mod frame;
mod judge;
mod names;
mod same_type;
mod static_values;
mod units;

pub use compare::Pair;
pub use frame::Frame;
pub use judge::Compared;
pub use names::NameMap;
pub use static_values::StaticValues;
