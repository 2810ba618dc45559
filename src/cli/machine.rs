//! What the machine has to spare. Must not know what it is for.

use std::fs;

/// Bytes of memory that programs may still take, without pushing others out; `None` where the system does not say (elsewhere than on Linux).
pub fn available_memory() -> Option<u64> {
    let said = fs::read_to_string("/proc/meminfo").ok()?;
    let machine = available(&said)?;
    // A container may have less than its machine.
    let number = |path: &str| fs::read_to_string(path).ok()?.trim().parse::<u64>().ok();
    let most = number("/sys/fs/cgroup/memory.max");
    let taken = number("/sys/fs/cgroup/memory.current").unwrap_or(0);
    let container = most.map(|most| most.saturating_sub(taken));
    Some(container.map_or(machine, |container| container.min(machine)))
}

/// `MemAvailable:   12345 kB`.
fn available(meminfo: &str) -> Option<u64> {
    let mut lines = meminfo.lines();
    let value = lines.find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kilobytes: u64 = value.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::available;

    #[test]
    fn available_memory_is_what_linux_says() {
        let said = "MemTotal:       16265700 kB\nMemFree: 1 kB\nMemAvailable:   11000000 kB\n";
        assert_eq!(available(said), Some(11_000_000 * 1024));
        assert_eq!(available("MemTotal: 3 kB\n"), None);
    }
}
