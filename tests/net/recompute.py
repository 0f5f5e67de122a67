"""Recompute a finished study from its files alone: nothing of the library is imported.

python tests/net/recompute.py results/STUDY     of each kind of number: how many, how far off, how many differ

Formulas are those of the papers, written as loops and group-bys. What the library shares with this file is
the names of files and of their columns. What a study does not have is passed over, and listed at the end.
Status 1: a number differs, or there is nothing to recompute.
"""

import itertools
import json
import math
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
from scipy import stats

KEY = ["pair_id", "role"]
SIDES = ("stereotype", "antistereotype")
SUMS = ("CPS", "PLL", "AllMaskedSum")
"""Measures that are sums: of no token they are 0."""

Frame = Any
"""A pandas frame or series, whose columns no type says."""


class Study:
    """The files of a finished study, and what is recomputed of them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.compared: Counter[str] = Counter()
        self.off: dict[str, float] = defaultdict(float)
        self.differing: dict[str, list[str]] = defaultdict(list)
        self.absent: list[str] = []

    def table(self, *parts: str) -> Frame:
        frame: Any = pd.read_parquet(self.folder.joinpath(*parts))
        return frame.astype({name: object for name in frame if frame[name].dtype == "category"})

    def paths(self, pattern: str) -> list[Path]:
        """The files or folders of a pattern; a pattern without any is noted."""
        paths = sorted(self.folder.glob(pattern))
        if not paths:
            self.absent.append(pattern)
        return paths

    def same(self, kind: str, stated: Any, computed: Any, where: object, tolerance: float = 1e-9) -> None:
        """Compare two numbers, or two words, relative to the larger of 1 and what is computed."""
        self.compared[kind] += 1
        if isinstance(computed, str) or isinstance(stated, str):
            differs = stated != computed
        elif pd.isna(stated) or pd.isna(computed):
            differs = bool(pd.isna(stated)) != bool(pd.isna(computed))
        else:
            off = abs(float(stated) - float(computed))
            self.off[kind] = max(self.off[kind], off)
            differs = off > tolerance * max(1, abs(float(computed)))
        if differs:
            self.differing[kind].append(f"{where}: {stated} is stated, {computed} computed")


# ---- scores of pairs from evidence (Kaneko & Bollegala 2022, equations 1 to 5)


def measures(folder: Path) -> dict[tuple[str, str], Frame]:
    """The score of each sentence by measure and protocol."""
    files = (path for path in folder.glob("*.parquet") if ".top" not in path.name)
    evidence: dict[str, Any] = {
        path.stem: pd.read_parquet(path).astype({"pair_id": str, "role": str}) for path in files
    }
    evidence = {masking: rows[rows["role"] != "unrelated"] for masking, rows in evidence.items()}
    scores: dict[tuple[str, str], Any] = {}
    if "none" in evidence:
        none = evidence["none"]
        last = none.groupby(KEY)["position"].transform("max")
        for protocol, rows, weight in (
            ("published", none[(none["position"] > 0) & (none["position"] < last)], "attention"),
            ("corrected", none[~none["special"]], "attention_content"),
        ):
            by = [rows[name] for name in KEY]
            log_prob = rows["log_prob"].astype(float)
            scores["AUL", protocol] = log_prob.groupby(by).mean()
            of_attention = rows[weight].astype(float)
            shares = of_attention if protocol == "corrected" else of_attention * 0 + 1
            product = (log_prob * of_attention).groupby(by).sum(min_count=1)
            scores["AULA", protocol] = product / shares.groupby(by).sum(min_count=1)
    for name, maskings, how in (
        ("CPS", ["one-shared"], "sum"), ("PLL", ["one-shared", "one-modified"], "sum"),
        ("SSS", ["modified"], "mean"), ("AllMasked", ["all"], "mean"), ("AllMaskedSum", ["all"], "sum"),
    ):  # fmt: skip
        if set(maskings) <= set(evidence):
            rows = pd.concat([evidence[masking] for masking in maskings])
            for protocol in ("published", "corrected"):
                column = "cross_log_prob" if (name, protocol) == ("SSS", "published") else "log_prob"
                values, by = rows[column].astype(float), [rows[key] for key in KEY]
                # of a sentence with a number that is not known nothing is known
                unknown = values.isna().groupby(by).any()
                scores[name, protocol] = values.groupby(by).agg(how).mask(unknown)
    return scores


def outcome_of(margin: float, is_empty: bool, protocol: str) -> str:
    """is_empty: neither sentence has a token that counts."""
    if is_empty or abs(margin) <= (1e-6 if protocol == "corrected" else 0):
        return "tie"
    if math.isnan(margin):
        return "undefined"
    return "stereotype" if margin > 0 else "antistereotype"


def check_scores(study: Study, model: str, benchmark: str, variant: str) -> Frame:
    """Scores and decisions of a model; returns the stated ones."""
    stated = study.table("scores", model, benchmark, f"{variant}.parquet")
    stated = stated.astype({"pair_id": str, "measure": str, "protocol": str})
    of_sentences = measures(study.folder / "evidence" / model / benchmark / variant)
    for (name, protocol), score in of_sentences.items():
        rows = stated[(stated["measure"] == name) & (stated["protocol"] == protocol)].set_index("pair_id")
        for pair, row in rows.iterrows():
            empty = 0.0 if name in SUMS else math.nan
            sides = [float(score.get((pair, side), empty)) for side in SIDES]
            if (name, protocol) == ("CPS", "published"):
                sides = [round(side, 3) for side in sides]
            where = (model, benchmark, variant, name, protocol, pair)
            for side, value in zip(SIDES, sides, strict=True):
                study.same("scores of sentences", row[side], value, (*where, side), 1e-6)
            margin = sides[0] - sides[1]
            outcome = outcome_of(margin, not any((pair, side) in score.index for side in SIDES), protocol)
            # float error decides what is as near to a tie as the file says
            if outcome == "tie" or not abs(margin) <= row["error"]:
                study.same("decisions", row["outcome"], outcome, where)
    return stated


# ---- pairs from their sources, what they share, and what is shuffled


def check_pairs(study: Study, path: Path) -> None:
    """The pairs of a world against the file that it wrote."""
    pairs = study.table("benchmarks", path.name).astype({"pair_id": str})
    made_from = json.loads(pq.read_schema(path).metadata[b"unmask"])["made_from"]
    sources = [source for source in made_from if "planted/" in source]
    if not sources:
        study.absent.append(f"the source of {path.stem} in a world")
        return
    source = study.folder / sources[0].split("/", 2)[2]
    if source.suffix == ".csv":
        listed: Any = pd.read_csv(source)
        rows = {str(row.iloc[0]): (row["sent_more"], row["sent_less"]) for _, row in listed.iterrows()}
    else:
        rows = {}
        for item in json.loads(source.read_text())["data"]["intrasentence"]:
            by_label = {each["gold_label"]: each["sentence"] for each in item["sentences"]}
            rows[item["id"]] = by_label["stereotype"], by_label["anti-stereotype"]
    study.same("pairs", len(pairs), len(rows), path.stem)
    for pair in pairs.itertuples():
        for side, text in zip(SIDES, rows[pair.pair_id], strict=True):
            study.same("pairs", getattr(pair, side), text, (path.stem, pair.pair_id, side))


def check_alignment(study: Study, model: str, benchmark: str) -> None:
    folder = study.folder / "evidence" / model / benchmark
    none = study.table("evidence", model, benchmark, "original", "none.parquet")
    for pair, rows in none[none["role"] != "unrelated"].groupby("pair_id", sort=False):
        sides = [rows[rows["role"] == role] for role in SIDES]
        ids = [list(side["token_id"]) for side in sides]
        for which, side in enumerate(sides):
            changed = [True] * len(side)
            for block in SequenceMatcher(None, ids[0], ids[1]).get_matching_blocks():
                for k in range(block.size):
                    changed[(block.a, block.b)[which] + k] = False
            stated, computed = ("".join(map(str, map(int, flags))) for flags in (side["modified"], changed))
            study.same("tokens that differ", stated, computed, (model, benchmark, pair))
    path = folder / "shuffled/none.parquet"
    if path.exists():
        moved: Any = pd.read_parquet(path)
        for key, rows in moved[~moved["special"]].groupby(KEY, observed=True):
            stated = ",".join(map(str, sorted(rows["source_position"].astype(int))))
            study.same("shuffled sentences", stated, ",".join(map(str, rows["position"])), (model, key))
        share = (moved["source_position"] != moved["position"]).mean()
        study.same("shuffled sentences", float(share > 0.4), 1.0, (model, benchmark, "are shuffled"))


# ---- bias scores, token accuracies, McNemar's tests, areas


def credit(outcomes: Frame, protocol: str) -> float:
    if protocol == "published":
        return float(100 * (outcomes == "stereotype").mean())
    defined = outcomes[outcomes != "undefined"]
    values = defined.map({"stereotype": 1, "tie": 0.5, "antistereotype": 0})
    return float(100 * values.mean()) if len(defined) else math.nan


def check_bias(study: Study, model: str, benchmark: str, pairs: Frame, scores: Mapping[str, Frame]) -> None:
    for row in study.table("statistics", model, benchmark, "bias.parquet").to_dict("records"):
        of: Any = scores[row["variant"]]
        of = of[(of["measure"] == row["measure"]) & (of["protocol"] == row["protocol"])]
        of = of.set_index("pair_id")["outcome"].reindex(pairs["pair_id"])
        where = (model, benchmark, row["variant"], row["measure"], row["protocol"], row["group"])
        if row["grouping"] == "difference":
            directions = ((pairs["direction"] == name).to_numpy() for name in ("antistereo", "stereo"))
            adv, dis = (credit(of[members], row["protocol"]) for members in directions)
            study.same("Adv - Dis", row["score"], adv - dis, where)
            continue
        if row["grouping"] != "overall":
            of = of[(pairs[row["grouping"]] == row["group"]).to_numpy()]
        study.same("bias scores", row["score"], credit(of, row["protocol"]), where)
        for outcome in (*SIDES, "tie", "undefined"):
            study.same("counts of decisions", row[outcome], (of == outcome).sum(), where)


def right(rows: Frame) -> Frame:
    return rows.astype({"pair_id": str, "role": str}).set_index(["pair_id", "role", "position"])["rank"] == 1


def mcnemar(b: int, c: int) -> float:
    if not b + c:
        return math.nan
    if b + c < 25:
        return float(stats.binomtest(min(b, c), b + c).pvalue)
    return float(stats.chi2.sf((abs(b - c) - 1) ** 2 / (b + c), 1))


def check_tokens(study: Study, model: str, benchmark: str) -> None:
    evidence = study.folder / "evidence" / model / benchmark
    names = [name for name in ("one-shared", "modified") if (evidence / f"original/{name}.parquet").exists()]
    none = study.table(*evidence.relative_to(study.folder).parts, "original", "none.parquet")
    hidden = {
        name: study.table("evidence", model, benchmark, "original", f"{name}.parquet") for name in names
    }
    hidden = {name: rows[rows["role"] != "unrelated"] for name, rows in hidden.items()}
    none, unrelated = none[none["role"] != "unrelated"], none[none["role"] == "unrelated"]
    content = none[~none["special"]]
    changed = content["modified"].astype(bool)
    of_reading: dict[tuple[str, str, str], Any] = {
        ("AUL", "original", "all-tokens"): none,
        ("AUL", "original", "content-tokens"): content,
        ("AUL", "original", "shared-tokens"): content[~changed],
        ("AUL", "original", "modified-tokens"): content[changed],
    }
    alone = {"original": unrelated}
    sides: dict[str, tuple[Any, Any]] = {}
    for measure, masking, reading, members in (
        ("CPS", "one-shared", "shared-tokens", ~changed),
        ("SSS", "modified", "modified-tokens", changed),
    ):
        if masking in hidden:
            of_reading[measure, "original", reading] = hidden[masking]
            sides[measure] = right(content[members]), right(hidden[masking])
    if (path := evidence / "shuffled/none.parquet").exists():
        shuffled: Any = pd.read_parquet(path)
        alone["shuffled"] = shuffled.query("role == 'unrelated'")
        moved = of_reading["AUL", "shuffled", "all-tokens"] = shuffled.query("role != 'unrelated'")
        places = moved["source_position"].fillna(moved["position"]).astype(int)
        sides["AUL shuffled"] = right(none), right(moved.assign(position=places))
    for row in study.table("statistics", model, benchmark, "accuracy.parquet").to_dict("records"):
        of = of_reading.get((row["measure"], row["variant"], row["reading"]))
        if row["roles"] == "unrelated" and row["reading"] == "all-tokens":
            of = alone[row["variant"]]
        elif row["roles"] == "unrelated" or of is None:
            continue
        elif row["roles"] != "pair":
            of = of[of["role"] == row["roles"]]
        where = (model, benchmark, row["measure"], row["variant"], row["reading"], row["roles"])
        study.same("tokens predicted right", row["correct"], (of["rank"] == 1).sum(), where)
        study.same("tokens predicted right", row["n"], len(of), where)
        study.same("token accuracies", row["accuracy"], 100 * (of["rank"] == 1).mean(), where)
    for row in study.table("statistics", model, benchmark, "tests.parquet").to_dict("records"):
        if row["second"] not in sides or row["unit"] != "token":
            continue
        one, other = sides[row["second"]]
        both = pd.concat([one, other], axis=1, join="inner")
        first, second = both.iloc[:, 0], both.iloc[:, 1]
        test = (model, benchmark, row["second"])
        b, c = int((first & ~second).sum()), int((~first & second).sum())
        for name, value in (("n", len(both)), ("b", b), ("c", c), ("p", mcnemar(b, c))):
            study.same("McNemar's tests of tokens", row[name], value, (*test, name), 1e-7)


def check_areas(study: Study, model: str, benchmark: str, pairs: Frame, scores: Frame) -> None:
    votes = pairs["ratings"].map(lambda r: math.nan if r is None else sum(v is not None for v in r))
    for row in study.table("statistics", model, benchmark, "agreement.parquet").to_dict("records"):
        of = scores[(scores["measure"] == row["measure"]) & (scores["protocol"] == row["protocol"])]
        margin = of.set_index("pair_id")["margin"].reindex(pairs["pair_id"]).to_numpy(float)
        known = ~np.isnan(margin) & votes.notna().to_numpy()
        positive = (votes >= 4).to_numpy()
        yes, no = margin[known & positive], margin[known & ~positive]
        area = math.nan
        if len(yes) and len(no):
            area = stats.mannwhitneyu(yes, no).statistic / len(yes) / len(no)
        where = (model, benchmark, row["measure"], row["protocol"])
        study.same("areas under ROC curves", row["auc"], area, where)
        study.same("areas under ROC curves", row["positives"], len(yes), where)


def check_measures(study: Study) -> dict[str, Frame]:
    """All of each model on each benchmark; returns their bias tables."""
    bias = {}
    for folder in study.paths("statistics/*/*"):
        model, benchmark = folder.parts[-2:]
        if not (study.folder / "evidence" / model / benchmark / "original/none.parquet").exists():
            study.absent.append(f"the evidence of {model} on {benchmark}")
            continue
        pairs = study.table("benchmarks", f"{benchmark}.parquet").astype({"pair_id": str})
        variants = (study.folder / "scores" / model / benchmark).glob("*.parquet")
        scores = {path.stem: check_scores(study, model, benchmark, path.stem) for path in variants}
        check_alignment(study, model, benchmark)
        check_bias(study, model, benchmark, pairs, scores)
        check_tokens(study, model, benchmark)
        check_areas(study, model, benchmark, pairs, scores["original"])
        frame = study.table("statistics", model, benchmark, "bias.parquet")
        bias[f"{model} {benchmark}"] = frame.assign(model=model, benchmark=benchmark)
    return bias


# ---- word frequency (section 5, Table 2)


def check_frequency(study: Study, folder: Path) -> None:
    benchmark, words = folder.name, re.compile(r"[^\W\d_]+")
    pairs = study.table("benchmarks", f"{benchmark}.parquet").astype({"pair_id": str})
    corpora = [path.stem for path in (study.folder / "frequency").glob("*.parquet")]
    texts = list(study.folder.glob("planted/*/corpus.txt"))
    if (len(corpora), len(texts)) != (1, 1):
        study.absent.append(f"the text that {benchmark} is counted in")
        return
    counts = Counter(words.findall(texts[0].read_text().lower()))
    stated = study.table("frequency", f"{corpora[0]}.parquet").set_index("word")["count"]
    for word, count in counts.items():
        study.same("counts of words", stated.get(word), count, word)
    ratios = study.table("group_words", benchmark, "ratios.parquet").set_index("pair_id")
    for pair in pairs.itertuples():
        one, other = (words.findall(sentence.lower()) for sentence in (pair.stereotype, pair.antistereotype))
        differing = [(a, b) for a, b in zip(one, other, strict=False) if a != b]
        if len(one) == len(other) and differing:
            level = [
                np.mean([math.log(counts[w] + 0.5) for w in side]) for side in zip(*differing, strict=True)
            ]
            ratio = ratios.loc[pair.pair_id, "log_ratio"]
            study.same("log frequency ratios", ratio, level[0] - level[1], (benchmark, pair.pair_id), 1e-6)


# ---- regional bias (Li et al. 2022, equations 2 to 10)


def softmax(x: Any) -> Any:
    return np.exp(x - x.max()) / np.exp(x - x.max()).sum()


class Herb:
    """Scores of the regions of one model by the double loops of the paper.

    regions: region, parent and level. f: by region the likelihoods of its words, alone: that of its name; of
    all but the root.
    """

    def __init__(self, regions: Frame, f: Mapping[str, Any], alone: Mapping[str, float], paper: bool) -> None:
        self.children = {r: list(c["region"]) for r, c in regions.groupby("parent", sort=False)}
        (self.root,) = regions.loc[regions["parent"].isna(), "region"]
        level = regions.set_index("region")["level"]
        above = set(level[[*self.children]])
        self.leaves = {region for region, of in level.items() if of not in above}
        self.v = {region: x / np.linalg.norm(x) for region, x in f.items() if region != self.root}
        self.alone, self.paper = alone, paper
        self.big: dict[str, Any] = {}
        self.c: dict[str, float] = {}
        self.scores: dict[tuple[str, str], float] = {}
        self.visit(self.root)

    def family(self, region: str) -> list[str]:
        below = (each for child in self.children.get(region, []) for each in self.family(child))
        return [region, *below]

    def visit(self, region: str) -> None:
        children, v = self.children.get(region, []), self.v
        for child in children:
            self.visit(child)
        self.c.setdefault(region, 0.0)
        couples = list(itertools.combinations(children, 2))
        if children:
            middle = np.mean([v[child] for child in children], axis=0)
            leaves = self.leaves.intersection(children)
            self.c |= {child: float(np.linalg.norm(v[child] - middle)) for child in leaves}
            inside = [v[each] for each in self.family(region) if each != self.root]
            distances = [np.linalg.norm(i - j) for i, j in itertools.combinations(inside, 2)]
            if distances:
                self.scores["cluster_sparseness", region] = float(np.mean(distances))
        if region != self.root:
            gaps = [abs(self.big[i] - self.big[j]) for i, j in couples] or [np.zeros_like(v[region])]
            mean = np.mean([self.big[child] for child in children], axis=0) if children else 0.0
            self.big[region] = v[region] + softmax(np.mean(gaps, axis=0)) * mean
        if couples:
            factor = 1 / len(couples) if self.paper else 1.0
            distance = np.array([np.linalg.norm(self.big[i] - self.big[j]) for i, j in couples])
            for measure, weight in (("C_w", self.c), ("C_z", self.alone)):
                shares = softmax(np.array([weight[i] + weight[j] for i, j in couples]))
                self.scores[measure, region] = factor * float(shares @ distance)
            self.c[region] = self.scores["C_w", region]


def check_regional(study: Study, path: Path) -> None:
    model = path.parent.name
    files = sorted((path.parent / "likelihoods").glob("*.parquet"))
    words = study.table("regional", "words.parquet")
    lists = set(words["list"])
    rows: Any = pd.concat([pd.read_parquet(path) for path in files if path.stem in lists])
    regions = study.table("regional", "regions.parquet")
    of_words: Any = rows[rows["word"].notna()].pivot_table(
        index="name", columns="word", values="log_prob", sort=False
    )
    of_words = of_words[list(words["word"])]
    of_names = rows[rows["word"].isna()].drop_duplicates("name").set_index("name")["log_prob"]
    names = regions.set_index("region")["name"]
    names = names[names.isin(of_names.index)]
    f = {region: of_words.loc[name].to_numpy() for region, name in names.items()}
    alone = {region: of_names[name] for region, name in names.items()}
    stated = study.table("regional", model, "scores.parquet").query("words == 'full'")
    value = {(r.protocol, r.measure, r.region): r.score for r in stated.itertuples()}
    for protocol in ("paper", "corrected"):
        herb = Herb(regions, f, alone, protocol == "paper")
        for (measure, region), score in herb.scores.items():
            # equation 3 has nothing to correct
            of = "paper" if measure == "cluster_sparseness" else protocol
            stated_score = value[of, measure, region]
            study.same(f"regional bias, {measure}", stated_score, score, (model, protocol, region), 1e-6)


# ---- association tests (Ross et al. 2021, equations 1 to 3)


def partition_p(x: Any, y: Any) -> tuple[float, float]:
    """The shares of all partitions that have as much on one side, and on either."""
    both = np.concatenate([x, y])
    sums = both[list(itertools.combinations(range(len(both)), len(x)))].sum(axis=1)
    slack, mean = 1e-9 * abs(both).sum(), len(x) * both.mean()
    observed = sum(x)
    return (sums >= observed - slack).mean(), (abs(sums - mean) >= abs(observed - mean) - slack).mean()


def check_associations(study: Study, path: Path) -> None:
    model, suite = path.parts[-3:-1]
    stimuli = study.table("associations", "suites", f"{suite}.parquet")
    vectors = study.table("associations", model, suite, "embeddings.parquet")
    vector = {(r.stimulus, r.pooling): np.asarray(r.embedding, float) for r in vectors.itertuples()}
    stated = study.table("associations", model, suite, "associations.parquet")
    stated = stated.query("experiment == 'weat'")
    for row in stated.to_dict("records"):
        of = stimuli[stimuli["test"] == row["test"]].drop_duplicates(["set", "stimulus"])
        of = of[[(name, row["pooling"]) in vector for name in of["stimulus"]]]
        of_sets = {s: [vector[n, row["pooling"]] for n in rows["stimulus"]] for s, rows in of.groupby("set")}
        unit = {s: np.stack([each / np.linalg.norm(each) for each in rows]) for s, rows in of_sets.items()}
        s: dict[str, Any] = {
            x: (unit[x] @ unit["A"].T).mean(axis=1) - (unit[x] @ unit["B"].T).mean(axis=1) for x in "XY"
        }
        if row["unit"] == "word":
            words = {x: of.loc[of["set"] == x, "word"].to_numpy() for x in "XY"}
            s = {x: pd.Series(s[x]).groupby(words[x]).mean().to_numpy() for x in "XY"}
        where = (model, row["test"], row["pooling"], row["unit"])
        both, gap = np.concatenate([s["X"], s["Y"]]), s["X"].mean() - s["Y"].mean()
        study.same("association gaps", row["mean_difference"], gap, where, 1e-6)
        if row["d"] == row["d"]:
            study.same("effect sizes d", row["d"], gap / both.std(ddof=1), where, 1e-5)
        if math.comb(len(both), len(s["X"])) <= 1000:
            for name, p in zip(("p", "p_two"), partition_p(s["X"], s["Y"]), strict=True):
                study.same("p of associations", row[name], p, where, 1e-6)


# ---- extrinsic bias (Kaneko et al. 2022, Debiasing isn't enough)


def women_and_men(items: Frame, of_items: Any, *by: str) -> tuple[Frame, Frame]:
    """Means of women and of men by occupation, or by template and occupation, where there are both."""
    keys = [items[name] for name in (*by, "occupation", "gender")]
    means: Any = pd.Series(of_items, items.index, dtype=float).groupby(keys).mean().unstack().dropna()
    return means["female"], means["male"]


def with_share(items: Frame, gaps: Frame) -> float:
    """Pearson's r of gaps with the percentage of women; nan where gaps do not vary."""
    share = items.dropna(subset="female_share").drop_duplicates("occupation").set_index("occupation")
    return float(gaps.corr(share["female_share"].astype(float))) if gaps.nunique() > 1 else math.nan


