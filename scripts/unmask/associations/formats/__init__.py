"""Formats of association tests, a module each, by the name that a study gives as `format`.

Each has `read(path, entry)`, which makes an AssociationTest (unmask.associations.association_test) of one
file; `unmask.associations.stimuli` reads a suite with it. A format whose tests are of a world has
`read_world(path)` in its place, which makes all of them of the world's truth.
"""
