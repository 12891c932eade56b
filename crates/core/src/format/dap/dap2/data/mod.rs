//! Data of DAP2: what is asked for, and what is answered.
//!
//! ```text
//! projection ─► request ─► .dods ─► answer: which variables ─► xdr ─► elements of netCDF
//! ```

mod answer;
mod no_data;
mod request;
mod xdr;

pub use answer::{Answer, Asked};
pub use no_data::no_data;
pub use request::{most_bytes, question};
pub use xdr::Elements;
