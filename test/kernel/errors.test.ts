import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { plain, traceback, type Content, type Message } from './client.ts';
import { kernel, withKernel } from './one-kernel.ts';

withKernel();

async function failure(cell: string): Promise<Content> {
  const { reply } = await kernel.execute(cell);
  expect(reply['status']).toBe('error');
  return reply;
}

describe('tracebacks', () => {
  test('show the frames of the user across awaits, and none of the kernel or Node', async () => {
    const text = traceback(
      await failure(`const { readFile } = require('node:fs/promises');
        async function inner(file: string) { return await readFile(file) }
        async function outer() {
          await 0;
          return await inner('/nowhere/at all');
        }
        await outer();`)
    );
    expect(text).toMatch(
      /ENOENT[^]*inner \(Cell \[\d+\]:2:\d+\)[^]*outer \(Cell \[\d+\]:5:\d+\)[^]*Cell \[\d+\]:7:/
    );
    expect(text).toContain("code: 'ENOENT'");
    expect(text).not.toMatch(/node:internal|dist\/kernel|executor/);
  });

  test('begin in the cell: library frames are counted, and shown on request', async () => {
    const cell = "import { zeros } from 'stridelab';\nzeros([2], { device: 'sim:0' }).reshape(3)";
    const text = traceback(await failure(cell));
    expect(text).toMatch(
      /^ShapeError: cannot reshape.*\n    at Cell \[\d+\]:2:33\n[^]*> 2 \| zeros[^]*\n    … 2 frames of stridelab \(STRIDELAB_FRAMES=all shows them\)/
    );
    expect(text).not.toContain('dist/src');
    mkdirSync(join(kernel.folder, 'node_modules/@far/thrower'), { recursive: true });
    writeFileSync(
      join(kernel.folder, 'node_modules/@far/thrower/index.js'),
      'exports.call = work => work(); exports.fail = () => { throw new Error("theirs") };'
    );
    expect(traceback(await failure("require('@far/thrower').fail()"))).toMatch(
      /theirs\n    at Cell \[\d+\]:1:25\n[^]*… 1 frame of @far\/thrower/
    );
    await kernel.execute('%env STRIDELAB_FRAMES=all');
    expect(traceback(await failure(cell))).toMatch(/at NDArray\.reshape \(\S*dist\/src\/parts\/library-/);
    await kernel.execute('delete process.env.STRIDELAB_FRAMES');
  });

  test('that contain only library frames are shown unchanged', async () => {
    const { stderr } = await kernel.execute(
      "setTimeout(require('@far/thrower').fail, 0); await new Promise(resolve => setTimeout(resolve, 50))"
    );
    expect(stderr).toMatch(/Error: theirs\n    at .*@far\/thrower\/index\.js:1:/);
  });

  test('explain the rules that a message cites', async () => {
    const text = traceback(await failure("require('stridelab').Stream.fromHandle(0n)"));
    expect(text).toMatch(/\(rule 67\)\n    rule 67: stream 0 is refused\n    at Cell \[/);
  });

  test('show errors that an error aggregates, is caused by or suppresses', async () => {
    const text = traceback(
      await failure(`class Broken extends Error { detail = 7 }
        const aggregate = new AggregateError([new RangeError('first'), 'second', new Broken('third')], 'all of them');
        throw new TypeError('outer', { cause: new Error('middle', { cause: aggregate }) })`)
    );
    expect(text).toMatch(
      /TypeError: outer[^]*Caused by Error: middle[^]*Caused by AggregateError: all of them[^]*1 of 3 RangeError: first\n[^]*2 of 3 Uncaught: second[^]*3 of 3 Broken: third[^]*detail: 7/
    );
    const hidden = traceback(
      await failure(
        "using a = { [Symbol.dispose]() { throw new Error('at the end') } }; throw new Error('before')"
      )
    );
    expect(hidden).toMatch(
      /SuppressedError[^]*Thrown while disposing Error: at the end[^]*Suppressed Error: before/
    );
  });

  test.each<[string, string, string]>([
    ['throw "text"', 'Uncaught', 'text'],
    ['throw undefined', 'Uncaught', 'undefined'],
    ['throw null', 'Uncaught', 'null'],
    ['throw { code: 5 }', 'Uncaught', '{ code: 5 }'],
    ['throw Symbol("s")', 'Uncaught', 'Symbol(s)'],
    ['throw () => 1', 'Uncaught', '[Function (anonymous)]'],
    ['await Promise.reject(1n)', 'Uncaught', '1n'],
    ['AbortSignal.abort().throwIfAborted()', 'AbortError', 'This operation was aborted'],
    ['structuredClone(() => 1)', 'DataCloneError', '() => 1 could not be cloned.'],
    ['class Mine extends RangeError { name = "Mine" } throw new Mine("m")', 'Mine', 'm'],
    ['class Named extends Error {} throw new Named("n")', 'Named', 'n'],
    ['require("node:vm").runInNewContext("throw new TypeError(1)")', 'TypeError', '1'],
    ['throw Object.assign(new Error("x"), { stack: 5 })', 'Error', 'x'],
    ['throw Object.freeze(new Error("ice"))', 'Error', 'ice'],
    ['const loop: any = new Error("loop"); loop.cause = loop; throw loop', 'Error', 'loop'],
    [
      'const p = Proxy.revocable({}, {}); p.revoke(); throw p.proxy',
      'Uncaught',
      'a value that cannot be inspected'
    ],
    [
      'throw new Proxy(new Error("p"), { get() { throw new Error("trap") } })',
      'Uncaught',
      'a value that cannot be inspected'
    ],
    ['function deep(): never { return deep() } deep()', 'RangeError', 'Maximum call stack size exceeded']
  ])('of %j', async (cell, ename, evalue) => {
    const reply = await failure(cell);
    expect(reply).toMatchObject({ ename, evalue });
    expect(traceback(reply).split('\n').length).toBeLessThan(60);
    expect((await kernel.execute('1 + 1')).result).toBe('2');
  });

  test('keep the line of a cell that has tabs, wide characters and comments', async () => {
    const { execution_count: count, ...reply } = await failure(
      '/* 😀 */\n\n\tconst ü = "😀", x: any = null;\tx.y'
    );
    expect(traceback(reply)).toContain(`Cell [${String(count)}]:3:35`);
  });
});

describe('unhandled errors', () => {
  const told = (id: string, text: string): Promise<Message> =>
    kernel.published(
      ({ type, parentId, content }) =>
        type === 'stream' &&
        parentId === id &&
        content['name'] === 'stderr' &&
        plain(String(content['text']))!.includes(text)
    );
  const ways: [string, (message: string) => string][] = [
    ['a timer', message => `setTimeout(() => { throw new Error('${message}') }, 40)`],
    [
      'an interval',
      message => `const each = setInterval(() => { clearInterval(each); throw new Error('${message}') }, 40)`
    ],
    [
      'a promise',
      message =>
        `void (async () => { await new Promise(r => setTimeout(r, 40)); throw new Error('${message}') })()`
    ],
    [
      'a microtask',
      message => `setTimeout(() => queueMicrotask(() => { throw new Error('${message}') }), 40)`
    ],
    [
      'a next tick',
      message => `setTimeout(() => process.nextTick(() => { throw new Error('${message}') }), 40)`
    ],
    [
      'an event',
      message =>
        `const { EventEmitter } = require('node:events'); const emitter = new EventEmitter(); setTimeout(() => emitter.emit('error', new Error('${message}')), 40)`
    ],
    [
      'a callback of the file system',
      message => `setTimeout(() => require('node:fs').stat('/', () => { throw new Error('${message}') }), 40)`
    ]
  ];

  test.each(ways)(
    'of %s are reported once, in the cell that caused them, also while another one runs',
    async (_way, code) => {
      const message = `late ${Math.random()}`;
      const first = await kernel.execute(`${code(message)};\n0;`);
      const second = await kernel.execute('await new Promise(r => setTimeout(r, 120))');
      const { content } = await told(first.id, message);
      expect(plain(String(content['text']))).toMatch(
        new RegExp(`Cell \\[${String(first.reply['execution_count'])}\\]:1:`)
      );
      expect(second.stderr).toBe('');
      const texts = kernel.iopub.filter(({ content: { text } }) => String(text).includes(message));
      expect(texts).toHaveLength(1);
    }
  );

  test('leave the cell that caused them running', async () => {
    const { reply, stderr, result } = await kernel.execute(
      `Promise.reject(new Error('forgotten')); await new Promise(r => setTimeout(r, 30)); 'done'`
    );
    expect([reply['status'], result]).toEqual(['ok', "'done'"]);
    expect(stderr).toMatch(/Unhandled rejection[^]*forgotten/);
  });

  test('of an imported file show its lines', async () => {
    writeFileSync(
      join(kernel.folder, 'ticks.ts'),
      'type T = 1;\nexport const tick = () => setTimeout(() => { throw new Error("tick") }, 10);\n'
    );
    const { id } = await kernel.execute("import { tick } from './ticks'; tick();");
    expect(plain(String((await told(id, 'tick')).content['text']))).toMatch(
      /ticks\.ts:2:\d+[^]*> 2 \| export const tick/
    );
  });
});
