//! The packages of Debian.
//!
//! | package | what it has |
//! | --- | --- |
//! | `ncutils` | `/usr/bin/ncutils`, and the old names in `/usr/lib/ncutils/bin`, beside those of netcdf-bin |
//! | `ncutils-as-netcdf-bin` | the old names in `/usr/bin`, in place of netcdf-bin |

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::licence_texts;
use super::program::Program;
use super::release::{time, version};
use super::tree::PackageFolder;
use crate::man::OLD_NAMES;
use crate::process::{output, succeed};
use crate::workspace::root;

/// Who is asked about the packages.
const MAINTAINER: &str = "The ncutils developers <ncutils@users.noreply.invalid>";

/// Commands of `ncutils`, with the old name of each.
const COMMANDS: [(&str, &str); 3] = [("copy", "nccopy"), ("dump", "ncdump"), ("gen", "ncgen")];

/// Makes both packages in a folder. Returns their paths.
pub fn make(program: &Program, folder: &Path) -> Result<[PathBuf; 2]> {
    let architecture = output(Command::new("dpkg").arg("--print-architecture"))?;
    let architecture = architecture.trim();
    let own = beside_netcdf_bin(program, folder)?;
    let depends = depends(program, folder)?;
    let own = Package {
        name: "ncutils",
        architecture,
        fields: format!("Depends: {depends}\nSuggests: ncutils-as-netcdf-bin\n"),
        about: "copy, print and make netCDF, HDF5 and Zarr datasets",
        more: "ncutils copy changes how a dataset is stored (compression, chunk\n\
               shapes, kind), ncutils dump prints it as CDL text, and ncutils gen makes it of\n\
               CDL text. They are nccopy, ncdump and ncgen, which are in /usr/lib/ncutils/bin\n\
               under these names.",
        tree: own,
        level: program.level(),
    };
    let old = Package {
        name: "ncutils-as-netcdf-bin",
        architecture: "all",
        fields: format!(
            "Depends: ncutils (= {})\nProvides: netcdf-bin\nConflicts: netcdf-bin\nReplaces: netcdf-bin\n",
            version()
        ),
        about: "ncutils as nccopy, ncdump and ncgen",
        more: "Links of the names nccopy, ncdump and ncgen in /usr/bin, which lead to ncutils,\n\
               in place of the programs of netcdf-bin. The program ncgen3 has no successor.",
        tree: in_place_of_netcdf_bin(program, folder)?,
        level: program.level(),
    };
    Ok([own.make(folder)?, old.make(folder)?])
}

/// The content of `ncutils`.
fn beside_netcdf_bin(program: &Program, folder: &Path) -> Result<PackageFolder> {
    let tree = PackageFolder::new(folder.join("debian/ncutils"))?;
    tree.program("usr/bin/ncutils", program)?;
    tree.write_gzip("usr/share/man/man1/ncutils.1.gz", program.man_page("ncutils")?)?;
    for (command, old) in COMMANDS {
        let page = format!("ncutils-{command}");
        tree.write_gzip(
            &format!("usr/share/man/man1/{page}.1.gz"),
            program.man_page(&page)?,
        )?;
        tree.link(&format!("usr/lib/ncutils/bin/{old}"), "../../../bin/ncutils")?;
        // man looks here if the folder of the programs is in PATH.
        let target = format!("../../../../share/man/man1/{page}.1.gz");
        tree.link(&format!("usr/lib/ncutils/man/man1/{old}.1.gz"), &target)?;
    }
    tree.completions("usr/", "vendor-completions", program, "ncutils")?;
    tree.write_gzip("usr/share/doc/ncutils/third-party.txt.gz", licence_texts::text()?)?;
    for file in ["README.md", "CHANGELOG.md"] {
        let content = fs::read(root().join(file))?;
        tree.write_gzip(&format!("usr/share/doc/ncutils/{file}.gz"), content)?;
    }
    Ok(tree)
}

/// The content of `ncutils-as-netcdf-bin`.
fn in_place_of_netcdf_bin(program: &Program, folder: &Path) -> Result<PackageFolder> {
    let tree = PackageFolder::new(folder.join("debian/ncutils-as-netcdf-bin"))?;
    for name in OLD_NAMES {
        tree.link(&format!("usr/bin/{name}"), "ncutils")?;
        tree.write_gzip(
            &format!("usr/share/man/man1/{name}.1.gz"),
            program.man_page(name)?,
        )?;
        tree.completions("usr/", "vendor-completions", program, name)?;
    }
    Ok(tree)
}

