// The explorer of pairs. Data: unmask.pairs.presenting and unmask.pairs.explorer. Text from data becomes the text of
// elements and nothing else.

const ROWS = 8; // of the list at first
const SIDES = ["stereotype", "antistereotype"];
const LOG_PROB_UNIT = 1e-4; // as in unmask.pairs.explorer
const COEFFICIENT_UNIT = 1e-6;
const MOST_WORDS = 15; // of a sentence of an example pair
const MINUS = "\u2212";
const PIECE = "\u00b7"; // before a token that goes on with a word

/** The orders of the list: by a number of each margin, the smallest first. */
const ORDERS = {
  "as given": null,
  "most for the stereotype": (margin) => -margin,
  "most against it": (margin) => margin,
  "nearest to no preference": Math.abs,
};

/** By what a masking hides: how a token is predicted, and whether another one of its sentence is hidden then. */
const HIDES = {
  nothing: { how: () => "with nothing hidden from the model", hidden: () => false },
  itself: { how: () => "from the other tokens, itself hidden", hidden: (each, token) => each === token },
  together: {
    how: (count) => `with ${counted(count, "token")} of its sentence hidden at once`,
    hidden: (each, token, all) => all[each.at] !== null,
  },
  following: { how: () => "from the tokens before it", hidden: (each, token) => each.at >= token.at },
  others: { how: () => "behind the start token alone", hidden: () => true },
};

/** An element with attributes (functions are listeners) and children (texts stay texts). */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value !== false) element.setAttribute(name, value);
  }
  element.append(...children.flat());
  return element;
}

const onlyHeard = (text) => make("span", { class: "heard" }, text);
const counted = (count, thing) => `${count.toLocaleString("en")} ${thing}${count === 1 ? "" : "s"}`;
const button = (text, click) => make("button", { type: "button", click }, text);

/** A list of terms and what is said of each, without those of which nothing is. */
function terms(entries, attributes) {
  const said = Object.entries(entries).filter(([, text]) => text);
  return make("dl", attributes, said.flatMap(([term, text]) => [make("dt", {}, term), make("dd", {}, text)]));
}

async function unpack(packed) {
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).json();
}

/** A way to write numbers with three decimals. */
function written(options) {
  const three = { minimumFractionDigits: 3, maximumFractionDigits: 3, useGrouping: false };
  const format = new Intl.NumberFormat("en", { ...three, ...options });
  return (value) => (value === null ? "\u2013" : format.format(value).replace("-", MINUS));
}
const shown = written({ signDisplay: "negative" });
const signed = written({ signDisplay: "exceptZero" });
// with the first digit that it has where it is small but not nothing
const someDigit = { maximumSignificantDigits: 1, roundingPriority: "morePrecision" };
const shownMargin = written({ signDisplay: "exceptZero", ...someDigit });

/** The sum of numbers; null where there is none. */
function total(numbers) {
  const known = numbers.filter((each) => each !== null);
  return known.length ? known.reduce((sum, each) => sum + each) : null;
}
const strongestOf = (items) => items.reduce((best, each) => (Math.abs(each.adds) > Math.abs(best.adds) ? each : best));
const tone = (value) => ({ [MINUS]: "against", "+": "for" })[signed(value)[0]] ?? "neither";

// of any script, also without spaces between words
const SEGMENTS = new Intl.Segmenter("und", { granularity: "word" });
const segmentsOf = (text) => [...SEGMENTS.segment(text)];
const lengthOf = (text) => segmentsOf(text).filter(({ isWordLike }) => isWordLike).length;

/** How many segments two sentences have in common before they differ. */
function commonOf(one, two) {
  const differs = one.findIndex(({ segment }, place) => segment !== two[place]?.segment);
  return differs < 0 ? one.length : differs;
}

