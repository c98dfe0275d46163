import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { completeness } from '../../kernel/front/typescript/completeness.ts';
import { parseMagics, typesMode } from '../../kernel/protocol/magics.ts';
import { traceback } from './client.ts';
import { FakeRegistry } from './fake-registry.ts';
import { kernel, withKernel } from './one-kernel.ts';

describe('which part of a cell is a magic', () => {
  const told = (source: string, names: string[] = []): string[] =>
    parseMagics(source, word => names.includes(word)).magics.map(
      ({ kind, name, argument }) => `${kind} ${name} ${argument}`
    );

  test.each([
    ['%cd /tmp', ['line cd /tmp'], '        '],
    ['  %who  \nx', ['line who '], '        \nx'],
    ['!ls -la\n%env A=1\n\nf(1)', ['command  ls -la', 'line env A=1'], '       \n        \n\nf(1)'],
    ['// why\n#!x\n/* c */\n%pwd\nx', ['line pwd '], '// why\n#!x\n/* c */\n    \nx'],
    ['%%bash a b\necho x\n%who', ['cell bash a b'], '          \n      \n    '],
    ['%time f(\n1)', ['line time '], '      f(\n1)'],
    ['%%time\nf()', ['cell time '], '      \nf()'],
    ['%cd x\n%%bash\n!y', ['line cd x', 'cell bash '], '     \n      \n  '],
    ['!a \\\n  b\nx', ['command  a    b'], '    \n   \nx'],
    ['%cd x\r\ny\r\n', ['line cd x'], '     \r\ny\r\n'],
    ['%', ['line  '], ' '],
    ['\uFEFF%pwd', ['line pwd '], '     ']
  ])('%j', (source, magics, code) => {
    expect(told(source)).toEqual(magics);
    expect(parseMagics(source).code).toBe(code);
    expect(code).toHaveLength(source.length);
  });

  test.each([
    'a\n% b',
    'x = 5\n%cd /tmp',
    '`\n%cd\n`',
    '/*\n%cd\n*/ 1',
    '!(a)',
    '!!a',
    '!function () {}()',
    '![]',
    '!await f()',
    '"%cd"',
    '',
    '\n',
    'let x = 1 // %cd'
  ])('%j is TypeScript', source => {
    expect(parseMagics(source)).toEqual({ code: source, magics: [] });
  });

  test('a variable after an exclamation mark is an expression', () => {
    expect(told('!ready', ['ready'])).toEqual([]);
    expect(told('!ready', [])).toEqual(['command  ready']);
    expect(told('!ready-made', ['ready-made'])).toEqual(['command  ready-made']);
  });

  test('the last valid mode of types is used', () => {
    expect(typesMode(parseMagics('%types off\n%types strict\n%types loud'))).toBe('strict');
    expect(typesMode(parseMagics('1'))).toBeUndefined();
  });

  test('cells with magics are complete for consoles', () => {
    expect(completeness(parseMagics('%npm install x').code).status).toBe('complete');
    expect(completeness(parseMagics('%%bash\nif true; then').code).status).toBe('complete');
    expect(completeness(parseMagics('%time f(').code).status).toBe('incomplete');
  });
});

