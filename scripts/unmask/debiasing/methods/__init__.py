"""Methods of debiasing, a module each, by the name that a study gives as `method`.

Each has `debias(base, texts, entry, directory, work, device)`, see unmask.debiasing.inputs.
"""
