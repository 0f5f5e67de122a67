"""What another arithmetic does to decisions, and judgements on what was planted."""

import pyarrow as pa

from unmask.statistics.schema import BIAS
from unmask.tables import WORD, field

PRECISION = pa.schema(
    [
        field("measure", WORD, meaning="the measure"),
        field("protocol", WORD, meaning="published or corrected"),
        field("pairs", pa.int32(), meaning="pairs of the sample that was scored in both arithmetics"),
        field(
            "largest_change",
            pa.float64(),
            nullable=True,
            meaning="largest change of any side's score, in the measure's unit; null where no pair has one",
        ),
        field("flipped", pa.int32(), meaning="pairs with another outcome than in single precision"),
        field("flipped_pairs", pa.string(), meaning="their ids, separated by spaces"),
    ]
)
"""One row per measure and protocol. Metadata: model, benchmark, device and dtype (what is compared)."""

JUDGEMENTS = pa.schema(
    [
        field("benchmark", WORD, meaning="the benchmark, which a synthetic world made"),
        field("bias_type", WORD, meaning="bias type of the pairs"),
        field("planted", WORD, meaning="association, frequency, both or nothing"),
        field(
            "association",
            pa.float64(),
            meaning="pairs whose stereotype is associated less those whose antistereotype is, of all pairs, "
            "from -1 to 1; 0 where nothing is associated",
        ),
        field("p_low", pa.float64(), meaning="least probability of the stereotyped side, from 0 to 1"),
        field("p_high", pa.float64(), meaning="largest probability of the stereotyped side, from 0 to 1"),
        field("ratio_low", pa.float64(), meaning="least ratio of the frequencies of the two words"),
        field("ratio_high", pa.float64(), meaning="largest ratio of the frequencies of the two words"),
        field("measure", WORD, meaning="the measure"),
        field(
            "exact",
            pa.float64(),
            nullable=True,
            meaning="bias score of the exact model of the world, percent; null in a study without one",
        ),
        field("model", WORD, meaning="the model, trained on the corpus of the world"),
        field("n", pa.int32(), meaning="pairs of the bias type"),
        field(
            "score",
            pa.float64(),
            nullable=True,
            meaning="bias score of the model, percent, protocol corrected; null where no pair is decided",
        ),
        field(
            "low",
            pa.float64(),
            nullable=True,
            meaning="lower end of the interval of `score`, percent; null where there is no interval",
        ),
        field("high", pa.float64(), nullable=True, meaning="upper end of the interval from `low`"),
        BIAS.field("null_low"),
        BIAS.field("null_high"),
        field("verdict", WORD, meaning="verdict on the score (docs/chance.md)"),
        field(
            "p_holm",
            pa.float64(),
            nullable=True,
            meaning="the larger of p and null_p after Holm's correction over all judged scores that are "
            "testable; null of others",
        ),
        field(
            "judgement",
            WORD,
            meaning="found, missed, fooled or right; cannot be told, also where no score of these pairs "
            "could be a clear preference; control of a score without a verdict",
        ),
    ]
)
"""One row per benchmark of a world, bias type, measure and model that was trained on the world."""
