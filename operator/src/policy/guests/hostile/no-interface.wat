;; A component that answers nothing.
(component (core module $m) (core instance (instantiate $m)))
