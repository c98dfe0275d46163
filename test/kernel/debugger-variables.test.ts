/** Variables in the debugger, while a cell is stopped and while none is. */

import { field, WITHOUT_TYPES } from './client.ts';
import { kernel, withKernel } from './one-kernel.ts';
import { DebugClient, type Variable } from './debug-client.ts';

let debug: DebugClient;
withKernel('tcp', WITHOUT_TYPES);
beforeAll(async () => {
  debug = new DebugClient(kernel);
  await debug.attach();
});

/** Runs a cell to its `debugger` statement; returns its scopes and a function that continues it. */
async function stopIn(
  code: string
): Promise<{ frameId: number; scopes: Record<string, number>; end: () => Promise<string | undefined> }> {
  const id = kernel.startExecution(code);
  const frameId = (await debug.stopped())[0]!.id;
  const end = async (): Promise<string | undefined> => {
    await debug.continue();
    return (await kernel.finish(id)).result;
  };
  return { frameId, scopes: await debug.scopes(frameId), end };
}

async function inspectVariables(): Promise<Record<string, Variable>> {
  const { variables } = await debug.ask<{ variables: Variable[] }>('inspectVariables');
  return Object.fromEntries(variables.map(variable => [variable.name, variable]));
}

test('values of all kinds are listed with their types', async () => {
  await kernel.execute(`const kinds = {
    text: 'a\\'b', number: 1.5, big: 12n, nothing: null, missing: undefined, yes: true,
    list: [1, 'two', { three: 3 }], map: new Map([['k', 1]]), set: new Set([1]), bytes: new Uint8Array(3),
    date: new Date(0), error: new RangeError('too far'), call: function named(a: number) { return a; },
    klass: class Point { x = 1 }, symbol: Symbol('s'), promise: Promise.resolve(5), zero: -0
  };`);
  const { kinds } = await inspectVariables();
  const children = await debug.variables(kinds!.variablesReference);
  expect(children).toMatchObject({
    text: { value: `"a'b"`, type: 'string', variablesReference: 0 },
    number: { value: '1.5', type: 'number' },
    big: { value: '12n', type: 'bigint' },
    nothing: { value: 'null', type: 'null' },
    missing: { value: 'undefined', type: 'undefined' },
    yes: { value: 'true', type: 'boolean' },
    list: { value: "Array(3) [1, 'two', {…}]", type: 'Array(3)' },
    map: { value: "Map(1) {'k' => 1}", type: 'Map(1)' },
    set: { value: 'Set(1) {1}', type: 'Set(1)' },
    bytes: { value: 'Uint8Array(3) [0, 0, 0]', type: 'Uint8Array(3)' },
    date: { value: expect.stringContaining('1970') as string, type: 'Date' },
    error: { value: 'RangeError: too far', type: 'RangeError' },
    call: { value: 'ƒ named(a)', type: 'function' },
    klass: { value: 'class Point', type: 'class' },
    symbol: { value: 'Symbol(s)', type: 'symbol', variablesReference: 0 },
    zero: { value: '-0', type: 'number' }
  });
  expect(await debug.variables(children['map']!.variablesReference)).toMatchObject({ "'k'": { value: '1' } });
  expect(await debug.variables(children['set']!.variablesReference)).toMatchObject({ 0: { value: '1' } });
  expect(await debug.variables(children['promise']!.variablesReference)).toMatchObject({
    '[[PromiseState]]': { value: "'fulfilled'" },
    '[[PromiseResult]]': { value: '5' }
  });
});