/** A sentence of a pair. Marked are its words that the other lacks or, where one has no such word, the middle of both. */
function marked(pair, side) {
  const [own, other] = [side, 1 - side].map((each) => segmentsOf(pair[SIDES[each]]));
  const lacks = (sentence, word) => word.isWordLike && !sentence.some(({ segment }) => segment === word.segment);
  const hasOwnWords = own.some((word) => lacks(other, word)) && other.some((word) => lacks(own, word));
  const start = commonOf(own, other);
  const end = own.length - commonOf(own.slice(start).reverse(), other.slice(start).reverse());
  return own.map((each, place) => {
    const isMarked = hasOwnWords ? lacks(other, each) : start <= place && place < end;
    return isMarked ? make("mark", {}, each.segment) : each.segment;
  });
}

/** The places of a pair: each token that both sides share is one, and so is all that stands between two such. */
function placesOf(sides) {
  const places = [];
  sides.forEach((tokens, side) => {
    let shared = 0;
    for (const token of tokens) {
      const at = token.shared ? 2 * shared++ + 1 : 2 * shared;
      places[at] ??= { sides: [[], []], shared: token.shared };
      places[at].sides[side].push(token);
    }
  });
  return places.flat().map((place) => ({ ...place, adds: total(place.sides.flat().map(({ adds }) => adds)) }));
}

// --- what the data says ---------------------------------------------------------------------------------------

/** All pairs, and what each model's scores say of them. Models, benchmarks and measures are numbers. */
class Study {
  static async read(data) {
    const study = Object.assign(new Study(), data);
    const rows = await Promise.all(data.benchmarks.map(({ pairs }) => unpack(pairs)));
    study.pairs = rows.flatMap((pairs, benchmark) =>
      pairs.map((pair, row) => {
        const words = [pair.pair_id, pair.bias_type, pair.target, pair.stereotype, pair.antistereotype];
        return { ...pair, benchmark, row, text: words.join(" ").toLowerCase() };
      }),
    );
    const tables = data.tables.flat().filter((table) => table !== null);
    await Promise.all(tables.map(async (table) => (table.scores = await unpack(table.scores))));
    return study;
  }

  /** Both scores, the margin and the outcome of a pair; null what there is not, and all if the model has not read it. */
  scores(pair, model, measure) {
    const columns = this.tables[model][pair.benchmark]?.scores[this.measures[measure].name];
    const [stereotype, antistereotype, outcome] = [...SIDES, "outcome"].map((name) => columns?.[name][pair.row] ?? null);
    const both = stereotype !== null && antistereotype !== null;
    const margin = both ? stereotype - antistereotype : outcome === "tie" ? 0 : null;
    return { stereotype, antistereotype, margin, outcome };
  }

  /** Whether a model has a measure: each has those of its kind. */
  has(model, measure) {
    return this.tables[model].some((table) => table && this.measures[measure].name in table.scores);
  }

  /** Have the tokens of a benchmark as some models read them. */
  async load(benchmark, models) {
    const tables = models.map((model) => this.tables[model][benchmark]).filter((table) => table?.tokens);
    await Promise.all(tables.map(async (table) => (table.tokens = await (table.unpacked ??= unpack(table.tokens)))));
  }

  /**
   * The tokens of both sides of a pair, in order (see unmask.pairs.explorer.token_columns), with what each adds to the
   * margin under a measure, null where the measure does not count it.
   */
  sides(pair, model, measure) {
    const columns = this.tables[model][pair.benchmark]?.tokens;
    if (!columns) return [[], []];
    return SIDES.map((_, side) => {
      const sentence = 2 * pair.row + side;
      const [start, end] = columns.starts.slice(sentence, sentence + 2);
      return columns.text.slice(start, end).map((text, place) => {
        const at = start + place;
        const readings = this.readings(columns, at, measure);
        const adds = total(readings.map(({ logProb, coefficient }) => logProb * coefficient * (side ? -1 : 1)));
        const piece = columns.piece[at] === "1";
        const shared = columns.modified[at] === "0";
        return { side, at, text, piece, shared, readings, adds };
      });
    });
  }

