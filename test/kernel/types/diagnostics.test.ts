import { jest } from '@jest/globals';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  field,
  KernelClient,
  plain,
  traceback,
  type Content,
  type Execution,
  type Message
} from '../client.ts';
import { kernel, withKernel } from '../one-kernel.ts';
import { pass } from '../../setup/until.ts';

// The machine may be busy.
jest.setTimeout(60_000);

const DATA = 'application/vnd.stridelab.diagnostics+json';

// Long enough for a machine with other work.
withKernel('tcp', { STRIDELAB_TYPES_DEADLINE: '60000' });

const isReport =
  (id: string) =>
  ({ type, parentId, content }: Message): boolean =>
    type === 'display_data' && parentId === id && field(content, 'data', DATA) !== undefined;

/** The diagnostics of a cell, which runs nevertheless. */
async function findings(code: string): Promise<{ execution: Execution; data: Content; message: Message }> {
  const execution = await kernel.execute(code);
  const message = await kernel.published(
    message => isReport(execution.id)(message) || /cannot be checked/.test(String(message.content['text']))
  );
  expect(message.content).toMatchObject({ data: {} });
  return { execution, message, data: field(message.content, 'data') };
}

/** Asserts that a cell has no diagnostics: those of a later one arrived. */
async function expectNothingAbout(...ids: string[]): Promise<void> {
  await findings('missingName;');
  const reports = kernel.iopub.filter(message => ids.some(id => isReport(id)(message)));
  expect(reports.map(({ content }) => field(content, 'data', 'text/plain'))).toEqual([]);
}

const codes = (data: Content): string[] =>
  field<Content[]>(data, DATA, 'diagnostics').map(({ code }) => String(code));

test('a cell with type errors runs and is reported on, in one message, for people and programs', async () => {
  const { execution, data, message } = await findings(
    'const wide: string = 1;\nlet fine = 2;\nfine.push; // 😀\nwide'
  );
  expect(execution.result).toBe('1');
  expect(message.parentId).toBe(execution.id);
  const text = plain(data['text/plain'] as string)!;
  expect(text).toContain("Cell [1]:1:7 - error TS2322: Type 'number' is not assignable to type 'string'.");
  expect(text).toContain('> 1 | const wide: string = 1;\n      |       ^^^^\n');
  expect(text).toContain('https://typescript.tv/errors/#ts2322');
  expect(text).toContain("TS2339: Property 'push' does not exist on type 'number'.");
  expect(data['text/html']).toContain('<a href="https://typescript.tv/errors/#ts2322"');
  expect(data['text/html']).toContain('const wide: string = 1;');
  expect(field(data, DATA)).toMatchObject({
    version: 1,
    cell: execution.id,
    execution_count: 1,
    diagnostics: [
      {
        code: 'TS2322',
        severity: 'error',
        range: { start: { line: 0, character: 6 }, end: { line: 0, character: 10 } }
      },
      { code: 'TS2339', range: { start: { line: 2, character: 5 }, end: { line: 2, character: 9 } } }
    ]
  });
  const text2 = '<b>&"';
  const escaped = await findings(`const quoted: number = '${text2}';`);
  expect(escaped.data['text/html']).toContain('&lt;b&gt;&amp;&quot;');
});

test('a cell that is an object literal is checked as one, and reported where it stands', async () => {
  const fine = await kernel.execute('{ a: 1 as number, b: "2" satisfies string };');
  expect(fine.result).toBe("{ a: 1, b: '2' }");
  const { data } = await findings('/* first */ { a: "1".toFixd,\n b: "2".toFixed };');
  expect(field(data, DATA, 'diagnostics')).toMatchObject([
    { code: 'TS2339', range: { start: { line: 0, character: 21 }, end: { line: 0, character: 27 } } },
    { code: 'TS2551', range: { start: { line: 1, character: 8 }, end: { line: 1, character: 15 } } }
  ]);
  await expectNothingAbout(fine.id);
});

test('a fault of a kernel is found, also if an earlier cell gave cuda another name', async () => {
  await kernel.execute("import { cuda as gpu, type DeviceArray, type f32 } from 'stridelab';");
  const { data } = await findings('gpu.kernel((x: DeviceArray<f32>) => { x[gpu.grid(1)] = x[0]! ?? 1; });');
  expect(field(data, DATA, 'diagnostics')).toMatchObject([{ code: 'kernel' }]);
});

test('correct cells, suggestions, unused names and syntax errors are not reported on', async () => {
  const { id: right } = await kernel.execute(
    'const count = 1; function unused(a: number) { let b = 2 }\n1, 2;'
  );
  const { id: broken } = await kernel.execute('const = ;');
  const { id: twice } = await kernel.execute('let double = 1; let double = 2');
  const { id: returning } = await kernel.execute('return 1');
  const { id: evolving } = await kernel.execute('let later; later = 5; later');
  const { id: silent } = await kernel.execute('const s: string = 1', { silent: true });
  const { id: empty } = await kernel.execute('');
  const { id: nested } = await kernel.execute('for (let i = 0; i < 1; i++) { var inner = i }');
  const { id: again } = await kernel.execute('for (const q of [1]) { var inner = q; inner.toFixed() }');
  const { id: exported } = await kernel.execute(
    'export const given = 1; export { given as taken }; export default 5'
  );
  await expectNothingAbout(broken, twice, returning, evolving, silent, empty, nested, again, exported);
  expect(codes((await findings('const count2: string = count; 1, 2')).data)).toContain('TS2322');
  expect(right).toBeDefined();
});

