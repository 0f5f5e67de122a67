// What the page does beside being read: charts are drawn and saved, tables sorted and copied, folds opened by links.

const NEAR = "600px"; // charts so close to the screen are drawn
const PAPER = 1000; // pixels of a chart on paper, which is printed smaller
const NARROWEST = 170; // pixels of a chart's panel
const ALONE = 140; // of one that has long names beside it, on a phone
const WIDEST = 520; // of any
const GAP = 32; // between two, with what stands out of each
const NARROW = 640; // less is little room
const NAMES = 118; // for names beside panels, where there is little room
const EDGE = 36; // for what stands out at either end: the last label of an axis, half a mark
const dark = matchMedia("(prefers-color-scheme: dark)");
const themes = JSON.parse(document.getElementById("themes")?.textContent ?? "{}");

function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

function button(text, label, act) {
  const made = element("button", { type: "button", textContent: text, onclick: act });
  made.setAttribute("aria-label", label);
  return made;
}

// A row of buttons below a figure, and what they have to tell.
function tools(figure, makeButtons) {
  const told = element("span", { role: "status" });
  const tell = (text) => {
    told.textContent = text;
    setTimeout(() => (told.textContent = ""), 4000);
  };
  const link = element("a", { href: `#${figure.id}`, textContent: "link" });
  link.setAttribute("aria-label", `link to ${figure.id}`);
  figure.append(element("div", { className: "tools" }, ...makeButtons(tell), link, told));
}

function save(name, url) {
  element("a", { href: url, download: name }).click();
}

