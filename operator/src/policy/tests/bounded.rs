//! Calls that would not end, or would take too much.

use std::sync::atomic::{AtomicBool, Ordering};

use super::*;
use crate::policy::guest::Image;
use crate::policy::limits;

fn reads(body: &str) -> Failure {
    failure(&Guest::sequence(Image::ordinal(1)).body(body), &output(0, "1"))
}

#[test]
fn a_policy_that_does_not_end_runs_out_of_instructions() {
    assert_eq!(reads("(loop $again (br $again))"), Failure::OutOfFuel);
}

#[test]
fn an_instruction_costs_what_it_fills() {
    let fill = |bytes: usize| format!("(memory.fill (i32.const 0x8000) (i32.const 1) (i32.const {bytes}))");
    let component = |bytes| loaded(&Guest::sequence(Image::ordinal(1)).pages(256).body(&fill(bytes)));
    let fuel = |bytes| component(bytes).ask("{}", &output(0, "1")).unwrap().fuel;
    assert_eq!(fuel(1_000_001) - fuel(1), 1_000_000);
    let again = format!("(loop $again {} (br $again))", fill(0x80_0000));
    let guest = Guest::sequence(Image::ordinal(1)).pages(256).body(&again);
    assert_eq!(failure(&guest, &output(0, "1")), Failure::OutOfFuel);
}

#[test]
fn an_instruction_by_which_memory_grows_costs_as_much_as_many_others() {
    let fuel = |body: &str| {
        let guest = Guest::sequence(Image::unreadable()).body(body);
        loaded(&guest).ask("{}", &output(0, "1")).unwrap().fuel
    };
    let grow = |pages: u32| fuel(&format!("(drop (memory.grow (i32.const {pages})))"));
    let (base, each) = (fuel("(drop (i32.const 0))"), u64::from(limits::GROW));
    assert!(grow(0) >= base + each, "{} {base}", grow(0));
    assert_eq!(grow(3) - grow(0), 3 * each);
}

#[test]
fn what_has_fuel_left_ends_at_its_deadline() {
    let clocked = Host::new().unwrap();
    let guest = Guest::sequence(Image::ordinal(1)).body("(loop $again (br $again))");
    let component = Component::load(&clocked, &guest.component()).unwrap();
    let ended = AtomicBool::new(false);
    let failed = std::thread::scope(|scope| {
        // A clock that is fast, so that nobody has to wait for it.
        scope.spawn(|| {
            while !ended.load(Ordering::Relaxed) {
                clocked.engine.increment_epoch();
            }
        });
        let failed = component.ask("{}", &output(0, "1"));
        ended.store(true, Ordering::Relaxed);
        failed
    });
    assert_eq!(failed, Err(Failure::Deadline));
}

#[test]
fn the_clock_of_a_host_runs_by_itself_and_ends_with_it() {
    let host = Host::new().unwrap();
    let weak = host.engine.weak();
    let bytes = wat::parse_str("(module (func (export \"f\") (loop $l (br $l))))").unwrap();
    let module = wasmtime::Module::new(&host.engine, bytes).unwrap();
    let mut store = wasmtime::Store::new(&host.engine, ());
    store.set_fuel(u64::MAX).unwrap();
    store.set_epoch_deadline(1);
    let instance = wasmtime::Instance::new(&mut store, &module, &[]).unwrap();
    let endless = instance.get_typed_func::<(), ()>(&mut store, "f").unwrap();
    let trap = endless.call(&mut store, ()).unwrap_err().downcast_ref().copied();
    assert_eq!(trap, Some(wasmtime::Trap::Interrupt));
    drop((endless, store, module, host));
    while weak.upgrade().is_some() {
        std::thread::yield_now();
    }
}

#[test]
fn calls_without_end_run_out_of_stack_and_not_over_the_threads() {
    let more = "(func $deeper (param i64 i64 i64 i64) (result i64)
        (i64.add (local.get 0)
          (call $deeper (local.get 3) (local.get 2) (local.get 1) (i64.add (local.get 0) (i64.const 1)))))";
    let body = "(drop (call $deeper (i64.const 1) (i64.const 2) (i64.const 3) (i64.const 4)))";
    let guest = Guest::sequence(Image::ordinal(1)).more(more).body(body);
    assert_eq!(failure(&guest, &output(0, "1")), Failure::StackOverflow);
}

#[test]
fn memory_grows_up_to_its_bound_and_no_further() {
    let to = |pages: u32| format!("(drop (memory.grow (i32.sub (i32.const {pages}) (memory.size))))");
    let whole = Guest::sequence(Image::ordinal(1)).body(&to(256));
    assert!(answer(&whole, &output(0, "1")).is_ok());
    assert_eq!(reads(&to(257)), Failure::Memory);
    assert_eq!(reads("(loop $more (drop (memory.grow (i32.const 1))) (br $more))"), Failure::Memory);
}

#[test]
fn a_table_grows_up_to_its_bound_and_no_further() {
    let guest = |by: usize| {
        let body = format!("(drop (table.grow $t (ref.null func) (i32.const {by})))");
        Guest::sequence(Image::ordinal(1)).more("(table $t 1 funcref)").body(&body)
    };
    assert!(answer(&guest(limits::TABLE - 1), &output(0, "1")).is_ok());
    assert_eq!(failure(&guest(limits::TABLE), &output(0, "1")), Failure::Table);
}