  /** By the maskings under which a measure counts a token: what is hidden, log P, its coefficient, the likeliest. */
  readings({ coefficient, surprisal, hidden, likeliest }, at, measure) {
    return Object.entries(coefficient[this.measures[measure].name] ?? {})
      .filter(([masking, coefficients]) => surprisal[masking][at] !== null && coefficients[at])
      .map(([masking, coefficients]) => ({
        hides: HIDES[hidden[masking]],
        predicted: surprisal[masking],
        logProb: -surprisal[masking][at] * LOG_PROB_UNIT,
        coefficient: coefficients[at] * COEFFICIENT_UNIT,
        likeliest: likeliest[masking]?.[at] ?? [],
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
      .filter(({ margin }) => margin);
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

// --- the list -------------------------------------------------------------------------------------------------

/** Leave those choices of a field that fit; where its own does not, it takes the first that does. */
function limit(field, fits) {
  const options = [...field.options];
  for (const option of options) option.disabled = !fits(option.index);
  const first = Math.max(0, options.findIndex(({ disabled }) => !disabled));
  if (options[field.selectedIndex]?.disabled ?? true) field.selectedIndex = first;
}

class Explorer {
  constructor(root, study) {
    Object.assign(this, { root, study, count: ROWS, open: null });
    this.section = root.closest("section");
    this.examples();
    this.build();
    window.addEventListener("hashchange", () => this.route());
    this.fit();
    this.list();
    this.route();
  }

  build() {
    const { models, benchmarks, measures, pairs } = this.study;
    const filters = make("div", { class: "filters" });
    const field = (label, control) => {
      filters.append(make("label", {}, label, control));
      return control;
    };
    const option = (each) => make("option", { value: each.name ?? each }, each.title ?? each.name ?? each);
    const select = (label, input, options) => field(label, make("select", { input }, options.map(option)));
    const withNone = (title, options) => [{ name: "", title }, ...options];
    const every = (values) => [...new Set(values)].sort();
    const choose = () => this.choose();
    const list = () => this.list(ROWS);
    this.fields = {
      model: select("Model", choose, models),
      beside: select("Second model", choose, withNone("none", models)),
      measure: select("Measure", choose, measures),
      text: field("Search", make("input", { type: "search", autocomplete: "off", spellcheck: "false", input: list })),
      benchmark: select("Benchmark", list, withNone("any", benchmarks)),
      type: select("Bias type", list, withNone("any", every(pairs.map((pair) => pair.bias_type)))),
      outcome: select("Outcome", list, withNone("any", [...SIDES, "tie", "undefined"])),
      flaw: select("Flaw", list, withNone("any or none", ["none", ...every(pairs.flatMap((pair) => pair.flaws))])),
      order: select("Order", list, Object.keys(ORDERS)),
    };
    // a field in which there is nothing to choose but the first line is left out
    for (const name of ["beside", "benchmark", "type", "flaw"]) {
      this.fields[name].parentElement.hidden = this.fields[name].length <= 2;
    }
    this.status = make("p", { role: "status", class: "status" });
    this.rows = make("ol", { class: "rows", "aria-label": "Pairs" });
    this.more = button("More", () => {
      const { length } = this.rows.children;
      this.list(2 * length);
      this.rows.children[length].firstElementChild.focus(); // the button may be gone
    });
    this.detail = make("div", { class: "pair", hidden: "" });
    this.root.append(filters, this.status, this.rows, this.more, this.detail);
  }

  get model() {
    return this.fields.model.selectedIndex;
  }

  get measure() {
    return this.fields.measure.selectedIndex;
  }

  /** The models that are chosen: one, or two. */
  get models() {
    const second = this.fields.beside.selectedIndex - 1;
    return second < 0 ? [this.model] : [this.model, second];
  }

  // --- which pairs

  /** Whether a pair was read by the model, and passes all filters. */
  fits({ pair, outcome }) {
    const { fields, study } = this;
    const { benchmark, bias_type, flaws, text } = pair;
    const is = (name, value) => fields[name].value === "" || fields[name].value === value;
    const words = fields.text.value.toLowerCase().split(/\s+/);
    return outcome !== null && words.every((word) => text.includes(word)) &&
      is("benchmark", study.benchmarks[benchmark].name) && is("type", bias_type) && is("outcome", outcome) &&
      (is("flaw", flaws.length ? "" : "none") || flaws.includes(fields.flaw.value));
  }

  /** List the pairs that fit, so many of them. */
  list(count = this.count) {
    const { study, model, measure } = this;
    const read = study.pairs.map((pair) => ({ pair, ...study.scores(pair, model, measure) }));
    const found = read.filter((each) => this.fits(each));
    const order = ORDERS[this.fields.order.value];
    // pairs without a margin come last
    const isLess = ({ margin: one }, { margin: two }) => (one === null) - (two === null) || order(one) - order(two);
    if (order) found.sort(isLess);
    this.count = count;
    const some = found.slice(0, count);
    this.rows.replaceChildren(...some.map(({ pair }) => make("li", {}, this.row(pair))));
    this.status.textContent = `${counted(found.length, "pair")}, ${some.length} listed.`;
    this.more.hidden = some.length === found.length;
  }

  row(pair) {
    const { study, measure, models } = this;
    const scores = (model) => ({ name: study.models[model], ...study.scores(pair, model, measure) });
    const [{ margin, outcome }, ...others] = models.map(scores);
    return make("a", { href: this.link(pair), "aria-current": pair === this.open && "true" },
      make("span", { class: "text" }, marked(pair, 0)),
      make("span", { class: "text other" }, onlyHeard("against: "), marked(pair, 1)),
      make("span", { class: "type" }, onlyHeard("; "), pair.bias_type),
      make("span", { class: `margin ${tone(margin)}` }, onlyHeard("; margin "), shownMargin(margin)),
      make("span", { class: "outcome" }, onlyHeard("; outcome: "), outcome),
      others.map((other) => make("span", { class: "second" }, onlyHeard("; "),
        `${other.name}: ${shownMargin(other.margin)}, ${other.outcome ?? "not read"}`)),
    );
  }

  // --- which pair

  link(pair, models = this.models, measure = this.measure) {
    const { study } = this;
    const where = [study.benchmarks[pair.benchmark].name, pair.pair_id].map(encodeURIComponent).join("/");
    const [model, beside] = models.map((each) => study.models[each]);
    const how = { measure: study.measures[measure].name, model, ...(beside !== undefined && { beside }) };
    return `#pair/${where}?${new URLSearchParams(how)}`;
  }

  /** Another model or measure was chosen; the address goes with it where a pair is open. */
  choose() {
    this.fit();
    this.list();
    if (this.open) location.replace(this.link(this.open));
  }

  /** Leave what fits the model: the measures that it has, and other models that have the measure, too. */
  fit() {
    const { study, fields } = this;
    limit(fields.model, () => true);
    limit(fields.measure, (measure) => study.has(this.model, measure));
    const others = (place) => place - 1 !== this.model && study.has(place - 1, this.measure);
    limit(fields.beside, (place) => place === 0 || others(place));
  }

  /** Show what the address names: a pair, under a measure and one model or two, or the list alone. */
  async route() {
    const { hash } = location;
    const [, name, id, how] = hash.match(/^#pair\/([^/?]*)\/([^?]*)(?:\?(.*))?$/) ?? [];
    if (name === undefined) {
      this.close();
      return;
    }
    const { study, fields } = this;
    const asked = { beside: "", ...Object.fromEntries(new URLSearchParams(how)) };
    const unknown = ["model", "measure", "beside"].filter((each) => {
      fields[each].value = asked[each] ?? fields[each].value;
      return fields[each].selectedIndex < 0;
    });
    const [benchmark, pairId] = [name, id].map(decoded);
    const place = study.benchmarks.findIndex((each) => each.name === benchmark);
    const pair = study.pairs.find((each) => each.benchmark === place && each.pair_id === pairId);
    const missing = unknown.map((each) => `${each} ${asked[each]}`);
    if (pair === undefined) missing.unshift(`pair ${pairId} of ${benchmark}`);
    const isOther = missing.length > 0 || pair !== this.open;
    this.open = pair ?? null;
    this.fit();
    this.list();
    if (this.open) await study.load(pair.benchmark, this.models);
    // another one may have been asked for meanwhile
    if (location.hash !== hash) return;
    const note = `Not in this report: ${missing.join(", ")}`;
    this.detail.replaceChildren(...(this.open ? this.pair(pair) : [this.heading(note)]));
    if (this.open && missing.length) this.detail.firstElementChild.after(make("p", {}, `${note}.`));
    this.detail.hidden = false;
    if (isOther) {
      this.detail.scrollIntoView({ block: "start" });
      this.detail.querySelector("h3").focus({ preventScroll: true });
    }
  }

  close() {
    const left = this.rows.querySelector("[aria-current]");
    this.open = null;
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

  pair(pair) {
    const { study, models, measure } = this;
    const views = models.map((model) => this.view(pair, model, measure));
    const scale = scaleOf(views);
    const facts = {
      "Bias type": pair.bias_type,
      "Stereotype of": { stereo: "a disadvantaged group", antistereo: "an advantaged group" }[pair.direction],
      Target: pair.target,
      Flaws: pair.flaws.join(", "),
    };
    const key = (kind, text) => [make("span", { class: `key ${kind}` }, text), " "];
    const tokens = (view) => (view.places.length ? this.tokens(view, scale) : make("p", {}, "Tokens are not known."));
    return [
      this.heading(`${study.benchmarks[pair.benchmark].name}, pair ${pair.pair_id}`),
      terms(facts, { class: "facts" }),
      make("p", { class: "legend", hidden: views.every(({ places }) => !places.length) && "" },
        "Above the stereotypical sentence, below the other; under each place what it adds to the margin: ",
        key("for", "for the stereotype (+)"),
        key("against", `against it (${MINUS})`),
        key("modified", "not shared"),
        key("masked", "hidden from the model"),
        "The strongest colour is the largest number. Choose a token to see what it is predicted from.",
      ),
      make("div", { class: "beside" }, views.map((view) => make("div", {}, this.scores(view), tokens(view)))),
    ];
  }

  /** A pair as one model reads it, and what each place adds to the margin. */
  view(pair, model, measure) {
    const { study } = this;
    const title = `${study.measures[measure].title} of ${study.models[model]}`;
    const sides = study.sides(pair, model, measure);
    return { pair, title, sides, places: placesOf(sides), scores: study.scores(pair, model, measure) };
  }

  scores({ pair, title, scores }) {
    const line = (text, value) => [make("span", {}, text), make("b", {}, value)];
    const lines = {
      Stereotype: line(marked(pair, 0), shown(scores.stereotype)),
      Antistereotype: line(marked(pair, 1), shown(scores.antistereotype)),
      Margin: line(`outcome: ${scores.outcome ?? "not read"}`, shownMargin(scores.margin)),
    };
    return [make("h4", {}, title), terms(lines, { class: "scores" })];
  }

  /** Both sentences beside each other, and the token that is chosen: at first the one that adds most. */
  tokens(view, scale) {
    view.buttons = new Map();
    view.panel = make("div", { class: "token", "aria-live": "polite" });
    const token = (each) => {
      const element = button(textOf(each), () => this.select(view, each));
      if (each.piece) element.append(onlyHeard(" (goes on with the word)"));
      view.buttons.set(each, element);
      return element;
    };
    const strip = stripOf(view, scale, token);
    this.select(view, strongestOf(strongestOf(view.places).sides.flat()));
    return [strip, view.panel];
  }

  select(view, token) {
    const sentence = view.sides[token.side];
    const hidden = token.readings.map(({ hides, predicted }) =>
      sentence.filter((each) => hides.hidden(each, token, predicted)));
    for (const [each, element] of view.buttons) {
      element.setAttribute("aria-pressed", String(each === token));
      element.classList.toggle("masked", hidden.some((tokens) => tokens.includes(each)));
    }
    const parts = token.readings.flatMap((reading, number) => this.reading(token, sentence, reading, hidden[number]));
    view.panel.replaceChildren(
      make("h4", {}, `\u201c${token.text}\u201d of the ${SIDES[token.side]}`),
      ...(parts.length ? parts : [make("p", {}, `${view.title} does not count this token.`)]),
    );
  }

  reading(token, sentence, { hides, logProb, coefficient, likeliest }, hidden) {
    const read = sentence.flatMap((each, place) => [
      place === 0 || (each.piece && !hidden.includes(each)) ? "" : " ",
      hidden.includes(each) ? make("span", { class: "masked" }, "hidden") : each.text,
    ]);
    const lines = {
      Probability: `${Number((100 * Math.exp(logProb)).toPrecision(3))}% (its logarithm is ${shown(logProb)})`,
      "Weight in the score": shown(coefficient),
      "Adds to the margin": signed(token.adds),
    };
    const how = hides.how(hidden.length);
    const parts = [make("p", {}, `Predicted ${how}. The model reads: `, make("q", {}, read)), terms(lines)];
    const items = likeliest.map(([text, percent]) => {
      const share = make("span", { class: "share" }, percent ? `${percent}%` : "under 1%");
      const item = make("li", {}, make("span", {}, text), share);
      item.style.setProperty("--share", percent / 100);
      return item;
    });
    const list = [make("p", {}, "In this place the model finds likeliest:"), make("ol", { class: "likeliest" }, items)];
    return items.length ? [...parts, ...list] : parts;
  }

  /** The three example pairs above the list: which words decide. */
  async examples() {
    const { study } = this;
    const part = make("div", { class: "examples" });
    this.root.append(part);
    if (!study.example) return;
    const { model, benchmark } = study.example;
    const measure = study.measures.findIndex((_, each) => study.has(model, each));
    await study.load(benchmark, [model]);
    const items = study.examples(study.example, measure).flatMap(({ pair, title, margin }) => {
      const view = this.view(pair, model, measure);
      return [
        make("h4", {}, `${title} (${pair.bias_type}): ${shownMargin(margin)}`),
        stripOf(view, scaleOf([view]), (token) => make("span", {}, textOf(token))),
        make("a", { href: this.link(pair, [model], measure) }, "Open this pair"),
      ];
    });
    const rule =
      `Of the pairs of ${study.benchmarks[benchmark].name} without a flaw that have at most ${MOST_WORDS} words a sentence ` +
      "and differ in words, these have the largest margin for the stereotype, the median of those for it, and the largest " +
      `against it: ${study.measures[measure].title} of ${study.models[model]}. ` +
      (items.length ? "The numbers under the places add up to the margin." : "There is no such pair.");
    const heading = make("h3", {}, "Three example pairs: which words decide?");
    part.append(heading, make("p", { class: "legend" }, rule), ...items);
  }
}

/** The largest number of some views: that of the strongest colour. */
const scaleOf = (views) => Math.max(1e-9, ...views.flatMap(({ places }) => places.map(({ adds }) => Math.abs(adds))));
const textOf = ({ text, piece }) => (piece ? PIECE : "") + text;

/** The places of a pair, coloured by what each adds to the margin. show: makes a token's element. */
function stripOf({ places }, scale, show) {
  const items = places.map(({ sides, shared, adds }) => {
    const none = () => make("span", { class: "none" }, "\u2205");
    const side = (tokens, number) =>
      make("div", { class: SIDES[number] }, tokens.length ? tokens.map(show) : none());
    const heard = onlyHeard(shared ? "adds " : "not shared, adds ");
    const item = make("li", { class: `${shared ? "shared" : "modified"} ${tone(adds)}` },
      sides.map(side), make("div", { class: "adds" }, heard, signed(adds)));
    item.style.setProperty("--share", Math.abs(adds) / scale);
    return item;
  });
  return make("ol", { class: "strip" }, items);
}

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
