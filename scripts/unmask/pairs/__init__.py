"""What people read of measures over sentence pairs: the paper's tables, figures, sections of the report."""
