//! Addresses that a tenant's image must not make the operator speak to.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Where clouds tell a machine its secrets, beside the link-local 169.254.169.254 of nearly all of them: Azure, Alibaba,
/// Oracle, and AWS over IPv6.
const METADATA: [IpAddr; 4] = [
    IpAddr::V4(Ipv4Addr::new(168, 63, 129, 16)),
    IpAddr::V4(Ipv4Addr::new(100, 100, 100, 200)),
    IpAddr::V4(Ipv4Addr::new(192, 0, 0, 192)),
    IpAddr::V6(Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254)),
];

/// Why an address is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forbidden {
    /// The operator's own pod.
    Loopback,
    /// The operator's own node, or a cloud's metadata.
    LinkLocal,
    /// A cloud's metadata.
    Metadata,
    /// No address of one machine.
    NoMachine,
}

/// Why this address is refused, if it is. Private ranges are not: the services of a cluster have them.
pub(super) fn forbidden(address: IpAddr) -> Option<Forbidden> {
    let address = embedded(address);
    if METADATA.contains(&address) {
        return Some(Forbidden::Metadata);
    }
    let link_local = match address {
        IpAddr::V4(v4) => v4.is_link_local(),
        IpAddr::V6(v6) => v6.is_unicast_link_local(),
    };
    // All of 0.0.0.0/8 means this very machine to one kernel or another.
    let is_this = matches!(address, IpAddr::V4(v4) if v4.octets()[0] == 0);
    if address.is_loopback() || address.is_unspecified() || is_this {
        Some(Forbidden::Loopback)
    } else if link_local {
        Some(Forbidden::LinkLocal)
    } else if address.is_multicast() || address == IpAddr::V4(Ipv4Addr::BROADCAST) {
        Some(Forbidden::NoMachine)
    } else {
        None
    }
}

/// The IPv4 address in an IPv6 one that only carries it: mapped (RFC 4291), or for a translator (RFC 6052).
fn embedded(address: IpAddr) -> IpAddr {
    if let IpAddr::V6(v6) = address
        && let [0x64, 0xff9b, 0, 0, 0, 0, high, low] = v6.segments()
    {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        return IpAddr::V4(Ipv4Addr::new(a, b, c, d));
    }
    address.to_canonical()
}

impl fmt::Display for Forbidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Loopback => "a loopback address",
            Self::LinkLocal => "a link-local address",
            Self::Metadata => "an address of a cloud's metadata",
            Self::NoMachine => "an address of no single machine",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_the_machine_itself_of_metadata_and_of_nobody_are_refused() {
        for (address, why) in [
            ("127.0.0.1", Forbidden::Loopback),
            ("127.8.9.1", Forbidden::Loopback),
            ("0.0.0.0", Forbidden::Loopback),
            ("0.1.2.3", Forbidden::Loopback),
            ("::1", Forbidden::Loopback),
            ("::", Forbidden::Loopback),
            ("::ffff:127.0.0.1", Forbidden::Loopback),
            ("169.254.169.254", Forbidden::LinkLocal),
            ("fe80::1", Forbidden::LinkLocal),
            ("64:ff9b::a9fe:a9fe", Forbidden::LinkLocal),
            ("100.100.100.200", Forbidden::Metadata),
            ("168.63.129.16", Forbidden::Metadata),
            ("fd00:ec2::254", Forbidden::Metadata),
            ("224.0.0.1", Forbidden::NoMachine),
            ("255.255.255.255", Forbidden::NoMachine),
            ("ff02::1", Forbidden::NoMachine),
        ] {
            assert_eq!(forbidden(address.parse().unwrap()), Some(why), "{address}");
        }
    }

    #[test]
    fn services_of_a_cluster_and_public_addresses_are_not() {
        for address in
            ["10.96.0.10", "172.20.0.1", "192.168.1.1", "100.64.0.1", "192.0.2.1", "fd12::1", "2001:db8::1"]
        {
            assert_eq!(forbidden(address.parse().unwrap()), None, "{address}");
        }
    }
}
