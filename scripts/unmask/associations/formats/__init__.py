"""Formats of association tests, a module each, by the name that a study gives as `format`.

Each has `read(path, entry)`, which makes an AssociationTest (unmask.associations.association_test) of one
file; `unmask.associations.suite` reads the files of a suite with it.
"""
