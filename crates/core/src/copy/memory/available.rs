//! The memory budget of a copy.

use std::fs;
use std::path::Path;

/// The default budget is the available memory divided by this number.
const SHARE: u64 = 4;

/// Bytes that a decoded chunk may take, however small the budget.
const LEAST_LIMIT: u64 = 64 << 20;

/// Available memory, in bytes, if the system does not report any.
const UNKNOWN: u64 = 4 << 30;

/// Parses a number of bytes with an optional suffix, as nccopy's `-m` takes it. `K`, `M`, `G` and `KB`, `MB`, `GB` are decimal,
/// `Ki`, `Mi`, `Gi` and `KiB`, `MiB`, `GiB` binary, in upper or lower case. With a suffix the number may have decimal places.
/// `None` if `text` is anything else, or the number overflows.
pub fn parse_memory(text: &str) -> Option<u64> {
    let is_digit = |c: char| c.is_ascii_digit() || c == '.';
    let (number, suffix) = text.split_at(text.find(|c| !is_digit(c)).unwrap_or(text.len()));
    let scale: u64 = match suffix.to_ascii_lowercase().as_str() {
        "" => 1,
        "k" | "kb" => 1_000,
        "m" | "mb" => 1_000_000,
        "g" | "gb" => 1_000_000_000,
        "ki" | "kib" => 1 << 10,
        "mi" | "mib" => 1 << 20,
        "gi" | "gib" => 1 << 30,
        _ => return None,
    };
    match number.split_once('.') {
        None => number.parse::<u64>().ok()?.checked_mul(scale),
        Some((whole, places)) if scale > 1 => {
            let whole = whole.parse::<u64>().ok()?.checked_mul(scale)?;
            let unit = 10_u64.checked_pow(places.len().try_into().ok()?)?;
            let part = u128::from(places.parse::<u64>().ok()?) * u128::from(scale) / u128::from(unit);
            whole.checked_add(part.try_into().ok()?)
        }
        Some(_) => None,
    }
}

/// A quarter of the available memory, in bytes: the machine's, or the limit of the process's control group if
/// that is lower.
pub fn default_budget() -> u64 {
    let root = Path::new("/");
    let machine = machine_memory();
    let group = group_limit(root);
    machine.into_iter().chain(group).min().unwrap_or(UNKNOWN) / SHARE
}

/// Bytes that one decoded chunk may take in a run with the budget `memory`: the budget, but at least 64 MiB.
pub fn decode_limit(memory: Option<u64>) -> u64 {
    memory.unwrap_or_else(default_budget).max(LEAST_LIMIT)
}

fn machine_memory() -> Option<u64> {
    let info = rustix::system::sysinfo();
    info.totalram.checked_mul(info.mem_unit.max(1).into())
}

/// The lowest memory limit, in bytes, of the process's control group and its parents. Version 2 keeps it in
/// `memory.max`, version 1 in `memory.limit_in_bytes`. A container usually sees its own group as the root.
fn group_limit(root: &Path) -> Option<u64> {
    let groups = fs::read_to_string(root.join("proc/self/cgroup")).ok()?;
    let mut least: Option<u64> = None;
    for line in groups.lines() {
        // hierarchy:controllers:path
        let mut fields = line.splitn(3, ':');
        let (Some(_), Some(controllers), Some(path)) = (fields.next(), fields.next(), fields.next()) else {
            continue;
        };
        let (mount, file) = match controllers {
            "" => ("sys/fs/cgroup", "memory.max"),
            c if c.split(',').any(|c| c == "memory") => ("sys/fs/cgroup/memory", "memory.limit_in_bytes"),
            _ => continue,
        };
        let mount = root.join(mount);
        let own = mount.join(path.trim_start_matches('/'));
        for folder in own.ancestors().take_while(|f| f.starts_with(&mount)) {
            // "max" (version 2) and a number near 2^63 (version 1) both mean no limit.
            let limit = fs::read_to_string(folder.join(file))
                .ok()
                .and_then(|text| text.trim().parse::<u64>().ok());
            least = least.into_iter().chain(limit).min();
        }
    }
    least
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suffixes_are_decimal_or_binary() {
        assert_eq!(parse_memory("500000"), Some(500_000));
        assert_eq!(parse_memory("64M"), Some(64_000_000));
        assert_eq!(parse_memory("2g"), Some(2_000_000_000));
        assert_eq!(parse_memory("7K"), Some(7_000));
        for (text, bytes) in [
            ("64MB", 64_000_000),
            ("64MiB", 64 << 20),
            ("64mi", 64 << 20),
            ("0.5G", 500_000_000),
            ("1.25GiB", 5 << 28),
            ("1.0000001K", 1_000),
        ] {
            assert_eq!(parse_memory(text), Some(bytes), "{text}");
        }
        for bad in [
            "",
            "M",
            "-1",
            "+1",
            "1.5",
            ".5M",
            "5.M",
            "1.2.3M",
            "1B",
            "1Mx",
            "0x10",
            "99999999999G",
            "1é",
            "1.99999999999999999999M",
        ] {
            assert_eq!(parse_memory(bad), None, "{bad}");
        }
    }

    #[test]
    fn the_least_limit_above_the_group_counts() {
        let root = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        assert_eq!(group_limit(root.path()), None);
        write("proc/self/cgroup", "0::/user/app\n");
        write("sys/fs/cgroup/user/app/memory.max", "max\n");
        assert_eq!(group_limit(root.path()), None);
        write("sys/fs/cgroup/user/memory.max", "1000\n");
        write("sys/fs/cgroup/memory.max", "5000\n");
        assert_eq!(group_limit(root.path()), Some(1000));
        write("proc/self/cgroup", "5:cpu,memory:/docker/x\n1:name=systemd:/\n");
        write("sys/fs/cgroup/memory/memory.limit_in_bytes", "700\n");
        assert_eq!(group_limit(root.path()), Some(700));
    }

    #[test]
    fn the_default_is_something() {
        assert!(default_budget() > 1 << 20);
    }
}
