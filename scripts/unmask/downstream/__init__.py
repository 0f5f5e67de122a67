"""Downstream tasks: models fine-tuned, and how unequally they then treat the genders."""
