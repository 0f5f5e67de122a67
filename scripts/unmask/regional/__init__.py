"""Hierarchical regional bias (HERB; Li et al., 2022): how differently a model speaks of the parts of a region."""
