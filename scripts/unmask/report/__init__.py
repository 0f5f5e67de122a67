"""What people read: the paper's tables, the figures and the page. Nothing else imports this package."""
