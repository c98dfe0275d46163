import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { traceback } from '../client.ts';
import { kernel, last, withKernel } from '../one-kernel.ts';

withKernel();
beforeAll(() => kernel.execute('%types off'));

/** What a cell that must succeed printed. */
async function printed(cell: string): Promise<string> {
  const { reply, stdout } = await kernel.execute(cell);
  if (reply['status'] !== 'ok') throw new Error(traceback(reply));
  return stdout;
}

describe('who sees Deno', () => {
  test('cells that name it, in functions and later cells too; the process has no global Deno', async () => {
    expect(await last('typeof Deno')).toBe("'object'");
    expect(await last('[typeof globalThis.Deno, "Deno" in globalThis].join()')).toBe("'undefined,false'");
    expect(await last('const where = () => Deno.cwd() === process.cwd()', 'where()')).toBe('true');
    expect(await last('const shorthand = { Deno }; shorthand.Deno === Deno')).toBe('true');
  });

  test('packages take the process for Node', async () => {
    const guess = 'export const runtime = typeof Deno === "undefined" ? "node" : "deno";';
    mkdirSync(join(kernel.folder, 'node_modules/guess'), { recursive: true });
    writeFileSync(join(kernel.folder, 'node_modules/guess/index.mjs'), guess);
    writeFileSync(
      join(kernel.folder, 'node_modules/guess/package.json'),
      '{ "name": "guess", "exports": "./index.mjs" }'
    );
    expect(await last('import { runtime } from "guess"; [runtime, typeof Deno].join()')).toBe(
      "'node,object'"
    );
  });

  test("the user's own files have it, unless they ask with typeof where they run", async () => {
    writeFileSync(
      join(kernel.folder, 'near.ts'),
      'export const here = (unused = 1, { cwd = Deno.cwd } = {}): string => { for (const each of [unused]) void each; return cwd(); };\n'
    );
    writeFileSync(
      join(kernel.folder, 'both.ts'),
      'declare const Deno: { version: object } | undefined;\nexport const found: boolean = typeof Deno !== "undefined" && Deno.version !== null;\n'
    );
    writeFileSync(
      join(kernel.folder, 'own.ts'),
      'const Deno = { cwd: () => "own" };\nexport const own: string = Deno.cwd();\n'
    );
    expect(
      await last(
        'import { here } from "./near"; import { found } from "./both"; import { own } from "./own"; [here() === process.cwd(), found, own].join()'
      )
    ).toBe("'true,false,own'");
  });

  test('a notebook can declare the name, and gets ours back with %reset', async () => {
    expect(await last('const Deno = { mine: 1 }', 'Deno.mine')).toBe('1');
    expect(await last('%reset Deno', 'typeof Deno.readTextFile')).toBe("'function'");
  });
});

