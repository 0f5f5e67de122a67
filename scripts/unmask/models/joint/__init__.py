"""Networks that read a text together with a picture, a module for each of transformers' classes.

Each has `READING`: its class, what it sees, and where the joint embedding of text and picture is.
"""
