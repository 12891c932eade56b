//! The text for a frame that is not as its format says.

pub fn damaged(why: &str) -> String {
    format!("damaged Blosc2 frame: {why}")
}
