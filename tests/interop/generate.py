"""Makes the files of `samples`, which says where one is added.

    python generate.py FOLDER
"""

import pathlib
import sys

from samples import SAMPLES

# Those for every test of files, by name.
MAKERS = {sample.name: sample.make for sample in SAMPLES.values() if not sample.reader_only}


def main(folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for sample in SAMPLES.values():
        path = folder / sample.file_name
        path.unlink(missing_ok=True)
        try:
            sample.make(str(path))
        except Exception as error:
            raise RuntimeError(f"{sample.name}: {type(error).__name__}: {error}") from error


if __name__ == "__main__":
    main(sys.argv[1])
