/**
 * The HTML of static pictures after sanitizing by notebook pages. JupyterLab's rules come from its own sanitizer; GitHub's are those
 * published as html-pipeline's SanitizationFilter. nbviewer and nbconvert change nothing by default. Reads `tsc`'s output.
 */

import { Sanitizer } from '@jupyterlab/apputils/lib/sanitizer.js';
import { execFileSync } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import path from 'node:path';
import { render } from '../../src/notebook/rendering.ts';

/** Values for each kind of picture, including malicious ones. */
const PROGRAM = `
  import { arange, array, devices, empty, full, recordDType, Stream, trace, zeros } from ${JSON.stringify(pathToFileURL(path.resolve('dist/src/index.js')).href)};
  const fields = (count, name) => recordDType(Array.from({ length: count }, (_, i) => [name + i, '<f8']));
  const streams = Array.from({ length: 40 }, () => new Stream());
  const used = zeros(4);
  for (const stream of streams) used.recordUse(stream);
  trace.start();
  const busy = new Stream();
  for (let i = 0; i < 50; i++) zeros(4, { stream: busy }).dispose();
  const freed = zeros(4);
  freed.dispose();
  const dtypes = ['bool', 'int8', 'uint64', 'float16', 'bfloat16', 'float32', 'float64', 'complex128', 'float8_e4m3', 'int4', '<U9000', '|S300', '|V4000', '<M8[ns]'];
  const values = {
    'a matrix': arange(12).reshape(3, 4),
    'negative strides': arange(12).reshape(3, 4).slice(null, '::-2'),
    '0-d': zeros([]),
    'zero size': zeros([0, 3]),
    '64 axes': zeros(Array(64).fill(1)),
    'NaN only': full([3], NaN),
    'a record of 300 fields': zeros([9, 9], { dtype: fields(300, 'a_long_field_name_') }),
    'a record of names that are markup': zeros(2, { dtype: fields(60, '<img src=x onerror=alert(1)>&"\\'') }),
    'long strings that are markup': array(['<&>"'.repeat(2000), 'x'.repeat(9000)], { dtype: '<U9000' }),
    '40 streams': used,
    'a freed array': freed,
    'a device': devices().find(device => device.simulated),
    'a stream with a trace': busy,
    ...Object.fromEntries(dtypes.map(dtype => [dtype, empty([20, 20], { dtype })]))
  };
  const shown = Object.entries(values).map(([name, value]) => [name, value[Symbol.for('Jupyter.display')]()]);
  process.stdout.write(JSON.stringify(shown));
`;
const printed = execFileSync(process.execPath, ['--input-type=module', '-e', PROGRAM], {
  encoding: 'utf8',
  maxBuffer: 1 << 26,
  env: { ...process.env, STRIDELAB_DEVICE: 'sim:0' }
});
const bundles = JSON.parse(printed) as [name: string, bundle: Record<string, unknown>][];
const pictures = bundles.map(([name, bundle]) => [name, bundle['text/html'] as string] as const);

/** The part of html-pipeline's allow-list that is relevant to us; attributes apply to every element. */
const GITHUB_ELEMENTS =
  'h1 h2 h3 h4 h5 h6 br b i strong em a pre code img tt div ins del sup sub p ol ul table thead tbody tfoot blockquote dl dt dd kbd q samp var hr ruby rt rp li tr td th s strike summary details'.split(
    ' '
  );
const GITHUB_ATTRIBUTES = [
  'align',
  'colspan',
  'headers',
  'open',
  'rowspan',
  'scope',
  'title',
  'valign',
  'width'
];

function asGitHub(html: string): { readonly root: HTMLElement; readonly removed: string[] } {
  const root = document.createElement('div');
  root.innerHTML = html;
  const removed: string[] = [];
  for (const node of [...root.querySelectorAll('*')]) {
    if (!GITHUB_ELEMENTS.includes(node.localName)) {
      removed.push(node.localName);
      node.replaceWith(...node.childNodes);
    }
    for (const name of node.getAttributeNames())
      if (!GITHUB_ATTRIBUTES.includes(name)) {
        removed.push(name);
        node.removeAttribute(name);
      }
  }
  return { root, removed: [...new Set(removed)] };
}

test.each(pictures)(
  '%s: less than 10 KB of HTML, text that a terminal can show, little JSON',
  (name, html) => {
    expect(html.length).toBeLessThan(10_000);
    const [, bundle] = bundles.find(([of]) => of === name) ?? [];
    expect(String(bundle?.['text/plain']).length).toBeLessThan(4_000);
    expect(JSON.stringify(bundle).length).toBeLessThan(64 * 1024);
  }
);

test.each(pictures)("%s: JupyterLab's sanitizer removes nothing", (_name, html) => {
  const parsed = document.createElement('div');
  parsed.innerHTML = html;
  const sanitized = document.createElement('div');
  sanitized.innerHTML = new Sanitizer().sanitize(html);
  expect(sanitized.innerHTML).toBe(parsed.innerHTML);
});

test.each(pictures)('%s: on GitHub only styles are removed, and cells stay aligned', (_name, html) => {
  const { root, removed } = asGitHub(html);
  expect(removed.filter(name => name !== 'style')).toEqual([]);
  for (const cell of root.querySelectorAll('td, th')) expect(cell.getAttribute('align')).not.toBeNull();
});

test.each(pictures)('%s: no colours, no markup from data, and a heading that names it', (_name, html) => {
  expect(html).not.toMatch(/color|background|<script|<style|<svg|<img|class=|\son\w+="/i);
  const { root } = asGitHub(html);
  expect(root.querySelector('pre, summary')?.textContent).toMatch(/sim:0 \(simulated\)/);
});

test('omitted parts are marked, and the descriptor is kept', () => {
  const [, html] = pictures.find(([name]) => name === 'a record of 300 fields') ?? [];
  expect(html).toContain('characters)');
  expect(html).toContain('<b>typestr</b>');
});

describe('the tree of a result', () => {
  const tree = (): string => {
    const value: Record<string, unknown> = {
      text: '<img src=x onerror=alert(1)>',
      lines: 'a\n'.repeat(300),
      list: [{ deep: [{ x: 1 }] }]
    };
    value['self'] = value;
    for (let i = 0; i < 20; i += 1) value[`key ${i}`] = { i, flags: [true, null] };
    const rendering = render(value);
    if (rendering instanceof Promise) throw new Error('a plain object renders at once');
    return String(rendering.data['text/html']);
  };

  test("loses only colours, its font and names in JupyterLab's sanitizer", () => {
    const withoutStyles = (html: string): string => {
      const root = document.createElement('div');
      root.innerHTML = html;
      for (const node of root.querySelectorAll('*'))
        for (const name of ['style', 'id', 'data-jupyter-id', 'rel']) node.removeAttribute(name);
      return root.innerHTML;
    };
    const html = tree();
    expect(withoutStyles(new Sanitizer().sanitize(html))).toBe(withoutStyles(html));
  });

  test('keeps its folds and its text on GitHub', () => {
    const parsed = document.createElement('div');
    parsed.innerHTML = tree();
    const { root } = asGitHub(tree());
    expect(root.querySelectorAll('details > summary')).toHaveLength(
      parsed.querySelectorAll('details > summary').length
    );
    expect(root.querySelectorAll('li').length).toBeGreaterThan(25);
    expect(root.textContent).toBe(parsed.textContent);
  });
});
