//! The operator against a stand-in of the API server.

mod children;
mod readiness;
mod rounds;
mod scene;
mod server;
mod steps;
mod unreadable;
mod volumes;