def hits(items: Frame, logits: Any) -> Frame:
    """Whether each item of the test is right."""
    tested = items["part"] == "test"
    return items["label"][tested].astype(float) == logits.argmax(axis=1)[tested]


def of_occupations(items: Frame, logits: Any) -> tuple[dict[str, float], Frame]:
    hit = hits(items, logits)
    women, men = women_and_men(items, hit)
    gaps = women - men
    values = {"tpr_gap": gaps.abs().mean(), "tpr_gap_rms": math.sqrt((gaps**2).mean())}
    values |= {"tpr_gap_signed": gaps.mean(), "tpr_gap_correlation": with_share(items, gaps)}
    by_gender = {f"accuracy_{gender}": hit[items["gender"] == gender].mean() for gender in ("female", "male")}
    return {**values, **by_gender, "accuracy": hit.mean()}, gaps


def of_similarity(items: Frame, logits: Any) -> tuple[dict[str, float], Frame]:
    similarity = pd.Series(logits[:, 0], items.index, dtype=float)
    women, men = women_and_men(items, similarity, "template")
    delta = men - women
    gaps = delta.groupby("occupation").mean()
    values = {"delta": delta.abs().mean(), "delta_signed": abs(delta.mean())}
    values |= {"delta_occupation": gaps.abs().mean(), "delta_correlation": with_share(items, gaps)}
    tested = items["part"] == "test"
    return {**values, "accuracy": similarity[tested].corr(items["label"][tested].astype(float))}, gaps


