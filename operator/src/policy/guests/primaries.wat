;; Each name goes where the number of those before it says; `why` is what lies at 1024.
(func (export "clusterlabs:policy/primaries@0.1.0#order")
  (param $settings i32) (param $settings_length i32) (param $list i32) (param $count i32)
  (result i32)
  (local $i i32) (local $j i32) (local $rank i32) (local $out i32)
  (local.set $out (call $realloc (i32.const 0) (i32.const 0) (i32.const 8) (i32.mul (local.get $count) (i32.const 8))))
  (loop $each
    (local.set $rank (i32.const 0))
    (local.set $j (i32.const 0))
    (loop $other
      (local.set $rank (i32.add (local.get $rank)
        (call $before
          (i32.add (local.get $list) (i32.mul (local.get $j) (i32.const 72)))
          (i32.add (local.get $list) (i32.mul (local.get $i) (i32.const 72))))))
      (local.set $j (i32.add (local.get $j) (i32.const 1)))
      (br_if $other (i32.lt_u (local.get $j) (local.get $count))))
    (i64.store
      (i32.add (local.get $out) (i32.mul (local.get $rank) (i32.const 8)))
      (i64.load (i32.add (local.get $list) (i32.mul (local.get $i) (i32.const 72)))))
    (local.set $i (i32.add (local.get $i) (i32.const 1)))
    (br_if $each (i32.lt_u (local.get $i) (local.get $count))))
  (i32.store (i32.const 512) (local.get $out))
  (i32.store (i32.const 516) (local.get $count))
  (i64.store (i32.const 520) (i64.load (i32.const 1024)))
  {body}
  (i32.const 512))
