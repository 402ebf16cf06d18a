//! The operator, whole, on the simulated cluster: its own code behind an API server in memory, while tokio's clock jumps
//! to whatever happens next. A story is told once to learn the effects of it, and then again with a crash after each.

mod api_server;
mod compared;
mod end;
mod exec;
mod fault;
pub mod identities;
mod life;
mod operators;
mod process;
mod rest;
mod seed;
mod set;
mod story;
mod strikes;
mod tally;
mod watches;

pub use self::api_server::ApiServer;
pub use end::End;
pub use fault::Fault;
pub use life::Life;
pub use operators::Operators;
pub use process::Process;
pub use seed::{tell, tell_faulty, tell_on_identities};
pub use story::Story;
pub use strikes::Trouble;
pub use tally::Tally;
pub use watches::Watches;
