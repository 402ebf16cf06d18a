;; Proposes its own reason as the one who seeds.
(i64.store (i32.const 516) (i64.load (i32.const 1024)))
