;; The discriminant of a verdict that is none.
(i32.store8 (i32.const 512) (i32.const 9))
