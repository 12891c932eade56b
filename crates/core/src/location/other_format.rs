//! Names what a file is that is no dataset, by its first bytes, and the program that reads it.

use crate::store::Object;

/// Most bytes at the beginning of a file that are looked at.
const LOOKED_AT: usize = 1024;

/// Where a tar archive has its magic.
const TAR: usize = 257;

/// Formats by their first bytes: what the file is, and what reads it. A longer magic comes before its beginning.
const MAGICS: &[(&[u8], &str)] = &[
    (
        b"GRIB",
        "GRIB; 'cdo -f nc copy IN OUT' or 'grib_to_netcdf' makes netCDF of it",
    ),
    (b"BUFR", "BUFR; 'bufr_dump' of ecCodes reads it"),
    (
        b"\x0e\x03\x13\x01",
        "HDF4; 'h4toh5' makes HDF5 of it, 'hdp' prints it",
    ),
    (
        b"\xcd\xf3\x00\x01",
        "NASA's CDF, which is another format; 'cdfdump' or cdflib reads it",
    ),
    (b"\x89PNG\r\n", "a PNG image; an image viewer shows it"),
    (b"\xff\xd8\xff", "a JPEG image; an image viewer shows it"),
    (b"GIF8", "a GIF image; an image viewer shows it"),
    (b"II*\0", TIFF),
    (b"MM\0*", TIFF),
    (b"II+\0", TIFF),
    (b"MM\0+", TIFF),
    (b"%PDF", "a PDF document; a PDF viewer shows it"),
    (b"\x1f\x8b", "a file that gzip compressed; 'gunzip' unpacks it"),
    (b"BZh", "a file that bzip2 compressed; 'bunzip2' unpacks it"),
    (b"\xfd7zXZ\0", "a file that xz compressed; 'unxz' unpacks it"),
    (
        b"\x28\xb5\x2f\xfd",
        "a file that zstd compressed; 'unzstd' unpacks it",
    ),
    (
        b"\x04\x22\x4d\x18",
        "a file that lz4 compressed; 'unlz4' unpacks it",
    ),
    (b"\x1f\x9d", "a file that compress packed; 'gunzip' unpacks it"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive; '7z x' unpacks it"),
    (b"PK\x03\x04", "a zip file; 'unzip' unpacks it"),
    (b"PAR1", "Parquet; pandas, pyarrow or DuckDB reads it"),
    (b"ARROW1", "Arrow or Feather; pyarrow reads it"),
    (b"FEA1", "Feather; pyarrow reads it"),
    (b"\x93NUMPY", "an array of NumPy; numpy.load reads it"),
    (b"SIMPLE  =", "FITS; astropy.io.fits reads it"),
    (
        b"MATLAB 5.0 MAT-file",
        "a MAT-file of MATLAB 5; scipy.io.loadmat reads it, and MATLAB's 'save -v7.3' makes HDF5",
    ),
    (
        b"version https://git-lfs",
        "a pointer of Git LFS; 'git lfs pull' gets the file",
    ),
    (
        b"/annex/objects/",
        "a pointer of git-annex; 'git annex get' gets the file",
    ),
    (
        b"SQLite format 3\0",
        "an SQLite database, as GeoPackage is; 'sqlite3' or GDAL reads it",
    ),
    (b"\0\0\x27\x0a", "a shapefile; 'ogrinfo' of GDAL reads it"),
    (b"\x7fELF", "a program"),
    (b"%!PS", "PostScript; a document viewer shows it"),
];

const TIFF: &str = "TIFF, as GeoTIFF is; 'gdal_translate -of netCDF IN OUT' makes netCDF of it";

/// What the file is; `None` if nothing is known of it.
pub(super) fn other_format(object: &dyn Object) -> Option<&'static str> {
    let mut begin = vec![0; LOOKED_AT];
    // The size of what is compressed may take all of it to be read.
    if object.read_exact_at(0, &mut begin).is_err() {
        let size = usize::try_from(object.size().ok()??).ok()?;
        if size == 0 {
            return Some("the file is empty");
        }
        begin.truncate(size);
        object.read_exact_at(0, &mut begin).ok()?;
    }
    named(&begin)
}

