;; A function that calls itself without end.
(func $deeper (param i64) (result i64)
  (i64.add (local.get 0) (call $deeper (i64.add (local.get 0) (i64.const 1)))))
