;; Describes itself with the four texts at 1024, and finds the problems whose list is at 1056.
(func (export "clusterlabs:policy/metadata@0.1.0#describe") (result i32)
  {body}
  (i32.const 1024))
(func (export "clusterlabs:policy/metadata@0.1.0#check")
  (param $settings i32) (param $settings_length i32)
  (result i32)
  {check}
  (i32.const 1056))
