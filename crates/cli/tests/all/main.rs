//! Tests of the table of options, of the pages that are made of tables, and of the messages that name options.

mod guide;
mod long_names;
mod messages;
mod programs_page;
mod python;
