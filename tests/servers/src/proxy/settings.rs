//! [`Settings`]: what a proxy does to the requests that pass.

use http::request::Parts;
use serde::Deserialize;

use super::faults::Fault;

/// What a proxy does. JSON; what is not there does not happen.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Time that each request waits, in milliseconds.
    pub latency_ms: f64,
    /// Bytes a second of each connection, both ways together.
    pub bytes_per_second: Option<f64>,
    /// The faults. The first that meets a request is made.
    pub faults: Vec<Planned>,
}

/// A fault, and which requests it meets. Requests must fit all that is said of them.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Planned {
    /// What happens.
    pub fault: Fault,
    /// Numbers of requests, from 1.
    #[serde(default)]
    pub at: Vec<u64>,
    /// This request and all after it.
    pub from: Option<u64>,
    /// Share of the requests, from 0 to 1.
    #[serde(default)]
    pub rate: f64,
    /// Selects the requests of `rate`: equal seeds select equal numbers.
    #[serde(default)]
    pub seed: u64,
    /// The method.
    pub method: Option<String>,
    /// Text in the path and query.
    pub contains: Option<String>,
    /// True if only requests with the header `Range` are met.
    #[serde(default)]
    pub ranges_only: bool,
}

impl Settings {
    /// The fault of a request.
    pub fn fault(&self, number: u64, request: &Parts) -> Option<&Fault> {
        let planned = self.faults.iter().find(|planned| planned.meets(number, request));
        planned.map(|planned| &planned.fault)
    }
}

impl Planned {
    fn meets(&self, number: u64, request: &Parts) -> bool {
        let is_chosen = self.at.contains(&number)
            || self.from.is_some_and(|from| number >= from)
            || share(self.seed, number) < self.rate;
        let path = request.uri.path_and_query().map_or("", |path| path.as_str());
        is_chosen
            && self
                .method
                .as_ref()
                .is_none_or(|method| method == request.method.as_str())
            && self
                .contains
                .as_ref()
                .is_none_or(|text| path.contains(text.as_str()))
            && (!self.ranges_only || request.headers.contains_key("range"))
    }
}

/// A number from 0 to 1 that depends on both, by the mixing function of SplitMix64.
fn share(seed: u64, number: u64) -> f64 {
    let mut mixed = seed
        .wrapping_mul(0xD6E8_FEB8_6659_FD93)
        .wrapping_add(number.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^= mixed >> 31;
    (mixed >> 11) as f64 / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(path: &str) -> Parts {
        http::Request::get(path).body(()).unwrap().into_parts().0
    }

    #[test]
    fn a_rate_meets_its_share_of_requests() {
        for seed in [0, 1, 77] {
            let met = (1..=20_000).filter(|number| share(seed, *number) < 0.05).count();
            assert!((850..1150).contains(&met), "{met}");
        }
    }

    #[test]
    fn what_is_said_of_requests_all_counts() {
        let text =
            r#"{"faults": [{"fault": {"kind": "drop"}, "from": 3, "method": "GET", "contains": "x"}]}"#;
        let settings: Settings = serde_json::from_str(text).unwrap();
        assert!(settings.fault(2, &request("/x")).is_none());
        assert!(settings.fault(3, &request("/x")).is_some());
        assert!(settings.fault(9, &request("/y")).is_none());
        assert!(serde_json::from_str::<Settings>(r#"{"latencyms": 3}"#).is_err());
    }
}
