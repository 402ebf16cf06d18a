;; Lets every member follow the first primary, if there is one. The arguments are one record: the primaries at 80.
(func (export "clusterlabs:policy/replicas@0.1.0#treat") (param $arguments i32) (result i32)
  (local $primaries i32)
  (local.set $primaries (i32.load offset=80 (local.get $arguments)))
  (if (i32.load offset=84 (local.get $arguments))
    (then
      (i32.store8 (i32.const 516) (i32.const 1))
      (i64.store (i32.const 520) (i64.load (local.get $primaries)))))
  (i64.store (i32.const 528) (i64.load (i32.const 1024)))
  {body}
  (i32.const 512))