test('scopes of nested functions are listed, values can be set in each, and getters are called only when opened', async () => {
  const { frameId, scopes, end } = await stopIn(`
    let calls = 0;
    class Watched { #hidden = 3; get lazy() { calls += 1; return this.#hidden * 2; } }
    const watched = new Watched();
    function outer(closed: number) {
      return function inner(own: { n: number }) {
        let changed = 1;
        debugger;
        return own.n + closed + changed + calls * 1000;
      };
    }
    outer(10)({ n: 5 })`);
  expect(Object.keys(scopes)).toEqual(['Local', 'Closure', 'Cell', 'Global']);
  const local = await debug.variables(scopes['Local']!);
  expect(Object.keys(local).sort()).toEqual(['changed', 'own']);
  expect(await debug.variables(scopes['Closure']!)).toMatchObject({ closed: { value: '10' } });
  const { watched } = await debug.variables(scopes['Cell']!);
  const inside = await debug.variables(watched!.variablesReference);
  expect(inside).toMatchObject({
    '#hidden': { value: '3' },
    lazy: { value: '(…)', presentationHint: { lazy: true } }
  });
  expect(await debug.evaluate('calls', frameId)).toBe('0');
  expect(await debug.variables(inside['lazy']!.variablesReference)).toMatchObject({ lazy: { value: '6' } });
  const set = (variablesReference: number, name: string, value: string) =>
    debug.request('setVariable', { variablesReference, name, value });
  expect((await set(scopes['Local']!, 'changed', '2 as number')).body).toMatchObject({ value: '2' });
  expect((await set(scopes['Closure']!, 'closed', '20')).success).toBe(true);
  expect((await set(scopes['Cell']!, 'calls', '7')).success).toBe(true);
  expect((await set(local['own']!.variablesReference, 'n', '6')).success).toBe(true);
  expect(await set(scopes['Cell']!, 'watched', '1')).toMatchObject({
    success: false,
    message: expect.stringContaining('constant') as string
  });
  expect(await end()).toBe('7028');
});

test('expressions are evaluated in frames and globally: TypeScript, objects, errors, and no side effects in a hover', async () => {
  const { frameId, end } = await stopIn(
    'const seenAll: number[] = [];\nfunction k(v: number) {\n  debugger;\n  return v;\n}\nk(3)'
  );
  expect(await debug.evaluate('v * 2', frameId)).toBe('6');
  expect(await debug.evaluate('(v as unknown) as string', frameId)).toBe('3');
  expect(await debug.evaluate('{ v }', frameId)).toBe('{v: 3}');
  expect(await debug.evaluate('seenAll.push(v); seenAll', frameId)).toBe('Array(1) [3]');
  await expect(debug.evaluate('seenAll.push(v)', frameId, 'hover')).rejects.toThrow('side');
  await expect(debug.evaluate('nobody', frameId)).rejects.toThrow('nobody is not defined');
  await expect(debug.evaluate('1 +', frameId)).rejects.toThrow();
  await expect(debug.evaluate('v', 4711)).rejects.toThrow('earlier stop');
  expect(await end()).toBe('3');
  expect(await debug.evaluate('seenAll.length')).toBe('1');
});

test('long arrays are returned in parts, or as the client pages them', async () => {
  await kernel.execute(
    'const long = Array.from({ length: 25_000 }, (_, i) => i * 2); const typed = new Float32Array(250).fill(0.5);'
  );
  const { long, typed } = await inspectVariables();
  expect(long).toMatchObject({ indexedVariables: 25_000 });
  const page = await debug.variables(long!.variablesReference, {
    filter: 'indexed',
    start: 24_998,
    count: 10
  });
  expect(page).toMatchObject({ 24998: { value: '49996' }, 24999: { value: '49998' } });
  expect(Object.keys(page)).toHaveLength(2);
  const parts = await debug.variables(long!.variablesReference);
  expect(Object.keys(parts)).toHaveLength(3);
  const inner = await debug.variables(parts['[20000 … 24999]']!.variablesReference);
  expect(await debug.variables(inner['[24900 … 24999]']!.variablesReference)).toMatchObject({
    24999: { value: '49998' }
  });
  const chunks = await debug.variables(typed!.variablesReference);
  expect(Object.keys(chunks)).toEqual(['[0 … 99]', '[100 … 199]', '[200 … 249]']);
});

