"""The Pairs table, which every benchmark is read into."""

from unmask.tables import schema

PAIRS = schema(
    """
    pair_id         text     the pair, as its source numbers it
    bias_type       text     what the stereotype is about, such as gender, in the words of the source
    stereotype      text     the sentence that states the stereotype
    antistereotype  text     the other sentence of the pair
    unrelated       text?    a sentence that has nothing to do with either; null where there is none
    direction       text?    stereo or antistereo: whether the pair states a stereotype or goes against one;
                             null where the source does not say
    ratings         text[]?  one entry a validator: the bias type chosen, null for none; null where there were
                             no validators
    context         text?    the text before the sentences, where the source has one
    target          text?    whom or what the pair is about, where the source says so
    writer          text?    who wrote the pair, where the source says so
    """
)
"""One row per pair of a benchmark, in the order of its source."""
