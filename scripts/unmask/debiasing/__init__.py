"""Debiasing: models made from models, so that they should be less biased."""