/// What begins with these bytes is.
fn named(begin: &[u8]) -> Option<&'static str> {
    let known = MAGICS.iter().find(|(magic, _)| begin.starts_with(magic));
    if let Some((_, what)) = known {
        return Some(what);
    }
    if begin.get(TAR..).is_some_and(|rest| rest.starts_with(b"ustar")) {
        return Some("a tar archive; 'tar xf' unpacks it");
    }
    // The protocol and the first opcode: a frame, an empty container or a global.
    if let [0x80, 2..=5, b'\x95' | b'}' | b']' | b'c' | b'(' | b'X', ..] = begin {
        return Some("a pickle of Python; only the program that wrote it can tell what it is");
    }
    if begin.iter().all(|byte| *byte == 0) {
        return Some("it begins with zeros, as files do whose transfer was cut off");
    }
    text(begin)
}

/// What a text is; `None` if the bytes are no text.
fn text(begin: &[u8]) -> Option<&'static str> {
    let text = match std::str::from_utf8(begin) {
        Ok(text) => text,
        // The last character may be cut.
        Err(error) if error.error_len().is_none() => {
            std::str::from_utf8(&begin[..error.valid_up_to()]).ok()?
        }
        Err(_) => return None,
    };
    if text
        .chars()
        .any(|c| c.is_control() && !matches!(c, '\n' | '\r' | '\t' | '\x0c'))
    {
        return None;
    }
    let text = text.trim_start_matches('\u{feff}').trim_start();
    let lower = text.to_ascii_lowercase();
    let starts = |word: &str| lower.starts_with(word);
    Some(match () {
        () if starts("<!doctype html") || starts("<html") => {
            "an HTML page, as servers send in place of a file; a browser shows what it says"
        }
        () if lower.contains("<netcdf") => "NcML, which describes a dataset; name the file that it describes",
        () if starts("<") => "XML",
        () if starts("netcdf ") && text.contains('{') => "CDL text; 'ncgen -o OUT' makes netCDF of it",
        () if (starts("{") || starts("[")) && text.contains("\"zarr_format\"") => {
            "metadata of Zarr; name the folder of the dataset"
        }
        () if starts("{") || starts("[") => {
            "JSON, and no references of kerchunk, which have a member \"refs\""
        }
        () if starts("dataset {") => {
            "an answer of OPeNDAP, whose protocol is not supported; ask the server for the file"
        }
        () => "text",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_for_what_they_are() {
        let mut tar = vec![b'a'; 100];
        tar.resize(TAR, 0);
        tar.extend(b"ustar\x0000");
        for (begin, what) in [
            (&b"GRIB\0\0\0\x02"[..], "GRIB"),
            (b"\x89PNG\r\n\x1a\n", "PNG"),
            (b"\xff\xd8\xff\xe0", "JPEG"),
            (b"II*\0\x08", "TIFF"),
            (b"%PDF-1.4", "PDF"),
            (b"\n <!DOCTYPE html><html>", "HTML"),
            (b"<?xml version=\"1.0\"?><a/>", "XML"),
            (b"<?xml version=\"1.0\"?>\n<netcdf xmlns", "NcML"),
            (b"netcdf a {\n}\n", "CDL"),
            (b" {\"a\": 1}", "JSON"),
            (b"{\"zarr_format\": 2}", "Zarr"),
            (b"year,month\n1990,1\n", "text"),
            ("Stra\u{df}e".as_bytes(), "text"),
            (b"\x1f\x8b\x08", "gzip"),
            (b"BZh9", "bzip2"),
            (b"\xfd7zXZ\0", "xz"),
            (b"\x28\xb5\x2f\xfd", "zstd"),
            (b"\x0e\x03\x13\x01", "HDF4"),
            (b"BUFR", "BUFR"),
            (b"PAR1", "Parquet"),
            (b"ARROW1\0\0", "Arrow"),
            (b"\x93NUMPY\x01", "NumPy"),
            (b"SIMPLE  =                    T", "FITS"),
            (b"MATLAB 5.0 MAT-file, Platform", "MATLAB"),
            (b"version https://git-lfs.github.com/spec/v1\noid", "Git LFS"),
            (b"\x80\x04\x95\x10", "pickle"),
            (&tar, "tar"),
            (&[0; 600], "zeros"),
        ] {
            assert!(
                named(begin).is_some_and(|named| named.contains(what)),
                "{what}: {:?}",
                named(begin)
            );
        }
        assert_eq!(named(b"\x01\x02\x03\x04"), None);
        // A character that is cut, and bytes that are no text.
        assert_eq!(named(b"abc\xc3"), Some("text"));
        assert_eq!(named(b"abc\xff\xfe"), None);
    }
}
