//! [`Location`]: the place of a dataset as the user names it, a path or a URL, with netCDF's `#mode=` fragments.
//!
//! ```text
//! data.nc  file:///tmp/a%20b.nc        ─► a local file
//! odd#name.nc                          ─► a local file, unless the fragment is one of netCDF's
//! a named pipe, or - as input          ─► read to its end first
//! s3://…  https://…  dir#mode=zarr     ─► not supported
//! ```

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fmt::Write;
use std::fs;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use url::Url;

use crate::error::{Error, Result};
use crate::filter::Registry;
use crate::format::{self, Reader, VariablePlan, Writer};
use crate::model::Schema;
use crate::store::{
    Destination, FileNeighbours, FileOutput, FileSource, Object, Place, open_stream, same_file,
};

/// The places that can be opened and created, for messages.
const SUPPORTED: &str = "local netCDF classic and netCDF-4/HDF5 files are";

/// Keys that make a fragment one of netCDF's. Any other fragment is part of the file name.
const FRAGMENT_KEYS: [&str; 5] = ["mode", "bytes", "dap2", "dap4", "protocol"];

/// Maximum size, in bytes, of piped data that is kept in memory. The rest goes to a temporary file.
const SPOOLED_IN_MEMORY: u64 = 64 << 20;

/// Path of standard input.
const STDIN: &str = "/dev/stdin";

/// The place of a dataset or a CDL text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    name: OsString,
    target: Target,
}

/// The meaning of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Target {
    File(PathBuf),
    StandardInput,
}

impl Location {
    /// Parses the user's argument. If a file has exactly this name, the argument means that file.
    ///
    /// # Errors
    /// An unsupported scheme or mode, or an invalid URL.
    pub fn parse(argument: impl AsRef<OsStr>) -> Result<Self> {
        let name = argument.as_ref();
        let path = if fs::symlink_metadata(name).is_ok() {
            PathBuf::from(name)
        } else {
            // Text that is not UTF-8 is not a URL.
            match name.to_str() {
                Some(text) => local_path(text).map_err(|e| e.in_file(name))?,
                None => PathBuf::from(name),
            }
        };
        Ok(Self {
            name: name.to_owned(),
            target: Target::File(path),
        })
    }

    /// Like [`parse`](Self::parse), for input. No argument and `-` mean standard input, which messages call `stdin`.
    ///
    /// # Errors
    /// The same as for [`parse`](Self::parse).
    pub fn parse_input(argument: Option<&OsStr>) -> Result<Self> {
        match argument {
            Some(name) if name != "-" => Self::parse(name),
            _ => Ok(Self {
                name: "stdin".into(),
                target: Target::StandardInput,
            }),
        }
    }

    /// The user's argument.
    pub fn name(&self) -> &OsStr {
        &self.name
    }

    /// The last component of the path; `None` for standard input and for a path without one.
    pub fn file_name(&self) -> Option<&OsStr> {
        match &self.target {
            Target::File(path) => path.file_name(),
            Target::StandardInput => None,
        }
    }

    fn path(&self) -> &Path {
        match &self.target {
            Target::File(path) => path,
            Target::StandardInput => Path::new(STDIN),
        }
    }

