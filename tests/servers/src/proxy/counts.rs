//! [`Counts`]: what passed through a proxy.

use std::collections::BTreeMap;

use serde::Serialize;

/// What passed since the settings were made.
#[derive(Debug, Default, Clone, Serialize)]
pub struct Counts {
    /// Requests.
    pub requests: u64,
    /// Requests by method.
    pub methods: BTreeMap<String, u64>,
    /// Bytes of bodies to the server.
    pub sent: u64,
    /// Bytes of bodies to the client.
    pub received: u64,
    /// Requests under way.
    pub now: u64,
    /// Largest number of requests that were under way together.
    pub most: u64,
    /// Faults that were made, by kind.
    pub faults: BTreeMap<&'static str, u64>,
    /// Each request.
    #[serde(skip)]
    pub log: Vec<PassedRequest>,
}

/// A request that passed. Values of headers other than these may be secret, and are not kept.
#[derive(Debug, Default, Clone, Serialize)]
pub struct PassedRequest {
    /// Its number, from 1.
    pub number: u64,
    /// The method.
    pub method: String,
    /// The path, with the query.
    pub path: String,
    /// The header `Range`.
    pub range: Option<String>,
    /// The header `If-Match`.
    pub if_match: Option<String>,
    /// The header `If-None-Match`.
    pub if_none_match: Option<String>,
    /// The names of all headers.
    pub headers: Vec<String>,
    /// Bytes of the body.
    pub sent: usize,
    /// The status of the answer; `None` if the connection was dropped.
    pub status: Option<u16>,
    /// The fault.
    pub fault: Option<&'static str>,
}

impl Counts {
    /// Counts a request, and returns its number.
    pub fn begin(&mut self, mut request: PassedRequest) -> u64 {
        self.requests += 1;
        self.now += 1;
        self.most = self.most.max(self.now);
        self.sent += request.sent as u64;
        *self.methods.entry(request.method.clone()).or_default() += 1;
        request.number = self.requests;
        self.log.push(request);
        self.requests
    }

    /// Notes the fault of a request.
    pub fn fault(&mut self, number: u64, fault: &'static str) {
        *self.faults.entry(fault).or_default() += 1;
        if let Some(request) = self.find(number) {
            request.fault = Some(fault);
        }
    }

    /// Notes the status of an answer.
    pub fn status(&mut self, number: u64, status: u16) {
        if let Some(request) = self.find(number) {
            request.status = Some(status);
        }
    }

    /// A request has ended.
    pub fn end(&mut self) {
        self.now = self.now.saturating_sub(1);
    }

    /// Forgets all but what is under way.
    pub fn reset(&mut self) {
        *self = Self {
            now: self.now,
            most: self.now,
            ..Self::default()
        };
    }

    fn find(&mut self, number: u64) -> Option<&mut PassedRequest> {
        let at = usize::try_from(number).ok()?.checked_sub(1)?;
        self.log.get_mut(at)
    }
}
