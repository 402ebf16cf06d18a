;; Proposes the candidate that is before all others; `why` is what lies at 1024.
(func (export "clusterlabs:policy/seed@0.1.0#choose")
  (param $settings i32) (param $settings_length i32) (param $list i32) (param $count i32)
  (result i32)
  (local $best i32) (local $end i32)
  (local.set $best (local.get $list))
  (local.set $end (i32.add (local.get $list) (i32.mul (local.get $count) (i32.const 72))))
  (block $done
    (loop $next
      (br_if $done (i32.ge_u (local.get $list) (local.get $end)))
      (if (call $before (local.get $list) (local.get $best))
        (then (local.set $best (local.get $list))))
      (local.set $list (i32.add (local.get $list) (i32.const 72)))
      (br $next)))
  (i64.store (i32.const 516) (i64.load (local.get $best)))
  (i64.store (i32.const 524) (i64.load (i32.const 1024)))
  {body}
  (i32.const 512))
