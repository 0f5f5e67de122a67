// How large a chart becomes, known before it is drawn, so that nothing moves when it is. Runs while the page is read.

const NARROWEST = 170; // pixels of a chart's panel
const ALONE = 140; // of one that has long names beside it, on a phone
const ON_PAPER = 140; // there
const LOWER = 0.7; // panels without rows are, there
const GAP = 32; // between two, with what stands out of each
const NARROW = 640; // less is little room
const NAMES = 128; // for names beside panels, where there is little room
const EDGE = 36; // for what stands out at either end: the last label of an axis, half a mark
const FRAME = 18; // of the box that it is drawn in, with its padding: across, and down
const SPARE = 4;
const BELOW = 14; // between two rows of panels
const LINE = 15; // of a legend
const TITLE = 21; // of an axis
const TICKS = 18; // numbers of an axis
const LETTER = 6.4; // of a name on end below an axis

// As many panels beside each other as there is room for, and as wide. Paper, which is short, has more of them
// beside each other than the screen: all, or whole rows of the screen.
function fitted(spec, room, paper = false) {
  const { facet, columns = 1, spec: panel, usermeta } = spec;
  if (!facet || !panel || !usermeta) return spec;
  const { margin, gap = GAP, aspect } = usermeta;
  const free = room - EDGE + gap - (room < NARROW ? Math.min(margin, NAMES) : margin);
  const least = paper ? ON_PAPER : NARROWEST;
  const most = Math.max(1, Math.floor(free / (least + gap)));
  const panels = paper ? valuesOf(spec, facet.field).size : columns;
  const across = most < columns ? most : panels <= most ? panels : most - (most % columns);
  const width = Math.max(room < NARROW && !paper ? ALONE : least, Math.min(520, Math.floor(free / across) - gap));
  const high = paper && panel.height > 0 ? Math.round(panel.height * LOWER) : panel.height;
  const height = aspect ? Math.round(width * aspect) : high;
  const names = { ...facet, header: { ...facet.header, labelLimit: width } };
  return { ...spec, facet: names, columns: across, spec: { ...panel, width, height } };
}

const channels = (spec) => (spec.spec?.layer ?? [spec.spec ?? spec]).flatMap((layer) => Object.entries(layer.encoding ?? {}));
const valuesOf = (spec, field) => new Set(spec.data.values.map((row) => row[field]));

// What stands above all panels: legends, one for each field, and a title.
function above(spec, room) {
  const legends = new Map();
  for (const [name, channel] of channels(spec)) {
    if (!["color", "shape", "strokeDash", "fill", "size"].includes(name) || !channel.field || channel.legend === null) continue;
    const { field, scale, legend, title } = channel;
    const entries = channel.type === "quantitative" ? 1 : (legend?.values ?? scale?.domain ?? [...valuesOf(spec, field)]).length;
    const rows = room < NARROW ? entries : Math.ceil(entries / 4);
    legends.set(field, rows * LINE + (title ? LINE : 0));
  }
  const heights = [...legends.values()];
  const keys = room < NARROW ? heights.reduce((sum, each) => sum + each, 0) : Math.max(0, ...heights);
  const title = spec.title ? 2 * LINE + (spec.title.subtitle?.length ?? 0) * 13 : 0;
  return keys + (keys ? 28 : 0) + title;
}

// How many names stand down a column of panels of which each has names of its rows alone.
function namesDown(spec, field) {
  const names = new Map([...valuesOf(spec, spec.facet.field)].map((panel) => [panel, new Set()]));
  for (const row of spec.data.values) names.get(row[spec.facet.field]).add(row[field]);
  const counts = [...names.values()].map((each) => each.size);
  const across = spec.columns ?? 1;
  let sum = 0;
  for (let at = 0; at < counts.length; at += across) sum += Math.max(...counts.slice(at, at + across));
  return sum;
}

// The height in pixels of what `fitted` gives.
function heightOf(spec, room) {
  const { facet, columns = 1, spec: panel = {}, usermeta = {}, resolve = {} } = spec;
  const of = (name) => channels(spec).find(([each, channel]) => each === name && (channel.field || channel.aggregate))?.[1];
  const x = of("x");
  const rows = facet ? Math.ceil(valuesOf(spec, facet.field).size / columns) : 1;
  const step = panel.height?.step;
  const apart = facet && step && resolve.scale?.y === "independent";
  const all = apart ? namesDown(spec, of("y").field) : rows * (step ? valuesOf(spec, of("y")?.field).size : 1);
  // marks below each other in a row have a margin around all rows
  const heights = (all + (of("yOffset") ? 0.2 * rows : 0)) * (step ?? panel.height ?? 200);
  const upright = x?.type === "nominal" && x.axis?.labelAngle !== 0;
  const labels = upright ? LETTER * Math.max(...[...valuesOf(spec, x.field)].map((name) => String(name).length)) : TICKS;
  const axis = !x || x.axis === null ? 0 : labels + (x.title ? TITLE : 0);
  const axes = resolve.axis?.x === "independent" || resolve.scale?.x === "independent" ? rows : 1;
  const names = facet ? (usermeta.lines ?? 1) * (panel.width < 300 ? 12 : 14) + 9 : 0;
  return Math.round(heights + rows * names + (rows - 1) * BELOW + axes * axis + above(spec, room) + FRAME + SPARE);
}

function reserve(box, spec, room) {
  box.style.minHeight = `${heightOf(fitted(spec, room), room)}px`;
}

// For the chart before a script. All have the same room, which is measured once.
let roomOfAll;
function reserveHere(script) {
  roomOfAll ??= document.querySelector("main").clientWidth - FRAME;
  reserve(script.parentElement.querySelector(".drawing"), JSON.parse(script.previousElementSibling.textContent), roomOfAll);
}
