//! The one Go program that is every part of Kubernetes.

use crate::go::Program;

/// Without the flags, clients see version v0.0.0 and refuse.
pub(crate) const KUBELITE: Program = Program {
    name: "kubelite",
    sources: [
        ("main.go", include_str!("../../kubelite/main.go")),
        ("go.mod", include_str!("../../kubelite/go.mod")),
        ("go.sum", include_str!("../../kubelite/go.sum")),
    ],
    linker_flags: "-s -w -X k8s.io/component-base/version.gitVersion=v1.34.4 \
     -X k8s.io/component-base/version.gitMajor=1 -X k8s.io/component-base/version.gitMinor=34",
    packages: 2830,
};
