"""How unequally models that do a task treat the genders: a module for each kind of task.

Each has METRICS, the names of what it computes, the main one first, and Measuring: `Measuring(items, draws)`
with `remarks` (what was left out), `estimates(logits)` and `main(logits)`, the main metric with what each
unit adds to it. logits: shape (runs, items, labels), in the order of `items`.
"""
