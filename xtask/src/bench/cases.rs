//! The cases of the benchmark.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, ensure};

/// A benchmark.
pub struct Case {
    /// Its name.
    pub name: &'static str,
    /// Target ratio of the times.
    pub target: f64,
    /// The input, in the folder of the data.
    pub input: &'static str,
    /// The program to run.
    pub program: &'static str,
    /// Flags for both programs.
    pub flags: &'static [&'static str],
    /// Flags for our program only.
    pub ours: &'static [&'static str],
    /// Filters of the output's chunks; `None` if no codec runs.
    pub encode: Option<&'static [(u32, &'static [u32])]>,
    /// Maximum memory of our program, in bytes.
    pub peak: Option<u64>,
    /// The peer and its flags; `None` for netcdf-bin's program of the same name, with the same flags.
    pub peer: Option<(&'static str, &'static [&'static str])>,
    /// Where our program reads and writes, if not where the peer does.
    pub places: Places,
}

/// The names of our program's input and output, with fragments. The input is made of the case's own.
#[derive(Default)]
pub struct Places {
    /// The input; `None` if it is the peer's.
    pub input: Option<&'static str>,
    /// The output; `None` if it is a file.
    pub output: Option<&'static str>,
}

/// The peer's.
const SAME: Places = Places {
    input: None,
    output: None,
};

/// Another input.
const fn from(input: &'static str) -> Places {
    Places {
        input: Some(input),
        output: None,
    }
}

/// Another output.
const fn to(output: &'static str) -> Places {
    Places {
        input: None,
        output: Some(output),
    }
}

impl Case {
    /// The case run by `program` with `flags`, reading `input` and writing `output`.
    pub fn command(&self, program: &Path, flags: &[&str], input: &Path, output: &Path) -> Command {
        let mut command = Command::new(program);
        command.args(flags);
        match self.program {
            "nccopy" => command.arg(input).arg(output),
            "ncgen" => command.arg("-o").arg(output).arg(input),
            _ => command.arg(input),
        };
        command
    }

    /// The input and output of our program, below `data`.
    pub fn ours(&self, data: &Path) -> (PathBuf, PathBuf) {
        let input = self.places.input.unwrap_or(self.input);
        (data.join(input), data.join(self.places.output.unwrap_or(OUTPUT)))
    }

    /// Makes the input of our program by `nccopy`, where it is another than the peer's.
    pub fn make_input(&self, nccopy: &Path, data: &Path) -> Result<()> {
        let Some(name) = self.places.input else {
            return Ok(());
        };
        let made = data.join(name);
        remove_dataset(&made);
        let status = Command::new(nccopy)
            .arg(data.join(self.input))
            .arg(&made)
            .status()?;
        ensure!(status.success(), "{} was not made", made.display());
        Ok(())
    }
}

/// Removes a file or a folder, whose name may have a fragment.
pub fn remove_dataset(place: &Path) {
    let name = place.to_string_lossy();
    let path = Path::new(name.split('#').next().unwrap_or_default());
    let _ = match path.is_dir() {
        true => fs::remove_dir_all(path),
        false => fs::remove_file(path),
    };
}

/// The output of a peer.
pub const OUTPUT: &str = "out.nc";

/// What most cases have in common.
const BASE: Case = Case {
    name: "",
    target: 0.0,
    input: "",
    program: "nccopy",
    flags: &[],
    ours: &[],
    encode: None,
    peak: None,
    peer: None,
    places: SAME,
};

/// A deflated input whose chunks pass, without a test for damage.
const UNCHANGED: Case = Case {
    target: 100.0,
    input: "deflated.nc",
    ours: &["--no-check"],
    ..BASE
};

/// All of them.
pub const CASES: [Case; 32] = [
    Case {
        name: "compress: -d 5 -s, uncompressed in",
        target: 8.5,
        input: "raw.nc",
        program: "nccopy",
        flags: &["-d", "5", "-s"],
        encode: Some(&[(2, &[]), (1, &[5])]),
        ..BASE
    },
    Case {
        name: "compress noise: -d 5 -s, float32 of full precision",
        target: 12.0,
        input: "noisy4.nc",
        program: "nccopy",
        flags: &["-d", "5", "-s"],
        encode: Some(&[(2, &[]), (1, &[5])]),
        ..BASE
    },
    Case {
        name: "compress noise: -d 5 -s, float64 of full precision",
        target: 12.0,
        input: "noisy8.nc",
        program: "nccopy",
        flags: &["-d", "5", "-s"],
        encode: Some(&[(2, &[]), (1, &[5])]),
        ..BASE
    },
    Case {
        name: "compress packed: -d 5 -s, int16",
        target: 13.0,
        input: "packed.nc",
        program: "nccopy",
        flags: &["-d", "5", "-s"],
        encode: Some(&[(2, &[]), (1, &[5])]),
        ..BASE
    },
    Case {
        name: "compress rain: -d 5 -s, float32, 80 % zeros",
        target: 11.0,
        input: "rain.nc",
        program: "nccopy",
        flags: &["-d", "5", "-s"],
        encode: Some(&[(2, &[]), (1, &[5])]),
        ..BASE
    },
    Case {
        name: "compress: -d 1 -s",
        target: 2.0,
        input: "raw.nc",
        program: "nccopy",
        flags: &["-d", "1", "-s"],
        encode: Some(&[(2, &[]), (1, &[1])]),
        ..BASE
    },
    Case {
        name: "compress: -d 9 -s",
        target: 4.0,
        input: "raw.nc",
        program: "nccopy",
        flags: &["-d", "9", "-s"],
        encode: Some(&[(2, &[]), (1, &[9])]),
        ..BASE
    },
    Case {
        name: "copy: nothing changed, deflated",
        target: 40.0,
        input: "deflated.nc",
        program: "nccopy",
        flags: &[],
        ..BASE
    },
    Case {
        name: "copy: nothing changed, deflated, --no-check",
        ..UNCHANGED
    },
    Case {
        name: "copy: nothing changed, deflated, --verify",
        target: 12.0,
        ours: &["--verify"],
        ..UNCHANGED
    },
    Case {
        name: "part: --isel time=50:150, deflated",
        target: 30.0,
        input: "grid.nc",
        program: "nccopy",
        flags: &["--isel", "time=50:150"],
        peer: Some(("ncks", &["-O", "-d", "time,50,149"])),
        ..BASE
    },
    Case {
        name: "part: --sel lat=-10..10, deflated",
        target: 5.0,
        input: "grid.nc",
        program: "nccopy",
        flags: &["--sel", "lat=-10..10"],
        encode: Some(&[(2, &[]), (1, &[4])]),
        peer: Some(("ncks", &["-O", "-d", "lat,-10.0,10.0"])),
        ..BASE
    },
    Case {
        name: "part: a box of 21 x 21 cells, all times, deflated",
        target: 3.0,
        input: "grid.nc",
        program: "nccopy",
        flags: &["--isel", "lat=170:191", "--isel", "lon=350:371"],
        encode: Some(&[(2, &[]), (1, &[4])]),
        peer: Some(("ncks", &["-O", "-d", "lat,170,190", "-d", "lon,350,370"])),
        ..BASE
    },
    Case {
        name: "zstd: deflated in, -F '*,32015,3'",
        target: 7.0,
        input: "deflated.nc",
        program: "nccopy",
        flags: &["-F", "*,32015,3"],
        encode: Some(&[(32015, &[3])]),
        ..BASE
    },
    Case {
        name: "rechunk: 1x361x720 to 248x19x36, -d 4 -s",
        target: 4.0,
        input: "deflated.nc",
        program: "nccopy",
        flags: &["-d", "4", "-s", "-c", "time/248,lat/19,lon/36"],
        encode: Some(&[(2, &[]), (1, &[4])]),
        ..BASE
    },
    Case {
        name: "rechunk within 64 MB: the same with -m 64M",
        target: 4.0,
        input: "deflated.nc",
        program: "nccopy",
        flags: &["-d", "4", "-s", "-c", "time/248,lat/19,lon/36"],
        ours: &["-m", "64M"],
        encode: Some(&[(2, &[]), (1, &[4])]),
        ..BASE
    },
    Case {
        name: "records: 1,000 interleaved variables to a classic kind",
        target: 5.0,
        input: "records.nc",
        program: "nccopy",
        flags: &["-k", "cdf5"],
        peak: Some(64_000_000),
        ..BASE
    },
    Case {
        name: "records: 1,000 interleaved variables to netCDF-4",
        target: 50.0,
        input: "records.nc",
        program: "nccopy",
        flags: &["-k", "nc4"],
        peak: Some(128_000_000),
        ..BASE
    },
    Case {
        name: "header: ncdump -h of 5,000 variables",
        target: 10.0,
        input: "many.nc",
        program: "ncdump",
        flags: &["-h"],
        ..BASE
    },
    Case {
        name: "print: ncdump of 10.4 M floats",
        target: 6.0,
        input: "floats.nc",
        program: "ncdump",
        flags: &[],
        peak: Some(128_000_000),
        ..BASE
    },
    Case {
        name: "print what is larger than memory may be: ncdump of 64 M floats",
        target: 6.0,
        input: "raw.nc",
        program: "ncdump",
        flags: &[],
        peak: Some(128_000_000),
        ..BASE
    },
    Case {
        name: "print as JSON: ncdump --json of 10.4 M floats",
        target: 3.0,
        input: "floats.nc",
        program: "ncdump",
        flags: &["--json"],
        peak: Some(128_000_000),
        peer: Some(("ncks", &["--jsn"])),
        ..BASE
    },
    Case {
        name: "generate: ncgen of the text of 10.4 M floats",
        target: 6.0,
        input: "floats.cdl",
        program: "ncgen",
        flags: &["-k", "nc4"],
        peak: Some(250_000_000),
        ..BASE
    },
    Case {
        name: "generate: ncgen of 5,000 variables with three attributes each",
        target: 20.0,
        input: "many.cdl",
        program: "ncgen",
        flags: &["-k", "nc4"],
        ..BASE
    },
    Case {
        name: "Zarr: deflated, to a folder of NCZarr",
        target: 40.0,
        input: "deflated.nc",
        program: "nccopy",
        flags: &[],
        places: to("out.zarr#mode=nczarr,file"),
        ..BASE
    },
    Case {
        name: "Zarr: deflated, to a folder of NCZarr, --no-check",
        target: 90.0,
        places: to("out.zarr#mode=nczarr,file"),
        ..UNCHANGED
    },
    Case {
        name: "Zarr: deflated, to a folder of NCZarr, -F '*,2|32015,3'",
        target: 10.0,
        input: "deflated.nc",
        program: "nccopy",
        flags: &["-F", "*,2|32015,3"],
        peer: Some(("nccopy", &[])),
        places: to("out.zarr#mode=nczarr,file"),
        ..BASE
    },
    Case {
        name: "Zarr: deflated, to a zip of NCZarr",
        target: 40.0,
        input: "deflated.nc",
        program: "nccopy",
        flags: &[],
        places: to("out.zip#mode=nczarr,zip"),
        ..BASE
    },
    Case {
        name: "Zarr: deflated, to a zip of NCZarr, --no-check",
        target: 90.0,
        places: to("out.zip#mode=nczarr,zip"),
        ..UNCHANGED
    },
    Case {
        name: "Zarr: from a folder of NCZarr, to netCDF-4",
        target: 40.0,
        input: "deflated.nc",
        program: "nccopy",
        flags: &[],
        places: from("deflated.zarr#mode=nczarr,file"),
        ..BASE
    },
    Case {
        name: "Zarr: from a folder of NCZarr, to netCDF-4, --no-check",
        target: 80.0,
        places: from("deflated.zarr#mode=nczarr,file"),
        ..UNCHANGED
    },
    Case {
        name: "Zarr: from a zip of NCZarr, to netCDF-4",
        target: 40.0,
        input: "deflated.nc",
        program: "nccopy",
        flags: &[],
        places: from("deflated.zip#mode=nczarr,zip"),
        ..BASE
    },
];