    fn named(&self) -> impl Fn(Error) -> Error + '_ {
        |error| error.in_file(&self.name)
    }

    /// Checks that writing to `output` would not replace this location, which is read.
    ///
    /// # Errors
    /// Both are the same existing file, by device and inode.
    pub fn check_output(&self, output: &Self) -> Result<()> {
        if same_file(self.path(), output.path()) {
            return Err(Error::Usage(format!(
                "{self} and {output} are the same file; name another output"
            )));
        }
        Ok(())
    }

    /// The place to read from. A pipe is read to its end first.
    ///
    /// # Errors
    /// The location's name, and the reason that it cannot be opened.
    pub fn place(&self) -> Result<Place> {
        let is_pipe = match &self.target {
            Target::StandardInput => true,
            Target::File(path) => fs::metadata(path).is_ok_and(|found| {
                let kind = found.file_type();
                kind.is_fifo() || kind.is_socket()
            }),
        };
        if is_pipe {
            return Ok(Place::object(&self.name, self.text(SPOOLED_IN_MEMORY)?));
        }
        let source = FileSource::open_unnamed(self.path()).map_err(self.named())?;
        let place = Place::object(&self.name, Arc::new(source));
        Ok(match FileNeighbours::of(self.path()) {
            Some(neighbours) => place.with_neighbours(Arc::new(neighbours)),
            None => place,
        })
    }

    /// The bytes of a text, from any kind of file. At most about `memory` bytes of a pipe or device stay in memory.
    ///
    /// # Errors
    /// The location's name, and the reason that it cannot be read.
    pub fn text(&self, memory: u64) -> Result<Arc<dyn Object>> {
        let path = match &self.target {
            Target::File(path) => Some(path.as_path()),
            Target::StandardInput => None,
        };
        open_stream(path, memory).map_err(self.named())
    }

    /// Opens the dataset, in any format.
    ///
    /// # Errors
    /// The location's name, and the reason.
    pub fn open(&self) -> Result<Box<dyn Reader>> {
        self.open_with(&Registry::builtin())
    }

    /// Like [`Location::open`], with the codecs of `registry` in place of the built-in ones.
    ///
    /// # Errors
    /// The same as for [`Location::open`].
    pub fn open_with(&self, registry: &Registry) -> Result<Box<dyn Reader>> {
        format::open(self.place()?, registry).map_err(self.named())
    }

    /// The destination to write to. An existing file is replaced only when the new one is complete.
    ///
    /// # Errors
    /// The location's name, and the reason that it cannot be written.
    pub fn destination(&self) -> Result<Destination> {
        let output = FileOutput::create_unnamed(self.path()).map_err(self.named())?;
        Ok(Destination::object(&self.name, Arc::new(output)))
    }

    /// Creates a dataset here: see [`format::create`]. An existing file is replaced only by [`Writer::finish`].
    ///
    /// # Errors
    /// The location's name, and the item that its kind cannot hold, or the reason that it cannot be written.
    pub fn create(&self, schema: &Schema, plans: &[VariablePlan]) -> Result<Box<dyn Writer>> {
        format::check(schema).map_err(self.named())?;
        format::create(self.destination()?, schema, plans).map_err(self.named())
    }

    /// Checks what [`Location::create`] checks of the dataset, and touches no file.
    ///
    /// # Errors
    /// Those of [`Location::create`] that have nothing to do with the place.
    pub fn check_create(&self, schema: &Schema, plans: &[VariablePlan]) -> Result<()> {
        format::check_plans(schema, plans).map_err(self.named())
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.name.display().fmt(f)
    }
}

fn local_path(text: &str) -> Result<PathBuf> {
    let (rest, fragment) = match text.split_once('#') {
        Some((rest, fragment)) if is_netcdf_fragment(fragment) => (rest, Some(fragment)),
        _ => (text, None),
    };
    let path = match scheme(rest) {
        None => PathBuf::from(rest),
        Some(scheme) if scheme.eq_ignore_ascii_case("file") => file_url(rest)?,
        Some(scheme) => {
            return Err(Error::Usage(format!(
                "the scheme {scheme}:// is not supported; {SUPPORTED}"
            )));
        }
    };
    match fragment {
        None => Ok(path),
        Some(fragment) => Err(Error::Usage(format!(
            "#{fragment} is not supported; {SUPPORTED}, and need no fragment"
        ))),
    }
}

/// True if the text after a `#` is `key=value&key…` with one of netCDF's keys.
fn is_netcdf_fragment(fragment: &str) -> bool {
    url::form_urlencoded::parse(fragment.as_bytes())
        .any(|(key, _)| FRAGMENT_KEYS.iter().any(|known| known.eq_ignore_ascii_case(&key)))
}

/// The part before `://`. A path such as `C:\x` has no scheme.
fn scheme(text: &str) -> Option<&str> {
    let (scheme, _) = text.split_once("://")?;
    let valid = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    valid.then_some(scheme)
}

