//! The cases of the benchmark.

use std::path::Path;
use std::process::Command;

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
}

impl Case {
    /// The case run by `program` with `flags` and `extra`, on its input below `data`. A program that writes a file writes
    /// `output`.
    pub fn command(
        &self,
        program: &Path,
        flags: &[&str],
        extra: &[&str],
        data: &Path,
        output: &Path,
    ) -> Command {
        let input = data.join(self.input);
        let mut command = Command::new(program);
        command.args(flags).args(extra);
        match self.program {
            "nccopy" => command.arg(input).arg(output),
            "ncgen" => command.arg("-o").arg(output).arg(input),
            _ => command.arg(input),
        };
        command
    }
}

/// All of them.
pub const CASES: [Case; 15] = [
    Case {
        name: "compress: -d 5 -s, uncompressed in",
        target: 4.0,
        input: "raw.nc",
        program: "nccopy",
        flags: &["-d", "5", "-s"],
        ours: &[],
        encode: Some(&[(2, &[]), (1, &[5])]),
        peak: None,
        peer: None,
    },
    Case {
        name: "compress noise: -d 5 -s, float32 of full precision",
        target: 12.0,
        input: "noisy4.nc",
        program: "nccopy",
        flags: &["-d", "5", "-s"],
        ours: &[],
        encode: Some(&[(2, &[]), (1, &[5])]),
        peak: None,
        peer: None,
    },
    Case {
        name: "compress noise: -d 5 -s, float64 of full precision",
        target: 12.0,
        input: "noisy8.nc",
        program: "nccopy",
        flags: &["-d", "5", "-s"],
        ours: &[],
        encode: Some(&[(2, &[]), (1, &[5])]),
        peak: None,
        peer: None,
    },
    Case {
        name: "copy: nothing changed, deflated",
        target: 20.0,
        input: "deflated.nc",
        program: "nccopy",
        flags: &[],
        ours: &[],
        encode: None,
        peak: None,
        peer: None,
    },
    Case {
        name: "zstd: deflated in, -F '*,32015,3'",
        target: 7.0,
        input: "deflated.nc",
        program: "nccopy",
        flags: &["-F", "*,32015,3"],
        ours: &[],
        encode: Some(&[(32015, &[3])]),
        peak: None,
        peer: None,
    },
    Case {
        name: "rechunk: 1x361x720 to 248x19x36, -d 4 -s",
        target: 4.0,
        input: "deflated.nc",
        program: "nccopy",
        flags: &["-d", "4", "-s", "-c", "time/248,lat/19,lon/36"],
        ours: &[],
        encode: Some(&[(2, &[]), (1, &[4])]),
        peak: None,
        peer: None,
    },
    Case {
        name: "rechunk within 64 MB: the same with -m 64M",
        target: 4.0,
        input: "deflated.nc",
        program: "nccopy",
        flags: &["-d", "4", "-s", "-c", "time/248,lat/19,lon/36"],
        ours: &["-m", "64M"],
        encode: Some(&[(2, &[]), (1, &[4])]),
        peak: None,
        peer: None,
    },
    Case {
        name: "records: 1,000 interleaved variables to a classic kind",
        target: 5.0,
        input: "records.nc",
        program: "nccopy",
        flags: &["-k", "cdf5"],
        ours: &[],
        encode: None,
        peak: Some(64_000_000),
        peer: None,
    },
    Case {
        name: "records: 1,000 interleaved variables to netCDF-4",
        target: 50.0,
        input: "records.nc",
        program: "nccopy",
        flags: &["-k", "nc4"],
        ours: &[],
        encode: None,
        peak: Some(128_000_000),
        peer: None,
    },
    Case {
        name: "header: ncdump -h of 5,000 variables",
        target: 10.0,
        input: "many.nc",
        program: "ncdump",
        flags: &["-h"],
        ours: &[],
        encode: None,
        peak: None,
        peer: None,
    },
    Case {
        name: "print: ncdump of 10.4 M floats",
        target: 6.0,
        input: "floats.nc",
        program: "ncdump",
        flags: &[],
        ours: &[],
        encode: None,
        peak: Some(128_000_000),
        peer: None,
    },
    Case {
        name: "print what is larger than memory may be: ncdump of 64 M floats",
        target: 6.0,
        input: "raw.nc",
        program: "ncdump",
        flags: &[],
        ours: &[],
        encode: None,
        peak: Some(128_000_000),
        peer: None,
    },
    Case {
        name: "print as JSON: ncdump --json of 10.4 M floats",
        target: 3.0,
        input: "floats.nc",
        program: "ncdump",
        flags: &["--json"],
        ours: &[],
        encode: None,
        peak: Some(128_000_000),
        peer: Some(("ncks", &["--jsn"])),
    },
    Case {
        name: "generate: ncgen of the text of 10.4 M floats",
        target: 6.0,
        input: "floats.cdl",
        program: "ncgen",
        flags: &["-k", "nc4"],
        ours: &[],
        encode: None,
        peak: Some(250_000_000),
        peer: None,
    },
    Case {
        name: "generate: ncgen of 5,000 variables with three attributes each",
        target: 20.0,
        input: "many.cdl",
        program: "ncgen",
        flags: &["-k", "nc4"],
        ours: &[],
        encode: None,
        peak: None,
        peer: None,
    },
];
