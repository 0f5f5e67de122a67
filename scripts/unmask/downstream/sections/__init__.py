"""What the report says of downstream tasks."""