describe('files', () => {
  test('texts, bytes, streams and folders are written and read', async () => {
    expect(
      await printed(`
        await Deno.mkdir('a/b', { recursive: true });
        await Deno.writeTextFile('a/text', 'one');
        await Deno.writeTextFile('a/text', ' two', { append: true });
        Deno.writeFileSync('a/b/bytes', new Uint8Array([1, 2, 3]));
        await Deno.writeFile('a/stream', new Blob(['streamed']).stream());
        console.log(await Deno.readTextFile('a/text'), Deno.readFileSync('a/b/bytes'), Deno.readTextFileSync('a/stream'));
        const found = [];
        for await (const { name, isDirectory } of Deno.readDir('a')) found.push(name + (isDirectory ? '/' : ''));
        console.log(found.sort().join(' '), [...Deno.readDirSync('a/b')].length);
        const { size, isFile, mtime } = await Deno.stat('a/text');
        console.log(size, isFile, mtime instanceof Date);
        await Deno.rename('a/text', 'a/renamed');
        Deno.copyFileSync('a/renamed', 'a/copy');
        await Deno.remove('a/renamed');
        console.log([...Deno.readDirSync('a')].map(({ name }) => name).sort().join(' '));
        await Deno.remove('a', { recursive: true });
        console.log((await Deno.lstat('a').catch(error => error)).name);`)
    ).toBe(
      'one two Uint8Array(3) [ 1, 2, 3 ] streamed\nb/ stream text 1\n7 true true\nb copy stream\nNotFound\n'
    );
  });

  test('an open file is read and written in parts, as a stream, and closed once', async () => {
    writeFileSync(join(kernel.folder, 'parts'), 'abcdef');
    expect(
      await printed(`
        {
          using file = await Deno.open('parts');
          const bytes = new Uint8Array(4);
          console.log(await file.read(bytes), file.readSync(bytes), await file.read(bytes));
        }
        const whole = await Deno.open('parts');
        console.log(await new Response(whole.readable).text());
        whole.close();
        const target = await Deno.create('target');
        await new Blob(['through a stream']).stream().pipeTo(target.writable);
        const more = Deno.openSync('target', { append: true });
        console.log(await more.write(new TextEncoder().encode('!')), (await more.stat()).size);
        more.close();
        try { more.close() } catch (error) { console.log(error.name) }`)
    ).toBe('4 2 null\nabcdef\n1 17\nBadResource\n');
    expect(readFileSync(join(kernel.folder, 'target'), 'utf8')).toBe('through a stream!');
  });

  test("errors are Deno's, with the place in the cell", async () => {
    const kinds = await printed(`
      const kinds = [];
      const kind = async work => kinds.push((await Promise.resolve().then(work).catch(error => error)).name);
      await kind(() => Deno.readTextFile('missing'));
      await kind(() => Deno.mkdirSync('.'));
      await kind(() => Deno.readFile('.'));
      await kind(() => Deno.writeTextFile('missing', '', { create: false }));
      await kind(() => Deno.writeTextFile('parts', '', { createNew: true }));
      await kind(() => Deno.remove('missing', { recursive: true }));
      await kind(() => Deno.open('parts', { read: false }));
      await kind(() => new Deno.Command('no-such-program').output());
      await kind(() => new Deno.Command('no-such-program').outputSync());
      console.log(kinds.join(' '));`);
    expect(kinds).toBe(
      'NotFound AlreadyExists IsADirectory NotFound AlreadyExists NotFound TypeError NotFound NotFound\n'
    );
    const { reply } = await kernel.execute('1;\nawait Deno.readTextFile("missing");');
    expect(traceback(reply)).toMatch(/^NotFound: ENOENT: .*'missing'\n {4}at Cell \[\d+\]:2:1\n/);
  });
});

describe('programs and the process', () => {
  test('a program is run for its output, fed through a pipe, or writes to the cell', async () => {
    expect(
      await printed(`
        const text = bytes => new TextDecoder().decode(bytes);
        const run = (script, options) => new Deno.Command('sh', { args: ['-c', script], ...options });
        const { code, success, stdout, stderr } = await run('printf $WORD; printf err >&2; exit 3', { env: { WORD: 'out' } }).output();
        console.log(code, success, text(stdout), text(stderr));
        console.log(text(run('pwd', { cwd: '/' }).outputSync().stdout).trim());
        const child = run('cat', { stdin: 'piped', stdout: 'piped' }).spawn();
        await new Blob(['fed']).stream().pipeTo(child.stdin);
        console.log(text((await child.output()).stdout));
        const endless = run('exec sleep 1000').spawn();
        endless.kill();
        console.log((await endless.status).signal, (await endless.status).code);
        await run('echo inherited').spawn().status;`)
    ).toBe('3 false out err\n/\nfed\nSIGTERM 143\ninherited\n');
  });

  test('an interrupt ends the program of the cell', async () => {
    const id = kernel.startExecution(`
      const running = new Deno.Command('sh', { args: ['-c', 'echo ready; exec sleep 1000'] }).spawn();
      await running.status;
      await new Promise(() => {});`);
    await kernel.published(
      ({ parentId, content }) => parentId === id && String(content['text']).includes('ready')
    );
    await kernel.request('interrupt_request', {}, 'control');
    expect((await kernel.finish(id)).reply['ename']).toBe('Interrupted');
    expect(await last('(await running.status).success')).toBe('false');
  });

  test('environment, versions and other facts', async () => {
    expect(
      await last(`
        Deno.env.set('OF_A_TEST', 'x');
        const set = [Deno.env.get('OF_A_TEST'), process.env.OF_A_TEST, Deno.env.has('OF_A_TEST')];
        Deno.env.delete('OF_A_TEST');
        [...set, Deno.env.get('OF_A_TEST'), 'PATH' in Deno.env.toObject(), Deno.args.length, Deno.pid === process.pid,
          Object.values(Deno.version).every(text => /^\\d+\\.\\d+/.test(text)), Deno.build.os].join()`)
    ).toBe("'x,x,true,,true,0,true,true,linux'");
    expect(await printed('await Deno.stdout.write(new TextEncoder().encode("bytes\\n"))')).toBe('bytes\n');
    expect(await last('Deno.inspect({ a: { b: 1 } }, { compact: false })')).toBe(
      "'{\\n  a: {\\n    b: 1\\n  }\\n}'"
    );
  });
});