def of_entailment(items: Frame, logits: Any) -> tuple[dict[str, float], Frame]:
    raised = np.exp(logits - logits.max(axis=1, keepdims=True))
    neutral = (raised / raised.sum(axis=1, keepdims=True))[:, 1]
    rates = {"fn": logits.argmax(axis=1) == 1, "nn": neutral, "t5": neutral > 0.5, "t7": neutral > 0.7}
    both = {name: women_and_men(items, per, "template") for name, per in rates.items()}
    values = {f"{name}_female": women.mean() for name, (women, _) in both.items()}
    values |= {f"{name}_male": men.mean() for name, (_, men) in both.items()}
    # means over runs are of gaps without a sign, as each run has its own
    values |= {f"{name}_gap": abs(values[f"{name}_male"] - values[f"{name}_female"]) for name in ("fn", "nn")}
    values |= {"not_neutral": 1 - (values["fn_female"] + values["fn_male"]) / 2}
    women, men = both["fn"]
    return {**values, "accuracy": hits(items, logits).mean()}, (women - men).groupby("occupation").mean()


TASKS: dict[str, Callable[[Frame, Any], tuple[dict[str, float], Frame]]] = {
    "tpr_gap": of_occupations,
    "delta": of_similarity,
    "fn_gap": of_entailment,
}
"""By the main metric of a task."""


