//! docs/reference/programs.md is made of the table of programs.
//! `NCUTILS_BLESS=1 cargo test -p ncutils-cli --test all programs_page` writes it anew.

use std::path::Path;

use ncutils_core::copy::plan::ReadingProgram;

const HEAD: &str = "\
# Programs and what they read

`nccopy --for READER` keeps to kinds and filters that a program reads as commonly installed. With several READERs, it keeps to what all of them read.
[Who reads what](../formats/who-reads-what.md) has each type and filter, with plugins.

- A kind or filter that is asked for, and that a program does not read, is an error. `-F auto` chooses among those that all have.
- Without `-k`, the input's kind is kept. If a program does not read it, the output is of the first kind that fits: netCDF-4 classic model, netCDF-4, classic, 64-bit offset, CDF-5.
- An output of `--as-shards` is for programs that read netCDF-4 or Zarr version 3.
- Filters of the input that a program lacks become shuffle and deflate, with a warning. A warning also tells what the program does not show.
- Content that a program cannot read at all, such as compounds of Zarr version 3 for xarray, is an error.

Without `--for`, a warning names new filters, and filters from Zarr, that `netcdf-c-4.8` lacks.

<!-- NCUTILS_BLESS=1 cargo test -p ncutils-cli --test all programs_page writes this page. -->

| READER | as it was looked at | kinds | filters of netCDF-4 | does not show |
| --- | --- | --- | --- | --- |
";

fn row(program: &ReadingProgram) -> String {
    let kinds: Vec<&str> = program.kinds.iter().map(|kind| kind.can().short_name).collect();
    let unseen = [
        (!program.shows_groups).then_some("groups"),
        (!program.shows_text).then_some("text"),
        program.user_types.unshown_sort(),
    ];
    let unseen: Vec<&str> = unseen.into_iter().flatten().collect();
    format!(
        "| {} | {} | {} | {} | {} |\n",
        program.name,
        program.installed,
        kinds.join(" "),
        program.filters.join(" "),
        unseen.join(", ")
    )
}

#[test]
fn the_page_lists_the_programs() {
    let rows: String = ReadingProgram::ALL.iter().map(row).collect();
    let page = format!("{HEAD}{rows}");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/programs.md");
    if std::env::var_os("NCUTILS_BLESS").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap();
    assert_eq!(page, committed, "NCUTILS_BLESS=1 writes the page anew");
}
