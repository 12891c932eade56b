//! The rules of remote names and settings, each with the request that results. Nothing is sent.

mod google_and_azure;
mod rc_files;
mod s3_settings;
mod secrets;
mod surroundings;
mod urls;
