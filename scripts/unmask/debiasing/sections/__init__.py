"""What the report says of debiased models."""