describe('tests', () => {
  test('run after the code of their cell, and are reported below it', async () => {
    const { reply, stdout } = await kernel.execute(`
      Deno.test('passes', () => console.log(later));
      Deno.test(async function named({ step }) { await step('inner', () => { throw new RangeError('meant') }) });
      Deno.test({ name: 'left out', ignore: true, fn() {} });
      const later = 'the rest of the cell';`);
    expect(reply['status']).toBe('ok');
    expect(stdout.replace(/\(\d+ms\)/g, '(ms)')).toMatch(
      /^the rest of the cell\npasses \.\.\. ok \(ms\)\n {2}inner \.\.\. FAILED \(ms\)\n {4}RangeError: meant\n[^]*\nnamed \.\.\. FAILED \(ms\)\n {2}1 of its steps failed\nleft out \.\.\. ignored\n\nFAILED \| 1 passed \| 1 failed \| 1 ignored \(ms\)\n$/
    );
    expect(stdout).toContain("throw new RangeError('meant')");
  });

  test('with only, the others are skipped; without a name they are refused', async () => {
    expect(
      (await printed('Deno.test("a", () => {}); Deno.test("b", { only: true }, () => {});')).replace(
        /\(\d+ms\)/g,
        ''
      )
    ).toBe('b ... ok \n\nok | 1 passed | 0 failed \n');
    const { reply } = await kernel.execute('Deno.test(() => {})');
    expect(reply['evalue']).toContain('expected a name and a function');
  });
});

test('Deno.jupyter shows values and bundles, and its tags insert HTML unchanged', async () => {
  const { messages } = await kernel.execute(`
    const { display, md, html, svg, image, $display } = Deno.jupyter;
    await display({ 'text/markdown': '*x*' }, { raw: true });
    await display(html\`<ul>\${['a', 'b'].map(each => \`<li>\${each}</li>\`).join('')}</ul>\`);
    await display({ [$display]: () => ({ 'text/plain': 'own' }) });
    await display(md\`# \${1}\`, { display_id: 'one' });
    await display(svg\`<svg/>\`, { display_id: 'one', update: true });
    await Deno.jupyter.broadcast('display_data', { data: { 'text/plain': 'sent' }, metadata: {}, transient: {} });`);
  const shown = messages.flatMap(({ type, content }) =>
    /display_data$/.test(type) ? [content['data']] : []
  );
  expect(shown).toMatchObject([
    { 'text/markdown': '*x*' },
    { 'text/html': '<ul><li>a</li><li>b</li></ul>' },
    { 'text/plain': 'own' },
    { 'text/markdown': '# 1' },
    { 'image/svg+xml': '<svg/>' },
    { 'text/plain': 'sent' }
  ]);
  expect(await last('(await Deno.jupyter.format(html`<p>`))["text/html"]')).toBe("'<p>'");
});
