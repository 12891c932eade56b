//! Tests of the table of options: its pages of the guide, and the messages that name options.

mod guide;
mod messages;
