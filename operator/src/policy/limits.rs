//! What a policy may use. Every bound is a constant: one that can be set is one that gets switched off.

use std::time::Duration;

/// The size of a component in bytes. Its bytes are kept in a ConfigMap, which holds 1 MiB in all.
pub const COMPONENT: usize = 768 << 10;

/// Threads that compile. Each keeps what compiling took for as long as the process lives, some megabytes, so it is not
/// one for each processor of a large node; two halve the time that a restart waits for its policies.
pub const COMPILERS: usize = 2;

/// Functions in its core module. A policy in Rust has some hundreds; the time to compile grows with them.
pub const FUNCTIONS: u32 = 10_000;

/// The body of one function in bytes. Compiling takes time in proportion to the square of it, in the worst case; what
/// compilers make of policies has some 10 KiB.
pub const FUNCTION: usize = 32 << 10;

/// Segments of data, and as many of elements. Compilers make a few; wasmtime takes time in proportion to their square:
/// minutes for as many as fit into a component.
pub const SEGMENTS: u32 = 1_000;

/// Bytes of a component outside its core module and custom sections: its types and how its parts are joined. All
/// interfaces together take some 6 KiB.
pub const FRAME: usize = 64 << 10;

/// Types in the core module. Compilers make some 30.
pub const CORE_TYPES: u64 = 1_000;

/// Parameters of one function. The contract needs 12 at most, and what does not fit is passed in memory from 17 on.
pub const PARAMETERS: u64 = 32;

/// Results of one function. Compilers return more through memory.
pub const RESULTS: u64 = 1;

/// Locals of one function. Policies have some 30.
pub const LOCALS: u64 = 2_000;

/// Blocks within each other in one function. Policies have some 30.
pub const NESTED: u64 = 256;

/// Blocks and branch targets of one function, times its locals and the most parameters. The compiler may need a value
/// for each pair, which takes up to 2 KiB. Two functions are compiled at a time.
pub const FLOW: u64 = 50_000;

/// The same, added up over all functions. It bounds the time.
pub const FLOW_OF_ALL: u64 = 1_000_000;

/// Components within a component, and instances of them: one for each interface.
pub const NESTED_COMPONENTS: u64 = 64;

/// Types outside the core module, in all components together. All interfaces need some 100.
pub const FRAME_TYPES: u64 = 1_000;

/// The size of a schema times the size of settings, in values: a check may make a message for each pair. A text counts
/// one more for each 64 bytes.
pub const CHECKED: u64 = 200_000;

/// Linear memory in bytes. An input is at most some 400 KiB; one instruction that fills all of it takes milliseconds,
/// and nothing is interrupted within an instruction.
pub const MEMORY: usize = 16 << 20;

/// Memories, of 32 bits and not shared. What makes components from core modules knows no more than one.
pub const MEMORIES: usize = 1;

/// Tables. LLVM makes one, for calls through pointers.
pub const TABLES: usize = 2;

/// Elements of one table, a pointer each.
pub const TABLE: usize = 10_000;

/// Instances of core modules in one call: the one module, once.
pub const INSTANCES: usize = 1;

/// Handles of resources: the contract has none. Zero is not a bound that wasmtime takes for none.
pub const HANDLES: usize = 1;

/// The native stack of a call in bytes. Well below that of the thread: running over the latter ends the process.
pub const STACK: usize = 512 << 10;

/// The stack that a thread needs to have that calls a policy: tokio's blocking threads and those of `std` have 2 MiB.
pub const THREAD_STACK: usize = 2 << 20;

/// Work of one call, in wasmtime's fuel: one for an instruction, and one for each byte that it fills or copies. About a
/// tenth of a second. It is the same on every machine, so that running out of it can be replayed. A large history
/// takes some millions.
pub const FUEL: u64 = 50_000_000;

/// The fuel of an instruction by which a memory or a table grows, and of each page of that memory. Each takes the time of
/// some 25 other instructions, and up to four times as long on a crowded machine.
pub const GROW: u8 = 100;

/// How often the clock of calls ticks.
pub const TICK: Duration = Duration::from_millis(50);