/// The packages whose libraries the program is linked with, in the versions that it needs.
fn depends(program: &Program, folder: &Path) -> Result<String> {
    // dpkg-shlibdeps wants the folder of a source package.
    let source = folder.join("debian/source");
    fs::create_dir_all(source.join("debian"))?;
    fs::write(
        source.join("debian/control"),
        format!("Source: ncutils\nMaintainer: {MAINTAINER}\n\nPackage: ncutils\nArchitecture: any\n"),
    )?;
    let told = output(
        Command::new("dpkg-shlibdeps")
            .arg("-O")
            .arg(format!("-e{}", program.path().display()))
            .current_dir(source),
    )
    .context("dpkg-shlibdeps is in Debian's package dpkg-dev")?;
    let depends = told.lines().find_map(|line| line.strip_prefix("shlibs:Depends="));
    Ok(depends.context("dpkg-shlibdeps names no packages")?.to_owned())
}

struct Package<'a> {
    name: &'static str,
    architecture: &'a str,
    /// Fields of `control` that relate the package to others.
    fields: String,
    /// The description's first line.
    about: &'static str,
    /// The description's other lines.
    more: &'static str,
    /// The files, without those that every package has.
    tree: PackageFolder,
    /// How much work goes into compression, 1 to 9.
    level: u8,
}

impl Package<'_> {
    fn make(&self, folder: &Path) -> Result<PathBuf> {
        let (name, version) = (self.name, version());
        let documents = format!("usr/share/doc/{name}");
        self.tree.write(&format!("{documents}/copyright"), copyright()?)?;
        self.tree
            .write_gzip(&format!("{documents}/changelog.gz"), changelog(name)?)?;
        self.tree.write("DEBIAN/md5sums", self.checksums()?)?;
        self.tree.write("DEBIAN/control", self.control()?)?;
        let path = folder.join(format!("{name}_{version}_{}.deb", self.architecture));
        succeed(
            Command::new("dpkg-deb")
                .args(["--root-owner-group", &format!("-z{}", self.level), "--build"])
                .arg(self.tree.root())
                .arg(&path)
                .stdout(std::process::Stdio::null())
                // The same content makes the same package.
                .env("SOURCE_DATE_EPOCH", time()),
        )?;
        Ok(path)
    }

    fn control(&self) -> Result<String> {
        let more = self.more.replace('\n', "\n ");
        Ok(format!(
            "Package: {}\nVersion: {}\nArchitecture: {}\nMaintainer: {MAINTAINER}\nInstalled-Size: {}\n{}Section: science\n\
             Priority: optional\nDescription: {}\n {more}\n",
            self.name,
            version(),
            self.architecture,
            self.kibibytes()?,
            self.fields,
            self.about,
        ))
    }

    /// Installed-Size, in KiB: each file rounded up, and 1 for a link.
    fn kibibytes(&self) -> Result<u64> {
        let mut sum = 0;
        for file in self.content()? {
            let told = fs::symlink_metadata(self.tree.root().join(file))?;
            sum += if told.is_file() {
                told.len().div_ceil(1024)
            } else {
                1
            };
        }
        Ok(sum)
    }

    fn checksums(&self) -> Result<String> {
        let mut lines = String::new();
        for file in self.content()? {
            if fs::symlink_metadata(self.tree.root().join(&file))?.is_file() {
                let told = output(Command::new("md5sum").arg(&file).current_dir(self.tree.root()))?;
                write!(lines, "{told}")?;
            }
        }
        Ok(lines)
    }

    /// What is installed, without what dpkg reads.
    fn content(&self) -> Result<Vec<String>> {
        let mut files = self.tree.files()?;
        files.retain(|file| !file.starts_with("DEBIAN/"));
        Ok(files)
    }
}

/// The file `changelog`, as Debian has it.
fn changelog(package: &str) -> Result<String> {
    let date = output(Command::new("date").arg("-uRd").arg(format!("@{}", time())))?;
    Ok(format!(
        "{package} ({}) unstable; urgency=medium\n\n  * See CHANGELOG.md of ncutils.\n\n -- {MAINTAINER}  {date}",
        version()
    ))
}

/// The file `copyright`, in Debian's machine-readable form.
fn copyright() -> Result<String> {
    let mit = fs::read_to_string(root().join("LICENSE-MIT"))?;
    let holder = mit.lines().find(|line| line.starts_with("Copyright"));
    let holder = holder.context("LICENSE-MIT names no holder")?;
    // The permission, without title and holder.
    let (_, permission) = mit
        .split_once("Permission is")
        .context("LICENSE-MIT gives no permission")?;
    let mut text = format!(
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: ncutils\n\
         Comment: The licences of what is linked into the program are in\n /usr/share/doc/ncutils/third-party.txt.gz.\n\n\
         Files: *\nCopyright: {}\nLicense: Expat or Apache-2.0\n\nLicense: Expat\n",
        holder.trim_start_matches("Copyright (c) ")
    );
    for line in format!("Permission is{permission}").trim().lines() {
        writeln!(text, " {}", if line.is_empty() { "." } else { line })?;
    }
    text.push_str(
        "\nLicense: Apache-2.0\n On Debian systems, its text is in /usr/share/common-licenses/Apache-2.0.\n",
    );
    Ok(text)
}
