//! This process as the kernel sees it, under the names that every Prometheus client library uses.

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use rustix::time::{ClockId, clock_gettime};
use std::fmt;
use std::time::{Duration, SystemTime};

/// Read anew at each scrape. What cannot be read is left out.
#[derive(Debug)]
pub(super) struct Process {
    began: Duration,
}

impl Process {
    /// A process that began at this moment.
    pub(super) fn begun_now() -> Self {
        Self { began: SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default() }
    }
}

impl Collector for Process {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let encoder = &mut encoder;
        let began = ConstGauge::new(self.began.as_secs_f64());
        tell(encoder, "process_start_time_seconds", "When it began, since 1970", &began)?;
        tell(encoder, "process_cpu_seconds", "Time on processors", &ConstCounter::new(cpu_seconds()))?;
        if let Some(bytes) = resident_bytes() {
            tell(encoder, "process_resident_memory_bytes", "Memory in use", &ConstGauge::new(bytes))?;
        }
        if let Some(open) = open_descriptors() {
            tell(encoder, "process_open_fds", "Open file descriptors", &ConstGauge::new(open))?;
        }
        Ok(())
    }
}

fn tell(
    encoder: &mut DescriptorEncoder<'_>,
    name: &str,
    help: &str,
    metric: &impl EncodeMetric,
) -> fmt::Result {
    metric.encode(encoder.encode_descriptor(name, help, None, metric.metric_type())?)
}

fn cpu_seconds() -> f64 {
    let spent = clock_gettime(ClockId::ProcessCPUTime);
    Duration::try_from(spent).unwrap_or_default().as_secs_f64()
}

/// `VmRSS:     1234 kB`
fn resident_bytes() -> Option<i64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: i64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

/// Without the one that lists them.
fn open_descriptors() -> Option<i64> {
    let open = std::fs::read_dir("/proc/self/fd").ok()?.count();
    i64::try_from(open).ok().map(|open| open - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use prometheus_client::encoding::text::encode;
    use prometheus_client::registry::Registry;
    use std::collections::BTreeMap;

    #[test]
    fn memory_time_and_descriptors_are_those_of_this_process() {
        let mut registry = Registry::default();
        registry.register_collector(Box::new(Process::begun_now()));
        let mut text = String::new();
        encode(&mut text, &registry).unwrap();
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        let told: BTreeMap<&str, f64> =
            lines.filter_map(|line| line.split_once(' ')).map(|(n, v)| (n, v.parse().unwrap())).collect();
        assert!(told["process_resident_memory_bytes"] > 100_000.0, "{text}");
        assert!(told["process_cpu_seconds_total"] > 0.0, "{text}");
        assert!(told["process_open_fds"] >= 3.0, "{text}");
        assert!(told["process_start_time_seconds"] > 1.7e9, "{text}");
    }
}
