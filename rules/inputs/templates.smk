# Functions that tell rules their inputs and outputs: template tests.

from unmask.templates.study import check_study as check_study_of_templates
from unmask.templates.terms import WORDS_OF as TEMPLATE_WORDS_OF

TEMPLATES = config.get("templates", {})
TEMPLATE_TESTS = TEMPLATES.get("tests", {})


def template_models():
    """The models that are tested, in the order of the study."""
    if not TEMPLATES:
        return []
    able = [name for name in language_models(MASKED_LM) if name in models_with_files()]
    return [name for name in able if name in (TEMPLATES["models"] or able)]


def check_templates():
    """Stop with one line where the study asks of template tests what cannot be."""
    able = [name for name in language_models(MASKED_LM) if name in models_with_files()]
    try:
        if workflow.is_main_process:
            check_study_of_templates(TEMPLATES, MODELS, able)
    except InputError as error:
        sys.exit(f"error: {error}")


def tests_of(measure):
    """The tests of a measure."""
    return [name for name, entry in TEMPLATE_TESTS.items() if entry["measure"] == measure]


def templates_result(*parts):
    """A path among the results of template tests."""
    return result("templates", *parts)


def of_template_tests(name):
    """A table of every model and test."""
    return [
        templates_result(model, test, f"{name}.parquet")
        for test in TEMPLATE_TESTS
        for model in template_models()
    ]


def template_words(wildcards):
    """The file of the words of a test."""
    entry = TEMPLATE_TESTS[wildcards.test]
    return outside(entry[TEMPLATE_WORDS_OF[entry["measure"]]])


def template_settings(wildcards):
    """A test without its file of words, which is an input."""
    entry = TEMPLATE_TESTS[wildcards.test]
    return {key: value for key, value in entry.items() if key != TEMPLATE_WORDS_OF[entry["measure"]]}


def template_evidence(wildcards):
    """What a model makes of the templates of a test."""
    kind = "targets" if wildcards.test in tests_of("lpbs") else "fills"
    return templates_result(wildcards.model, wildcards.test, f"{kind}.parquet")


def template_inputs():
    """All that tables, figures and the section are made from."""
    return {"tests": of_template_tests("tests"), "words": of_template_tests("words")}


def template_files():
    """The tables and figures of the measures that the study has."""
    measured = [name for name, measure in (("attributes", "lpbs"), ("fills", "disco")) if tests_of(measure)]
    tables = table_outputs(measured, "templates_") | table_outputs(["words"], "templates_", forms=("csv",))
    return tables | figure_outputs(measured, "templates_")


def templates_removable():
    """Evidence, which only tests are made of."""
    if not TEMPLATES:
        return []
    return [
        {
            "kind": "templates",
            "name": "what {model} makes of the templates of {test}",
            "files": f"templates/{{model}}/{{test}}/{name}.parquet",
            "needed_by": "templates/{model}/{test}/tests.parquet",
        }
        for name in ("targets", "fills")
    ]


def templates_provenance():
    """Where tests came from."""
    return [
        {
            "title": f"Template test {test}",
            "files": [templates_result(model, test, "tests.parquet") for model in template_models()],
            "keys": ["words", "versions", "code"],
        }
        for test in TEMPLATE_TESTS
    ]


def templates_time(wildcards, input, attempt):
    """Templates and words are few and short."""
    return 30 * attempt
