"""Networks that read a text together with a picture."""
