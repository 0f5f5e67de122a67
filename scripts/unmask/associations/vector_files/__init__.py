"""Files of word vectors, a module for each kind.

Each has `rows(path, wanted)`, which yields (place in words, word, numbers as float32[width]) of the wanted
words alone, in the order of the file, and raises InputError naming the file and place of what cannot be read.
"""