describe('magics that run', () => {
  let registry: FakeRegistry;
  withKernel();
  beforeAll(async () => {
    registry = await FakeRegistry.start([
      {
        name: 'tiny-adder',
        version: '1.2.3',
        manifest: { type: 'module', exports: './index.js' },
        files: { 'index.js': 'export const add = (a, b) => a + b;' }
      }
    ]);
    const settings = Object.entries(registry.environment()).map(([name, value]) => `%env ${name}=${value}`);
    await kernel.execute(settings.join('\n'));
  });
  afterAll(() => registry.close());

  const fails = async (cell: string, ename: string, evalue: RegExp): Promise<string> => {
    const { reply } = await kernel.execute(cell);
    expect(reply).toMatchObject({ status: 'error', ename, evalue: expect.stringMatching(evalue) as unknown });
    return traceback(reply);
  };

  test('run before the TypeScript, in order', async () => {
    const { stdout, result } = await kernel.execute(
      '!echo one\n%env MAGIC=two\n!echo $MAGIC\nprocess.env.MAGIC'
    );
    expect(stdout).toBe('one\nMAGIC=two\ntwo\n');
    expect(result).toBe("'two'");
  });

  test('an error in the TypeScript below has its own line', async () => {
    const { reply } = await kernel.execute('%pwd\n\nnull.x');
    expect(traceback(reply)).toContain(`Cell [${String(reply['execution_count'])}]:3:6`);
    expect(traceback(reply)).toMatch(/1 \| %pwd/);
  });

  test('commands stream both outputs, and their failure is an error', async () => {
    const id = kernel.startExecution(
      '!mkfifo go; echo early; read line < go; echo $line; echo bad >&2; exit 3'
    );
    await kernel.published(({ type, parentId }) => type === 'stream' && parentId === id);
    writeFileSync(join(kernel.folder, 'go'), 'late\n');
    const { stdout, stderr, reply } = await kernel.finish(id);
    expect([stdout, stderr]).toEqual(['early\nlate\n', 'bad\n']);
    expect(reply).toMatchObject({
      ename: 'CommandError',
      evalue: expect.stringContaining('exit status 3') as unknown
    });
  });

  test('scripts get their arguments; text is decoded across chunks', async () => {
    const { stdout } = await kernel.execute(
      "%%bash a 'b'\necho $2 $1\nprintf '\\303'; sleep 0.05; printf '\\251'"
    );
    expect(stdout).toBe("'b' a\né");
  });

  test('an interrupt ends the program and its children', async () => {
    const id = kernel.startExecution('%%bash\ntrap "" INT\necho $$; while true; do sleep 0.05; done');
    const { content } = await kernel.published(({ type, parentId }) => type === 'stream' && parentId === id);
    await kernel.request('interrupt_request', {}, 'control');
    expect((await kernel.finish(id)).reply).toMatchObject({ ename: 'Interrupted' });
    const alive = `require('node:timers/promises'); let alive = true;
      for (let i = 0; alive && i < 100; i++) {
        try { globalThis.process.kill(${String(content['text']).trim()}, 0); await new Promise(r => setTimeout(r, 50)) }
        catch { alive = false }
      } alive`;
    expect((await kernel.execute(alive)).result).toBe('false');
  });

  test('the working directory and the environment can be changed', async () => {
    const { folder } = kernel;
    mkdirSync(join(folder, 'a b'));
    writeFileSync(join(folder, 'beside.ts'), 'export default 1');
    const { stdout, result } = await kernel.execute(
      `%cd "a b"\n!pwd\n%cd -\n%pwd\nimport one from './beside.ts'; one`
    );
    expect(stdout.trim().split('\n')).toEqual([join(folder, 'a b'), join(folder, 'a b'), folder, folder]);
    expect(result).toBe('1');
    await fails('%cd nowhere', 'MagicError', /no such folder/);
    await fails('%cd beside.ts', 'MagicError', /file/);
    await fails('%env NOT_SET', 'MagicError', /no variable NOT_SET/);
    expect((await kernel.execute('%env A="b c"\n!echo "$A"')).stdout).toBe('A=b c\nb c\n');
  });

  test('%time reports how long a cell took, also one that fails', async () => {
    const { stdout, result } = await kernel.execute('%time 40 + 2');
    expect(stdout).toMatch(/^Wall time: [\d.]+ (µs|ms|s), CPU: [\d.]+ /);
    expect(result).toBe('42');
    const { stdout: failed, reply } = await kernel.execute('%%time\nawait 1; throw 1');
    expect(failed).toMatch(/^Wall time/);
    expect(reply['status']).toBe('error');
  });

  test('%who lists names, and %reset deletes them', async () => {
    await kernel.execute('%reset');
    expect((await kernel.execute('%who')).stdout).toBe('No variables\n');
    await kernel.execute(`class Kept {} const later = () => [a1, fetch];
      let a1 = 5, b1 = 'text', c1 = new Map([[1, 2]]), fetch = new Proxy({}, { get() { throw 1 } })`);
    const { stdout } = await kernel.execute('%who');
    expect(stdout.split('\n').map(row => row.split(/\s+/).slice(0, 2).join(' '))).toEqual([
      'Kept class',
      'a1 number',
      'b1 string',
      'c1 Map',
      'fetch object',
      'later function',
      ''
    ]);
    expect((await kernel.execute('%who Map')).stdout).toMatch(/^c1 +Map +Map\(1\).*\n$/);
    await kernel.execute('%reset a1, fetch');
    expect((await kernel.execute('typeof a1 + typeof fetch + b1')).result).toBe("'undefinedfunctiontext'");
    for (const use of ['a1', 'a1 = 2', 'a1++', '() => a1; a1()'])
      await fails(use, 'ReferenceError', /a1 is not defined/);
    expect((await kernel.execute('const a1 = 7; [a1, later()[0]]')).result).toBe('[ 7, 7 ]');
    await fails('%reset never', 'MagicError', /no variable never/);
  });

  test('cell magics show and save their text', async () => {
    const { messages } = await kernel.execute('%%html\n<b>1 < 2</b>');
    expect(messages.find(({ type }) => type === 'display_data')?.content['data']).toMatchObject({
      'text/html': '<b>1 < 2</b>'
    });
    await kernel.execute('%%writefile made.ts\nexport const made: number = 1');
    await kernel.execute('%%writefile -a made.ts\nexport const more = 2');
    expect((await kernel.execute("import { made, more } from './made.ts'; [made, more]")).result).toBe(
      '[ 1, 2 ]'
    );
    await fails('%%writefile', 'MagicError', /needs a file name/);
  });

  test('%npm installs a package that the next line can import, and uninstalls it', async () => {
    const { stdout, stderr, result, reply } = await kernel.execute(
      "%npm install tiny-adder\nimport { add } from 'tiny-adder'; add(1, 2)"
    );
    // npm prints warnings about the user's settings.
    const told = stderr.replace(/^npm warn Unknown env config .*\n/gm, '');
    expect({ reply, told }).toMatchObject({ reply: { status: 'ok' }, told: '' });
    expect(result).toBe('3');
    expect(stdout).toContain('added 1 package');
    const manifest = (): string => readFileSync(join(kernel.folder, 'package.json'), 'utf8');
    expect(JSON.parse(manifest())).toMatchObject({ dependencies: { 'tiny-adder': '^1.2.3' } });
    expect((await kernel.execute('%npm ls')).stdout).toContain('tiny-adder@1.2.3');
    await kernel.execute('%npm uninstall tiny-adder');
    expect(manifest()).not.toContain('tiny-adder');
  });

  test('%npm reports why it failed', async () => {
    await fails('%npm install tiny-nothing', 'NpmError', /no package "tiny-nothing/);
    await fails('%npm', 'MagicError', /needs a command/);
    await kernel.execute('%env npm_config_registry=http://127.0.0.1:1');
    await fails('%npm install tiny-other', 'NpmError', /could not reach the registry \(ECONNREFUSED\)/);
  });

  test('%types is validated, and %help and %lsmagic list the magics', async () => {
    await fails('%types loud', 'MagicError', /strict, warn or off/);
    expect((await kernel.execute('%types warn')).reply['status']).toBe('ok');
    expect((await kernel.execute('%lsmagic')).stdout).toMatch(/%%bash.*%npm/);
    expect((await kernel.execute('%help cd')).stdout).toMatch(/^%cd .*working directory/);
    expect((await kernel.execute('%help')).stdout.split('\n').length).toBeGreaterThan(15);
  });

  test('their names are completed where a magic is allowed', async () => {
    const ask = (code: string, cursor: number): Promise<object> =>
      kernel.request('complete_request', { code, cursor_pos: cursor });
    expect(await ask('// 😀\n%wh', 8)).toMatchObject({ matches: ['%who'], cursor_start: 5, cursor_end: 8 });
    expect(await ask('%%t\nf()', 3)).toMatchObject({ matches: ['%%time'], cursor_start: 0, cursor_end: 3 });
    expect(await ask('1\n%wh', 5)).not.toMatchObject({ matches: ['%who'] });
  });

  test('unknown ones suggest similar names', async () => {
    expect(await fails('\n%evn X', 'MagicError', /unknown magic %evn: did you mean %env/)).toMatch(/:2:1\n/);
    await fails('%matplotlib inline', 'MagicError', /unknown magic %matplotlib: %%python cells show figures/);
    await fails('%zzzzzz', 'MagicError', /%lsmagic/);
    await fails('%%bsh\necho', 'MagicError', /%%bash/);
    await fails('%', 'MagicError', /%lsmagic/);
  });
});
