;; Never ends.
(loop $again (br $again))
