//! Schemes of URLs: what stands before `://`.

/// The schemes of remote stores.
const REMOTE: [&str; 10] = [
    "s3", "gs", "gs3", "az", "abfs", "abfss", "http", "https", "dods", "dap4",
];

/// The part before `://`. A path such as `C:\x` has no scheme.
pub fn scheme(text: &str) -> Option<&str> {
    let (scheme, _) = text.split_once("://")?;
    let is_valid = |c: char| c.is_ascii_alphanumeric() || "+-.".contains(c);
    (scheme.starts_with(|c: char| c.is_ascii_alphabetic()) && scheme.chars().all(is_valid)).then_some(scheme)
}

/// True for a scheme of remote stores, in any case of letters.
pub fn is_remote(scheme: &str) -> bool {
    REMOTE.iter().any(|known| scheme.eq_ignore_ascii_case(known))
}
