"""Hierarchical regional bias (HERB; Li et al., 2022): how unlike a model makes the parts of a region."""
