//! [`Resolver`]: the addresses of hosts, and which of them may be reached.
//!
//! A public server that redirects must not lead into the private network that this machine is in. So a host that a public
//! server named gets its public addresses only, at the moment of connecting.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

/// The addresses of hosts.
#[derive(Clone, Default)]
pub(super) struct Resolver {
    hosts: Arc<Mutex<Hosts>>,
}

#[derive(Default)]
struct Hosts {
    /// Hosts that were resolved, and whether one of their addresses is private.
    private: HashMap<String, bool>,
    /// Hosts that a public server redirects to.
    public_only: HashSet<String>,
    /// Hosts that any other server redirects to.
    not_link_local: HashSet<String>,
}

/// The reason why a host that a server redirects to is not reached.
#[derive(Debug)]
pub(super) enum PrivateAddress {
    /// A public server names an address of a private network.
    Private,
    /// A server names an address of this machine's link, where clouds tell a machine its keys.
    LinkLocal,
}

impl fmt::Display for PrivateAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Private => "a public server redirects to a private address",
            Self::LinkLocal => "the server redirects to an address of this link",
        })
    }
}

impl std::error::Error for PrivateAddress {}

impl Resolver {
    fn lock(&self) -> MutexGuard<'_, Hosts> {
        self.hosts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// True if a host has a private address, as far as is known. A name that was never resolved counts as public.
    pub(super) fn is_private(&self, host: &str) -> bool {
        if let Some(address) = address(host) {
            return is_private(address);
        }
        is_local_name(host) || self.lock().private.get(host).copied().unwrap_or(false)
    }

    /// From now on the host gets public addresses only.
    ///
    /// # Errors
    /// If the host is a private address, or a name of this machine.
    pub(super) fn allow_public_only(&self, host: &str) -> Result<(), PrivateAddress> {
        match address(host) {
            Some(address) if is_private(address) => Err(PrivateAddress::Private),
            Some(_) => Ok(()),
            None if is_local_name(host) => Err(PrivateAddress::Private),
            None => {
                self.lock().public_only.insert(host.to_owned());
                Ok(())
            }
        }
    }
}

impl Resolver {
    /// From now on the host gets no address of this machine's link.
    ///
    /// # Errors
    /// If the host is such an address.
    pub(super) fn never_link_local(&self, host: &str) -> Result<(), PrivateAddress> {
        match address(host) {
            Some(address) if is_link_local(address) => Err(PrivateAddress::LinkLocal),
            Some(_) => Ok(()),
            None => {
                self.lock().not_link_local.insert(host.to_owned());
                Ok(())
            }
        }
    }
}

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let resolver = self.clone();
        Box::pin(async move {
            let host = name.as_str();
            let mut found: Vec<SocketAddr> = tokio::net::lookup_host((host, 0)).await?.collect();
            let mut hosts = resolver.lock();
            if hosts.not_link_local.contains(host) {
                found.retain(|address| !is_link_local(address.ip()));
                if found.is_empty() {
                    return Err(Box::new(PrivateAddress::LinkLocal) as _);
                }
            }
            let any_private = found.iter().any(|address| is_private(address.ip()));
            let allowed: Vec<SocketAddr> = match hosts.public_only.contains(host) {
                true => found
                    .into_iter()
                    .filter(|address| !is_private(address.ip()))
                    .collect(),
                false => {
                    hosts.private.insert(host.to_owned(), any_private);
                    found
                }
            };
            match allowed.is_empty() && any_private {
                true => Err(Box::new(PrivateAddress::Private) as _),
                false => Ok(Box::new(allowed.into_iter()) as Addrs),
            }
        })
    }
}

fn address(host: &str) -> Option<IpAddr> {
    host.trim_start_matches('[').trim_end_matches(']').parse().ok()
}

fn is_local_name(host: &str) -> bool {
    let host = host.trim_end_matches('.');
    host.eq_ignore_ascii_case("localhost") || host.to_ascii_lowercase().ends_with(".localhost")
}

/// True for addresses of this machine's link, and for the one at which Amazon's machines ask for their keys by IPv6.
fn is_link_local(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => v4.is_link_local(),
        IpAddr::V6(v6) => {
            v6.segments()[0] & 0xffc0 == 0xfe80
                || v6.segments() == [0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254]
                || embedded(v6).is_some_and(|v4| v4.is_link_local())
        }
    }
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

/// True for addresses of this machine, of private networks, of one link, and others that no public server has.
fn is_private(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => is_private_v4(v4),
        IpAddr::V6(v6) => {
            let first = v6.segments()[0];
            v6.is_loopback()
                || v6.is_unspecified()
                || first & 0xfe00 == 0xfc00
                || first & 0xffc0 == 0xfe80
                || v6.is_multicast()
                || embedded(v6).is_some_and(is_private_v4)
        }
    }
}

fn is_private_v4(v4: Ipv4Addr) -> bool {
    let [a, b, c, _] = v4.octets();
    v4.is_private()
        || v4.is_loopback()
        || v4.is_link_local()
        || v4.is_broadcast()
        || a == 0
        || (a == 100 && b & 0xc0 == 64)
        // Of protocols and benchmarks: 192.0.0.0/24, 198.18.0.0/15. Multicast and reserved: 224.0.0.0/3.
        || (a, b, c) == (192, 0, 0)
        || (a == 198 && b & 0xfe == 18)
        || a >= 224
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
            assert!(resolver.allow_public_only(host).is_err(), "{host}");
        }
        for host in [
            "8.8.8.8",
            "[2001:4860:4860::8888]",
            "example.org",
            "172.32.0.1",
            "[::ffff:8.8.8.8]",
        ] {
            assert!(!resolver.is_private(host), "{host}");
            assert!(resolver.allow_public_only(host).is_ok(), "{host}");
        }
    }

    #[test]
    fn a_name_that_leads_inside_is_refused_when_it_is_resolved() {
        let runtime = crate::remote::network::runtime::runtime().unwrap();
        let resolve = |resolver: &Resolver| {
            runtime
                .block_on(resolver.resolve("localhost".parse().unwrap()))
                .map(Iterator::count)
        };
        let resolver = Resolver::default();
        assert!(resolve(&resolver).unwrap() > 0);
        resolver.lock().public_only.insert("localhost".to_owned());
        let error = resolve(&resolver).unwrap_err();
        assert!(error.downcast_ref::<PrivateAddress>().is_some());
    }
}
