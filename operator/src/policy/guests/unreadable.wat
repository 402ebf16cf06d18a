;; Can read nothing.
(func (export "clusterlabs:policy/sequence@0.1.0#read")
  (param i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32)
  (result i32)
  (i32.store8 (i32.const 512) (i32.const 2))
  (i32.const 512))
