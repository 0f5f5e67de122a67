"""Sequences as trees, against the prefixes themselves."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unmask.models.prefix_trees import stacked, tree_rows

SEQUENCES = st.lists(st.lists(st.integers(1, 3), min_size=1, max_size=9).map(tuple), min_size=1, max_size=12)


@given(SEQUENCES, st.integers(1, 20))
def test_each_sequence_stands_in_its_row_and_each_token_sees_its_own_prefix(
    sequences: list[tuple[int, ...]], longest: int
) -> None:
    rows = tree_rows(sequences, longest)
    trees = stacked(rows)
    assert sorted(number for row in rows for number in row.sequences) == list(range(len(sequences)))
    assert [len(row) for row in rows] == sorted((len(row) for row in rows), reverse=True)
    for number, row in enumerate(rows):
        of_row = [sequences[sequence] for sequence in row.sequences]
        assert len(row) <= longest or len({*of_row}) == 1
        # each prefix once
        assert len(row) == len({sequence[:end] for sequence in of_row for end in range(1, len(sequence) + 1)})
        assert row.branches == (len(row) > max(map(len, of_row)))
        for sequence, path in zip(of_row, row.paths, strict=True):
            assert tuple(trees.ids[number, path]) == sequence
            assert list(trees.depth[number, path]) == list(range(len(sequence)))
            for end, token in enumerate(path):
                assert sorted(np.flatnonzero(trees.sees[number, token])) == sorted(path[: end + 1])
        # what fills a row up sees itself, and nothing else sees it
        rest = trees.sees[number, :, len(row) :]
        assert rest.sum() == np.trace(trees.sees[number]) - len(row)


def test_rows_keep_to_their_length_and_share_what_they_can() -> None:
    sequences = [(1, 2, 3, 4), (1, 2, 5), (2, 1), (1, 2, 3, 4)]
    assert [row.ids for row in tree_rows(sequences, 7)] == [[1, 2, 3, 4, 5, 2, 1]]
    assert [row.ids for row in tree_rows(sequences, 5)] == [[1, 2, 3, 4, 5], [2, 1]]
    assert [row.ids for row in tree_rows(sequences, 2)] == [[1, 2, 3, 4], [1, 2, 5], [2, 1]]


@pytest.mark.parametrize(("sequences", "branches"), [([(1, 2), (1, 2, 3)], False), ([(1, 2), (1, 3)], True)])
def test_a_row_without_branches_is_a_plain_one(sequences: list[tuple[int, ...]], branches: bool) -> None:
    assert [row.branches for row in tree_rows(sequences)] == [branches]
