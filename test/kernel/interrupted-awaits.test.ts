import { runInThisContext } from 'node:vm';
import { compileCell } from '../../kernel/executor/transform/compile-cell.ts';
import { NotebookNames } from '../../kernel/executor/transform/names.ts';
import { WITHOUT_TYPES } from './client.ts';
import { kernel, withKernel } from './one-kernel.ts';
import { pass } from '../setup/until.ts';

describe('the check behind an await does not change the value or the order of evaluation', () => {
  const bindings = {
    interrupted: false,
    module: (loading: unknown) => loading,
    result: (value: unknown) => Object.assign(bindings, { value }),
    names: {},
    value: undefined as unknown
  };

  test.each([
    ['await 1 + await 2', 3],
    ['(await 2) ** 3', 8],
    ['await await await 4', 4],
    ['1, await 5', 5],
    ['-await 6', -6],
    ['[await 1, ...await [2, 3]]', [1, 2, 3]],
    ['({ a: await 1, [await "b"]: 2, ...await { c: 3 } })', { a: 1, b: 2, c: 3 }],
    ['`${await 1}${await 2}`', '12'],
    ['(await ((x) => x + 1))(await 1)', 2],
    ['new (await Array)(await 2).length', 2],
    ['await null ?? await 7', 7],
    ['(await { a: { b: 8 } })?.a.b', 8],
    ['(await import("node:path")).sep', '/'],
    ['await import("node:path").then(({ sep }) => sep)', '/'],
    ['const { p1, q1 = await 9 } = await {}; [p1, q1]', [undefined, 9]],
    ['let p2, q2; ({ p2, q2 } = await { p2: 1, q2: 2 }); [p2, q2]', [1, 2]],
    ['const r = async () => await 3\nawait r()', 3],
    ['const s = async (x) => { for (;;) { if (await x-- < 0) return await x } }; await s(2)', -2],
    ['class T { static async m() { return (await this).name } }; await T.m()', 'T'],
    ['let u = 0; for (const x of await [1, 2]) u += await x; u', 3],
    ['let v = 0; for await (const x of [1, 2]) v += x\nv', 3],
    ['let w = 0; for await (const x of [1, 2]) for await (const y of [3, 4]) w += await x * await y\nw', 21],
    ['let y = 0; outer: for await (const x of [1, 2, 3]) { if (x === 2) continue outer; y += x }; y', 4],
    ['let z = 0; if (z) for await (const x of []); else z = await 5; z', 5],
    ['let c = ""; for await (c of ["a", "b"]); c', 'b'],
    [
      'async function* g() { yield await 1; yield* await [2] }; const l = []; for await (const x of g()) l.push(x); l',
      [1, 2]
    ],
    ['let e; try { await Promise.reject(new Error("no")) } catch (error) { e = error.message }; e', 'no'],
    ['using d = await { [Symbol.dispose]() {} }; await 2', 2]
  ])('%s', async (source, expected) => {
    bindings.value = undefined;
    const { script } = compileCell(source, new NotebookNames());
    expect(script).toContain('__stridelab.interrupted');
    await (
      runInThisContext(script, { importModuleDynamically: path => import(path) }) as (
        given: object
      ) => unknown
    )(bindings);
    expect(bindings.value).toEqual(expected);
  });
});

describe('after an interrupt of a cell that waits', () => {
  withKernel('tcp', WITHOUT_TYPES);
  beforeAll(async () => {
    await kernel.execute(`
      var kept = 42;
      const turn = () => new Promise(resolve => setTimeout(resolve, 1));
      async function count(key) { for (;;) { await turn(); counts[key] = (counts[key] ?? 0) + 1; } }
      var counts = {};`);
  });

  async function interrupt(code: string): Promise<void> {
    const id = kernel.startExecution(`console.log('begun'); ${code}`);
    await kernel.published(({ type, parentId }) => type === 'stream' && parentId === id);
    await pass(40, 'the functions wait and continue several times');
    await kernel.request('interrupt_request', {}, 'control');
    expect((await kernel.finish(id)).reply['ename']).toBe('Interrupted');
  }

  /** The value of counter `key` while another cell runs. */
  const grows = async (key: string): Promise<unknown> =>
    (
      await kernel.execute(
        `const before = counts.${key}; await new Promise(r => setTimeout(r, 60)); counts.${key} > before`
      )
    ).result;

  test.each([
    ['its own loop', 'own', 'for (;;) { await turn(); counts.own = (counts.own ?? 0) + 1; }'],
    ['a function of an earlier cell', 'earlier', 'await count("earlier")'],
    ['a function that nothing awaits', 'loose', 'void count("loose"); await new Promise(() => {})'],
    [
      'a loop of `for await`',
      'stepped',
      'async function* steps() { for (;;) { await turn(); yield 1; } }; for await (const _ of steps()) counts.stepped = (counts.stepped ?? 0) + 1;'
    ],
    [
      'a loop of `for await` over a stream of Node',
      'streamed',
      'const { setInterval: every } = require("node:timers/promises"); for await (const _ of every(1)) counts.streamed = (counts.streamed ?? 0) + 1;'
    ],
    [
      'an interval whose function waits',
      'ticked',
      'setInterval(async () => { await turn(); counts.ticked = (counts.ticked ?? 0) + 1; }, 2); await new Promise(() => {})'
    ],
    [
      'functions that an interval began and that never return',
      'begun',
      'setInterval(() => count("begun"), 5); await new Promise(() => {})'
    ],
    [
      'what catches errors',
      'caught',
      'for (;;) { try { await turn(); counts.caught = (counts.caught ?? 0) + 1; throw 1; } catch { await turn(); } }'
    ]
  ])('%s ends', async (_, key, code) => {
    await interrupt(code);
    expect(await grows(key)).toBe('false');
    expect((await kernel.execute(`counts.${key} > 0 && kept`)).result).toBe('42');
  });

  test('work of an earlier cell continues', async () => {
    await kernel.execute('void count("background"); 0;');
    await interrupt('for (;;) await turn()');
    expect(await grows('background')).toBe('true');
  });

  test('a function whose wait succeeds stays suspended, one whose wait fails can clean up', async () => {
    await kernel.execute('var ended = []; var settle;');
    const wait = 'await new Promise((...given) => { settle = given; });';
    for (const [index, expected] of [
      [0, '[]'],
      [1, "[ 'caught', 'finally' ]"]
    ] as const) {
      await interrupt(
        `try { ${wait} ended.push('on'); } catch { ended.push('caught'); } finally { ended.push('finally'); }`
      );
      expect((await kernel.execute(`settle[${index}](); await turn(); ended`)).result).toBe(expected);
    }
  });

  test('stopped functions are collected', async () => {
    await kernel.execute(
      'require("node:v8").setFlagsFromString("--expose-gc"); var collect = require("node:vm").runInNewContext("gc"); var held;'
    );
    await interrupt(
      'await (async () => { const big = { n: 1 }; held = new WeakRef(big); for (;;) { await turn(); big.n += 1; } })()'
    );
    const look =
      'for (let i = 0; i < 100 && held.deref(); i++) { await turn(); collect(); } held.deref() === undefined';
    expect((await kernel.execute(look)).result).toBe('true');
  });
});
