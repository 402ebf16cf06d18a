//! Which servers are asked without the proxy of the environment: as Go's programs read `NO_PROXY`, kubectl among them.

use std::net::IpAddr;

/// Whether a host is asked directly, by such a list.
pub(super) fn is_excepted(host: &str, list: &str) -> bool {
    // As addresses have it, one of version 6 is in brackets.
    let host = host.trim_matches(['[', ']']).to_lowercase();
    let address: Option<IpAddr> = host.parse().ok();
    let is_here = host == "localhost" || address.is_some_and(|address| address.is_loopback());
    let mut patterns = list.split(',').map(str::trim).filter(|pattern| !pattern.is_empty());
    is_here || patterns.any(|pattern| covers(&pattern.to_lowercase(), &host, address))
}

fn covers(pattern: &str, host: &str, address: Option<IpAddr>) -> bool {
    if let Some((network, bits)) = pattern.split_once('/') {
        return address.is_some_and(|address| is_within(address, network, bits));
    }
    match (pattern, address) {
        ("*", _) => true,
        (pattern, Some(address)) => pattern.parse() == Ok(address),
        (pattern, None) => {
            let below = pattern.trim_start_matches('*');
            let of = if below.starts_with('.') { below.to_owned() } else { format!(".{below}") };
            host == pattern || host.ends_with(&of)
        }
    }
}

fn is_within(address: IpAddr, network: &str, bits: &str) -> bool {
    let of = |address: IpAddr| match address {
        IpAddr::V4(address) => (u128::from(address.to_bits()), u32::BITS),
        IpAddr::V6(address) => (address.to_bits(), u128::BITS),
    };
    let (Ok(network), Ok(bits)) = (network.parse().map(of), bits.parse::<u32>()) else { return false };
    let ((address, length), (network, of_network)) = (of(address), network);
    let Some(rest) = length.checked_sub(bits).filter(|_| length == of_network) else { return false };
    address.checked_shr(rest).unwrap_or(0) == network.checked_shr(rest).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_asked_directly_if_it_is_this_machine_or_the_list_covers_it() {
        for (host, list) in [
            ("localhost", ""),
            ("127.0.0.1", ""),
            ("[::1]", ""),
            ("example.com", "*"),
            ("API.example.com", "other.com, example.COM"),
            ("example.com", "example.com"),
            ("api.example.com", ".example.com"),
            ("api.example.com", "*.example.com"),
            ("10.1.2.3", "10.0.0.0/8"),
            ("10.1.2.3", "10.1.2.3"),
            ("10.1.2.3", "0.0.0.0/0"),
            ("[fd00::7]", "fd00::/8"),
        ] {
            assert!(is_excepted(host, list), "{host} {list}");
        }
    }

    #[test]
    fn all_others_are_not() {
        for (host, list) in [
            ("example.com", ""),
            ("example.com", ".example.com"),
            ("badexample.com", "example.com"),
            ("example.com.evil", "example.com"),
            ("11.1.2.3", "10.0.0.0/8"),
            ("10.1.2.3", "10.1.2"),
            ("10.1.2.3", "10.0.0.0/33"),
            ("10.1.2.3", "x/8"),
            ("10.1.2.3", "::/0"),
            ("fd00.example", "fd00::/8"),
        ] {
            assert!(!is_excepted(host, list), "{host} {list}");
        }
    }
}
