;; A component that wants what nobody has.
(component (import "a:b/c" (instance)))