test.each([
  ['const', 'const k = 1', 'k = 2', "TS2588: Cannot assign to 'k' because it is a constant."],
  ['function', 'function fn() {}', 'fn = 2', "TS2630: Cannot assign to 'fn' because it is a function."],
  ['class', 'class Cl {}', 'Cl = 2', "TS2629: Cannot assign to 'Cl' because it is a class."],
  ['enum', 'enum En { a }', 'En = 2', "TS2628: Cannot assign to 'En' because it is an enum."],
  [
    'import',
    "import * as im from 'node:os'",
    'im = 2',
    "TS2632: Cannot assign to 'im' because it is an import."
  ],
  [
    'library',
    '1',
    'arange',
    "TS2304: Cannot find name 'arange'. Missing import: import { arange } from 'stridelab'."
  ],
  [
    'package',
    '1',
    "const load = () => import('not-there')",
    "Cannot find module 'not-there'. %npm install not-there installs it."
  ],
  [
    'package of types',
    '1',
    "import type { None } from 'not-there/deep'",
    "Cannot find module 'not-there/deep'. %npm install not-there installs it."
  ],
  [
    'own module',
    '1',
    "import type {} from 'stridelab/not-there'",
    "Cannot find module 'stridelab/not-there'. Stridelab's modules are stridelab, stridelab/notebook, stridelab/widgets, stridelab/memory, stridelab/sharing, stridelab/cluster, stridelab/collectives, stridelab/deno."
  ]
])(
  '%s: a message that is misleading because of the split into cells is reworded',
  async (_, before, code, message) => {
    await kernel.execute(before);
    const { data } = await findings(code);
    expect(plain(data['text/plain'] as string)).toContain(message);
  }
);

test('undefined names are reported, also if a page has them, and text about a page loads nothing of it', async () => {
  const { data } = await findings('"document.title of window"; name; status; ({ document: 1 }).document');
  expect(codes(data)).toEqual(['TS2304', 'TS2304']);
});

test('names of earlier cells have their types, in any order of execution', async () => {
  await kernel.execute('interface Old { a: number }\nlet shared: Old = { a: 1 }');
  await kernel.execute('interface Old { b: string }');
  const { data } = await findings('const o: Old = shared');
  expect(codes(data)).toEqual(['TS2741']);
  const { id: first } = await kernel.execute("let shared = 'text'");
  const { id: second } = await kernel.execute("shared = 'other'; shared.toUpperCase()");
  await expectNothingAbout(first, second);
});

test('of a cell that failed half-way only the assigned names are known', async () => {
  await kernel.execute("let half = 1; let replaced = 1; type Kept = 'old'");
  await kernel.execute(
    "function hoisted() { return 'h' }\nconst replaced = 'new';\ntype Kept = 'new';\nthrow new Error('x');\nlet half = 'text'; let qqq = 1"
  );
  const { id: right } = await kernel.execute(
    "half.toFixed(); hoisted().length; replaced.length; const kept: Kept = 'new'"
  );
  const { data } = await findings('qqq; half.length');
  expect(codes(data)).toEqual(['TS2304', 'TS2339']);
  expect(kernel.iopub.some(isReport(right))).toBe(false);
});

test('after an interrupt the names keep their types', async () => {
  await kernel.execute('let turn = 1');
  const id = kernel.startExecution("const before = 'b'; await new Promise(() => {}); let turn = 'text'");
  await kernel.published(({ type, parentId }) => type === 'execute_input' && parentId === id);
  await pass(100, 'the cell gets stuck right after it began');
  await kernel.request('interrupt_request', {}, 'control');
  await kernel.finish(id);
  const { data } = await findings('turn.toFixed(); before.length; turn.length');
  expect(codes(data)).toEqual(['TS2339']);
});

test('global declarations, augmented modules and types of imports apply to later cells', async () => {
  const ids = [
    await kernel.execute(
      'declare global { interface Array<T> { third(): T | undefined } var flagged: boolean }'
    ),
    await kernel.execute("declare module 'node:os' { interface CpuInfo { ours: 1 } }"),
    await kernel.execute("import type { CpuInfo } from 'node:os'"),
    await kernel.execute(
      'const read = (c: CpuInfo): 1 => c.ours; function use() { return [1].third(); } flagged = true'
    )
  ].map(({ id }) => id);
  await expectNothingAbout(...ids);
});