/// The path of a `file://` URL. Its host is empty or `localhost`. Characters that a URL should escape are accepted,
/// since users type them; a file has neither query nor fragment.
fn file_url(text: &str) -> Result<PathBuf> {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_ascii_control() || " ?#\\".contains(c) {
            let _ = write!(escaped, "%{:02X}", u32::from(c));
        } else {
            escaped.push(c);
        }
    }
    let url = Url::parse(&escaped).map_err(|e| Error::Usage(format!("not a URL: {e}")))?;
    if let Some(host) = url.host_str() {
        return Err(Error::Usage(format!(
            "a file URL of another host, {host}; write file:///path for a file of this one"
        )));
    }
    let is_escape = |rest: &str| rest.len() >= 2 && rest.bytes().take(2).all(|b| b.is_ascii_hexdigit());
    if escaped.split('%').skip(1).any(|rest| !is_escape(rest)) {
        return Err(Error::Usage(
            "a % in a URL is followed by two hexadecimal digits".to_owned(),
        ));
    }
    url.to_file_path()
        .map_err(|()| Error::Usage("the URL names no file".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::ffi::OsStrExt;

    fn path(argument: &str) -> PathBuf {
        Location::parse(argument).unwrap().path().to_owned()
    }

    fn refused(argument: &str) -> String {
        Location::parse(argument).unwrap_err().to_string()
    }

    #[test]
    fn local_files() {
        for plain in [
            "out.nc",
            "/tmp/no such.nc",
            "a#1.nc",
            "a#.nc",
            "x#modest=1",
            "://x",
            "C:\\x",
        ] {
            assert_eq!(path(plain), Path::new(plain));
        }
        assert_eq!(path("file:///tmp/a%20b%23.nc"), Path::new("/tmp/a b#.nc"));
        assert_eq!(path("file://localhost/a.nc"), Path::new("/a.nc"));
        for (url, plain) in [
            ("FILE:///tmp/a.nc", "/tmp/a.nc"),
            ("file:///tmp/a b?c#d\\e\n.nc ", "/tmp/a b?c#d\\e\n.nc "),
            ("file:///tmp/%C3%A4\u{e4}%25.nc", "/tmp/\u{e4}\u{e4}%.nc"),
        ] {
            assert_eq!(path(url), Path::new(plain));
        }
        let raw = Location::parse("file:///tmp/%ff.nc").unwrap();
        assert_eq!(raw.path(), Path::new(OsStr::from_bytes(b"/tmp/\xff.nc")));
        assert_eq!(raw.file_name(), Some(OsStr::from_bytes(b"\xff.nc")));
        let odd = OsStr::from_bytes(b"odd\xff#mode=zarr");
        assert_eq!(Location::parse(odd).unwrap().path(), Path::new(odd));
    }

    #[test]
    fn what_is_not_supported_is_named() {
        for (argument, part) in [
            ("s3://bucket/key", "s3://"),
            ("https://example.org/a.nc#mode=bytes", "https://"),
            ("store.zarr#mode=nczarr,file", "#mode=nczarr,file"),
            ("file:///tmp/store#mode=zarr", "#mode=zarr"),
            ("file://elsewhere/a.nc", "elsewhere"),
            ("file:///a%2", "hexadecimal"),
        ] {
            let message = refused(argument);
            assert!(
                message.starts_with(argument) && message.contains(part),
                "{message}"
            );
        }
    }

    #[test]
    fn messages_name_what_was_typed() {
        let location = Location::parse("file:///no/such%20file.nc").unwrap();
        for error in [
            location.open().err().unwrap(),
            location.destination().err().unwrap(),
        ] {
            let error = error.to_string();
            assert!(error.starts_with("file:///no/such%20file.nc: cannot"), "{error}");
        }
        let location = Location::parse_input(Some("-".as_ref())).unwrap();
        assert_eq!(
            (location.to_string().as_str(), location.file_name()),
            ("stdin", None)
        );
        assert_eq!(location, Location::parse_input(None).unwrap());
    }

    #[test]
    fn pipes_are_read_to_their_end() {
        let dir = tempfile::tempdir().unwrap();
        let pipe = dir.path().join("pipe");
        let mode = rustix::fs::Mode::from_raw_mode(0o600);
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, mode, 0).unwrap();
        let url = format!("file://{}", pipe.display());
        for name in [pipe.to_str().unwrap(), &url] {
            let error = std::thread::scope(|scope| {
                scope.spawn(|| fs::write(&pipe, "no netCDF").unwrap());
                Location::parse(name).unwrap().open().err().unwrap().to_string()
            });
            assert_eq!(error, format!("{name}: not a netCDF file"));
        }
    }

    #[test]
    fn a_file_that_is_there_is_a_file() {
        let dir = tempfile::tempdir().unwrap();
        let odd = dir.path().join("store#mode=zarr");
        fs::write(&odd, "CDF").unwrap();
        let location = Location::parse(&odd).unwrap();
        assert_eq!(location.path(), odd);
        let error = location.open().err().unwrap().to_string();
        assert!(
            error.contains("store#mode=zarr: damaged file: magic number at byte 0"),
            "{error}"
        );
        fs::write(&odd, "no netCDF").unwrap();
        let error = location.open().err().unwrap().to_string();
        assert!(error.ends_with("store#mode=zarr: not a netCDF file"), "{error}");
        let same = Location::parse(dir.path().join("./store#mode=zarr")).unwrap();
        let error = location.check_output(&same).unwrap_err().to_string();
        assert!(error.contains("are the same file"), "{error}");
        let other = Location::parse(dir.path().join("other")).unwrap();
        assert!(location.check_output(&other).is_ok());
    }

    #[test]
    fn what_a_kind_cannot_hold_is_found_before_anything_is_created() {
        let dir = tempfile::tempdir().unwrap();
        let location = Location::parse(dir.path().join("no/such/directory.nc")).unwrap();
        let mut schema = Schema::new(crate::model::Kind::Classic);
        let error = location.create(&schema, &[]).err().unwrap().to_string();
        assert!(error.contains("cannot create"), "{error}");
        schema.add_group(Schema::ROOT, "g");
        let error = location.create(&schema, &[]).err().unwrap().to_string();
        assert!(error.contains("group /g"), "{error}");
    }
}
