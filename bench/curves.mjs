/** The pictures of the curves, as SVG in two themes. */
import { compile } from 'vega-lite';
import { parse, View } from 'vega';
import { columns, curves } from './measures.mjs';

/** @typedef {import('./table.mjs').Figures} Figures */
/** @typedef {{ series: string, panel?: string, clock?: string, x: number, y: number }} Point */

const THEMES = {
  light: {
    ink: '#1f2328',
    faint: '#d8dee4',
    paper: '#ffffff',
    series: ['#0969da', '#bc4c00', '#1a7f37', '#8250df']
  },
  dark: {
    ink: '#e6edf3',
    faint: '#30363d',
    paper: '#0d1117',
    series: ['#58a6ff', '#f0883e', '#56d364', '#bc8cff']
  }
};

/** Ticks of logarithmic axes. */
const DECADES = [1, 10, 100, 1000, 10_000];

/** @typedef {keyof typeof THEMES} Theme */
export const themes = /** @type {Theme[]} */ (Object.keys(THEMES));

/** Libraries in the curves. */
const LIBRARIES = ['stridelab', 'torch', 'cupy'];
const EACH = 'Stridelab, a process each';
/** All series, in the order of the colours. */
const SERIES = [...LIBRARIES.map(name => columns[name] ?? name), EACH];

/** The figures `curve.PART.N` of each library. @param {Figures} figures @param {string} part @returns {{ name: string, exponent: number, value: number }[]} */
const curve = (figures, part) =>
  LIBRARIES.flatMap(name =>
    Object.entries(figures[name] ?? {}).flatMap(([key, value]) => {
      const exponent = key.startsWith(`curve.${part}.`) ? Number(key.slice(`curve.${part}.`.length)) : NaN;
      return Number.isNaN(exponent) ? [] : [{ name, exponent, value }];
    })
  );

/**
 * The pictures that some results have the figures for.
 * @param {Figures} figures
 * @returns {{ name: string, draw: (theme: Theme) => Promise<string> }[]}
 */
export function pictures(figures) {
  /** @type {Point[]} */
  const rates = [];
  /** @type {Point[]} */
  const times = [];
  for (const [operation, { title, bytes }] of Object.entries(curves)) {
    for (const { name, exponent, value } of curve(figures, `${operation}.device`)) {
      const point = { series: columns[name] ?? name, panel: title, x: 2 ** exponent };
      rates.push({ ...point, y: (bytes * 2 ** exponent) / value / 1000 });
      times.push({ ...point, clock: 'device', y: value });
    }
    for (const { name, exponent, value } of curve(figures, `${operation}.host`))
      times.push({
        series: columns[name] ?? name,
        panel: title,
        clock: 'host',
        x: 2 ** exponent,
        y: value
      });
  }
  const reduced = ['one', 'each'].flatMap(how =>
    curve(figures, `allreduce.${how}`).map(({ name, exponent, value }) => ({
      series: name === 'stridelab' && how === 'each' ? EACH : (columns[name] ?? name),
      x: 2 ** exponent,
      y: value
    }))
  );
  return [
    { name: 'rates', points: rates, y: 'GB/s on the device', x: 'elements, float32' },
    { name: 'times', points: times, y: 'μs of a call', x: 'elements, float32', log: true },
    { name: 'all-reduce', points: reduced, y: 'μs of a call', x: 'bytes', log: true }
  ].flatMap(({ name, points, ...axes }) =>
    points.length === 0
      ? []
      : [{ name, draw: (/** @type {Theme} */ theme) => draw(points, { ...axes, theme }) }]
  );
}

/**
 * @param {readonly Point[]} points
 * @param {{ x: string, y: string, log?: boolean, theme: Theme }} options
 */
async function draw(points, { x, y, log = false, theme }) {
  const { ink, faint, paper, series } = THEMES[theme];
  const names = SERIES.filter(name => points.some(point => point.series === name));
  const colours = names.map(name => series[SERIES.indexOf(name)] ?? ink);
  const panels = [...new Set(points.flatMap(({ panel }) => panel ?? []))];
  const encoding = {
    x: {
      field: 'x',
      type: 'quantitative',
      title: x,
      scale: { type: 'log', base: 2 },
      axis: {
        values: [...new Set(points.map(point => point.x))].filter((_, i) => i % 2 === 0),
        labelExpr: "'2^' + round(log(datum.value) / log(2))"
      }
    },
    y: {
      field: 'y',
      type: 'quantitative',
      title: y,
      ...(log
        ? { scale: { type: 'log', nice: false }, axis: { values: DECADES } }
        : { scale: { zero: true } })
    },
    color: { field: 'series', scale: { domain: names, range: colours }, title: null },
    shape: { field: 'series', scale: { domain: names }, title: null },
    ...(points.some(({ clock }) => clock !== undefined) && {
      strokeDash: {
        field: 'clock',
        title: null,
        scale: { domain: ['device', 'host'] },
        legend: { symbolType: 'stroke', encode: { symbols: { update: { stroke: { value: ink } } } } }
      }
    })
  };
  const chart = {
    width: panels.length === 0 ? 460 : 270,
    height: 170,
    mark: { type: 'line', point: { filled: true, size: 28 }, strokeWidth: 1.5 },
    encoding
  };
  const spec = /** @type {import('vega-lite').TopLevelSpec} */ ({
    data: { values: points },
    ...(panels.length === 0
      ? chart
      : { facet: { field: 'panel', title: null, sort: panels }, columns: 2, spec: chart }),
    config: {
      aria: false, // the page's text describes the picture
      background: paper,
      font: 'Helvetica, Arial, sans-serif',
      axis: {
        labelColor: ink,
        titleColor: ink,
        titleFontWeight: 'normal',
        gridColor: faint,
        domainColor: faint,
        tickColor: faint
      },
      legend: { labelColor: ink, symbolStrokeColor: ink, labelLimit: 0, orient: 'top' },
      header: { labelColor: ink, labelFontWeight: 'bold' },
      view: { stroke: faint }
    }
  });
  const view = new View(parse(compile(spec).spec), { renderer: 'none' });
  const svg = await view.toSVG();
  view.finalize();
  // A tenth of a pixel is enough.
  return `${svg.replaceAll(/\d+\.\d{2,}/g, number => String(Math.round(Number(number) * 10) / 10))}\n`;
}