test('arrays show shape, dtype and device, and their picture, stopped or not', async () => {
  await kernel.execute(
    "import { arange } from 'stridelab';\nconst grid = arange(12, { dtype: 'float32', device: 'sim:0' }).reshape(3, 4);"
  );
  const { grid } = await inspectVariables();
  expect(grid).toMatchObject({ value: 'NDArray float32 (3, 4) on sim:0 (simulated), 48 B', type: 'NDArray' });
  const loose = await debug.ask('richInspectVariables', { variableName: 'grid' });
  expect(field<string>(loose, 'data', 'text/html')).toMatch(/<svg|<table/);
  const { frameId, end } = await stopIn(
    'function look(local: typeof grid) {\n  debugger;\n  return local.shape.length;\n}\nlook(grid)'
  );
  const stopped = await debug.ask('richInspectVariables', { variableName: 'local', frameId });
  expect(field<string>(stopped, 'data', 'text/html')).toMatch(/<svg|<table/);
  expect(await debug.ask('richInspectVariables', { variableName: 'nobody', frameId })).toEqual({
    data: {},
    metadata: {}
  });
  expect(await debug.ask('richInspectVariables', { variableName: '[0 … 99]', frameId })).toEqual({
    data: {},
    metadata: {}
  });
  expect(await end()).toBe('2');
});

test('a local variable is copied to the notebook', async () => {
  const { frameId, end } = await stopIn(
    'function work2() {\n  const inside = { a: 1 };\n  debugger;\n  return 0;\n}\nwork2()'
  );
  await debug.ask('copyToGlobals', {
    srcVariableName: 'inside',
    dstVariableName: 'copied',
    srcFrameId: frameId
  });
  await end();
  expect((await kernel.execute('copied.a')).result).toBe('1');
});

test('while a cell is busy the variables are listed, and during a native call the last known ones', async () => {
  const loop = kernel.startExecution(
    "const stop = new Int32Array(new SharedArrayBuffer(8));\nlet turns = 0;\nconsole.log('on');\nwhile (stop[0] === 0) turns += 1;"
  );
  await kernel.published(({ type, parentId }) => type === 'stream' && parentId === loop);
  const { turns, grid } = await inspectVariables();
  expect(Number(turns!.value)).toBeGreaterThan(0);
  expect(grid!.value).toContain('NDArray');
  await debug.evaluate('stop[0] = 1');
  await kernel.finish(loop);
  const blocked = kernel.startExecution("console.log('in');\nAtomics.wait(stop, 1, 0, 1500);");
  await kernel.published(({ type, parentId }) => type === 'stream' && parentId === blocked);
  expect(await inspectVariables()).toHaveProperty('turns');
  await kernel.finish(blocked);
}, 15_000);

test('a request while another is answered lists what has changed since', async () => {
  await kernel.execute(Array.from({ length: 500 }, (_, i) => `let many${i} = { n: ${i} };`).join('\n'));
  for (let round = 0; round < 10; round += 1) {
    const earlier = inspectVariables();
    await kernel.execute(`let round${round} = ${round};`);
    expect((await inspectVariables())[`round${round}`]).toMatchObject({ value: String(round) });
    await earlier;
  }
});

test('handles of an earlier stop are refused, and the notebook keeps the same tree', async () => {
  const { scopes, end } = await stopIn('const early = 1;\ndebugger;');
  await end();
  expect(await debug.request('variables', { variablesReference: scopes['Cell']! })).toMatchObject({
    success: false,
    message: expect.stringContaining('earlier') as string
  });
  const first = (await inspectVariables())['kinds']!.variablesReference;
  expect((await inspectVariables())['kinds']!.variablesReference).toBe(first);
});

test("JupyterLab's panel gets no types, which it would show instead of the value", async () => {
  await debug.ask('initialize', { clientID: 'jupyterlab', supportsVariableType: true });
  await debug.ask('attach');
  expect((await inspectVariables())['kinds']).not.toHaveProperty('type');
});
