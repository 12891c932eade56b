"""Tasks of a person who knows netcdf-bin, NCO and CDO: the guide's index leads to a page, and the command is on that page.

`test_guide.py` runs the commands.
"""

import re

import pytest
from test_guide import GUIDE

# The task, the page that one would choose by the words of its line in the index, and what stands on that page.
TASKS = [
    ("install the programs", "install.md", "cargo install --path crates/nccopy"),
    ("see the header", "look.md", "ncdump -h in.nc"),
    ("print one variable", "look.md", "ncdump -v tas in.nc"),
    ("see chunks and compression", "look.md", "ncdump -hs"),
    ("find the largest variable", "look.md", "ncdump --sizes"),
    ("compress", "smaller.md", "nccopy -d 5 -s"),
    ("compress by Zstandard", "smaller.md", "zstd,level=3"),
    ("keep to what a program reads", "smaller.md", "--for cdo"),
    ("compress a folder of files", "smaller.md", "--recursive"),
    ("only files that are new or changed", "smaller.md", "--update"),
    ("chunks for time series", "chunks.md", "-c time/,lat/6,lon/6"),
    ("chunks for maps", "chunks.md", "-c time/1,lat/,lon/"),
    ("Zarr version 3 with shards", "zarr.md", "--shard"),
    ("netCDF from Zarr", "zarr.md", "nccopy out.zarr back.nc"),
    ("copy to S3", "zarr.md", "s3://"),
    ("some variables", "subset.md", "-V tas"),
    ("a box by coordinates", "subset.md", "--sel lat="),
    ("some time steps", "subset.md", "--isel time="),
    ("concatenate along time", "join.md", "nccopy --join time"),
    ("append a file", "join.md", "nccopy --append"),
    ("find damage", "check.md", "ncdump --check"),
    ("compare two files", "check.md", "ncdump --diff"),
    ("save what is left of a broken file", "check.md", "nccopy --salvage"),
    ("write a file from CDL", "cdl.md", "ncgen -o"),
    ("make a classic file", "smaller.md", "-k nc3"),
    ("archive a classic file", "archives.md", "nccopy -k archive"),
    ("translate ncks and h5repack", "other-tools.md", "h5repack"),
    ("see what would be done", "chunks.md", "--dry-run"),
    ("use many machines", "clusters.md", "sbatch"),
    ("call it from Python", "python.md", "ncutils.copy"),
]


@pytest.mark.parametrize("task, page, command", TASKS, ids=[task for task, _, _ in TASKS])
def test_a_task_is_on_its_page(task, page, command):
    index = (GUIDE / "README.md").read_text()
    assert re.search(rf"\]\({re.escape(page)}[)#]", index), f"the index leads to no {page}"
    assert command in (GUIDE / page).read_text()
