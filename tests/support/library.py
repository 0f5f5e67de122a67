"""The library as the unit tests see it: what moves there changes one line here."""

import base64
import gzip
import json
from pathlib import Path
from typing import Any

import pandas as pd

from unmask.job import INTERRUPTED, TERMINATED, hold_run_lock, job_log
from unmask import LIBRARY, __version__, digests, workflow_root
from unmask import tables as unmask_tables
from unmask.associations.embeddings import read_embeddings, write_embeddings
from unmask.associations.grounded_embedding import embed_with_images, open_region_features
from unmask.associations.presenting import PRESENTS as ASSOCIATIONS_PRESENTS
from unmask.associations.presenting import AssociationResults
from unmask.associations.read_tests import read_stimuli
from unmask.associations.schema import ASSOCIATIONS, STIMULI
from unmask.associations.study import check_study as associations_check_study
from unmask.associations.terms import GROUNDED
from unmask.associations.vectors import embed_words, read_vectors
from unmask.associations.weat import (
    ALL_ALIKE,
    E2_HAS_NO_P,
    UNEQUAL,
    association_tests,
    cell_means,
    expected_d,
)
from unmask.associations.weat import p_values as associations_p_values
from unmask.associations.words import WordFacts, find, spans_of
from unmask.benchmarks.reading import read_benchmark
from unmask.benchmarks.schema import PAIRS
from unmask.command import main as command_main
from unmask.command import reproduce
from unmask.command.answer import as_json
from unmask.command.answer import as_text as command_answer_as_text
from unmask.command.comparing import as_text, entry_of
from unmask.command.comparing import compare as command_compare
from unmask.command.main import main
from unmask.command.scoring import run_study
from unmask.command.studies import benchmark_entries, model_entries, new_study, study_of, write_study
from unmask.corpora import reading as corpora_reading
from unmask.corpora.reading import in_blocks, read_blocks
from unmask.corpora.shards import fetched_shards, files_of
from unmask.debiasing import at, masked_training
from unmask.debiasing.data import Base, Texts, lines_of, read_corpus
from unmask.debiasing.data import read_words as debiasing_read_words
from unmask.debiasing.masked_training import debias, held_out_loss
from unmask.debiasing.model_files import load_base, pooler_of, save
from unmask.debiasing.presenting import DebiasingResults, margins_left
from unmask.debiasing.sentences import choose_sentences, finder
from unmask.debiasing.swapping import swap_corpus, swapper
from unmask.digests import PLUMBING, DigestCache, code_digest
from unmask.downstream import fine_tuning, measuring
from unmask.downstream import read_task as downstream_read_task
from unmask.downstream.correlation import (
    N_RANDOM,
    ModelRole,
    correlations_of,
    intrinsic_scores,
    kendall,
)
from unmask.downstream.fine_tuning import FineTuned, FineTuning, Hyperparameters, search
from unmask.downstream.measuring import Runs, read_runs
from unmask.downstream.measuring import measure as downstream_measure
from unmask.downstream.presenting import PRESENTS as DOWNSTREAM_PRESENTS
from unmask.downstream.presenting import printed_taus
from unmask.downstream.results import DownstreamResults
from unmask.downstream.schema import EXAMPLES, ITEMS, PREDICTIONS
from unmask.downstream.schema import WORD_COUNTS as DOWNSTREAM_WORD_COUNTS
from unmask.downstream.study import check_study as downstream_check_study
from unmask.downstream.study import settings_of, with_preset
from unmask.downstream.synthetic import RELIABILITIES, read_synthetic
from unmask.downstream.task import Task
from unmask.downstream.terms import (
    FEMALE,
    MAIN,
)
from unmask.downstream.terms import KINDS as DOWNSTREAM_KINDS
from unmask.downstream.word_counts import ilps
from unmask.errors import InputError, known_names
from unmask.evidence import engine
from unmask.evidence.collecting import Wanted, as_rows
from unmask.evidence.collecting import evidence_of as evidence_tables
from unmask.evidence.reading import Subject, read
from unmask.evidence.schema import EVIDENCE, LIKELIEST
from unmask.evidence.sentences import MASKINGS, Sentence, modified_tokens, shuffle_tokens
from unmask.evidence.tables import Progress, check_one_origin
from unmask.evidence.tokenising import tokenise
from unmask.evidence.tokenising import unknown_tokens as evidence_unknown_tokens
from unmask.fetching.http import fetch
from unmask.fetching.hub import fetch_file, fetch_model
from unmask.files import listed as evidence_listed
from unmask.files import (
    read_facts,
    record,
    sha256_of_file,
    write_facts,
    write_list,
    write_text,
    written_whole,
)
from unmask.frequency import counting
from unmask.frequency.correlation import correlation_table
from unmask.frequency.counting import count_words, counts_of_files
from unmask.frequency.group_tests import compare_groups, ranked
from unmask.frequency.group_words import (
    EXTRACTED,
    LISTED,
    count_group_words,
    counts_of,
    extract,
    levels,
    log_ratios,
    uses,
)
from unmask.frequency.schema import CORRELATIONS, GROUP_WORDS, PAIR_RATIOS, WORD_COUNTS
from unmask.frequency.word_lists import GROUPS, read_left_out, read_listed, read_listing
from unmask.gendered_words import WordPairs, read_word_pairs
from unmask.keys_page import PAGE as KEYS_PAGE
from unmask.keys_page import page as keys_page
from unmask.measures.formulas import MEASURES as ALL_MEASURES
from unmask.measures.formulas import explained, kind_for, maskings_of, measure, sees_context, title_of
from unmask.measures.scoring import (
    SCORES,
    TIE_MARGIN,
    TOKEN_ERROR,
    counted,
    margins_against_unrelated,
    read_scores,
    score_pairs,
    sentence_scores,
)
from unmask.models import devices, loading
from unmask.models import directory as models_directory
from unmask.models.checking import KINDS as MODEL_KINDS
from unmask.models.checking import check_model, write_manifest
from unmask.models.classifiers import make_classifier, predict_logits, restore
from unmask.models.classifiers import tokenise as models_tokenise
from unmask.models.devices import claim, claim_device, pick_device, within_memory
from unmask.models.directory import CAUSAL_LM, DECODERS, MASKED_LM, is_allowed
from unmask.models.directory import check_files as models_check_files
from unmask.models.embedding import POOLINGS, Encoder, Span, embed, load_encoder
from unmask.models.embedding import tokenise as embedding_tokenise
from unmask.models.keys import Model, Models, with_states
from unmask.models.loading import LoadedModel, PackedLinear, load, use_fast_linear_layers
from unmask.models.random_weights import make_random, make_untrained
from unmask.models.tokenizer import Start, choose_start, load_tokenizer, read_after
from unmask.models.training import (
    IGNORED,
    Batch,
    Loss,
    Masking,
    Settings,
    loss_at_labels,
    own_loss,
    work_folder,
)
from unmask.models.training import train as models_train
from unmask.pairs import answer as pairs_answer
from unmask.pairs import charts, printed
from unmask.pairs import planted as pairs_planted
from unmask.pairs import presenting as pairs_presenting
from unmask.pairs.elsewhere import MEANS, check_score_files, read_score_file
from unmask.pairs.explorer import HIDES, SPACE, explored, shown_pairs, surfaces
from unmask.pairs.keys import OF_DECODERS, known_benchmarks
from unmask.pairs.matching import match, scores_table
from unmask.pairs.measuring import compute, read_evidence
from unmask.pairs.planted import JUDGEMENTS, judgement, judgements, planted_in
from unmask.pairs.printed import STEREOSET as PAIRS_STEREOSET
from unmask.pairs.results import (
    BY_WORDS,
    CANNOT_TELL,
    CLEAR,
    CONTROL,
    COUNT,
    NO_CLEAR,
    TESTABLE,
    VERDICTS,
    PairResults,
    verdicts,
    with_controls,
    with_corrected_p,
)
from unmask.pairs.study import PairsStudy
from unmask.papers import comparing
from unmask.papers.comparing import Item, compared, needs_data, read_costs, read_items, summary
from unmask.regional.charts import BLANK, FIFTHS, principal_components
from unmask.regional.herb import (
    HIERARCHICAL,
    Rows,
    Tree,
    cluster_sparseness,
    read_likelihoods,
    released_sparseness,
    score_table,
)
from unmask.regional.herb import Floats as RegionalFloats
from unmask.regional.herb import rows_of as regional_rows_of
from unmask.regional.likelihoods import write_likelihoods
from unmask.regional.prefixes import (
    PLACELESS,
    load_classifier,
    predict,
    prefix_table,
    read_labelled,
    region_groups,
)
from unmask.regional.prefixes import Items as RegionalItems
from unmask.regional.presenting import PRESENTS, says_of_tree
from unmask.regional.regions import CONTINENTS, laid_out, read_geonames, read_region_table
from unmask.regional.results import RegionalResults
from unmask.regional.schema import LIKELIHOODS, PREFIXES, REGIONS, WORDS
from unmask.regional.schema import SCORES as REGIONAL_SCORES
from unmask.regional.study import check_study
from unmask.regional.terms import LEVELS, MEASURES
from unmask.regional.terms import PROTOCOLS as REGIONAL_PROTOCOLS
from unmask.regional.words import read_list, read_words, word_sets
from unmask.report.charts import COLOURS, MODES, NO_FIGURE, RANGES, VEGA_LITE, save_figure, theme
from unmask.report.charts import title_of as report_title_of
from unmask.report.forms import (
    CHART_COLUMNS,
    Axis,
    Beside,
    Grid,
    Kinds,
    changes_chart,
    forest,
    panels,
    scatter,
    tooltips,
)
from unmask.report.page import (
    LONG,
    MOST_ROWS,
    MOST_SENTENCES,
    WIDTH,
    citations,
    provenance,
    render_page,
    render_summary,
)
from unmask.report.presenting import (
    METHOD,
    App,
    Block,
    Chart,
    Code,
    Facts,
    Fold,
    Items,
    Presentation,
    Section,
    TableBlock,
    Text,
    Topic,
    arranged,
    chart,
    clear,
    read_sections,
    write_sections,
)
from unmask.report.study_results import (
    UNMASKING_THE_MASK,
    Study,
    StudyResults,
    declared_tables,
    doubts,
    facts_by,
    load_tables,
    read_published,
    tables_by,
)
from unmask.report.tables import Column as ReportColumn
from unmask.report.tables import (
    Sheet,
    cell,
    csv_text,
    ends,
    escape_latex,
    escape_markdown,
    fields,
    in_order,
    latex,
    markdown,
    records,
    rows_of,
    with_marks,
)
from unmask.report.tables import Table as ReportTable
from unmask.report.wording import DASH, MINUS, Captions, listed, many, span, with_parts_of
from unmask.results.cleaning import removable, remove
from unmask.results.comparing import compare_runs, describe
from unmask.results.settings import FILE, LAYOUT, check_layout, other_settings, results_folder, stated
from unmask.results.verifying import verify
from unmask.sources import fine_tuned_classifier, regional_sentences
from unmask.sources.gguf import convert
from unmask.sources.regional_sentences import hide_names, likely_sentences
from unmask.statistics import STATISTICS, null
from unmask.statistics.accuracy import accuracy_table, candidates, mcnemar_table
from unmask.statistics.agreement import agreement_table, curve, roc_table, vote_counts
from unmask.statistics.comparisons import measures_compared, sides_compared, versions_compared
from unmask.statistics.flaws import flaws_table
from unmask.statistics.null import RandomWords, bands, null_scores, words_of_evidence, words_of_scores
from unmask.statistics.quality import (
    WORDS_SHOWN,
    flags,
    leverage_table,
    quality_table,
    token_flags,
)
from unmask.statistics.schema import (
    ACCURACY,
    AGREEMENT,
    BIAS,
    COMPARISONS,
    FLAWS,
    LMS,
    PAIR_FLAWS,
    QUALITY,
    ROC,
    SCHEMAS,
    TESTS,
    UNRATED,
    VERSIONS,
)
from unmask.statistics.scores import Decisions, bias_table, decisions, lms_table
from unmask.statistics.uncertainty import (
    LEAST_DESIGN_EFFECT,
    Flags,
    Floats,
    Sharing,
    contrast,
    holm,
    kinds_in,
    mcnemar_p,
    nodes_of,
    normal_quantile,
    proportion,
    sharing_of,
    spearman,
    t_test,
    wilson,
)
from unmask.study import choose_study, complete, families
from unmask.tables import (
    as_table,
    framed,
    meaning_of,
    plain_schema,
    read_metadata,
    read_table,
    schema,
    write_table,
)
from unmask.terms import (
    ALL,
    ANTISTEREOTYPE,
    CAUSAL_MASKINGS,
    CORRECTED,
    LEFT,
    LICENCE,
    MODIFIED,
    NONE,
    NOT_STATED,
    ONE_MODIFIED,
    ONE_SHARED,
    ORIGINAL,
    PROTOCOLS,
    PUBLISHED,
    ROLES,
    SHUFFLED,
    SIDES,
    START,
    STEREO,
    STEREOTYPE,
)
from unmask.urls import as_shown, fault_of_url, file_name, shown_url, without_secrets
from unmask.user_files import parse_yaml, read_config, read_document
from unmask.user_tables import Column, identifier
from unmask.user_tables import Table as User_tablesTable
from unmask.words import is_unsegmented, modified_words, words_of
from unmask.worlds.exact import ExactModel, exact_evidence, manifest_of
from unmask.worlds.grammar import (
    NAMES,
    NEGATIVE_TRAITS,
    POSITIVE_TRAITS,
    PRONOUNS,
    SPLIT_PEOPLES,
    World,
    frames,
    text_of,
)
from unmask.worlds.grammar import words_of as worlds_words_of
from unmask.worlds.make_world import (
    CROWS_PAIRS,
    STEREOSET,
    Counts,
    PlantedPair,
    crows_pairs,
    draw_corpus,
    stereoset,
    truth,
)
from unmask.worlds.training import (
    MAX_LENGTH,
    TOLERANCE,
    check_learnt,
    is_learnt,
    make_tokenizer,
    of_one_length,
    train,
    warmed_up,
)


def read_section(path: str | Path) -> Section:
    """The only section of a file."""
    (found,) = read_sections(path)
    return found


def collect_evidence(
    pairs: pd.DataFrame,
    model: LoadedModel,
    masking: str,
    variant: str,
    shuffle_seed: int = 0,
    max_length: int | None = None,
) -> pd.DataFrame:
    """Rows of a Pairs table under a masking. Raises InputError as `tokenise` and `evidence_of` do."""
    sentences = tokenise(pairs, model.tokenizer, max_length, MASKINGS[masking].roles)
    return evidence_tables(sentences, model, Wanted(variant, masking, shuffle_seed))[0]


def unpacked(text: str) -> Any:
    """What the explorer's data hold."""
    return json.loads(gzip.decompress(base64.b64decode(text)))
