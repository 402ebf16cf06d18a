;; Gives up.
(unreachable)
