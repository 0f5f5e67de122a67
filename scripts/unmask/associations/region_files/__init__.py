"""Files of features of pictures' regions, a module for each kind.

Each has `rows(path, images, boxes)`, which yields (image, features, boxes) of the pictures that are asked for
alone: arrays as they are in the file, to be checked. Boxes are None where they are not asked for or there are
none. It raises InputError naming file and picture of what is not there, before any is read, and of what is
broken.
"""
