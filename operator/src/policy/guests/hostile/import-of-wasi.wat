;; A component that wants a clock of its system.
(component (import "wasi:clocks/wall-clock@0.2.6" (instance)))
