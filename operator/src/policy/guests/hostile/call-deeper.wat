;; Nests calls without end, with the function of deeper.wat.
(drop (call $deeper (i64.const 0)))
