"""What people read: sections, tables and figures as they are shown, and the page; it knows no family."""
