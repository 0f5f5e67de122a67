"""Template tests: LPBS (Kurita et al. 2019) and DisCo (Webster et al. 2020) of masked language models."""
