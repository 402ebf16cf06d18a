;; What every guest has: memory, an allocator that only ever takes more, and an order of members. A member has 72
;; bytes: its name at 0, its ordinal at 12.
(module
  {imports}
  (memory (export "memory") {pages})
  (global $free (mut i32) (i32.const 0x8000))
  (func $realloc (export "cabi_realloc") (param $old i32) (param $had i32) (param $align i32) (param $new i32) (result i32)
    (local $at i32)
    {realloc}
    (local.set $at (i32.and (i32.add (global.get $free) (i32.const 7)) (i32.const -8)))
    (global.set $free (i32.add (local.get $at) (local.get $new)))
    (block $fits
      (br_if $fits (i32.le_u (global.get $free) (i32.mul (memory.size) (i32.const 0x10000))))
      (drop (memory.grow
        (i32.sub (i32.shr_u (i32.add (global.get $free) (i32.const 0xffff)) (i32.const 16)) (memory.size)))))
    (local.get $at))
  (func $before (param $a i32) (param $b i32) (result i32)
    (local $i i32)
    (if (i32.ne (i32.load offset=12 (local.get $a)) (i32.load offset=12 (local.get $b)))
      (then (return (i32.lt_u (i32.load offset=12 (local.get $a)) (i32.load offset=12 (local.get $b))))))
    (block $differ
      (loop $next
        (if (i32.ge_u (local.get $i) (i32.load offset=4 (local.get $a)))
          (then (return (i32.lt_u (local.get $i) (i32.load offset=4 (local.get $b))))))
        (if (i32.ge_u (local.get $i) (i32.load offset=4 (local.get $b))) (then (return (i32.const 0))))
        (br_if $differ (i32.ne
          (i32.load8_u (i32.add (i32.load (local.get $a)) (local.get $i)))
          (i32.load8_u (i32.add (i32.load (local.get $b)) (local.get $i)))))
        (local.set $i (i32.add (local.get $i) (i32.const 1)))
        (br $next)))
    (i32.lt_u
      (i32.load8_u (i32.add (i32.load (local.get $a)) (local.get $i)))
      (i32.load8_u (i32.add (i32.load (local.get $b)) (local.get $i)))))
  {functions}
  {more}
  {data})
