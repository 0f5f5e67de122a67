"use strict";
// The explorer of pairs. Data: unmask.pairs.every_pair and unmask.pairs.explorer. Text from data becomes the text of
// elements and nothing else.
(() => {
  const PAGE = 8; // rows of the list at a time
  const SIDES = ["stereotype", "antistereotype"];
  const SENTENCE = { stereotype: "the stereotypical sentence", antistereotype: "the antistereotypical sentence" };
  const OUTCOMES = { s: "stereotype", a: "antistereotype", t: "tie", u: "undefined" };
  const LOG_PROB_UNIT = 1e-4; // as in unmask.pairs.explorer
  const COEFFICIENT_UNIT = 1e-6;
  const LIKELY_UNIT = 1e-2;
  const DECIMALS = 3;
  const MOST_WORDS = 15; // of a sentence of an example pair
  const MINUS = "\u2212";
  const DASH = "\u2013";
  const PIECE = "\u00b7"; // before a token that goes on with a word

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
  const button = (text, click) => make("button", { type: "button", click }, text);

  async function unpack(packed) {
    const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream).json();
  }

  /** A number, and its sign where it adds something. */
  function shown(value, signed = false) {
    if (value === null || Number.isNaN(value)) return DASH;
    const text = Math.abs(value).toFixed(DECIMALS);
    const sign = Number(text) === 0 ? "" : value < 0 ? MINUS : signed ? "+" : "";
    return sign + text;
  }

  /** A margin with its sign, and with the first digit that it has where it is small but not nothing. */
  function shownMargin(margin) {
    const small = margin !== null && margin !== 0 && Number(Math.abs(margin).toFixed(DECIMALS)) === 0;
    return small ? (margin < 0 ? MINUS : "+") + Math.abs(margin).toPrecision(1) : shown(margin, true);
  }

  const plural = (count, thing) => `${count.toLocaleString("en")} ${thing}${count === 1 ? "" : "s"}`;

  // --- what the data says -------------------------------------------------------------------------------------

  /** All pairs, and what each model's scores say of them. */
  class Study {
    static async read(data) {
      const study = Object.assign(new Study(), data, { tables: data.models.map(() => []) });
      for (const table of data.tables) study.tables[table.model][table.benchmark] = table;
      const columns = await Promise.all(data.benchmarks.map((benchmark) => unpack(benchmark.pairs)));
      study.pairs = columns.flatMap((column, benchmark) =>
        column.pair_id.map((id, row) => {
          const own = Object.fromEntries(Object.entries(column).map(([name, values]) => [name, values[row]]));
          const words = [id, own.bias_type, own.target, own.stereotype, own.antistereotype];
          return { benchmark, row, ...own, text: words.join(" ").toLowerCase() };
        }),
      );
      await Promise.all(data.tables.map(async (table) => (table.read = await unpack(table.scores))));
      return study;
    }

    /** What a measure says of a pair; undefined where the model has not read it. */
    outcome(pair, model, measure) {
      const column = this.tables[model][pair.benchmark]?.read[this.measures[measure].name];
      return column && OUTCOMES[column.outcome[pair.row]];
    }

    /** Both scores, the margin and the outcome of a pair; null where the model has not read it. */
    scores(pair, model, measure) {
      const outcome = this.outcome(pair, model, measure);
      if (outcome === undefined) return null;
      const column = this.tables[model][pair.benchmark].read[this.measures[measure].name];
      const [stereotype, antistereotype] = SIDES.map((side) => column[side][pair.row]);
      const both = stereotype !== null && antistereotype !== null;
      const margin = both ? stereotype - antistereotype : outcome === "tie" ? 0 : null;
      return { stereotype, antistereotype, margin, outcome };
    }

    /** Whether a model has a measure: each has those of its kind. */
    has(model, measure) {
      const { name } = this.measures[measure];
      return this.tables[model].some((table) => table.read[name] !== undefined);
    }

    /** The measure, or where the model has it not, its first. */
    fitting(model, measure) {
      const first = this.measures.findIndex((_, each) => this.has(model, each));
      return this.has(model, measure) || first < 0 ? measure : first;
    }

    /**
     * The tokens of both sides of a pair, in order (see unmask.pairs.explorer.token_columns), with what each adds to the
     * margin under a measure, null where the measure does not count it.
     */
    async tokens(pair, model, measure) {
      const table = this.tables[model][pair.benchmark];
      if (!table.tokens) return [[], []];
      table.unpacked ??= unpack(table.tokens).then((columns) => ({ ...columns, starts: startsOf(columns.lengths) }));
      const columns = await table.unpacked;
      return SIDES.map((side, number) => {
        const sentence = 2 * pair.row + number;
        return Array.from({ length: columns.lengths[sentence] }, (_, place) => {
          const at = columns.starts[sentence] + place;
          const readings = this.readings(columns, at, measure);
          const adds = readings.map(({ logProb, coefficient }) => logProb * coefficient * (number ? -1 : 1));
          const [piece, modified] = [columns.piece[at] === "1", columns.modified[at] === "1"];
          return { side, place, at, text: columns.text[at], piece, modified, readings, adds: total(adds) };
        });
      });
    }

    /** The likeliest tokens in the place of one, [text, probability] each; none where none are kept. */
    async likeliest(pair, model, token, masking) {
      const table = this.tables[model][pair.benchmark];
      if (!table.likeliest) return [];
      table.lists ??= unpack(table.likeliest);
      return (await table.lists)[masking][token.at].map(([text, share]) => [text, share * LIKELY_UNIT]);
    }

    /** By the maskings under which a measure has a token predicted: what is hidden, log P and its coefficient. */
    readings(columns, at, measure) {
      // none where the measure is for models of another kind
      return Object.entries(columns.coefficient[this.measures[measure].name] ?? {})
        .filter(([masking, coefficient]) => columns.surprisal[masking][at] !== null && coefficient[at] !== 0)
        .map(([masking, coefficient]) => ({
          masking,
          hides: columns.hidden[masking],
          together: columns.surprisal[masking],
          logProb: -columns.surprisal[masking][at] * LOG_PROB_UNIT,
          coefficient: coefficient[at] * COEFFICIENT_UNIT,
        }));
    }

    /**
     * Three example pairs, { title, pair } each, by the rule that the page prints: among pairs of few words without a
     * flaw, whose words differ. Of equal margins the first pair counts.
     */
    examples({ model, benchmark }, measure) {
      const letters = (text) => text.replace(/[\p{P}\p{Z}\p{C}]/gu, "");
      const rows = this.pairs
        .filter((pair) => pair.benchmark === benchmark && !pair.flaws.length)
        .filter((pair) => SIDES.every((side) => lengthOf(pair[side]) <= MOST_WORDS))
        .filter((pair) => letters(pair.stereotype) !== letters(pair.antistereotype))
        .map((pair) => ({ pair, ...this.scores(pair, model, measure) }))
        .filter(({ outcome, margin }) => SIDES.includes(outcome) && margin);
      const [forIt, against] = SIDES.map((side) => rows.filter(({ outcome }) => outcome === side));
      forIt.sort((one, other) => other.margin - one.margin);
      against.sort((one, other) => one.margin - other.margin);
      return [
        { title: "Largest margin for the stereotype", ...forIt[0] },
        { title: "Median margin for the stereotype", ...forIt[forIt.length > 1 ? forIt.length >> 1 : 1] },
        { title: "Largest margin against the stereotype", ...against[0] },
      ].filter(({ pair }) => pair !== undefined);
    }
  }

  /** Where each of some lists begins that stand one behind the other. */
  function startsOf(lengths) {
    let end = 0;
    return lengths.map((length) => (end += length) - length);
  }

  /** Tokens of both sides beside each other: those that they share one by one, what is between these together. */
  function aligned([first, second]) {
    const columns = [];
    let [one, two] = [0, 0];
    const modified = (tokens, from) => {
      const length = tokens.slice(from).findIndex((token) => !token.modified);
      return length < 0 ? tokens.slice(from) : tokens.slice(from, from + length);
    };
    const add = (sides, shared) => {
      if (sides[0].length || sides[1].length) columns.push({ sides, shared });
      one += sides[0].length;
      two += sides[1].length;
    };
    while (one < first.length || two < second.length) {
      add([modified(first, one), modified(second, two)], false);
      add([first.slice(one, one + 1), second.slice(two, two + 1)], true);
    }
    return columns;
  }

  const total = (parts) => (parts.length ? parts.reduce((sum, each) => sum + each, 0) : null);
  const largestOf = (items, size) => items.reduce((best, each) => (size(each) > size(best) ? each : best), items[0]);

  // of any script, also without spaces between words
  const SEGMENTS = new Intl.Segmenter("und", { granularity: "word" });
  const segmentsOf = (text) => [...SEGMENTS.segment(text)];
  const lengthOf = (text) => segmentsOf(text).filter(({ isWordLike }) => isWordLike).length;

  /** Two sentences, each in three parts: the beginning that they share, what differs, and the end that they share. */
  function differing(sentences) {
    const [one, two] = sentences.map((text) => segmentsOf(text).map(({ segment }) => segment));
    const shortest = Math.min(one.length, two.length);
    let start = 0;
    while (start < shortest && one[start] === two[start]) start += 1;
    let end = 0;
    while (end < shortest - start && one.at(-1 - end) === two.at(-1 - end)) end += 1;
    const cuts = (own) => [own.slice(0, start), own.slice(start, own.length - end), own.slice(own.length - end)];
    return [one, two].map((own) => cuts(own).map((words) => words.join("")));
  }

  /** Both sentences of a pair, each with the words in which it differs marked. */
  const marked = (pair) =>
    differing([pair.stereotype, pair.antistereotype]).map(([before, between, after]) =>
      [before, between && make("mark", {}, between), after].filter(Boolean),
    );

  // --- the list -----------------------------------------------------------------------------------------------

  const SORTS = {
    order: "as given",
    "for": "most for the stereotype",
    against: "most against it",
    near: "nearest to no preference",
    far: "furthest from it",
  };
  const PREFERS = { stereotype: "the stereotype", antistereotype: "the antistereotype", tie: "neither", undefined: "undefined" };

  // pairs of a value and a label: an object would have numbers before all else
  const choices = (options) => options.map(([value, label]) => make("option", { value }, label));

  class Explorer {
    constructor(root, study) {
      Object.assign(this, { root, study, page: 0, open: null, model: 0, beside: null, measure: 0 });
      this.section = root.closest("section");
      this.examples();
      this.build();
      window.addEventListener("hashchange", () => this.route());
      this.fit(null);
      this.list();
      this.route();
    }

    build() {
      const { study } = this;
      const names = (list) => list.map((each, number) => [String(number), each.title ?? each.name ?? each]);
      const types = [...new Set(study.pairs.map((pair) => pair.bias_type))].sort();
      const some = study.models.length > 1;
      const flawed = [...new Set(study.pairs.flatMap((pair) => pair.flaws))].sort();
      const filtering = { input: () => this.list(0) };
      const choosing = (options) => make("select", { change: () => this.choose() }, choices(options));
      const filter = (options) => make("select", filtering, choices(options));
      this.fields = {
        model: choosing(names(study.models)),
        beside: choosing([["", "none"], ...names(study.models)]),
        measure: choosing(names(study.measures)),
        text: make("input", { type: "search", autocomplete: "off", spellcheck: "false", ...filtering }),
        benchmark: filter([["", "any"], ...names(study.benchmarks)]),
        type: filter([["", "any"], ...types.map((type) => [type, type])]),
        prefers: filter([["", "anything"], ...Object.entries(PREFERS)]),
        sort: filter(Object.entries(SORTS)),
        flaw: filter([["", "any or none"], ["none", "none"], ...flawed.map((flaw) => [String(flaw), study.flaws[flaw]])]),
      };
      const labelled = (labels) => Object.entries(labels).map(([name, label]) => {
        this.fields[name].id = `explorer-${name}`;
        return make("div", {}, make("label", { for: `explorer-${name}` }, label), this.fields[name]);
      });
      this.status = make("p", { role: "status", class: "status" });
      this.rows = make("ol", { class: "rows", "aria-label": "Pairs" });
      this.pages = make("div", { class: "pages" },
        button("Previous", () => this.list(this.page - 1)),
        button("Next", () => this.list(this.page + 1)),
      );
      this.detail = make("div", { class: "pair", hidden: true });
      this.root.append(
        make("form", { class: "filters", submit: (event) => event.preventDefault() },
          labelled({ model: "Model", ...(some && { beside: "Second model" }), measure: "Measure", text: "Search" }),
          labelled({ ...(study.benchmarks.length > 1 && { benchmark: "Benchmark" }), type: "Bias type" }),
          labelled({ prefers: "Prefers", ...(flawed.length && { flaw: "Flaw" }), sort: "Order" }),
        ),
        this.status,
        this.rows,
        this.pages,
        this.detail,
      );
    }

    // --- which pairs

    /** Whether a pair was read by the model, and passes all filters. */
    fits(pair) {
      const { model, measure, study, fields } = this;
      const own = study.outcome(pair, model, measure);
      if (own === undefined || !this.words.every((word) => pair.text.includes(word))) return false;
      const is = (name, value) => fields[name].value === "" || fields[name].value === String(value);
      if (!is("benchmark", pair.benchmark) || !is("type", pair.bias_type) || !is("prefers", own)) return false;
      const flaw = fields.flaw.value;
      return flaw === "none" ? !pair.flaws.length : flaw === "" || pair.flaws.includes(Number(flaw));
    }

    /** What the chosen order goes by, the smallest first; pairs without a margin come last. */
    key(pair) {
      const { study, model, measure } = this;
      const sort = this.fields.sort.value;
      if (sort === "order") return 0;
      const { margin } = study.scores(pair, model, measure);
      if (margin === null) return Infinity;
      return { "for": -margin, against: margin, near: Math.abs(margin), far: -Math.abs(margin) }[sort];
    }

    /** Show a page of the pairs that fit; without a number, that which is shown. */
    list(page = this.page) {
      this.words = this.fields.text.value.toLowerCase().split(/\s+/).filter(Boolean);
      const keyed = this.study.pairs.filter((pair) => this.fits(pair)).map((pair) => [this.key(pair), pair]);
      // infinity less infinity is no order
      keyed.sort(([one], [two]) => (one === two ? 0 : one - two));
      const last = Math.max(0, Math.ceil(keyed.length / PAGE) - 1);
      this.page = Math.min(Math.max(page, 0), last);
      const start = this.page * PAGE;
      const some = keyed.slice(start, start + PAGE);
      this.rows.setAttribute("start", start + 1);
      this.rows.replaceChildren(...some.map(([, pair]) => make("li", {}, this.row(pair))));
      this.status.textContent = some.length
        ? `${plural(keyed.length, "pair")}, of which ${start + 1} to ${start + some.length} are shown.`
        : "No pair fits.";
      const [previous, next] = this.pages.children;
      previous.disabled = this.page === 0;
      next.disabled = this.page === last;
      this.pages.hidden = last === 0;
    }

    row(pair) {
      const { margin, outcome } = this.study.scores(pair, this.model, this.measure);
      const other = this.beside === null ? null : this.study.scores(pair, this.beside, this.measure);
      const [first, second] = marked(pair);
      const said = other && `${this.study.models[this.beside]}: ${shownMargin(other.margin)}, ${other.outcome}`;
      return make("a", { href: this.link(pair), "aria-current": pair === this.open && "true" },
        make("span", { class: "text" }, first),
        make("span", { class: "text other" }, onlyHeard("against: "), second),
        make("span", { class: "type" }, onlyHeard("; "), pair.bias_type),
        make("span", { class: `margin ${tone(margin)}` }, onlyHeard("; margin "), shownMargin(margin)),
        make("span", { class: "outcome" }, onlyHeard("; prefers "), outcome),
        other && make("span", { class: "second" }, onlyHeard("; "), said),
      );
    }

    // --- which pair

    link(pair, model = this.model, measure = this.measure, beside = this.beside) {
      const { study } = this;
      const where = [study.benchmarks[pair.benchmark].name, pair.pair_id].map(encodeURIComponent).join("/");
      const how = { measure: study.measures[measure].name, model: study.models[model] };
      if (beside !== null) how.beside = study.models[beside];
      return `#pair/${where}?${new URLSearchParams(how)}`;
    }

    /** Another model or measure was chosen; the address goes with it where a pair is open. */
    choose() {
      const { model, measure, beside } = this.fields;
      [this.model, this.measure] = [Number(model.value), Number(measure.value)];
      this.fit(beside.value === "" ? null : Number(beside.value));
      this.list();
      if (this.open) location.replace(this.link(this.open));
    }

    /**
     * Have a measure that the model has, and that second model or none: no model is beside itself, or beside one of
     * another kind.
     */
    fit(second) {
      const { study, model, fields } = this;
      this.measure = study.fitting(model, this.measure);
      const fits = (other) => other !== model && study.has(other, this.measure);
      this.beside = second !== null && fits(second) ? second : null;
      for (const option of fields.measure.options) option.disabled = !study.has(model, Number(option.value));
      for (const option of fields.beside.options) option.disabled = option.value !== "" && !fits(Number(option.value));
      [fields.model.value, fields.measure.value, fields.beside.value] = [model, this.measure, this.beside ?? ""];
    }

    /** Show what the address names: a pair, under a measure and one model or two, or the list alone. */
    route() {
      const [, benchmark, id, how] = location.hash.match(/^#pair\/([^/?]*)\/([^?]*)(?:\?(.*))?$/) ?? [];
      if (benchmark === undefined) {
        this.close();
        return;
      }
      const { study } = this;
      const options = new URLSearchParams(how);
      const asked = {
        measure: study.measures.findIndex((each) => each.name === options.get("measure")),
        model: study.models.indexOf(options.get("model")),
        "second model": study.models.indexOf(options.get("beside")),
      };
      const said = { ...Object.fromEntries(options), "second model": options.get("beside") };
      const unknown = Object.keys(asked).filter((key) => said[key] && asked[key] < 0);
      if (asked.measure >= 0) this.measure = asked.measure;
      if (asked.model >= 0) this.model = asked.model;
      this.fit(asked["second model"] < 0 ? null : asked["second model"]);
      const [name, pairId] = [benchmark, id].map(decoded);
      const pair = study.pairs.find((each) => study.benchmarks[each.benchmark].name === name && each.pair_id === pairId);
      const isOther = pair === undefined || pair !== this.open;
      this.open = pair ?? null;
      this.list();
      const request = (this.asked = Symbol(name));
      const none = async () => [this.heading(`There is no pair ${pairId} of ${name}`)];
      (pair ? this.pair(pair) : none()).then(([head, ...parts]) => {
        // another one may have been asked for meanwhile
        if (this.asked !== request) return;
        const note = unknown.map((key) => `The link's ${key}, ${said[key]}, is not in this report.`).join(" ");
        this.detail.replaceChildren(head, ...(note ? [make("p", {}, note)] : []), ...parts);
        this.detail.hidden = false;
        if (isOther) {
          this.detail.scrollIntoView({ block: "start" });
          this.detail.querySelector("h3").focus({ preventScroll: true });
        }
      });
    }

    close() {
      const left = this.rows.querySelector("[aria-current]");
      [this.asked, this.open] = [null, null];
      this.detail.hidden = true;
      this.detail.replaceChildren();
      left?.removeAttribute("aria-current");
      left?.focus();
    }

    heading(text) {
      const close = button("Close", () => (location.hash = `#${this.section.id}`));
      return make("div", { class: "head" }, make("h3", { tabindex: "-1" }, text), close);
    }

    // --- one pair

    async pair(pair) {
      const { study, model, beside } = this;
      const head = this.heading(`${study.benchmarks[pair.benchmark].name}, pair ${pair.pair_id}`);
      const models = beside === null ? [model] : [model, beside];
      const views = await Promise.all(models.map((each) => this.view(pair, each, this.measure)));
      scaled(views);
      const parts = views.map((view, place) => {
        const name = study.models[models[place]];
        if (view === null) return [make("p", {}, `${name} has not read this pair.`)];
        // scores that were made elsewhere have no tokens
        const none = make("p", {}, `Of ${name} there are scores alone, and no tokens.`);
        if (!view.places.length) return [this.sentences(view), none];
        return [this.sentences(view), this.strip(view), view.panel];
      });
      const columns = parts.map((own, place) =>
        make("div", {}, beside === null ? null : make("h4", {}, study.models[models[place]]), own));
      const legend = views.some((view) => view?.places.length) ? this.legend() : null;
      const body = [this.facts(pair), legend, make("div", { class: "beside" }, columns)];
      return [head, ...body.filter((part) => part !== null)];
    }

    /** A pair as one model reads it, and what each place adds to the margin; null where the model has not read it. */
    async view(pair, model, measure) {
      const { study } = this;
      const scores = study.scores(pair, model, measure);
      if (scores === null) return null;
      const sides = await study.tokens(pair, model, measure);
      const places = aligned(sides).map((place) => {
        const adds = place.sides.flat().map((token) => token.adds);
        return { ...place, total: total(adds.filter((each) => each !== null)) };
      });
      const panel = make("div", { class: "token", "aria-live": "polite" });
      return { pair, model, measure, sides, scores, places, panel };
    }

    facts(pair) {
      const whose = { stereo: "a disadvantaged", antistereo: "an advantaged" }[pair.direction];
      const facts = [
        `Bias type: ${pair.bias_type}`,
        whose && `the stereotype is of ${whose} group`,
        pair.target && `target: ${pair.target}`,
        pair.flaws.length && `flaws: ${pair.flaws.map((flaw) => this.study.flaws[flaw]).join(", ")}`,
      ];
      // a text may turn its own direction, not that of the others
      const parts = facts.filter(Boolean).flatMap((text) => [make("bdi", {}, text), "; "]);
      return make("p", { class: "facts" }, parts.slice(0, -1), ".");
    }

    sentences({ pair, scores, measure, model }) {
      const { study } = this;
      const verdict = scores.outcome === "undefined" ? "is undefined here" : `prefers ${PREFERS[scores.outcome]}`;
      const said = `${study.measures[measure].title} of ${study.models[model]} ${verdict}.`;
      const [first, second] = marked(pair);
      const line = (head, text, value) =>
        [make("dt", {}, head), make("dd", {}, make("span", {}, text), make("b", { class: head === "Margin" && "margin" }, value))];
      return make("dl", { class: "scores" },
        line("Stereotype", first, shown(scores.stereotype)),
        line("Antistereotype", second, shown(scores.antistereotype)),
        line("Margin", said, shownMargin(scores.margin)),
      );
    }

    /** A place of both sentences, coloured by what it adds to the margin. show: makes a token's element. */
    place({ largest }, { sides, shared, total: adds }, show) {
      const nothing = () => make("span", { class: "none" }, "\u2205");
      const item = make("li", { class: `${shared ? "shared" : "modified"} ${tone(adds)}` },
        sides.map((tokens, side) => make("div", { class: SIDES[side] }, tokens.length ? tokens.map(show) : nothing())),
        make("div", { class: "adds" }, onlyHeard(shared ? "adds " : "not shared, adds "), shown(adds, true)),
      );
      item.style.setProperty("--share", adds === null ? 0 : (Math.abs(adds) / largest).toFixed(3));
      return item;
    }

    /** Both sentences beside each other; the token that adds most is chosen. */
    strip(view) {
      view.buttons = new Map();
      const items = view.places.map((place) => this.place(view, place, (token) => this.button(view, token)));
      const strongest = largestOf(view.places, ({ total: adds }) => Math.abs(adds ?? 0));
      this.select(view, largestOf(strongest.sides.flat(), (token) => Math.abs(token.adds ?? 0)));
      return make("ol", { class: "strip" }, items);
    }

    /** What the places of a strip, their numbers and colours are. */
    legend() {
      const key = (kind, text) => [make("span", { class: `key ${kind}` }, text), " "];
      return make("p", { class: "legend" },
        "Above the stereotypical sentence, below the other; under each place what it adds to the margin. ",
        key("for", "for the stereotype (+)"),
        key("against", `against it (${MINUS})`),
        key("modified", "not shared"),
        key("masked", "hidden from the model"),
        "The strongest colour is the largest number. Choose a token to see what it is predicted from.",
      );
    }

    button(view, token) {
      const element = button(written(token), () => this.select(view, token));
      if (token.piece) element.append(onlyHeard(" (goes on with the word)"));
      view.buttons.set(token, element);
      return element;
    }

    /** The tokens that are hidden from the model while one is predicted. */
    hidden(view, token, { hides, together }) {
      const own = view.sides[SIDES.indexOf(token.side)];
      return new Set({
        nothing: [],
        itself: [token],
        together: own.filter((each) => together[each.at] !== null),
        following: own.filter((each) => each.at >= token.at),
        others: own,
      }[hides]);
    }

    select(view, token) {
      const hidden = token.readings.map((reading) => this.hidden(view, token, reading));
      for (const [each, element] of view.buttons) {
        element.setAttribute("aria-pressed", String(each === token));
        element.classList.toggle("masked", hidden.some((tokens) => tokens.has(each)));
      }
      const none = [make("p", {}, `${this.study.measures[view.measure].title} does not count this token.`)];
      const parts = token.readings.flatMap((reading, number) => this.reading(view, token, reading, hidden[number]));
      view.panel.replaceChildren(
        make("h4", {}, `\u201c${token.text}\u201d in ${SENTENCE[token.side]}`),
        ...(parts.length ? parts : none),
      );
    }

    reading(view, token, { masking, hides, logProb, coefficient }, hidden) {
      const how = {
        nothing: "Predicted with nothing hidden from the model.",
        itself: "Predicted from the other tokens, itself hidden.",
        together: `Predicted with ${plural(hidden.size, "token")} of its sentence hidden at once.`,
        following: "Predicted from the tokens before it.",
        others: "Predicted behind the start token alone.",
      }[hides];
      const read = view.sides[SIDES.indexOf(token.side)].flatMap((each) => [
        (each.piece && !hidden.has(each)) || each.place === 0 ? "" : " ",
        hidden.has(each) ? make("span", { class: "masked" }, "hidden") : each.text,
      ]);
      const place = view.places.find(({ sides }) => sides.flat().includes(token));
      const lines = {
        Probability: `${Number((100 * Math.exp(logProb)).toPrecision(3))}% (its logarithm is ${shown(logProb)})`,
        "Weight in the score": shown(coefficient),
        "Adds to the score": shown(logProb * coefficient, true),
        "Adds to the margin": `${shown(token.adds, true)}, and with all that stands in this place ${shown(place.total, true)}`,
      };
      return [
        make("p", {}, `${how} The model reads: `, make("q", {}, read)),
        make("dl", {}, Object.entries(lines).flatMap(([head, text]) => [make("dt", {}, head), make("dd", {}, text)])),
        this.likeliest(view, token, masking),
      ];
    }

    /** What the model would have put in the place of a token, filled in when it is there. */
    likeliest(view, token, masking) {
      const part = make("div", { class: "likeliest" });
      this.study.likeliest(view.pair, view.model, token, masking).then((list) => {
        if (!list.length) return;
        const items = list.map(([text, share]) => {
          const item = make("li", {},
            make("span", {}, text),
            make("span", { class: "share" }, share ? `${Math.round(100 * share)}%` : "under 1%"),
          );
          item.style.setProperty("--share", share.toFixed(3));
          return item;
        });
        part.append(make("p", {}, "In this place the model finds likeliest:"), make("ol", {}, items));
      });
      return part;
    }

    /** The three example pairs above the list: which words decide. */
    async examples() {
      const { study } = this;
      const part = make("div", { class: "examples" });
      this.root.append(part);
      if (!study.example) return;
      const { model, benchmark, headline } = study.example;
      const measure = study.fitting(model, study.measures.findIndex(({ name }) => name === headline));
      const chosen = study.examples(study.example, measure);
      const views = await Promise.all(chosen.map(({ pair }) => this.view(pair, model, measure)));
      views.forEach((view) => scaled([view]));
      const items = views.map((view, number) => [
        make("h4", {}, `${chosen[number].title} (${view.pair.bias_type}): ${shownMargin(view.scores.margin)}`),
        make("ol", { class: "strip" }, view.places.map((place) => this.place(view, place, (token) => make("span", {}, written(token))))),
        make("a", { href: this.link(view.pair, model, measure, null) }, "Open this pair"),
      ]);
      const name = study.benchmarks[benchmark].name;
      const rule =
        `Of the pairs of ${name} without a flaw that have at most ${MOST_WORDS} words a sentence and differ in ` +
        "words, these have the largest margin for the stereotype, the median of those for it, and the largest against it: " +
        `${study.measures[measure].title} of ${study.models[model]}. `;
      const none = items.length ? "The numbers under the places add up to the margin." : "There is no such pair.";
      part.append(make("h3", {}, "Three example pairs: which words decide?"), make("p", { class: "legend" }, rule, none), ...items.flat());
    }
  }

  /** Have the places of one pair's views coloured alike. */
  function scaled(views) {
    const read = views.filter((view) => view !== null);
    const largest = Math.max(...read.flatMap(({ places }) => places.map(({ total: adds }) => Math.abs(adds))), 1e-9);
    for (const view of read) view.largest = largest;
  }

  const written = ({ text, piece }) => (piece ? PIECE : "") + text;
  const tone = (value) => (value === null || Number(value.toFixed(3)) === 0 ? "neither" : value > 0 ? "for" : "against");

  function decoded(text) {
    try {
      return decodeURIComponent(text);
    } catch {
      return text;
    }
  }

  for (const root of document.querySelectorAll('[data-program="pairs/explorer"]')) {
    Study.read(JSON.parse(root.firstElementChild.textContent)).then(
      (study) => new Explorer(root, study),
      (error) => root.append(make("p", {}, `The pairs cannot be shown: ${error.message}`)),
    );
  }
})();