def check_downstream(study: Study, path: Path) -> None:
    task, model = path.parts[-3:-1]
    items = study.table("downstream", task, "items.parquet")
    stated = study.table("downstream", task, model, "scores.parquet")
    recomputed = TASKS[next(name for name in stated["metric"] if name in TASKS)]
    for run in sorted(path.parent.glob("seed-*.parquet")):
        logits = np.stack(study.table("downstream", task, model, run.name)["logits"]).astype(float)
        rows = stated[stated["seed"] == int(run.stem.removeprefix("seed-"))]
        metric = rows[rows["group"].isna()].set_index("metric")["value"]
        values, gaps = recomputed(items, logits)
        for name, value in values.items():
            stated_value = metric.get(name, math.nan)
            study.same("extrinsic bias", stated_value, value, (task, model, run.stem, name), 1e-6)
        of_groups = rows[rows["group"].notna()].set_index("group")["value"]
        for group, value in gaps.items():
            study.same("gaps of occupations", of_groups[group], value, (task, model, run.stem, group), 1e-6)


# ---- what is shown is what was computed


def drawn(spec: object) -> list[dict[str, Any]]:
    """All rows that stand in a specification of Vega-Lite."""
    if isinstance(spec, list):
        return [row for each in spec for row in drawn(each)]
    if not isinstance(spec, dict):
        return []
    if isinstance(spec.get("values"), list) and all(isinstance(row, dict) for row in spec["values"]):
        return list(spec["values"])
    return drawn(list(spec.values()))