// What spreadsheets would run as a formula, as unmask.report.tables has it; numbers are none.
const FORMULA = /^(?![+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$)[=+\-@\t\r]/i;

// Text in a table that other programs read, as RFC 4180 has it or between tabs.
function separated(rows, mark) {
  const cell = (value) => {
    const plain = value === null || value === undefined ? "" : String(value);
    const text = FORMULA.test(plain) ? `'${plain}` : plain;
    if (mark === "\t") return text.replace(/\s+/g, " ");
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return rows.map((row) => row.map(cell).join(mark)).join("\n") + "\n";
}

// ---- charts

// What a mark is about, as Vega's tooltip wants it: as markup, in which `sanitize` makes text of texts.
function formatTooltip(value, sanitize) {
  const known = Object.entries(value).filter(([, text]) => text !== null && text !== "null" && text !== "");
  const line = ([name, text]) => `<dt>${sanitize(name)}</dt><dd>${sanitize(text)}</dd>`;
  return `<dl>${known.map(line).join("")}</dl>`;
}

// As many panels beside each other as there is room for, and as wide.
function fitted(spec, room) {
  const { facet, columns = 1, spec: panel, usermeta } = spec;
  if (!facet || !panel || !usermeta) return spec;
  const { margin, gap = GAP, aspect } = usermeta;
  const free = room - EDGE + gap - (room < NARROW ? Math.min(margin, NAMES) : margin);
  const across = Math.min(columns, Math.max(1, Math.floor(free / (NARROWEST + gap))));
  const least = room < NARROW ? ALONE : NARROWEST;
  const width = Math.max(least, Math.min(WIDEST, Math.floor(free / across) - gap));
  const height = aspect ? Math.round(width * aspect) : panel.height;
  const names = { ...facet, header: { ...facet.header, labelLimit: width } };
  return { ...spec, facet: names, columns: across, spec: { ...panel, width, height } };
}

// Vega warns of a layer that has no rows in one panel, whose scale the other layers give. Other warnings stay.
// Its class of views is not exported, but a view has it.
let quietViews;
async function makeQuietViews() {
  const nothing = { data: { values: [{}] }, mark: "point" };
  const { view, finalize } = await vegaEmbed(element("div"), nothing, { mode: "vega-lite", actions: false, ast: true });
  finalize();
  return class extends view.constructor {
    warn(...words) {
      return /^Infinite extent/.test(words[0]) ? this : super.warn(...words);
    }
  };
}

class Drawing {
  constructor(figure) {
    this.figure = figure;
    this.box = figure.querySelector(".drawing");
    // saved: what stands above it where it leaves the page
    ({ saved: this.saved, ...this.spec } = JSON.parse(figure.querySelector("script").textContent));
    this.drawn = null; // as what: a mode and a width
    tools(figure, (tell) => [
      button("SVG", "save as SVG", () => this.save("svg").catch(() => tell("could not be saved"))),
      button("PNG", "save as PNG", () => this.save("png").catch(() => tell("could not be saved"))),
      button("CSV", "save the numbers as CSV", () => this.saveRows()),
    ]);
  }

  async embed(box, spec, mode, room) {
    const { width } = spec.spec ?? {};
    const narrow = width < 300 && {
      header: { labelFontSize: 10 },
      title: { fontSize: 11, subtitleFontSize: 10 },
      ...(room < NARROW && {
        legend: { columns: 1, layout: { top: { direction: "vertical", margin: 4 }, bottom: { direction: "vertical", margin: 4 } } },
        axisX: { labelFlush: true, labelBound: 4 },
        axisY: { labelLimit: NAMES - 8 },
      }),
    };
    // expressions are interpreted: the page's policy lets no text become a program
    const viewClass = await (quietViews ??= makeQuietViews());
    const options = { mode: "vega-lite", actions: false, ast: true, renderer: "svg", viewClass, tooltip: { formatTooltip } };
    return vegaEmbed(box, { ...spec, config: narrow || {} }, { ...options, config: themes[mode] });
  }

  get room() {
    const style = getComputedStyle(this.box);
    return Math.floor(this.box.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight));
  }

  async draw(mode, paper = false) {
    const room = paper ? PAPER : this.room;
    const wanted = `${mode} ${room}`;
    if (room <= 0 || this.drawn === wanted) return;
    this.drawn = wanted;
    // inside of the box, whose label says what is drawn: Vega would put one of its own there
    const inner = element("div");
    inner.setAttribute("aria-hidden", "true");
    let result = await this.embed(inner, fitted(this.spec, room), mode, room);
    // labels may take more room than is set aside for them
    const over = Math.ceil(inner.querySelector("svg").getAttribute("width") - room);
    if (over > 0 && this.spec.usermeta) {
      result.finalize();
      result = await this.embed(inner, fitted(this.spec, room - over), mode, room);
    }
    if (this.drawn !== wanted) return result.finalize();
    this.result?.finalize();
    this.result = result;
    this.box.firstElementChild.replaceChildren(inner);
  }

  // Without what was drawn for paper: it is drawn anew where it is near the screen.
  clear() {
    this.drawn = null;
    this.result?.finalize();
    this.result = null;
    this.box.firstElementChild.replaceChildren();
  }

  // A file's name says of which study and where in the page.
  fileName(kind) {
    const plain = document.body.dataset.study.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-");
    return `${plain}-${this.figure.id}.${kind}`;
  }

  // On a light ground, whatever the page's: for papers and slides.
  async save(kind) {
    const result = await this.embed(element("div"), { ...this.spec, title: this.saved }, "light");
    save(this.fileName(kind), await result.view.toImageURL(kind, 2));
    result.finalize();
  }

  saveRows() {
    const rows = this.spec.data.values;
    const names = [...new Set(rows.flatMap(Object.keys))];
    const text = separated([names, ...rows.map((row) => names.map((name) => row[name]))], ",");
    const url = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
    save(this.fileName("csv"), url);
    setTimeout(() => URL.revokeObjectURL(url), 60000);
  }
}

const drawings = [...document.querySelectorAll("figure.chart")].map((figure) => new Drawing(figure));
const mode = () => (dark.matches ? "dark" : "light");
const watcher = new IntersectionObserver(
  (entries) => {
    const near = entries.filter(({ isIntersecting }) => isIntersecting).map(({ target }) => target);
    drawings.filter(({ box }) => near.includes(box)).forEach((drawing) => drawing.draw(mode()));
  },
  { rootMargin: NEAR },
);
// draws those near the screen now, and others when they are
function watch() {
  watcher.disconnect();
  drawings.forEach(({ box }) => watcher.observe(box));
}
watch();
let waiting;
addEventListener("resize", () => {
  clearTimeout(waiting);
  waiting = setTimeout(watch, 200);
});
dark.addEventListener("change", watch);
// paper is light, and has them all
addEventListener("beforeprint", () => drawings.forEach((drawing) => drawing.draw("light", true)));
addEventListener("afterprint", () => {
  drawings.forEach((drawing) => drawing.clear());
  watch();
});

// ---- tables

const NOTHING = new Set(["", "–"]);
const collator = new Intl.Collator("en", { numeric: true });
// NaN where a cell begins with no number
const number = (text) => parseFloat(text.replace(/^[<>≥≤~*(\s]+/, "").replace("−", "-").replaceAll(",", ""));

// Numbers are compared as numbers; what is missing comes last either way.
function compare(one, other, sign) {
  const missing = NOTHING.has(one) - NOTHING.has(other);
  return missing || sign * (number(one) - number(other) || collator.compare(one, other));
}

function makeSortable(table) {
  const body = table.tBodies[0];
  const original = [...body.rows];
  const heads = [...table.tHead.rows[table.tHead.rows.length - 1].cells];
  heads.forEach((head, place) => {
    if (!head.textContent) return;
    const press = element("button", { type: "button" }, ...head.childNodes);
    head.append(press);
    press.onclick = () => {
      const next = { none: "ascending", ascending: "descending" }[head.getAttribute("aria-sort") ?? "none"];
      heads.forEach((each) => each.removeAttribute("aria-sort"));
      table.classList.toggle("sorted", next !== undefined);
      const rows = [...original];
      if (next) {
        head.setAttribute("aria-sort", next);
        const text = (row) => row.cells[place].textContent.trim();
        rows.sort((one, other) => compare(text(one), text(other), next === "ascending" ? 1 : -1));
      }
      body.append(...rows);
    };
  });
}

// A table as rows of texts, with one head for each column.
function cellsOf(table) {
  const heads = [...table.tHead.rows].map((row) =>
    [...row.cells].flatMap((cell) => Array(cell.colSpan).fill(cell.textContent.trim())),
  );
  const names = heads[0].map((_, place) => heads.map((row) => row[place]).filter(Boolean).join(": "));
  const rows = [...table.tBodies[0].rows].map((row) => [...row.cells].map((cell) => cell.textContent.trim()));
  return [names, ...rows];
}

// A button that copies what `make` makes.
const copier = (tell, text, label, make) =>
  button(text, label, () =>
    // an address without https has no clipboard
    Promise.resolve().then(() => navigator.clipboard.writeText(make())).then(
      () => tell("copied"),
      () => tell("could not be copied"),
    ),
  );

document.querySelectorAll("figure.table").forEach((figure) => {
  const table = figure.querySelector("table");
  if (!table) return;
  makeSortable(table);
  tools(figure, (tell) => [
    copier(tell, "copy", "copy the table", () => separated(cellsOf(table), "\t")),
    copier(tell, "CSV", "copy the table as CSV", () => separated(cellsOf(table), ",")),
  ]);
});

document.querySelectorAll("figure.code").forEach((figure) => {
  const text = figure.querySelector("pre").textContent;
  tools(figure, (tell) => [copier(tell, "copy", "copy the text", () => text)]);
});

// ---- links

function openTarget() {
  const target = document.querySelector(":target");
  if (!target) return;
  for (let fold = target.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  target.scrollIntoView();
}
addEventListener("hashchange", openTarget);
openTarget();
// there may be no target before the page has loaded, and browsers open no fold around what they select by themselves
addEventListener("load", openTarget);

// which section is read, in the bar of sections
const reading = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) {
      const link = document.querySelector(`nav a[href="#${target.id}"]`);
      if (!isIntersecting) link.removeAttribute("aria-current");
      else {
        link.setAttribute("aria-current", "true");
        const strip = link.closest("ul");
        strip.scrollLeft = link.offsetLeft - strip.offsetLeft;
      }
    }
  },
  { rootMargin: "-30% 0px -69% 0px" },
);
document.querySelectorAll("main > section").forEach((section) => reading.observe(section));
