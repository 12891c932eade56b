//! [`Resolver`]: the addresses of hosts, and which of them may be reached.
//!
//! A public server that redirects must not lead into the private network that this machine is in. So a host that a public
//! server named gets its public addresses only, at the moment of connecting.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use ipnet::IpNet;
use parking_lot::Mutex;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use thiserror::Error;

/// Networks of this machine's link, and the address at which Amazon's machines ask for their keys by IPv6.
const LINK_LOCAL: &str = "169.254.0.0/16 fe80::/10 fd00:ec2::254/128";

/// Networks of this machine, private ones, those of one link, and others that no public server is in: of protocols (192.0.0.0/24),
/// of benchmarks (198.18.0.0/15), of carriers (100.64.0.0/10), multicast, reserved and broadcast (224.0.0.0/3).
const PRIVATE: &str = "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 \
     192.168.0.0/16 198.18.0.0/15 224.0.0.0/3 ::/127 fc00::/7 fe80::/10 ff00::/8";

/// The addresses of hosts.
#[derive(Clone, Default)]
pub(crate) struct Resolver {
    hosts: Arc<Mutex<Hosts>>,
}

#[derive(Default)]
struct Hosts {
    /// Hosts that were resolved, and whether one of their addresses is private.
    private: HashMap<String, bool>,
    /// Hosts that servers redirect to.
    limits: HashMap<String, Limit>,
}

/// Which addresses a host may have that a server redirects to. As an error, why it is not reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Error)]
pub(crate) enum Limit {
    /// None of this machine's link, where clouds tell a machine its keys.
    #[error("the server redirects to an address of this link")]
    NotLinkLocal,
    /// None of a private network, nor of this machine's link: a public server named the host.
    #[error("a public server redirects to a private address")]
    Public,
}

impl Limit {
    fn allows(self, address: IpAddr) -> bool {
        match self {
            Self::NotLinkLocal => !is_in(LINK_LOCAL, address),
            Self::Public => !is_in(PRIVATE, address),
        }
    }
}

impl Resolver {
    /// True if a host has a private address, as far as is known. A name that was never resolved counts as public.
    pub(crate) fn is_private(&self, host: &str) -> bool {
        match address(host) {
            Some(address) => is_in(PRIVATE, address),
            None => is_local_name(host) || self.hosts.lock().private.get(host).copied().unwrap_or(false),
        }
    }

    /// From now on the host gets only addresses that a limit allows.
    ///
    /// # Errors
    /// If the host is an address that the limit does not allow, or a name of this machine.
    pub(crate) fn limit(&self, host: &str, limit: Limit) -> Result<(), Limit> {
        match address(host) {
            Some(address) if !limit.allows(address) => return Err(limit),
            Some(_) => {}
            None if limit == Limit::Public && is_local_name(host) => return Err(limit),
            None => {
                let mut hosts = self.hosts.lock();
                let known = hosts.limits.entry(host.to_owned()).or_insert(limit);
                *known = limit.max(*known);
            }
        }
        Ok(())
    }
}

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let resolver = self.clone();
        Box::pin(async move {
            let host = name.as_str();
            let mut found: Vec<SocketAddr> = tokio::net::lookup_host((host, 0)).await?.collect();
            let mut hosts = resolver.hosts.lock();
            if let Some(limit) = hosts.limits.get(host).copied() {
                found.retain(|address| limit.allows(address.ip()));
                if found.is_empty() {
                    return Err(Box::new(limit) as _);
                }
            }
            let any_private = found.iter().any(|address| is_in(PRIVATE, address.ip()));
            hosts.private.insert(host.to_owned(), any_private);
            Ok(Box::new(found.into_iter()) as Addrs)
        })
    }
}

fn address(host: &str) -> Option<IpAddr> {
    host.trim_matches(['[', ']']).parse().ok()
}

fn is_local_name(host: &str) -> bool {
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    host == "localhost" || host.ends_with(".localhost")
}

/// The IPv4 address that an IPv6 address leads to.
fn embedded(v6: Ipv6Addr) -> Option<Ipv4Addr> {
    let of = |high: u16, low: u16| Ipv4Addr::from((u32::from(high) << 16) | u32::from(low));
    v6.to_ipv4_mapped().or_else(|| match v6.segments() {
        // NAT64, 64:ff9b::/96; and addresses that are compatible with version 4, ::/96.
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] | [0, 0, 0, 0, 0, 0, high, low] => Some(of(high, low)),
        // 6to4, 2002::/16.
        [0x2002, high, low, ..] => Some(of(high, low)),
        _ => None,
    })
}

/// True for an address in one of some networks, or one that leads there.
fn is_in(networks: &str, address: IpAddr) -> bool {
    let embedded = match address {
        IpAddr::V4(_) => None,
        IpAddr::V6(v6) => embedded(v6).map(IpAddr::V4),
    };
    let networks = networks
        .split(' ')
        .filter_map(|network| network.parse::<IpNet>().ok());
    let all = [Some(address), embedded];
    networks
        .into_iter()
        .any(|network| all.iter().flatten().any(|address| network.contains(address)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_addresses_are_known() {
        let resolver = Resolver::default();
        for host in [
            "127.0.0.1",
            "10.1.2.3",
            "172.16.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "0.0.0.0",
            "100.64.0.1",
            "[::1]",
            "[fd00::1]",
            "[fe80::1]",
            "[::ffff:10.0.0.1]",
            "[64:ff9b::a00:1]",
            "[::127.0.0.1]",
            "[2002:7f00:1::]",
            "192.0.0.192",
            "198.18.0.1",
            "224.0.0.1",
            "[ff02::1]",
            "localhost",
            "a.localhost.",
            "255.255.255.255",
        ] {
            assert!(resolver.is_private(host), "{host}");
            assert!(resolver.limit(host, Limit::Public).is_err(), "{host}");
        }
        for host in [
            "8.8.8.8",
            "[2001:4860:4860::8888]",
            "example.org",
            "172.32.0.1",
            "[::ffff:8.8.8.8]",
        ] {
            assert!(!resolver.is_private(host), "{host}");
            assert!(resolver.limit(host, Limit::Public).is_ok(), "{host}");
        }
    }

    #[test]
    fn a_name_that_leads_inside_is_refused_when_it_is_resolved() {
        let runtime = crate::requests::runtime().unwrap();
        let resolve = |resolver: &Resolver| {
            runtime
                .block_on(resolver.resolve("localhost".parse().unwrap()))
                .map(Iterator::count)
        };
        let resolver = Resolver::default();
        assert!(resolve(&resolver).unwrap() > 0);
        resolver
            .hosts
            .lock()
            .limits
            .insert("localhost".to_owned(), Limit::Public);
        let error = resolve(&resolver).unwrap_err();
        assert!(error.downcast_ref::<Limit>().is_some());
    }
}