def blocks(of: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for block in of:
        yield block
        yield from blocks(block.get("blocks", []))


def numbers_of(study: Study) -> set[float]:
    """All numbers of tables, published and internal ones, to nine digits."""
    files = [*study.folder.glob("statistics/*/*/*.parquet"), *study.folder.glob("comparisons/*.parquet")]
    files += study.folder.glob("quality/*/*.parquet")
    frames = [pd.read_csv(path) for path in (study.folder / "tables").glob("*.csv")]
    frames += [pd.read_parquet(path) for path in files]
    values = (np.unique(frame.select_dtypes("number").to_numpy(float)) for frame in frames)
    return {round(x, 9) for each in values for x in each if x == x}


def check_tables(study: Study, bias: Frame) -> None:
    """bias.csv and Table 5 against statistics."""
    keys = ["model", "benchmark", "variant", "measure", "protocol", "grouping", "group"]
    of_key = bias.set_index(keys)
    shown: Any = pd.read_csv(study.folder / "tables/bias.csv")
    for row in shown.set_index(keys).itertuples():
        if row.Index in of_key.index:
            for name in ("score", "low", "high", "p", "margin", "n"):
                stated, computed = getattr(row, name), of_key.loc[row.Index, name]
                study.same("bias.csv is the statistics", stated, computed, row.Index)
    if (path := study.folder / "tables/table5.csv").exists():
        overall = bias[(bias["grouping"] == "overall") & (bias["variant"] == "original")]
        overall = overall.set_index(["model", "benchmark", "measure", "protocol"])["score"]
        for row in pd.read_csv(path).itertuples():
            key = (row.model, row.benchmark, row.measure, row.row)
            if key in overall.index:
                study.same("Table 5", row.value, overall[key], key)


def check_charts(study: Study, bias: Frame) -> None:
    """Every bias score of a chart by its keys; every other number of one is a number of some table."""
    titles = {"AllMasked": "All-Masked", "AllMaskedSum": "All-Masked (sum)"}
    shown = bias[(bias["variant"] == "original") & (bias["protocol"] == "corrected")]
    shown = shown.assign(measure=shown["measure"].replace(titles))
    keys = ["model", "benchmark", "measure", "group"]
    shown = shown.drop_duplicates(keys).set_index(keys)
    numbers = numbers_of(study)
    for path in study.paths("report/sections/*.json"):
        sections = json.loads(path.read_text())["sections"]
        shown_blocks = (block for section in sections for block in blocks(section["blocks"]))
        charts = (block for block in shown_blocks if block.get("kind") == "chart")
        for place, row in (
            (place, row) for place, chart in enumerate(charts) for row in drawn(chart["spec"])
        ):
            key = tuple(row.get(name) for name in keys)
            if "verdict" in row and key in shown.index:
                for name in ("score", "low", "high"):
                    stated = math.nan if row[name] is None else row[name]
                    where = (path.stem, place, *key, name)
                    study.same("charts of bias scores", stated, shown.loc[key, name], where)
            for name in ("score", "value"):
                x = row.get(name)
                if isinstance(x, int | float) and not isinstance(x, bool):
                    known = any(round(x * scale, 9) in numbers for scale in (1, 0.001, 0.01, 100, 1000, -1))
                    study.same(f"charts: {path.stem}", float(known), 1.0, (path.stem, place, name, x))


def check_page(study: Study, path: Path) -> None:
    loaded = re.findall(r'(?:src=|@import|url\()["\']?https?:', path.read_text())
    study.same("the page loads nothing", len(loaded), 0, "index.html")


def recompute(folder: Path) -> Study:
    """All that a study has, with what differs."""
    study = Study(folder)
    bias = check_measures(study)
    for pattern, check in (
        ("benchmarks/*.parquet", check_pairs),
        ("group_words/*", check_frequency),
        ("regional/*/scores.parquet", check_regional),
        ("associations/*/*/associations.parquet", check_associations),
        ("downstream/*/*/scores.parquet", check_downstream),
        ("report/index.html", check_page),
    ):
        for path in study.paths(pattern):
            check(study, path)
    if bias:
        every: Frame = pd.concat(bias.values()).reset_index(drop=True)
        check_tables(study, every)
        check_charts(study, every)
    return study


def main() -> int:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    study = recompute(Path(sys.argv[1]))
    for kind, count in study.compared.items():
        lines = study.differing[kind]
        print(f"{kind:30} {count:7} numbers, off by {study.off[kind]:.1e} at most, {len(lines)} differ")
        for line in lines[:2]:
            print(f"    {line[:200]}")
    for absent in study.absent:
        print(f"passed over: there is no {absent}" if "*" in absent else f"passed over: {absent}")
    differing = sum(map(len, study.differing.values()))
    print(f"{study.compared.total()} numbers, {differing} differ")
    return int(differing > 0 or not study.compared)


if __name__ == "__main__":
    sys.exit(main())
