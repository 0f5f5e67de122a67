"use strict";
// The explorer of pairs. Data: unmask.pairs.sections.pairs and unmask.pairs.explorer. Text from data becomes the
// text of elements and nothing else.
(() => {
  const PAGE = 8; // rows of the list at a time
  const SIDES = ["stereotype", "antistereotype"];
  const SENTENCE = { stereotype: "the stereotypical sentence", antistereotype: "the antistereotypical sentence" };
  const OF_LABEL = { stereotype: "a stereotype", antistereotype: "an antistereotype" };
  const OUTCOMES = { s: "stereotype", a: "antistereotype", t: "tie", u: "undefined" };
  const LOG_PROB_UNIT = 1e-4; // as in unmask.pairs.explorer
  const COEFFICIENT_UNIT = 1e-6;
  const LIKELY_UNIT = 1e-2;
  const DECIMALS = 3; // of scores; of what tokens add as many as the data is good for, where they are small
  const MOST_DECIMALS = 4;
  const MINUS = "\u2212";

  /** An element with attributes (functions are listeners) and children (texts stay texts). */
  function make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (typeof value === "function") element.addEventListener(name, value);
      else if (value !== null && value !== false) element.setAttribute(name, value === true ? "" : value);
    }
    element.append(...children.flat().filter((child) => child !== null));
    return element;
  }

  const onlyHeard = (text) => make("span", { class: "heard" }, text);

  async function unpack(packed) {
    const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream).json();
  }

  /** A number, and its sign where it adds something. */
  function shown(value, signed = false, decimals = DECIMALS) {
    if (value === null || Number.isNaN(value)) return "\u2013";
    const text = Math.abs(value).toFixed(decimals);
    const sign = Number(text) === 0 ? "" : value < 0 ? MINUS : signed ? "+" : "";
    return sign + text;
  }

  /** A margin with its sign, and with the first digit that it has where it is small but not nothing. */
  function shownMargin(margin) {
    const small = margin !== null && margin !== 0 && Number(Math.abs(margin).toFixed(DECIMALS)) === 0;
    return small ? (margin < 0 ? MINUS : "+") + Math.abs(margin).toPrecision(1) : shown(margin, true);
  }

  /** What a place adds: nothing is a plain 0. */
  const inPlace = (value, decimals) =>
    value !== null && Number(value.toFixed(decimals)) === 0 ? "0" : shown(value, true, decimals);

  function percent(share) {
    if (share >= 0.9995) return "over 99.9%";
    if (share < 0.0001) return "under 0.01%";
    return `${Number((100 * share).toPrecision(3))}%`;
  }

  const plural = (count, thing) => `${count.toLocaleString("en")} ${thing}${count === 1 ? "" : "s"}`;

  // --- what the data says -----------------------------------------------------------------------------------

  /** All pairs, and what each model's scores say of them. */
  class Study {
    static async read(data) {
      const study = new Study();
      Object.assign(study, { models: data.models, measures: data.measures, benchmarks: data.benchmarks });
      study.flaws = data.flaws;
      study.tables = data.models.map(() => []);
      for (const table of data.tables) study.tables[table.model][table.benchmark] = table;
      const columns = await Promise.all(data.benchmarks.map((benchmark) => unpack(benchmark.pairs)));
      study.pairs = columns.flatMap((column, benchmark) =>
        column.pair_id.map((id, row) => ({
          benchmark,
          row,
          id,
          type: column.bias_type[row],
          stereotype: column.stereotype[row],
          antistereotype: column.antistereotype[row],
          direction: column.direction[row],
          target: column.target[row],
          ratings: column.ratings[row],
          labels: column.labels[row],
          flaws: column.flaws[row],
          text: [id, column.bias_type[row], column.target[row], column.stereotype[row], column.antistereotype[row]]
            .join(" ")
            .toLowerCase(),
        })),
      );
      await Promise.all(
        data.tables.map(async (table) => {
          table.read = await unpack(table.scores);
        }),
      );
      return study;
    }

    table(pair, model) {
      return this.tables[model][pair.benchmark];
    }

    /** What a measure says of a pair; undefined where the model has not read it. */
    outcome(pair, model, measure) {
      const column = this.table(pair, model)?.read[this.measures[measure].name];
      return column && OUTCOMES[column.outcome[pair.row]];
    }

    /** Both scores, the margin and the outcome of a pair; null where the model has not read it. */
    scores(pair, model, measure) {
      const column = this.table(pair, model)?.read[this.measures[measure].name];
      if (column === undefined) return null;
      const [stereotype, antistereotype] = SIDES.map((side) => column[side][pair.row]);
      const outcome = OUTCOMES[column.outcome[pair.row]];
      const both = stereotype !== null && antistereotype !== null;
      const margin = both ? stereotype - antistereotype : outcome === "tie" ? 0 : null;
      return { stereotype, antistereotype, margin, outcome };
    }

    find(benchmark, id) {
      return this.pairs.find((pair) => this.benchmarks[pair.benchmark].name === benchmark && pair.id === id);
    }

    /** How evenly decisions are divided: 0 where all are alike, 1 where as many are the one as the other. */
    disagreement(outcomes) {
      const votes = SIDES.map((side) => outcomes.filter((outcome) => outcome === side).length);
      return votes[0] + votes[1] ? (2 * Math.min(...votes)) / (votes[0] + votes[1]) : 0;
    }

    amongMeasures(pair, model) {
      return this.disagreement(this.measures.map((_, measure) => this.outcome(pair, model, measure)));
    }

    amongModels(pair, measure) {
      return this.disagreement(this.models.map((_, model) => this.outcome(pair, model, measure)));
    }

    /** Whether a model has a measure: each has those of its kind. */
    has(model, measure) {
      const { name } = this.measures[measure];
      return this.tables[model].some((table) => table.read[name] !== undefined);
    }

    /** The tokens of both sides of a pair, in order: see unmask.pairs.explorer.token_columns. */
    async tokens(pair, model) {
      const table = this.table(pair, model);
      table.unpacked ??= unpack(table.tokens).then((columns) => {
        let end = 0;
        const starts = columns.lengths.map((length) => (end += length) - length);
        return { ...columns, starts };
      });
      const columns = await table.unpacked;
      return SIDES.map((side, number) => {
        const sentence = 2 * pair.row + number;
        const start = columns.starts[sentence];
        return Array.from({ length: columns.lengths[sentence] }, (_, place) => ({
          side,
          place,
          at: start + place,
          ...surface(columns, columns.token[start + place]),
          ...(place === 0 ? { opening: columns.opening[sentence] === "1" } : {}),
          modified: columns.modified[start + place] === "1",
        }));
      });
    }

    /** The likeliest tokens in the place of one, [surface, probability] each; null where none are kept. */
    async likeliest(pair, model, token, masking) {
      const table = this.table(pair, model);
      if (!table.likeliest) return null;
      table.lists ??= unpack(table.likeliest).then((columns) => {
        let [end, next] = [0, 0];
        const starts = columns.lengths.map((length) => (end += length) - length);
        // maskings and tokens in order: -1 is the next list
        const numbered = (of) => of.map((number) => (number === -1 ? next++ : number));
        const of = Object.fromEntries(Object.entries(columns.of).map(([name, own]) => [name, numbered(own)]));
        return { ...columns, starts, of };
      });
      const columns = await table.lists;
      const number = columns.of[masking][token.at];
      if (number === null) return [];
      return Array.from({ length: columns.lengths[number] }, (_, place) => {
        const at = columns.starts[number] + place;
        return [surface(columns, columns.token[at]), columns.share[at] * LIKELY_UNIT];
      });
    }

    /** What a token adds to the score of its sentence, by the maskings under which the measure has it predicted. */
    readings(columns, token, measure) {
      // none where the measure is for models of another kind
      const coefficients = columns.coefficient[this.measures[measure].name] ?? {};
      return Object.entries(coefficients)
        .map(([masking, coefficient]) => ({
          masking,
          surprisal: columns.surprisal[masking][token.at],
          coefficient: coefficient[token.at] * COEFFICIENT_UNIT,
        }))
        .filter((reading) => reading.surprisal !== null && reading.coefficient !== 0)
        .map((reading) => ({ ...reading, logProb: -reading.surprisal * LOG_PROB_UNIT }));
    }
  }

  function surface(columns, number) {
    const piece = number >= columns.words.length;
    return { text: piece ? columns.pieces[number - columns.words.length] : columns.words[number], piece };
  }

  /** Tokens of both sides beside each other: those that they share one by one, what is between these together. */
  function aligned([first, second]) {
    const columns = [];
    let [one, two] = [0, 0];
    const modified = (tokens, from) => {
      const length = tokens.slice(from).findIndex((token) => !token.modified);
      return length < 0 ? tokens.slice(from) : tokens.slice(from, from + length);
    };
    while (one < first.length || two < second.length) {
      const between = [modified(first, one), modified(second, two)];
      if (between[0].length || between[1].length) columns.push({ sides: between, shared: false });
      one += between[0].length;
      two += between[1].length;
      const shared = [first.slice(one, one + 1), second.slice(two, two + 1)];
      if (shared[0].length || shared[1].length) columns.push({ sides: shared, shared: true });
      one += shared[0].length;
      two += shared[1].length;
    }
    return columns;
  }

  const total = (totals) => (totals.every((each) => each === null) ? null : totals.reduce((sum, each) => sum + each, 0));

  /** Tokens as text, pieces behind their word. */
  const written = (tokens) => tokens.map(({ text, piece }, place) => (piece || !place ? text : ` ${text}`)).join("");

  // tokenizers differ in what they keep of case, accents and spaces
  const letters = (tokens) => tokens.map(({ text }) => text).join("").normalize("NFD").replace(/[\p{M}\s\u2423]/gu, "").toLowerCase();

  /**
   * The places of a pair as two models have them, { sides, totals } each: the smallest parts of both sentences that
   * begin and end with a token of either model. null where their tokens spell different texts, as unknown tokens do.
   */
  function placesOfBoth(views) {
    const ends = views.map(({ places }) => {
      const read = SIDES.map(() => "");
      return places.map(({ sides }) => {
        sides.forEach((tokens, side) => (read[side] += letters(tokens)));
        return read.join("\n");
      });
    });
    if (ends[0].at(-1) !== ends[1].at(-1)) return null;
    const common = new Set(ends[0].filter((end) => ends[1].includes(end)));
    const [first, second] = views.map(({ places }, model) => {
      const parts = [[]];
      places.forEach((place, number) => {
        parts.at(-1).push(place);
        const end = ends[model][number];
        if (common.has(end) && end !== ends[model][number + 1] && number + 1 < places.length) parts.push([]);
      });
      return parts;
    });
    return first.map((part, number) => ({
      sides: SIDES.map((_, side) => written(part.flatMap((place) => place.sides[side]))),
      totals: [part, second[number]].map((own) => total(own.map((place) => place.total))),
    }));
  }

  // a word with the spaces before it, or the spaces at the end; where a script has no spaces between words, a character
  const SPACELESS = "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}";
  const WITH_SPACE = new RegExp(` *(?:[${SPACELESS}]\\p{M}*|[^ ${SPACELESS}]+)| +$`, "gu");

  /** The words in which two sentences differ: what is between the beginning and the end that they share. */
  function differing(first, second) {
    const words = [first.match(WITH_SPACE) ?? [], second.match(WITH_SPACE) ?? []];
    const same = (one, other) => one.trim() === other.trim();
    const shortest = Math.min(words[0].length, words[1].length);
    let start = 0;
    while (start < shortest && same(words[0][start], words[1][start])) start += 1;
    let end = 0;
    while (end < shortest - start && same(words[0].at(-1 - end), words[1].at(-1 - end))) end += 1;
    return words.map((own) => {
      const between = own.slice(start, own.length - end).join("");
      const trimmed = between.trimStart();
      const space = between.slice(0, between.length - trimmed.length);
      return [own.slice(0, start).join("") + space, trimmed, own.slice(own.length - end).join("")];
    });
  }

  const marked = ([before, between, after]) => [
    before || null,
    between ? make("mark", {}, between) : null,
    after || null,
  ];

  // --- the list ---------------------------------------------------------------------------------------------

  const SORTS = {
    order: "as given",
    "for": "most for the stereotype",
    against: "most against it",
    near: "nearest to no preference",
    far: "furthest from it",
    measures: "measures disagree most",
    models: "models disagree most",
    apart: "the two models furthest apart",
  };

  const PREFERS = {
    stereotype: "the stereotype",
    antistereotype: "the antistereotype",
    tie: "neither",
    undefined: "undefined",
  };

  /** The filters whose choices say how many pairs they would leave. */
  const COUNTED = ["benchmark", "type", "prefers", "flaw", "other"];
  /** The filters that few need. */
  const RARE = ["other", "flaw", "least", "most"];

  // pairs of a value and a label: an object would have numbers before all else
  const choices = (options, chosen) =>
    options.map(([value, label]) => make("option", { value, selected: value === chosen }, label));

  function labelled(label, field) {
    field.id = `explorer-${(labelled.count = (labelled.count ?? 0) + 1)}`;
    return make("div", {}, make("label", { for: field.id }, label), field);
  }

  class Explorer {
    constructor(root, study) {
      Object.assign(this, { root, study, page: 0, open: null, model: 0, beside: null, measure: 0, found: [] });
      this.section = root.closest("section");
      this.build();
      window.addEventListener("hashchange", () => this.route());
      this.fitMeasure();
      this.putBeside(null);
      this.list();
      this.route();
    }

    build() {
      const { study } = this;
      const names = (list) => list.map((each, number) => [String(number), each.title ?? each.name ?? each]);
      const types = [...new Set(study.pairs.map((pair) => pair.type))].sort();
      const several = study.models.length > 1;
      const flawed = [...new Set(study.pairs.flatMap((pair) => pair.flaws))].sort();
      const flaws = flawed.map((flaw) => [`flaw:${flaw}`, study.flaws[flaw]]);
      const sorts = Object.entries(SORTS).filter(([sort]) => several || !["models", "apart"].includes(sort));
      const chosen = { change: () => this.choose() };
      const filtering = { input: () => this.list(0) };
      this.fields = {
        model: make("select", chosen, choices(names(study.models), "0")),
        beside: make("select", chosen, choices([["", "none"], ...names(study.models)], "")),
        measure: make("select", chosen, choices(names(study.measures), "0")),
        text: make("input", { type: "search", autocomplete: "off", spellcheck: "false", ...filtering }),
        benchmark: make("select", filtering, choices([["", "any"], ...names(study.benchmarks)], "")),
        type: make("select", filtering, choices([["", "any"], ...types.map((type) => [type, type])], "")),
        prefers: make("select", filtering, choices([["", "anything"], ...Object.entries(PREFERS)], "")),
        other: make(
          "select",
          filtering,
          make("option", { value: "" }, "any or none"),
          make(
            "optgroup",
            { label: "other measures" },
            choices([["measures", "measures disagree"], ...prefixed("measure", names(study.measures))], ""),
          ),
          several
            ? make(
                "optgroup",
                { label: "other models" },
                choices([["models", "models disagree"], ...prefixed("model", names(study.models))], ""),
              )
            : null,
        ),
        flaw: make(
          "select",
          filtering,
          choices([["", "any or none"], ["none", "none"], ["some", "any"], ...flaws], ""),
        ),
        least: make("input", { type: "number", step: "any", ...filtering }),
        most: make("input", { type: "number", step: "any", ...filtering }),
        sort: make("select", filtering, choices(sorts, "order")),
      };
      const { fields } = this;
      const options = COUNTED.flatMap((name) => [...fields[name].options]);
      this.labels = new Map(options.map((option) => [option, option.textContent]));
      this.more = make("summary", {}, "More filters");
      this.status = make("p", { role: "status", class: "status" });
      this.rows = make("ol", { class: "rows" });
      this.pages = make(
        "div",
        { class: "pages" },
        make("button", { type: "button", click: () => this.list(this.page - 1) }, "Previous"),
        make("button", { type: "button", click: () => this.list(this.page + 1) }, "Next"),
      );
      this.detail = make("div", { class: "pair", hidden: true });
      this.root.append(
        make(
          "form",
          { class: "filters", submit: (event) => event.preventDefault(), reset: () => setTimeout(() => this.list(0)) },
          labelled("Model", fields.model),
          several ? labelled("Second model", fields.beside) : null,
          labelled("Measure", fields.measure),
          labelled("Search", fields.text),
          study.benchmarks.length > 1 ? labelled("Benchmark", fields.benchmark) : null,
          labelled("Bias type", fields.type),
          labelled("Prefers", fields.prefers),
          labelled("Order", fields.sort),
          make(
            "details",
            {},
            this.more,
            make(
              "div",
              { class: "filters" },
              labelled("Disagreement", fields.other),
              flawed.length ? labelled("Flaw", fields.flaw) : null,
              labelled("Margin from", fields.least),
              labelled("Margin to", fields.most),
            ),
          ),
        ),
        this.status,
        make("div", { class: "list", tabindex: "0", role: "region", "aria-label": "Pairs" }, this.rows),
        this.pages,
        this.detail,
      );
    }

    // --- which pairs

    /** Whether a pair passes one of the filters that are COUNTED, set to a value. */
    passes(pair, filter, value) {
      const { model, measure, study } = this;
      if (value === "") return true;
      if (filter === "benchmark") return pair.benchmark === Number(value);
      if (filter === "type") return pair.type === value;
      const own = study.outcome(pair, model, measure);
      if (filter === "prefers") return own === value;
      const [kind, number] = value.split(":");
      if (kind === "none") return pair.flaws.length === 0;
      if (kind === "some") return pair.flaws.length > 0;
      if (kind === "flaw") return pair.flaws.includes(Number(number));
      if (kind === "measures") return study.amongMeasures(pair, model) > 0;
      if (kind === "models") return study.amongModels(pair, measure) > 0;
      // undefined where the measure is for models of another kind, or where the model has not read the pair
      const other = kind === "measure" ? study.outcome(pair, model, Number(number)) : study.outcome(pair, Number(number), measure);
      return other !== undefined && other !== own;
    }

    /** Whether a pair was read by the model, has the words that are searched for, and a margin in between. */
    fits(pair) {
      const { model, measure, study } = this;
      const [least, most] = [this.fields.least.value, this.fields.most.value];
      if (study.outcome(pair, model, measure) === undefined) return false;
      if (!this.words.every((word) => pair.text.includes(word))) return false;
      if (least === "" && most === "") return true;
      const { margin } = study.scores(pair, model, measure);
      return margin !== null && (least === "" || margin >= least) && (most === "" || margin <= most);
    }

    /** The pairs that pass all filters; and beside each choice of a filter, how many pass it and the other filters. */
    filtered() {
      const { fields } = this;
      const chosen = Object.fromEntries(COUNTED.map((name) => [name, fields[name].value]));
      const values = COUNTED.map((name) => [name, [...fields[name].options].map((option) => [option, option.value])]);
      const counts = new Map(values.flatMap(([, options]) => options.map(([option]) => [option, 0])));
      const found = [];
      for (const pair of this.study.pairs) {
        if (!this.fits(pair)) continue;
        const failed = COUNTED.filter((name) => !this.passes(pair, name, chosen[name]));
        if (failed.length > 1) continue;
        if (!failed.length) found.push(pair);
        for (const [name, options] of values) {
          // what fails one filter counts among the choices of that alone
          if (failed.length && name !== failed[0]) continue;
          for (const [option, value] of options) {
            if (this.passes(pair, name, value)) counts.set(option, counts.get(option) + 1);
          }
        }
      }
      for (const [option, label] of this.labels) {
        option.textContent = `${label} (${counts.get(option).toLocaleString("en")})`;
      }
      const rare = RARE.filter((name) => fields[name].value !== "").length;
      this.more.textContent = rare ? `More filters (${rare} in use)` : "More filters";
      return found;
    }

    /** What the chosen order goes by, the smallest first; pairs without a margin come last. */
    key(pair) {
      const { study, model, measure, beside } = this;
      const sort = this.fields.sort.value;
      if (sort === "measures") return -study.amongMeasures(pair, model);
      if (sort === "models") return -study.amongModels(pair, measure);
      const { margin } = study.scores(pair, model, measure);
      if (margin === null) return Infinity;
      if (sort === "apart") {
        const other = study.scores(pair, beside, measure)?.margin ?? null;
        return other === null ? Infinity : -Math.abs(margin - other);
      }
      return { "for": -margin, against: margin, near: Math.abs(margin), far: -Math.abs(margin) }[sort];
    }

    /** Show a page of the pairs that fit; without a number, that which is shown. */
    list(page = this.page) {
      this.words = this.fields.text.value.toLowerCase().split(/\s+/).filter(Boolean);
      const fit = this.filtered();
      if (this.fields.sort.value === "order") {
        this.found = fit;
      } else {
        const keyed = fit.map((pair) => [this.key(pair), pair]);
        // infinity less infinity is no order
        keyed.sort(([one], [two]) => (one === two ? 0 : one - two));
        this.found = keyed.map(([, pair]) => pair);
      }
      const last = Math.max(0, Math.ceil(this.found.length / PAGE) - 1);
      const shown = Math.min(Math.max(page, 0), last);
      const isOther = shown !== this.page || fit.length !== this.fit;
      [this.page, this.fit] = [shown, fit.length];
      const start = this.page * PAGE;
      const some = this.found.slice(start, start + PAGE);
      this.rows.setAttribute("start", start + 1);
      this.rows.replaceChildren(...some.map((pair) => make("li", {}, this.row(pair))));
      if (isOther) this.rows.parentElement.scrollTop = 0;
      this.status.textContent = some.length
        ? `${plural(this.found.length, "pair")}, of which ${start + 1} to ${start + some.length} are shown.`
        : "No pair fits.";
      const [previous, next] = this.pages.children;
      previous.disabled = this.page === 0;
      next.disabled = this.page === last;
      this.pages.hidden = last === 0;
    }

    row(pair) {
      const { margin, outcome } = this.study.scores(pair, this.model, this.measure);
      const other = this.beside === null ? null : this.study.scores(pair, this.beside, this.measure);
      const [first, second] = differing(pair.stereotype, pair.antistereotype);
      return make(
        "a",
        { href: this.link(pair), "aria-current": pair === this.open && "true" },
        make("span", { class: "text" }, marked(first)),
        make("span", { class: "text other" }, onlyHeard("against: "), marked(second)),
        make("span", { class: "type" }, onlyHeard("; "), pair.type),
        make("span", { class: `margin ${tone(margin)}` }, onlyHeard("; margin "), shownMargin(margin)),
        make("span", { class: "outcome" }, onlyHeard("; prefers "), outcome),
        other && make("span", { class: "second" }, onlyHeard("; "), `${this.study.models[this.beside]}: ${shownMargin(other.margin)}, ${other.outcome}`),
      );
    }

    // --- which pair

    link(pair) {
      const where = [this.study.benchmarks[pair.benchmark].name, pair.id].map(encodeURIComponent).join("/");
      const { study, beside } = this;
      const how = { measure: study.measures[this.measure].name, model: study.models[this.model] };
      if (beside !== null) how.beside = study.models[beside];
      return `#pair/${where}?${new URLSearchParams(how)}`;
    }

    /** Another model or measure was chosen; the address goes with it where a pair is open. */
    choose() {
      this.model = Number(this.fields.model.value);
      this.measure = Number(this.fields.measure.value);
      this.fitMeasure();
      this.putBeside(this.fields.beside.value === "" ? null : Number(this.fields.beside.value));
      this.list();
      if (this.open) location.replace(this.link(this.open));
    }

    /** Have a measure that the model has: the chosen one, or else its first. */
    fitMeasure() {
      const { study, model } = this;
      const { measure } = this.fields;
      for (const option of measure.options) option.disabled = !study.has(model, Number(option.value));
      const first = [...measure.options].findIndex((option) => !option.disabled);
      if (first >= 0 && !study.has(model, this.measure)) this.measure = first;
      measure.value = this.measure;
    }

    /** Have a second model beside the first, or none: no model is beside itself, or beside one of another kind. */
    putBeside(model) {
      const { study, measure } = this;
      const { beside, sort } = this.fields;
      const fits = (other) => other !== this.model && study.has(other, measure);
      this.beside = model !== null && fits(model) ? model : null;
      beside.value = this.beside ?? "";
      for (const option of beside.options) option.disabled = option.value !== "" && !fits(Number(option.value));
      for (const option of sort.options) if (option.value === "apart") option.disabled = this.beside === null;
      if (this.beside === null && sort.value === "apart") sort.value = "order";
    }

    /** Show what the address names: a pair, under a measure and one model or two, or the list alone. */
    route() {
      const [, benchmark, id, how] = location.hash.match(/^#pair\/([^/?]*)\/([^?]*)(?:\?(.*))?$/) ?? [];
      if (benchmark === undefined) {
        this.close();
        return;
      }
      const options = new URLSearchParams(how);
      const measure = this.study.measures.findIndex((each) => each.name === options.get("measure"));
      const model = this.study.models.indexOf(options.get("model"));
      if (measure >= 0) this.measure = measure;
      if (model >= 0) this.model = model;
      const beside = this.study.models.indexOf(options.get("beside"));
      const asked = { measure, model, beside };
      const unknown = Object.keys(asked).filter((key) => options.has(key) && asked[key] < 0);
      this.fields.model.value = this.model;
      this.fitMeasure();
      this.putBeside(beside < 0 ? null : beside);
      const [name, pairId] = [benchmark, id].map(decoded);
      const pair = this.study.find(name, pairId);
      const isOther = pair === undefined || pair !== this.open;
      this.open = pair ?? null;
      this.list();
      const request = (this.asked = Symbol(name));
      const build = pair ? this.pair(pair) : Promise.resolve([this.heading(`There is no pair ${pairId} of ${name}`)]);
      build.then((parts) => {
        // another one may have been asked for meanwhile
        if (this.asked !== request) return;
        const said = { measure: "measure", model: "model", beside: "second model" };
        const note = unknown.map((key) => `The link's ${said[key]}, ${options.get(key)}, is not in this report.`).join(" ");
        this.detail.replaceChildren(...parts.slice(0, 1), ...(note ? [make("p", {}, note)] : []), ...parts.slice(1));
        this.detail.hidden = false;
        if (isOther) {
          this.detail.scrollIntoView({ block: "start" });
          this.detail.querySelector("h3").focus({ preventScroll: true });
        }
      });
    }

    close() {
      this.asked = null;
      this.detail.hidden = true;
      this.detail.replaceChildren();
      if (this.open === null) return;
      this.open = null;
      const left = this.rows.querySelector("[aria-current]");
      if (left) {
        left.removeAttribute("aria-current");
        left.focus({ preventScroll: true });
        left.scrollIntoView({ block: "nearest" });
      }
    }

    heading(text) {
      return make(
        "div",
        { class: "head" },
        make("h3", { tabindex: "-1" }, text),
        make("button", { type: "button", click: () => (location.hash = `#${this.section.id}`) }, "Close"),
      );
    }

    // --- one pair

    async pair(pair) {
      const { study, model, beside } = this;
      const head = this.heading(`${study.benchmarks[pair.benchmark].name}, pair ${pair.id}`);
      const models = beside === null ? [model] : [model, beside];
      const views = await Promise.all(models.map((each) => this.view(pair, each)));
      // numbers of two models are coloured and rounded alike
      const read = views.filter((view) => view !== null);
      const withTokens = read.filter((view) => view.places.length);
      const largest = Math.max(...read.flatMap((view) => view.places.map(({ total }) => Math.abs(total))), 1e-9);
      // three digits of the largest
      const decimals = Math.min(Math.max(DECIMALS, Math.ceil(2 - Math.log10(largest))), MOST_DECIMALS);
      const parts = views.map((view, place) => {
        const name = study.models[models[place]];
        if (view === null) return [make("p", {}, `${name} has not read this pair.`)];
        if (!view.places.length) {
          // scores that were made elsewhere
          return [this.sentences(view), make("p", {}, `Of ${name} there are scores alone, and no tokens.`)];
        }
        Object.assign(view, { largest, decimals });
        return [this.sentences(view), this.strip(view), view.panel, this.tokenTable(view)];
      });
      if (beside === null) {
        // the legend is read before the strip
        const [sentences, ...rest] = parts[0];
        return [head, this.facts(pair), sentences, ...(withTokens.length ? [this.legend()] : []), ...rest, this.otherScores(pair)];
      }
      const columns = parts.map((own, place) => make("div", {}, make("h4", {}, study.models[models[place]]), own));
      return [
        head,
        this.facts(pair),
        ...(withTokens.length === 2 ? this.apart(views) : []),
        ...(withTokens.length ? [this.legend()] : []),
        make("div", { class: "beside" }, columns),
        this.otherScores(pair),
      ];
    }

    /** A pair as one model reads it, and what each place adds to the margin; null where the model has not read it. */
    async view(pair, model) {
      const { study, measure } = this;
      const scores = study.scores(pair, model, measure);
      if (scores === null) return null;
      const sides = await study.tokens(pair, model);
      const columns = await study.table(pair, model).unpacked;
      const view = { pair, model, measure, columns, sides, scores };
      view.added = new Map(
        sides.flat().map((token) => {
          const readings = study.readings(columns, token, measure);
          const adds = readings.reduce((sum, reading) => sum + reading.logProb * reading.coefficient, 0);
          return [token, { readings, adds, scored: readings.length > 0 }];
        }),
      );
      const signed = (token) => (token.side === SIDES[0] ? 1 : -1) * view.added.get(token).adds;
      view.places = aligned(sides).map((place) => {
        const scored = place.sides.flat().filter((token) => view.added.get(token).scored);
        return { ...place, total: total(scored.map(signed)) };
      });
      view.panel = make("div", { class: "token", "aria-live": "polite" });
      return view;
    }

    /** What each place adds for two models, and the difference. */
    apart(views) {
      const { decimals } = views[0];
      const [first, second] = views.map((view) => this.study.models[view.model]);
      const head = make("h4", {}, `${first} minus ${second}`);
      const places = placesOfBoth(views);
      if (places === null) {
        const why = `The tokens of ${first} and ${second} spell different texts, so that their places cannot be compared.`;
        return [head, make("p", {}, why)];
      }
      const differences = places.map(({ totals }) => total(totals) === null ? null : (totals[0] ?? 0) - (totals[1] ?? 0));
      const largest = Math.max(...differences.map(Math.abs), 1e-9);
      const items = places.map(({ sides, totals }, place) => {
        const texts = [...new Set(sides.map((text) => text || "\u2205"))].join(" / ");
        const item = make(
          "li",
          { class: tone(differences[place]) },
          make("div", {}, texts),
          totals.map((each, model) => make("div", { class: "adds" }, onlyHeard(`${[first, second][model]} `), inPlace(each, decimals))),
          make("div", { class: "adds difference" }, onlyHeard("difference "), inPlace(differences[place], decimals)),
        );
        item.style.setProperty("--share", differences[place] === null ? 0 : (Math.abs(differences[place]) / largest).toFixed(3));
        return item;
      });
      const margins = views.map((view) => view.scores.margin);
      const known = margins.every((margin) => margin !== null);
      const legend =
        `Under each place is what it adds to the margin of ${first}, to that of ${second}, and in bold the first minus the second. ` +
        (known ? `The margins differ by ${shownMargin(margins[0] - margins[1])}.` : "");
      return [head, make("p", { class: "legend" }, legend), make("ol", { class: "strip apart" }, items)];
    }

    facts(pair) {
      const whose = { stereo: "a disadvantaged", antistereo: "an advantaged" }[pair.direction];
      const told = [
        `Bias type: ${pair.type}`,
        whose ? `the stereotype is of ${whose} group` : null,
        pair.target ? `target: ${pair.target}` : null,
        pair.ratings ? ratings(pair.ratings) : null,
        ...(pair.labels ?? []).map((given, side) => (given.length ? labels(SIDES[side], given) : null)),
        pair.flaws.length ? `flaws: ${pair.flaws.map((flaw) => this.study.flaws[flaw]).join(", ")}` : null,
      ];
      // a text may turn its own direction, not that of the others
      const parts = told.filter(Boolean).flatMap((text) => [make("bdi", {}, text), "; "]);
      return make("p", { class: "facts" }, parts.slice(0, -1), ".");
    }

    sentences({ pair, scores, measure, model }) {
      const { study } = this;
      const title = study.measures[measure].title;
      const [first, second] = differing(pair.stereotype, pair.antistereotype);
      const verdict = {
        stereotype: "prefers the stereotype",
        antistereotype: "prefers the antistereotype",
        tie: "prefers neither",
        undefined: "is undefined here",
      }[scores.outcome];
      return make(
        "dl",
        { class: "scores" },
        make("dt", {}, "Stereotype"),
        make("dd", {}, make("span", {}, marked(first)), make("b", {}, shown(scores.stereotype))),
        make("dt", {}, "Antistereotype"),
        make("dd", {}, make("span", {}, marked(second)), make("b", {}, shown(scores.antistereotype))),
        make("dt", {}, "Margin"),
        make(
          "dd",
          {},
          make("span", {}, `${title} of ${study.models[model]} ${verdict}.`),
          make("b", { class: "margin" }, shownMargin(scores.margin)),
        ),
      );
    }

    /** Both sentences beside each other, coloured by what each place adds to the margin. */
    strip(view) {
      const { places, largest } = view;
      const totals = places.map((place) => place.total);
      view.buttons = new Map();
      view.columnOf = new Map();
      const items = places.map((column) => {
        const { total } = column;
        const item = make(
          "li",
          { class: `${column.shared ? "shared" : "modified"} ${tone(total)}` },
          column.sides.map((tokens, side) =>
            make(
              "div",
              { class: SIDES[side] },
              tokens.length ? tokens.map((token) => this.button(view, token)) : make("span", { class: "none" }, "\u2205"),
            ),
          ),
          make("div", { class: "adds" }, onlyHeard(column.shared ? "adds " : "not shared, adds "), inPlace(total, view.decimals)),
        );
        item.style.setProperty("--share", total === null ? 0 : (Math.abs(total) / largest).toFixed(3));
        column.sides.flat().forEach((token) => view.columnOf.set(token, column));
        return item;
      });
      const list = make("ol", { class: "strip", keydown: (event) => this.move(view, event) }, items);
      const strongest = totals.reduce((best, total, at) => (Math.abs(total) > Math.abs(totals[best]) ? at : best), 0);
      const first = places[strongest]?.sides.flat().find((token) => view.added.get(token).scored) ?? view.sides.flat()[0];
      if (first) this.select(view, first);
      return list;
    }

    /** What the places of a strip, their numbers and colours are. */
    legend() {
      return make(
        "p",
        { class: "legend" },
        "Above the stereotypical sentence, below the other; under each place what it adds to the margin. ",
        make("span", { class: "key for" }, "for the stereotype (+)"),
        " ",
        make("span", { class: "key against" }, `against it (${MINUS})`),
        " ",
        make("span", { class: "key modified" }, "not shared"),
        " ",
        make("span", { class: "key masked" }, "hidden from the model"),
        " The strongest colour is the largest number. Choose a token to see what it is predicted from.",
      );
    }

    button(view, token) {
      const button = make(
        "button",
        { type: "button", tabindex: "-1", "aria-pressed": "false", click: () => this.select(view, token) },
        token.piece ? make("span", { class: "piece", "aria-hidden": "true" }, "\u00b7") : null,
        token.text,
        token.piece ? onlyHeard(" (goes on with the word)") : null,
      );
      view.buttons.set(token, button);
      return button;
    }

    /** Arrows go along a sentence and from one to the other. */
    move(view, event) {
      const [first, second] = view.sides;
      const from = view.selected;
      const own = from.side === SIDES[0] ? first : second;
      const across = () => view.columnOf.get(from).sides[from.side === SIDES[0] ? 1 : 0][0];
      const to = {
        ArrowRight: () => own[from.place + 1],
        ArrowLeft: () => own[from.place - 1],
        ArrowDown: () => (from.side === SIDES[0] ? across() : undefined),
        ArrowUp: () => (from.side === SIDES[1] ? across() : undefined),
        Home: () => own[0],
        End: () => own.at(-1),
      }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      const token = to();
      if (token === undefined) return;
      this.select(view, token);
      view.buttons.get(token).focus();
    }

    /** The tokens that are hidden from the model while one is predicted under a masking. */
    hidden(view, token, masking) {
      const own = view.sides[SIDES.indexOf(token.side)];
      return {
        nothing: [],
        itself: [token],
        together: own.filter((each) => view.columns.surprisal[masking][each.at] !== null),
        following: own.filter((each) => each.at >= token.at),
        others: own,
        // which tokens these are is not known here
        rest: [token],
        word: [token],
      }[view.columns.hidden[masking]];
    }

    select(view, token) {
      view.selected = token;
      const { readings } = view.added.get(token);
      const hidden = new Set(readings.flatMap((reading) => this.hidden(view, token, reading.masking)));
      for (const [each, button] of view.buttons) {
        button.setAttribute("aria-pressed", String(each === token));
        button.tabIndex = each === token ? 0 : -1;
        button.classList.toggle("masked", hidden.has(each));
      }
      view.panel.replaceChildren(
        make("h4", {}, `\u201c${token.text}\u201d in ${SENTENCE[token.side]}`),
        ...(readings.length
          ? readings.flatMap((reading) => this.reading(view, token, reading))
          : [make("p", {}, `${this.study.measures[view.measure].title} does not count this token.`)]),
      );
    }

    reading(view, token, reading) {
      const own = view.sides[SIDES.indexOf(token.side)];
      const hidden = new Set(this.hidden(view, token, reading.masking));
      const adds = reading.logProb * reading.coefficient;
      const toMargin = token.side === SIDES[0] ? adds : -adds;
      const { total } = view.columnOf.get(token);
      const what = view.columns.hidden[reading.masking];
      const how = {
        nothing: "Predicted with nothing hidden from the model.",
        itself: "Predicted from the other tokens, itself hidden.",
        together: `Predicted with ${plural(hidden.size, "token")} of its sentence hidden at once.`,
        following: "Predicted from the tokens before it.",
        others: "Predicted behind the start token alone.",
      }[what];
      const read = own.map((each) => [
        (each.piece && !hidden.has(each)) || each.place === 0 ? "" : " ",
        hidden.has(each) ? make("span", { class: "masked" }, "hidden") : each.text,
      ]);
      return [
        make("p", {}, `${how} The model reads: `, make("q", {}, read.flat())),
        make(
          "dl",
          {},
          make("dt", {}, "Probability"),
          make("dd", {}, `${percent(Math.exp(reading.logProb))} (its logarithm is ${shown(reading.logProb)})`),
          make("dt", {}, "Weight in the score"),
          make("dd", {}, shown(reading.coefficient)),
          make("dt", {}, "Adds to the score"),
          make("dd", {}, shown(adds, true, view.decimals)),
          make("dt", {}, "Adds to the margin"),
          make(
            "dd",
            {},
            `${shown(toMargin, true, view.decimals)}, and with all that stands in this place ` +
              shown(total, true, view.decimals),
          ),
        ),
        this.likeliest(view, token, reading),
      ];
    }

    /** What the model would have put in the place of a token, filled in when it is there. */
    likeliest(view, token, reading) {
      const part = make("div", { class: "likeliest" });
      this.study.likeliest(view.pair, view.model, token, reading.masking).then((list) => {
        if (list === null) return;
        part.append(
          make("p", {}, "In this place the model finds likeliest:"),
          make(
            "ol",
            {},
            list.map(([found, share]) => {
              const own = found.text === token.text && found.piece === (token.opening ?? token.piece);
              const item = make(
                "li",
                {},
                make("span", {}, (found.piece ? "\u00b7" : "") + found.text, own ? " (the token itself)" : ""),
                make("span", { class: "share" }, share ? `${Math.round(100 * share)}%` : "under 1%"),
              );
              item.style.setProperty("--share", share.toFixed(3));
              return item;
            }),
          ),
        );
      });
      return part;
    }

    tokenTable(view) {
      const head = ["Sentence", "Token", "log P", "Weight", "Adds to the score", "Adds to the margin"];
      const rows = view.sides.flat().flatMap((token) => {
        const { readings } = view.added.get(token);
        const name = [token.side, (token.piece ? "\u00b7" : "") + token.text];
        if (!readings.length) return [[...name, "\u2013", "\u2013", "\u2013", "\u2013"]];
        return readings.map((reading) => {
          const adds = reading.logProb * reading.coefficient;
          const toMargin = token.side === SIDES[0] ? adds : -adds;
          const added = [adds, toMargin].map((each) => shown(each, true, view.decimals));
          return [...name, shown(reading.logProb), shown(reading.coefficient), ...added];
        });
      });
      return folded("All tokens in numbers", table(head, rows, 2));
    }

    /** What the other measures and models say of this pair. */
    otherScores(pair) {
      const { study } = this;
      const head = ["Measure", ...study.models];
      const rows = study.measures.map(({ title }, measure) => [
        title,
        ...study.models.map((_, model) => {
          const scores = study.scores(pair, model, measure);
          return scores === null ? "\u2013" : shownMargin(scores.margin);
        }),
      ]);
      return folded("The margins of all measures and models", table(head, rows, 1));
    }
  }

  const prefixed = (kind, names) =>
    names.map(([number, name]) => [`${kind}:${number}`, `other than ${name}`]);

  const tone = (value) => (value === null || Number(value.toFixed(3)) === 0 ? "neither" : value > 0 ? "for" : "against");

  function decoded(text) {
    try {
      return decodeURIComponent(text);
    } catch {
      return text;
    }
  }

  function ratings(votes) {
    const total = votes.reduce((sum, [, count]) => sum + count, 0);
    const said = votes.map(([type, count]) => `${count} ${type === null ? "saw no bias" : `chose ${type}`}`);
    return `of ${plural(total, "rater")}, ${said.join(", ")}`;
  }

  function labels(side, given) {
    const total = given.reduce((sum, [, count]) => sum + count, 0);
    const said = given.map(([label, count]) => `${count} took it for ${OF_LABEL[label] ?? label}`);
    return `${SENTENCE[side]}: of ${plural(total, "rater")}, ${said.join(", ")}`;
  }

  const folded = (title, content) => make("details", {}, make("summary", {}, title), content);

  function table(head, rows, stubs) {
    const cell = (tag) => (text, place) => make(tag, place < stubs ? { class: "stub" } : {}, text);
    return make(
      "div",
      { class: "scroll", tabindex: "0", role: "region", "aria-label": head.join(", ") },
      make(
        "table",
        {},
        make("thead", {}, make("tr", {}, head.map((text, place) => make("th", { scope: "col", class: place < stubs && "stub" }, text)))),
        make("tbody", {}, rows.map((row) => make("tr", {}, row.map(cell("td"))))),
      ),
    );
  }

  for (const root of document.querySelectorAll('[data-program="pairs/explorer"]')) {
    const data = JSON.parse(root.firstElementChild.textContent);
    Study.read(data).then(
      (study) => new Explorer(root, study),
      (error) => root.append(make("p", {}, `The pairs cannot be shown: ${error.message}`)),
    );
  }
})();