test('a cell that installs packages is checked after it ran; %reset also makes the checker forget names', async () => {
  await kernel.execute('let forgotten = 1');
  const { data } = await findings('%npm ls\nconst late: string = 1');
  expect(plain(data['text/plain'] as string)).toContain(':2:7 - error TS2322');
  expect(codes((await findings('%reset -f\nforgotten')).data)).toEqual(['TS2304']);
});

test('a missing package is reported once: by the run, or by the check if that stops the cell', async () => {
  const { id, reply } = await kernel.execute("import { x } from 'not-there'; import './not-there.ts'");
  expect(reply['evalue']).toContain("'not-there'");
  const { id: element } = await kernel.execute('/** @jsxImportSource not-there */ <b/>');
  await expectNothingAbout(id, element);
  await kernel.execute('%types strict');
  const stopped = await kernel.execute("import { x } from 'not-there'");
  expect(stopped.reply).toMatchObject({ ename: 'TypeScriptError' });
  expect(traceback(stopped.reply)).toContain('%npm install not-there installs it.');
  await kernel.execute('%types warn');
});

test('a check that a failing cell overtakes has its diagnostics: the server keeps the cell', async () => {
  const { id } = await kernel.execute("import { x } from 'not-there'; const wrong: string = 1");
  const report = await kernel.published(message => isReport(id)(message));
  expect(codes(field(report.content, 'data'))).toEqual(['TS2322']);
});

test('a package without types is reported once in a session, and stops no cell', async () => {
  const untyped = join(kernel.folder, 'node_modules/untyped');
  mkdirSync(untyped, { recursive: true });
  writeFileSync(join(untyped, 'package.json'), '{ "name": "untyped", "main": "index.js" }');
  writeFileSync(join(untyped, 'index.js'), 'exports.one = 1');
  const { data } = await findings("import { one } from 'untyped'");
  expect(field(data, DATA, 'diagnostics')).toMatchObject([{ code: 'TS7016', severity: 'warning' }]);
  const { id } = await kernel.execute(
    "import * as all from 'untyped'; import { one as again } from 'untyped/index.js'"
  );
  await expectNothingAbout(id);
  await kernel.execute('%types strict');
  expect((await kernel.execute("import { one as more } from 'untyped'; more")).result).toBe('1');
  await kernel.execute('%types warn');
});

test('%types strict stops a cell with errors; off reports nothing; the mode persists', async () => {
  await kernel.execute('%types strict');
  const stopped = await kernel.execute('let ran = 1;\nconst no: string = ran;');
  expect(stopped.reply).toMatchObject({ status: 'error', ename: 'TypeScriptError' });
  expect(traceback(stopped.reply)).toContain('error TS2322');
  expect(stopped.messages.filter(({ type }) => type === 'error')).toHaveLength(1);
  const error = stopped.messages.find(({ type }) => type === 'error')!;
  expect(field(error.metadata, DATA, 'diagnostics', 0, 'code')).toBe('TS2322');
  expect((await kernel.execute('ran')).reply).toMatchObject({ ename: 'TypeScriptError' });
  expect((await kernel.execute('const yes: number = 1; yes')).result).toBe('1');
  expect((await kernel.execute('const = 1')).reply).toMatchObject({ ename: 'SyntaxError' });
  await kernel.execute('%types off');
  const { id, reply } = await kernel.execute('const quiet: string = 1');
  expect(reply['status']).toBe('ok');
  await kernel.execute('%types warn');
  await expectNothingAbout(id);
});

test('a cell that is not checked in time runs with a notice, and its diagnostics follow', async () => {
  process.env['STRIDELAB_TYPES_DEADLINE'] = '1';
  process.env['STRIDELAB_TYPES'] = 'strict';
  const hasty = await KernelClient.start();
  delete process.env['STRIDELAB_TYPES_DEADLINE'];
  delete process.env['STRIDELAB_TYPES'];
  try {
    const { id, stderr, result } = await hasty.execute('const late: string = 1;\nlate');
    expect(stderr).toBe('The types were not checked within 0.001 s: the cell runs unchecked.\n');
    expect(result).toBe('1');
    await hasty.published(isReport(id));
  } finally {
    await hasty.close();
  }
});

/** The checker of the kernel, a child of it. */
function checker(): number {
  const { pid } = kernel.child;
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
  return Number(children.find(child => readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('--lsp')));
}

test('an interrupt ends a cell that waits for its check; the next one runs', async () => {
  await kernel.execute('%types strict');
  process.kill(checker(), 'SIGSTOP');
  const id = kernel.startExecution('let awaited = 1; awaited');
  await kernel.published(({ type, parentId }) => type === 'execute_input' && parentId === id);
  await kernel.request('interrupt_request', {}, 'control');
  const { reply, result } = await kernel.finish(id);
  expect(reply).toMatchObject({ ename: 'Interrupted', evalue: 'The cell was interrupted before it ran' });
  expect(result).toBeUndefined();
  process.kill(checker(), 'SIGCONT');
  expect((await kernel.execute('1 + 1')).result).toBe('2');
  expect((await kernel.execute('awaited')).reply).toMatchObject({ ename: 'TypeScriptError' });
});
