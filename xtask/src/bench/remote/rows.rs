//! The rows of `bench remote`, and what is wanted of each.

/// What a program does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// `ncdump -h`.
    Header,
    /// A copy to the local disk.
    Read,
    /// A copy to the store.
    Write,
}

/// What is wanted.
pub enum Limit {
    /// At most this many requests.
    Requests(u64),
    /// At most this time, in seconds.
    Seconds(f64),
    /// At least this many times as fast as with `--requests 1`.
    Single(f64),
    /// At least this many times as fast as a peer of `tests/bench/remote.py`.
    Peer(&'static str, f64),
}

/// Work on a dataset.
pub struct RemoteRow {
    /// The name.
    pub name: &'static str,
    /// What is done.
    pub work: Work,
    /// The key in the bucket.
    pub key: &'static str,
    /// Flags of the program.
    pub flags: &'static [&'static str],
    /// True for a tree of keys.
    pub is_tree: bool,
    /// Bandwidth of each connection.
    pub bytes_per_second: Option<f64>,
    /// What is wanted.
    pub limits: &'static [Limit],
}

const BASE: RemoteRow = RemoteRow {
    name: "",
    work: Work::Read,
    key: "",
    flags: &[],
    is_tree: false,
    bytes_per_second: None,
    limits: &[],
};

/// All of them.
pub const ROWS: [RemoteRow; 10] = [
    RemoteRow {
        name: "header: 5,000 variables, file of netcdf-c",
        work: Work::Header,
        key: "many.nc",
        limits: &[
            Limit::Requests(10),
            Limit::Seconds(1.0),
            Limit::Peer("h5py", 1.0),
            Limit::Peer("netCDF4", 100.0),
        ],
        ..BASE
    },
    RemoteRow {
        name: "header: 5,000 variables, own file",
        work: Work::Header,
        key: "own.nc",
        limits: &[Limit::Requests(3), Limit::Seconds(1.0)],
        ..BASE
    },
    RemoteRow {
        name: "chunks: copy of 2,000 adjoining chunks, 115 MB",
        key: "chunks.nc",
        limits: &[
            Limit::Requests(60),
            Limit::Peer("h5py", 1.0),
            Limit::Peer("netCDF4", 30.0),
        ],
        ..BASE
    },
    RemoteRow {
        name: "records: copy of a classic file of 4,000 pieces, 16 MB",
        key: "records.nc",
        limits: &[Limit::Peer("netCDF4", 150.0)],
        ..BASE
    },
    RemoteRow {
        name: "long records: copy of a classic file of 100 records of 1 MB, 20 MB/s a connection",
        key: "long.nc",
        bytes_per_second: Some(20e6),
        limits: &[Limit::Requests(110), Limit::Single(5.0)],
        ..BASE
    },
    RemoteRow {
        name: "archive: restoring 104 MB, 20 MB/s a connection",
        key: "long.nc3z",
        flags: &["--restore"],
        bytes_per_second: Some(20e6),
        limits: &[Limit::Single(4.0)],
        ..BASE
    },
    RemoteRow {
        name: "tree: 2,000 objects to the local disk",
        key: "tree",
        is_tree: true,
        limits: &[
            Limit::Requests(2010),
            Limit::Single(20.0),
            Limit::Peer("zarr", 2.5),
            Limit::Peer("zarr64", 1.0),
        ],
        ..BASE
    },
    RemoteRow {
        name: "tree: 2,000 objects to the store",
        work: Work::Write,
        key: "tree",
        is_tree: true,
        limits: &[Limit::Single(20.0), Limit::Peer("zarr", 1.0)],
        ..BASE
    },
    RemoteRow {
        name: "header: 1,000 headers over 8 GB",
        work: Work::Header,
        key: "scattered.nc",
        limits: &[Limit::Peer("netCDF4", 25.0)],
        ..BASE
    },
    RemoteRow {
        name: "contiguous: 400 MB, 20 MB/s a connection",
        key: "contiguous.nc",
        bytes_per_second: Some(20e6),
        limits: &[Limit::Single(6.0)],
        ..BASE
    },
];