/// After how many ticks a call ends that has fuel left, which is 2 seconds. It is for what fuel does not see, such as
/// a memory that grows. It is generous because a crowded machine is no fault of a policy: running into it depends on
/// the machine and cannot be replayed.
pub const DEADLINE: u32 = 40;

/// Bytes that one answer may have when it is taken over. The largest that can be meant, a history of all that it may have
/// and its facts, is below 200 KiB.
pub const ANSWER: usize = 1 << 20;

/// Bytes of `why` that are kept: a sentence, in the status and in events, which take 1 KiB.
pub const WHY: usize = 1024;

/// Bytes of JSON of an answer that is not believed and recorded all the same: an order of a set has some hundred. Of a
/// larger one it is recorded why it is not believed.
pub const REFUSED: usize = 4 << 10;

/// Intervals of one history. Two are compared in one pass; a database whose history has more gaps than this needs a person.
pub const INTERVALS: usize = 4096;

/// A history in bytes, as text: what the planner writes down on a claim.
pub const HISTORY: usize = planner::position::LONGEST;

/// The name of a source in bytes. The longest in use, a UUID with a tag of MySQL 8.3, has 69.
pub const SOURCE: usize = 256;

/// Facts of one reading. They go into each question about the member and onto its claim; `galera` has one.
pub const FACTS: usize = 16;

/// The name or the value of a fact in bytes, so that all of them have 8 KiB at most.
pub const FACT: usize = 256;

/// The name of a policy in bytes, as of a DNS label, so that it may be one of an object.
pub const NAME: usize = 63;

/// A policy's version in bytes. A semantic version has some ten, and a commit's name behind it.
pub const VERSION: usize = 64;

/// A policy's summary in bytes: a sentence, as `WHY`.
pub const SUMMARY: usize = 1024;

/// The schema of settings in bytes. It is compiled and held for as long as the policy is.
pub const SCHEMA: usize = 64 << 10;

/// Settings in bytes, as compact JSON. They go into each call and stand twice in the resource, in spec and status.
pub const SETTINGS: usize = 64 << 10;

/// How deep schema and settings may nest. Both are walked by recursion.
pub const DEPTH: usize = 32;

/// Problems with settings that are kept: more than one message can show.
pub const PROBLEMS: usize = 16;

/// Regular expressions of one schema; together with `PATTERN` the memory that they take is bounded.
pub const PATTERNS: usize = 64;

/// What one of them may take in bytes when it is compiled.
pub const PATTERN: usize = 256 << 10;

/// Policies that are kept in the cluster for one namespace, in ConfigMaps of the operator's own: 24 MiB of the largest
/// there are, of some 2 GiB that a cluster's store has for everything. What is not used any more counts for an hour still,
/// so that a namespace may change all of a dozen policies within it.
pub const KEPT: usize = 32;

/// Objects on one page of a list of what is kept, without their bytes.
pub const KEPT_PAGE: u32 = 10;

/// Bytes of one answer of the API server about what is kept. An object with its bytes in base64 and all the annotations that
/// it may have (256 KiB, and who wrote each of them) has some 2 MiB, a page of objects without their bytes some 6 MiB.
pub const KEPT_ANSWER: usize = 8 << 20;

/// Bytes of policies that decide and are not kept in the cluster yet, which the operator holds in its memory until they are:
/// as many as there may be of components that decide. It is for an API server that does not take them for a while; the
/// memory limit in deploy/deployment.yaml has room for it.
pub const UNKEPT: usize = 8 << 20;

/// Of these, those of one namespace: while a quota or its own number keeps one namespace from being kept, others' find room.
pub const UNKEPT_OF_ONE: usize = 2 << 20;

/// For how long a policy is tried before its turn is given back, and it waits for the next. Those of other namespaces wait
/// so long for it, and for the attempt that is under way.
pub const TRIAL_SLICE: Duration = Duration::from_secs(1);

/// For how long a policy is tried in all its turns together. One that compilers make takes a part of a second. One that
/// uses all its fuel for each of some 400 questions, each put twice, takes a minute and a half.
pub const TRIAL: Duration = Duration::from_secs(60);