#[test]
fn an_input_that_the_policy_has_no_room_for_is_its_failure() {
    let guest = Guest::sequence(Image::ordinal(1)).realloc("(unreachable)");
    assert!(matches!(failure(&guest, &output(0, "1")), Failure::Trapped(_)));
    let guest = Guest::sequence(Image::ordinal(1)).realloc("(loop $again (br $again))");
    assert_eq!(failure(&guest, &output(0, "1")), Failure::OutOfFuel);
    let guest = Guest::sequence(Image::ordinal(1)).realloc("(return (i32.const 0x7ffffff8))");
    assert!(matches!(failure(&guest, &output(0, "1")), Failure::Malformed(_)));
}

#[test]
fn a_policy_that_gives_up_is_a_failure_with_its_reason() {
    let Failure::Trapped(why) = reads("(unreachable)") else { panic!("it did not trap") };
    assert!(why.contains("unreachable"), "{why}");
    assert!(matches!(reads("(drop (i32.div_u (i32.const 1) (i32.const 0)))"), Failure::Trapped(_)));
    assert!(matches!(reads("(drop (i32.load (i32.const -1)))"), Failure::Trapped(_)));
}

#[test]
fn a_start_that_does_not_end_is_refused_when_the_policy_is_loaded() {
    let starts = |body: &str| {
        let more = format!("(func $begin {body}) (start $begin)");
        load(&Guest::sequence(Image::ordinal(1)).more(&more).component()).map(drop)
    };
    assert_eq!(starts("(loop $again (br $again))"), Err(Refusal::Start(Failure::OutOfFuel)));
    assert!(matches!(starts("(unreachable)"), Err(Refusal::Start(Failure::Trapped(_)))));
    assert_eq!(starts("(drop (memory.grow (i32.const 256)))"), Err(Refusal::Start(Failure::Memory)));
}

#[test]
fn an_answer_is_taken_over_up_to_its_bound_and_no_further() {
    // `why` is at 1056: pointer, then length.
    let why = |length: u32| {
        let body = format!(
            "(i32.store (i32.const 1056) (i32.const 0x10000)) (i32.store (i32.const 1060) (i32.const {length}))"
        );
        Guest::sequence(Image::unreadable()).pages(256).body(&body)
    };
    assert!(answer(&why(1 << 20), &output(0, "1")).is_ok());
    assert!(matches!(failure(&why((1 << 20) + 1), &output(0, "1")), Failure::Malformed(_)));
    assert!(matches!(failure(&why(1 << 30), &output(0, "1")), Failure::Malformed(_)));
}

#[test]
fn lists_that_are_not_in_memory_are_no_answer() {
    // The history is at 1040: pointer, then length.
    let list = |length: u32| {
        let body = format!("(i32.store (i32.const 1044) (i32.const {length}))");
        Guest::sequence(Image::history(&[("a", &[(1, 2)])])).pages(256).body(&body)
    };
    for length in [1 << 30, u32::MAX, (16 << 20) / 16] {
        assert!(matches!(failure(&list(length), &output(0, "1")), Failure::Malformed(_)), "{length}");
    }
}

#[test]
fn an_answer_that_is_not_of_its_type_is_no_answer() {
    for body in [
        "(i32.store8 (i32.const 1024) (i32.const 3))",
        "(i32.store (i32.const 1056) (i32.const -8))",
        "(i32.store8 (i32.const 1500) (i32.const 0xff)) (i32.store (i32.const 1056) (i32.const 1500))",
        "(return (i32.const 1023))",
        "(return (i32.const 0x7fffffff))",
    ] {
        assert!(matches!(reads(body), Failure::Malformed(_)), "{body}");
    }
}

#[test]
fn nothing_of_a_call_is_left_for_the_next() {
    // Counts its calls in a global and in memory, and answers with the count.
    let body = "(global.set $calls (i64.add (global.get $calls) (i64.const 1)))
        (i64.store (i32.const 64) (i64.add (i64.load (i32.const 64)) (global.get $calls)))
        (i64.store (i32.const 1040) (i64.load (i32.const 64)))";
    let guest = Guest::sequence(Image::ordinal(0)).more("(global $calls (mut i64) (i64.const 0))").body(body);
    let component = loaded(&guest);
    let first = component.ask("{}", &output(0, "1")).unwrap();
    for _ in 0..3 {
        assert_eq!(component.ask("{}", &output(0, "1")).unwrap(), first);
    }
}

#[test]
fn the_bits_of_what_is_not_a_number_and_of_fresh_memory_are_the_same_everywhere() {
    // 0/0 as it is, whose sign bit is set by some machines, and a word of memory that nobody wrote.
    let body = "(i64.store (i32.const 1040) (i64.add
        (i64.reinterpret_f64 (f64.div (f64.const 0) (f64.const 0)))
        (i64.load (i32.const 0x7000))))";
    let expected = 0x7ff8_0000_0000_0000_u64;
    let answered = answer(&Guest::sequence(Image::ordinal(0)).body(body), &output(0, "1")).unwrap();
    assert_eq!(serde_json::json!(answered)["reading"]["at"]["position"]["ordinal"], expected);
}

#[test]
fn the_fuel_of_a_call_is_the_same_each_time_and_grows_with_its_work() {
    let component = loaded(&Guest::primaries());
    let fuel = |ordinals: &[u32]| component.ask_twice("{}", &primaries(ordinals)).unwrap().fuel;
    assert_eq!(fuel(&[1, 2]), fuel(&[1, 2]));
    assert!(fuel(&[1, 2, 3]) > fuel(&[1, 2]));
}
