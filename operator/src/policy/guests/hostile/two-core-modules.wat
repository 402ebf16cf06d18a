;; A component with another core module beside the one that runs.
(component (core module $m) (core instance (instantiate $m)) (core module))
