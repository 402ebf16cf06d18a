;; Proposes a name without a letter.
(i32.store (i32.const 520) (i32.const 0))
