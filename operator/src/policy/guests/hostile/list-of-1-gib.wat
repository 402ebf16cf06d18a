;; The history at 1040 has one source, and its list of intervals this many, of 16 bytes each.
(i32.store offset=12 (i32.load (i32.const 1040)) (i32.const 0x4000000))
