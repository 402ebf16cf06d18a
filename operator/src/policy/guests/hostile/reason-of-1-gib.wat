;; Its reason is this long.
(i32.store (i32.const 528) (i32.const 0x40000000))
