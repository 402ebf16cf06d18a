//! Tests that disturb others, because they reach for the cluster itself: nodes that lose their power, an API server that is
//! away, a container runtime that hangs, and an operator for all namespaces.

mod api_server;
mod cluster;
mod everywhere;
mod given_once;
mod lost_node;
mod nodes;
mod runtime;
