// How the graph of a project is drawn: the order of systems in each layer, and the lines between them.

/**
 * @typedef {{ id: string, slug: string, name: string, layer: number }} Node
 * @typedef {{ source: string, target: string, type: "requires" | "enhances" | "optional" }} Edge
 * @typedef {{ nodes: Node[], edges: Edge[] }} Graph
 * @typedef {{ x: number, y: number, width: number, height: number }} Box
 * @typedef {object} Layers
 * @property {{ layer: number, keys: string[] }[]} columns slugs, and keys of the places where lines pass
 * @property {string[][]} chains of each edge: its source, the places that it passes, its target
 */

/** The places where lines pass. Beyond them the longest lines go straight, behind the systems of other layers. */
const MAX_PASSED = 1_000;
const ROUNDS = 6;
/** Of an arrow, in pixels. */
const [LENGTH, HALF] = [7, 4];

/** Puts systems into columns, in an order in which few lines cross. @param {Graph} graph @returns {Layers} */
export function arrange({ nodes, edges }) {
  const numbers = [...new Set(nodes.map((node) => node.layer))].sort((a, b) => a - b);
  const columns = numbers.map((layer) => ({
    layer, keys: nodes.filter((node) => node.layer === layer).map((node) => node.slug),
  }));
  const column = new Map(nodes.map((node) => [node.slug, numbers.indexOf(node.layer)]));
  const ends = edges.map(({ source, target }) => [column.get(source) ?? 0, column.get(target) ?? 0]);
  const passing = shortest(ends.map(([from, to]) => Math.max(Math.abs(to - from) - 1, 0)));
  const chains = edges.map(({ source, target }, n) => {
    const [from, to] = ends[n];
    const [step, passed] = [Math.sign(to - from), /** @type {string[]} */ ([])];
    for (let at = from + step; passing.has(n) && at * step < to * step; at += step) {
      passed.push(`${n} ${at}`);
      columns[at].keys.push(`${n} ${at}`);
    }
    return [source, ...passed, target];
  });
  untangle(columns.map(({ keys }) => keys), chains);
  return { columns, chains };
}

/** The edges that pass places: the shortest, as many as the limit allows. @param {number[]} lengths of each edge */
function shortest(lengths) {
  let left = MAX_PASSED;
  const sorted = [...lengths.keys()].sort((a, b) => lengths[a] - lengths[b]);
  return new Set(sorted.filter((n) => (left -= lengths[n]) >= 0));
}

/**
 * Moves each key to the middle of its neighbours, from the first column to the last and back.
 * @param {string[][]} all @param {string[][]} chains
 */
function untangle(all, chains) {
  /** @type {Map<string, string[]>} */
  const neighbours = new Map(all.flat().map((key) => [key, []]));
  for (const [a, b] of chains.flatMap((chain) => chain.slice(1).map((key, n) => [chain[n], key]))) {
    neighbours.get(a)?.push(b);
    neighbours.get(b)?.push(a);
  }
  const place = new Map(all.flatMap((keys) => places(keys)));
  const at = (/** @type {string} */ key) => place.get(key) ?? 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const keys of round % 2 ? [...all].reverse() : all) {
      const middle = new Map(keys.map((key) => {
        const near = neighbours.get(key) ?? [];
        return [key, near.length ? near.reduce((sum, one) => sum + at(one), 0) / near.length : at(key)];
      }));
      keys.sort((a, b) => (middle.get(a) ?? 0) - (middle.get(b) ?? 0));
      for (const [key, n] of places(keys)) place.set(key, n);
    }
  }
}

/** The place of each key in its column, from the middle. @param {string[]} keys @returns {[string, number][]} */
const places = (keys) => keys.map((key, n) => [key, n - keys.length / 2]);

/**
 * The line and the arrow of each edge, as data of SVG paths. A line ends at its target.
 * @param {string[][]} chains @param {Map<string, Box>} boxes by key
 */
export function draw(chains, boxes) {
  const box = (/** @type {string} */ key) => boxes.get(key) ?? { x: 0, y: 0, width: 0, height: 0 };
  const ends = chains.map((chain) => sides(box(chain[0]), box(chain[chain.length - 1])));
  const ports = spread(chains, ends, box);
  return chains.map((chain, n) => {
    const [{ leaves, arrives, bend }, [start, end]] = [ends[n], ports[n]];
    const passed = chain.slice(1, -1).flatMap((key) => {
      const { x, y, width } = box(key);
      return leaves < 0 ? [[x + width, y], [x, y]] : [[x, y], [x + width, y]];
    });
    const points = [start, ...passed, end];
    const steps = points.slice(1).map(([x, y], at) => {
      const [fromX, fromY] = points[at];
      const middle = bend ? Math.max(fromX, x) + bend : (fromX + x) / 2;
      return ` C${middle} ${fromY} ${middle} ${y} ${x} ${y}`;
    });
    const [x, y] = end;
    const back = x - arrives * LENGTH;
    const head = `M${back} ${y - HALF} L${x} ${y} L${back} ${y + HALF}`;
    return { line: `M${start.join(" ")}${steps.join("")}`, head };
  });
}

/** The direction in which a line leaves and arrives: -1 left, 1 right. @param {Box} from @param {Box} to */
function sides(from, to) {
  if (from.x === to.x) return { leaves: 1, arrives: -1, bend: 36 };
  const side = from.x > to.x ? -1 : 1;
  return { leaves: side, arrives: side, bend: 0 };
}

/**
 * The points where lines touch systems: spread over each side, in the order of their other ends.
 * @param {string[][]} chains @param {{ leaves: number, arrives: number }[]} ends @param {(key: string) => Box} box
 */
function spread(chains, ends, box) {
  const points = chains.map(() => [[0, 0], [0, 0]]);
  const touches = chains.flatMap((chain, n) => [
    { n, end: 0, key: chain[0], side: ends[n].leaves, other: box(chain[1]).y },
    { n, end: 1, key: chain[chain.length - 1], side: -ends[n].arrives, other: box(chain[chain.length - 2]).y },
  ]);
  for (const group of Map.groupBy(touches, ({ key, side }) => `${key} ${side}`).values()) {
    group.sort((a, b) => a.other - b.other);
    for (const [at, { n, end, key, side }] of group.entries()) {
      const { x, y, width, height } = box(key);
      points[n][end] = [side < 0 ? x : x + width, Math.round(y + (height * (at + 1)) / (group.length + 1))];
    }
  }
  return points;
}
