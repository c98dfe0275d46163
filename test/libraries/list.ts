/** Packages that notebooks use, a cell for each, and what the cell shows: the source of the table in docs/packages.md. */

export interface Library {
  readonly name: string;
  /** Group in the table. */
  readonly kind: string;
  /** Other packages that the cell needs, and the version if the newest cannot be installed. */
  readonly install?: readonly string[];
  /** Whether its types are a package of their own, in `@types`. */
  readonly types?: true;
  /** What the cell does, in a few words. */
  readonly tried: string;
  readonly cell: string;
  /** The outputs of the cell contain it: `MIME-TYPE: text` for values, `stdout: text` for printed text. */
  readonly shows: RegExp;
  /** What users should know. */
  readonly know?: string;
}

const DATA = 'Data';
const CHARTS = 'Charts';
const IMAGES = 'Images';
const DATABASES = 'Databases';
const WEB = 'Web';
const AI = 'AI';
const ASYNC = 'Async and state';
const TERMINALS = 'Terminals';
const TEXT = 'Text and types';

export const libraries: readonly Library[] = [
  {
    name: 'lodash',
    kind: DATA,
    types: true,
    tried: '`groupBy`, a CommonJS package',
    cell: `import _ from 'lodash';
_.groupBy([1, 2, 3], n => (n % 2 ? 'odd' : 'even'))`,
    shows: /odd: \[ 1, 3 \], even: \[ 2 \]/
  },
  {
    name: 'd3',
    kind: DATA,
    install: ['linkedom'],
    types: true,
    tried: 'an SVG element of linkedom',
    cell: `import * as d3 from 'd3';
import { parseHTML } from 'linkedom';
const { document } = parseHTML('<body></body>');
const svg = d3.select(document.body).append('svg').attr('width', 60).attr('height', 20);
svg.selectAll('rect').data([4, 8, 15]).join('rect').attr('width', 10).attr('height', d => d).attr('x', (_, i) => 12 * i);
svg.node()`,
    shows: /image\/svg\+xml: <svg [^]*<rect/,
    know: 'needs [a document](#charts)'
  },
  {
    name: 'apache-arrow',
    kind: DATA,
    tried: 'a table',
    cell: `import { tableFromArrays } from 'apache-arrow';
tableFromArrays({ x: Int32Array.of(1, 2, 3), name: ['a', 'b', 'c'] })`,
    shows: /text\/html: [^]*<table[^]*>b</
  },
  {
    name: 'nodejs-polars',
    kind: DATA,
    tried: 'a data frame, `groupBy`',
    cell: `import pl from 'nodejs-polars';
pl.DataFrame({ g: ['a', 'b', 'a'], x: [1, 2, 3] }).groupBy('g').agg(pl.col('x').sum()).sort('g')`,
    shows: /text\/html: [^]*<table[^]*>4</
  },
  {
    name: 'arquero',
    kind: DATA,
    install: ['arquero@8.0.1'],
    tried: 'a table, `derive`',
    cell: `import * as aq from 'arquero';
aq.table({ x: [1, 2, 3] }).derive({ y: d => d.x * 10 })`,
    shows: /text\/html: [^]*<table[^]*>30</
  },
  {
    name: 'papaparse',
    kind: DATA,
    types: true,
    tried: 'CSV to rows',
    cell: `import { table } from 'stridelab/notebook';
import Papa from 'papaparse';
table(Papa.parse('a,b\\n1,2\\n3,4', { header: true, dynamicTyping: true }).data as object[])`,
    shows: /text\/html: [^]*<table[^]*>4</
  },
  {
    name: 'mathjs',
    kind: DATA,
    tried: 'complex numbers, units',
    cell: `import { complex, multiply, unit } from 'mathjs';
[String(multiply(complex(1, 2), complex(0, 1))), unit(5, 'cm').to('mm').toString()]`,
    shows: /'-2 \+ i', '50 mm'/
  },
  {
    name: 'ml-matrix',
    kind: DATA,
    tried: 'the inverse of a matrix',
    cell: `import { Matrix, inverse } from 'ml-matrix';
inverse(new Matrix([[2, 0], [0, 4]]))`,
    shows: /0\.5[^]*0\.25/
  },
  {
    name: 'immutable',
    kind: DATA,
    tried: 'a Map, updated',
    cell: `import { Map } from 'immutable';
Map<string, number>({ a: 1 }).set('b', 2).toJS()`,
    shows: /\{ a: 1, b: 2 \}/
  },
  {
    name: 'simple-statistics',
    kind: DATA,
    tried: 'a regression',
    cell: `import { linearRegression } from 'simple-statistics';
linearRegression([[0, 1], [1, 3], [2, 5]])`,
    shows: /m: 2, b: 1/
  },
  {
    name: 'date-fns',
    kind: DATA,
    tried: 'dates',
    cell: `import { addDays, format } from 'date-fns';
format(addDays(new Date(2026, 0, 31), 1), 'yyyy-MM-dd')`,
    shows: /2026-02-01/
  },
  {
    name: 'plotly.js-dist-min',
    kind: CHARTS,
    tried: 'a figure of its MIME type',
    cell: `const figure = { data: [{ type: 'bar', x: ['a', 'b'], y: [1, 2] }], layout: { title: { text: 'bars' } } };
display({ 'application/vnd.plotly.v1+json': figure }, { raw: true })`,
    shows: /application\/vnd\.plotly\.v1\+json: /,
    know: '[the page](#plotly) draws it'
  },
  {
    name: 'echarts',
    kind: CHARTS,
    tried: 'a chart, rendered as SVG',
    cell: `import * as echarts from 'echarts';
const chart = echarts.init(null, null, { renderer: 'svg', ssr: true, width: 300, height: 200 });
chart.setOption({ animation: false, xAxis: { data: ['a', 'b'] }, yAxis: {}, series: [{ type: 'bar', data: [1, 2] }] });
chart`,
    shows: /image\/svg\+xml: <svg/,
    know: 'choose the SVG renderer, with `ssr`'
  },
  {
    name: 'vega',
    kind: CHARTS,
    tried: 'a view, rendered as SVG',
    cell: `import * as vega from 'vega';
const spec: vega.Spec = { $schema: 'https://vega.github.io/schema/vega/v6.json', width: 50, height: 50, marks: [{ type: 'rect', encode: { enter: { width: { value: 20 }, height: { value: 20 } } } }] };
display(spec);
new vega.View(vega.parse(spec), { renderer: 'none' })`,
    shows: /application\/vnd\.vega\.v5\+json: [^]*image\/svg\+xml: <svg/
  },
  {
    name: 'vega-lite',
    kind: CHARTS,
    install: ['vega'],
    tried: 'a specification; compiled to Vega',
    cell: `import { compile, type TopLevelSpec } from 'vega-lite';
const bars: TopLevelSpec = { $schema: 'https://vega.github.io/schema/vega-lite/v6.json', data: { values: [{ x: 1, y: 2 }] }, mark: 'bar', encoding: { x: { field: 'x' }, y: { field: 'y' } } };
display(bars);
compile(bars).spec.marks!.length`,
    shows: /application\/vnd\.vegalite\.v5\+json: [^]*1/
  },
  {
    name: '@observablehq/plot',
    kind: CHARTS,
    install: ['linkedom'],
    tried: 'a plot, with the document of linkedom',
    cell: `import * as Plot from '@observablehq/plot';
import { parseHTML } from 'linkedom';
const { document } = parseHTML('<body></body>');
Plot.barY([{ x: 'a', y: 1 }, { x: 'b', y: 2 }], { x: 'x', y: 'y' }).plot({ document })`,
    shows: /image\/svg\+xml: <svg[^]*<rect/,
    know: 'needs [a document](#charts)'
  },
  {
    name: 'chart.js',
    kind: CHARTS,
    install: ['@napi-rs/canvas'],
    tried: 'a chart on a canvas',
    cell: `import { Chart, registerables } from 'chart.js';
import { createCanvas } from '@napi-rs/canvas';
Chart.register(...registerables);
const canvas = createCanvas(300, 200);
new Chart(canvas as never, { type: 'bar', data: { labels: ['a', 'b'], datasets: [{ label: 'n', data: [1, 2] }] }, options: { animation: false, responsive: false } })`,
    shows: /image\/png: iVBOR/,
    know: 'needs a canvas, and `animation: false`'
  },
  {
    name: 'sharp',
    kind: IMAGES,
    tried: 'an image, blurred',
    cell: `import sharp from 'sharp';
sharp({ create: { width: 40, height: 20, channels: 3, background: 'teal' } }).blur(2)`,
    shows: /image\/png: iVBOR/
  },
  {
    name: '@napi-rs/canvas',
    kind: IMAGES,
    tried: 'a canvas',
    cell: `import { createCanvas } from '@napi-rs/canvas';
const canvas = createCanvas(40, 20);
canvas.getContext('2d').fillRect(5, 5, 20, 10);
canvas`,
    shows: /image\/png: iVBOR/
  },
  {
    name: 'jimp',
    kind: IMAGES,
    tried: 'an image, inverted',
    cell: `import { Jimp } from 'jimp';
new Jimp({ width: 30, height: 20, color: 0x336699ff }).invert()`,
    shows: /image\/png: iVBOR/
  },
  {
    name: 'qrcode',
    kind: IMAGES,
    types: true,
    tried: 'a QR code as SVG',
    cell: `import { svg } from 'stridelab/notebook';
import QRCode from 'qrcode';
svg(await QRCode.toString('https://example.org', { type: 'svg' }))`,
    shows: /image\/svg\+xml: <svg/
  },
  {
    name: 'better-sqlite3',
    kind: DATABASES,
    types: true,
    tried: 'rows of a query',
    cell: `import Database from 'better-sqlite3';
const db = new Database(':memory:');
db.exec('create table t (a, b)');
db.prepare('insert into t values (?, ?)').run(1, 'x');
db.prepare('select * from t').all()`,
    shows: /a: 1, b: 'x'/,
    know: 'a query blocks; an interrupt takes effect after it'
  },
  {
    name: '@duckdb/node-api',
    kind: DATABASES,
    tried: 'rows of a query',
    cell: `import { table } from 'stridelab/notebook';
import { DuckDBInstance } from '@duckdb/node-api';
const connection = await (await DuckDBInstance.create(':memory:')).connect();
const reader = await connection.runAndReadAll('select i, i * i as square from range(3) r(i)');
table(reader.getRowObjectsJson())`,
    shows: /text\/html: [^]*<table[^]*square/
  },
  {
    name: 'sql.js',
    kind: DATABASES,
    types: true,
    tried: 'rows of a query (WebAssembly)',
    cell: `import initSqlJs from 'sql.js';
const SQL = await initSqlJs();
new SQL.Database().exec('select 6 * 7 as answer')[0]`,
    shows: /answer[^]*42/
  },
  {
    name: 'pg',
    kind: DATABASES,
    types: true,
    tried: 'a server that is not there',
    cell: `import pg from 'pg';
await new pg.Client({ host: '127.0.0.1', port: 1 }).connect().catch(error => error.code)`,
    shows: /ECONNREFUSED/
  },
  {
    name: 'axios',
    kind: WEB,
    tried: 'a request to a server in the same cell',
    cell: `import axios from 'axios';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
const server = createServer((_, response) => response.end('{"ok":true}')).listen(0, '127.0.0.1');
await new Promise<void>(resolve => server.once('listening', resolve));
const { data } = await axios.get('http://127.0.0.1:' + (server.address() as AddressInfo).port, { proxy: false });
server.close();
data`,
    shows: /\{ ok: true \}/
  },
  {
    name: 'cheerio',
    kind: WEB,
    tried: 'links of a page',
    cell: `import * as cheerio from 'cheerio';
const $ = cheerio.load('<a href="/x">one</a><a href="/y">two</a>');
$('a').map((_, link) => $(link).attr('href')).get()`,
    shows: /'\/x', '\/y'/
  },
  {
    name: 'jsdom',
    kind: WEB,
    types: true,
    tried: 'an element, shown as HTML',
    cell: `import { JSDOM } from 'jsdom';
new JSDOM('<p>Hello <b>there</b></p>').window.document.querySelector('p')`,
    shows: /text\/html: <p>Hello <b>there<\/b><\/p>/
  },
  {
    name: 'linkedom',
    kind: WEB,
    tried: 'an element, shown as HTML',
    cell: `import { parseHTML } from 'linkedom';
parseHTML('<p>Hello</p>').document.querySelector('p')`,
    shows: /text\/html: <p>Hello<\/p>/
  },
  {
    name: 'express',
    kind: WEB,
    types: true,
    tried: 'a server, asked from the same cell',
    cell: `import express from 'express';
import type { AddressInfo } from 'node:net';
const app = express().get('/', (_, response) => void response.json({ hello: 'world' }));
const server = app.listen(0, '127.0.0.1');
await new Promise<void>(resolve => server.once('listening', resolve));
const answer = await (await fetch('http://127.0.0.1:' + (server.address() as AddressInfo).port)).json();
server.close();
answer`,
    shows: /\{ hello: 'world' \}/,
    know: 'a server runs on until `close()`, or a restart'
  },
  {
    name: 'react',
    kind: WEB,
    install: ['react-dom', '@types/react-dom'],
    types: true,
    tried: 'a page rendered on the server',
    cell: `import { html } from 'stridelab/notebook';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
html(renderToStaticMarkup(createElement('p', null, 'Hello ', createElement('b', null, 'React'))))`,
    shows: /text\/html: <p>Hello <b>React<\/b><\/p>/
  },
  {
    name: 'preact',
    kind: WEB,
    install: ['preact-render-to-string'],
    tried: 'a page rendered on the server',
    cell: `import { html } from 'stridelab/notebook';
import { h } from 'preact';
import { render } from 'preact-render-to-string';
html(render(h('p', null, 'Hello Preact')))`,
    shows: /text\/html: <p>Hello Preact<\/p>/
  },
  {
    name: 'openai',
    kind: AI,
    tried: 'a client, and the error without a server',
    cell: `import OpenAI from 'openai';
const client = new OpenAI({ apiKey: 'none', baseURL: 'http://127.0.0.1:1', maxRetries: 0 });
await client.models.list().catch(error => error.constructor.name)`,
    shows: /APIConnectionError/
  },
  {
    name: '@huggingface/transformers',
    kind: AI,
    tried: 'a tensor; no model is loaded',
    cell: `import { Tensor, env } from '@huggingface/transformers';
env.allowRemoteModels = false;
new Tensor('float32', Float32Array.of(1, 2, 3, 4), [2, 2]).mean().item()`,
    shows: /2\.5/,
    know: 'models come from huggingface.co'
  },
  {
    name: 'onnxruntime-node',
    kind: AI,
    tried: 'a tensor',
    cell: `import * as ort from 'onnxruntime-node';
new ort.Tensor('float32', Float32Array.of(1, 2, 3, 4), [2, 2])`,
    shows: /^text\/plain: [^]*float32[^]*$/,
    know: 'its [install script](#packages-with-install-scripts) downloads CUDA libraries; `ONNXRUNTIME_NODE_INSTALL=skip` leaves them out'
  },
  {
    name: '@tensorflow/tfjs',
    kind: AI,
    tried: 'a matrix product',
    cell: `import * as tf from '@tensorflow/tfjs';
await tf.matMul(tf.tensor([[1, 2], [3, 4]]), tf.tensor([[1, 0], [0, 1]])).array()`,
    shows: /\[ 1, 2 \], \[ 3, 4 \]/,
    know: 'prints that it recommends tfjs-node, whose [install script](#packages-with-install-scripts) downloads from Google'
  },
  {
    name: '@langchain/core',
    kind: AI,
    tried: 'a prompt',
    cell: `import { ChatPromptTemplate } from '@langchain/core/prompts';
const prompt = await ChatPromptTemplate.fromTemplate('Translate {text}').invoke({ text: 'chat' });
prompt.toString()`,
    shows: /Translate chat/
  },
  {
    name: 'ai',
    kind: AI,
    tried: 'a tool; no model is asked',
    cell: `import { cosineSimilarity, jsonSchema, tool } from 'ai';
const add = tool({ inputSchema: jsonSchema<{ a: number; b: number }>({ type: 'object' }), execute: ({ a, b }) => a + b });
[cosineSimilarity([1, 0], [1, 0]), await add.execute?.({ a: 1, b: 2 }, { toolCallId: '1', messages: [] } as never)]`,
    shows: /\[ 1, 3 \]/
  },
  {
    name: 'rxjs',
    kind: ASYNC,
    tried: 'a pipeline',
    cell: `import { lastValueFrom, map, range, toArray } from 'rxjs';
await lastValueFrom(range(1, 3).pipe(map(x => x * x), toArray()))`,
    shows: /\[ 1, 4, 9 \]/
  },
  {
    name: 'p-limit',
    kind: ASYNC,
    tried: 'two at a time',
    cell: `import pLimit from 'p-limit';
const limit = pLimit(2);
await Promise.all([1, 2, 3].map(n => limit(async () => n * 2)))`,
    shows: /\[ 2, 4, 6 \]/
  },
  {
    name: 'effect',
    kind: ASYNC,
    tried: 'a program',
    cell: `import { Effect } from 'effect';
await Effect.runPromise(Effect.map(Effect.succeed(20), n => n + 1))`,
    shows: /21/
  },
  {
    name: 'mobx',
    kind: ASYNC,
    tried: 'a reaction',
    cell: `import { autorun, observable, runInAction } from 'mobx';
const state = observable({ n: 1 });
autorun(() => console.log('n is ' + state.n));
runInAction(() => (state.n = 2))`,
    shows: /n is 1\nn is 2/
  },
  {
    name: 'xstate',
    kind: ASYNC,
    tried: 'a machine',
    cell: `import { createActor, createMachine } from 'xstate';
const actor = createActor(createMachine({ initial: 'off', states: { off: { on: { press: 'on' } }, on: {} } })).start();
actor.send({ type: 'press' });
actor.getSnapshot().value`,
    shows: /'on'/
  },
  {
    name: 'piscina',
    kind: ASYNC,
    tried: 'a worker of a file beside the notebook',
    cell: `import { Piscina } from 'piscina';
import { writeFileSync } from 'node:fs';
writeFileSync('square.mjs', 'export default n => n * n;');
const pool = new Piscina({ filename: import.meta.resolve('./square.mjs') });
const square = await pool.run(7);
await pool.close();
square`,
    shows: /49/
  },
  {
    name: 'chalk',
    kind: TERMINALS,
    tried: 'coloured text',
    cell: `import chalk from 'chalk';
console.log(chalk.hex('#ff8800')('orange'))`,
    shows: /stdout: orange/
  },
  {
    name: 'ora',
    kind: TERMINALS,
    tried: 'a spinner',
    cell: `import ora from 'ora';
const spinner = ora('loading').start();
await new Promise(resolve => setTimeout(resolve, 300));
spinner.succeed('loaded')`,
    shows: /✔ loaded/
  },
  {
    name: 'cli-progress',
    kind: TERMINALS,
    types: true,
    tried: 'two bars',
    cell: `import { MultiBar } from 'cli-progress';
const bars = new MultiBar({ hideCursor: true });
const [a, b] = [bars.create(3, 0), bars.create(3, 0)];
for (let i = 0; i < 3; i++) {
  await new Promise(resolve => setTimeout(resolve, 60));
  a.increment();
  b.increment();
}
bars.stop()`,
    shows: /^text\/plain: progress \[=+\] 100%[^\n]*\nprogress \[=+\] 100%[^\n]*\n$/
  },
  {
    name: 'listr2',
    kind: TERMINALS,
    tried: 'a list of tasks',
    cell: `import { Listr } from 'listr2';
const wait = () => new Promise<void>(resolve => setTimeout(resolve, 150));
await new Listr([{ title: 'first', task: wait }, { title: 'second', task: wait }]).run();`,
    shows: /^text\/plain: ✔ first\n✔ second\n$/
  },
  {
    name: 'execa',
    kind: TERMINALS,
    tried: 'the output of a program',
    cell: `import { execa } from 'execa';
(await execa('echo', ['hello'])).stdout`,
    shows: /'hello'/
  },
  {
    name: 'marked',
    kind: TEXT,
    tried: 'Markdown to HTML',
    cell: `import { html } from 'stridelab/notebook';
import { marked } from 'marked';
html(await marked.parse('# Title'))`,
    shows: /text\/html: <h1>Title<\/h1>/,
    know: 'the tag `md` shows Markdown without it'
  },
  {
    name: 'katex',
    kind: TEXT,
    tried: 'a formula',
    cell: `import { html } from 'stridelab/notebook';
import katex from 'katex';
html(katex.renderToString('x^2', { output: 'mathml' }))`,
    shows: /text\/html: <span class="katex"><math/,
    know: '`latex()` shows formulas without it'
  },
  {
    name: 'yaml',
    kind: TEXT,
    tried: 'YAML to an object',
    cell: `import { parse } from 'yaml';
parse('a: [1, 2]\\nb: yes')`,
    shows: /\{ a: \[ 1, 2 \], b: 'yes' \}/
  },
  {
    name: 'zod',
    kind: TEXT,
    tried: 'a schema, and its error',
    cell: `import { z } from 'zod';
z.object({ n: z.number() }).safeParse({ n: 'x' }).error?.issues[0]?.path`,
    shows: /\[ 'n' \]/
  },
  {
    name: '@sinclair/typebox',
    kind: TEXT,
    tried: 'a schema, checked',
    cell: `import { Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
Value.Check(Type.Object({ n: Type.Number() }), { n: 1 })`,
    shows: /true/
  },
  {
    name: 'uuid',
    kind: TEXT,
    tried: 'an id',
    cell: `import { v4, validate } from 'uuid';
validate(v4())`,
    shows: /true/
  }
];
