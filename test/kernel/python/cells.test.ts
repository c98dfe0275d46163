/** Python cells, and Python's prints, questions, displays and exceptions in a notebook. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { traceback, type Content } from '../client.ts';
import { kernel, withKernel } from '../one-kernel.ts';
import { PYTHON, withPython } from './environment.ts';

function cell(source: string, options = ''): string {
  return `%%python ${options}\n${source}`;
}

withPython('%%python', () => {
  withKernel('ipc', { STRIDELAB_PYTHON: PYTHON });
  beforeAll(async () => {
    await kernel.execute('import { python } from "stridelab"');
  });

  test('shows the last expression as Python writes it, and keeps variables', async () => {
    expect((await kernel.execute(cell('x = 40.0\nx + 2'))).result).toBe('42.0');
    expect((await kernel.execute(cell('_'))).result).toBe('42.0');
    expect((await kernel.execute(cell("'it'"))).result).toBe("'it'");
    expect((await kernel.execute(cell('True'))).result).toBe('True');
    expect((await kernel.execute('python.evaluate("x")')).result).toBe('40');
  });

  test.each(['x;', 'x = 1', 'None', '', '# nothing', 'x; # hidden', 'def f():\n  return 1\n'])(
    'shows nothing for %j',
    async source => {
      const { result, reply } = await kernel.execute(cell(source));
      expect(reply).toMatchObject({ status: 'ok' });
      expect(result).toBeUndefined();
    }
  );

  test('shows what objects display', async () => {
    const { messages } = await kernel.execute(
      cell(`
class Shown:
    def __repr__(self): return "plain"
    def _repr_html_(self): return "<b>rich</b>"
    def _repr_png_(self): return b"\\x89PNG"
    def _repr_svg_(self): return None
    def _repr_latex_(self): raise ValueError("no formula")
    def _repr_mimebundle_(self, include=None, exclude=None): return {"application/x+json": {"a": [1]}}, {}
Shown()`)
    );
    const result = messages.find(({ type }) => type === 'execute_result')?.content['data'];
    expect(result).toEqual({
      'text/plain': 'plain',
      'text/html': '<b>rich</b>',
      'image/png': 'iVBORw==',
      'application/x+json': { a: [1] }
    });
    const problems = messages.filter(({ content }) => content['name'] === 'stderr');
    expect(problems.map(({ content }) => content['text']).join('')).toBe(
      'Shown._repr_latex_: ValueError: no formula\n'
    );
  });

  test('display shows in the order of the calls', async () => {
    const { messages } = await kernel.execute(cell('print("before")\ndisplay(1, [2])\nprint("after")'));
    const told = messages
      .filter(({ type }) => type === 'stream' || type === 'display_data')
      .map(({ content }) => content['text'] ?? (content['data'] as Content)['text/plain']);
    expect(told).toEqual(['before\n', '1', '[2]', 'after\n']);
  });

  test('reads variables of the notebook and returns others', async () => {
    await kernel.execute('const a = [1, 2, 3], text = "ü"; let total = 0');
    expect(
      (
        await kernel.execute(
          cell('total = sum(a); text += "!"; many = {"k": a}', '-i a,text -o total, text -o many')
        )
      ).reply
    ).toMatchObject({ status: 'ok' });
    expect((await kernel.execute('[total, text, python.toJS(many).k.length]')).result).toBe("[ 6, 'ü!', 3 ]");
    // They are ordinary variables, known to the type checker.
    const { messages } = await kernel.execute('total += 1; many.anything; total');
    expect(messages.filter(({ content }) => content['name'] === 'stderr')).toEqual([]);
  });

  test.each([
    ['-i nothing', /no variable nothing/],
    ['-o nothing', /no variable nothing/],
    ['--fast', /not "--fast"/],
    ['-i $x', /\$x is not a Python identifier/]
  ])('refuses %j', async (options, message) => {
    const { reply } = await kernel.execute(cell('1', options));
    expect(reply).toMatchObject({ status: 'error' });
    expect(String(reply['evalue'])).toMatch(message);
  });

  test('waits at the top level', async () => {
    const source =
      'import asyncio\nasync def two():\n  await asyncio.sleep(0.01)\n  return 2\n[await two(), await two()]';
    expect((await kernel.execute(cell(source))).result).toBe('[2, 2]');
    expect(
      (await kernel.execute(cell('async with asyncio.Lock() as lock:\n  y = 5\nawait two() + y'))).result
    ).toBe('7');
  });

  test('tracebacks name the lines of the cell', async () => {
    const { reply } = await kernel.execute(cell('def f(x):\n  return 1 / x\n\nf(0)'));
    expect(reply).toMatchObject({ ename: 'ZeroDivisionError', evalue: 'division by zero' });
    const text = traceback(reply);
    expect(text).toMatch(/^ZeroDivisionError: division by zero\nTraceback \(most recent call last\):\n/);
    expect(text).toMatch(/File "Cell \[\d+\]", line 5, in <module>\n {4}f\(0\)/);
    expect(text).toMatch(/File "Cell \[\d+\]", line 3, in f\n {4}return 1 \/ x/);
    expect(text).not.toMatch(/run_cell|notebook\.py/);
    expect(text.split('division by zero')).toHaveLength(2);
  });

  test('syntax errors show the line and the position', async () => {
    const { reply } = await kernel.execute(cell('x = 1\nx = = 2'));
    expect(reply).toMatchObject({ ename: 'SyntaxError' });
    expect(traceback(reply)).toMatch(/line 3\n {4}x = = 2\n {8}\^/);
  });

  test('an exception in TypeScript shows the traceback of Python first, then the cell, and neither twice', async () => {
    const { reply } = await kernel.execute('function g() {\n  return python.evaluate("1/0");\n}\ng()');
    const text = traceback(reply);
    expect(text).toMatch(
      /^ZeroDivisionError: division by zero\nTraceback.*?\n {4}at g \(Cell \[\d+\]:2:17\)/s
    );
    expect(text.match(/ZeroDivisionError/g)).toHaveLength(1);
    expect(text.match(/Traceback/g)).toHaveLength(1);
    expect(text).not.toMatch(/code:|type:|frames? of stridelab/);
  });

  test('causes and notes are shown', async () => {
    const source = 'try:\n  1/0\nexcept ZeroDivisionError as e:\n  raise ValueError("outer") from e';
    const text = traceback((await kernel.execute(cell(source))).reply);
    expect(text).toMatch(/ZeroDivisionError: division by zero\n\nThe above exception was the direct cause/);
    expect(text.match(/outer/g)).toHaveLength(2);
  });

  test('a line of Python', async () => {
    const { messages } = await kernel.execute('%python import math\n%python math.pi\nlet after = 1');
    const shown = messages
      .filter(({ type }) => type === 'display_data')
      .map(({ content }) => content['data'] as Content);
    expect(shown).toEqual([{ 'text/plain': '3.141592653589793' }]);
  });

  test('the type checker sees nothing of it', async () => {
    const { messages } = await kernel.execute(cell('x: int = "a"\nfor i in range(2): pass'));
    expect(messages.filter(({ type }) => type === 'stream')).toEqual([]);
  });
});

withPython('what Python prints', () => {
  withKernel('ipc', { STRIDELAB_PYTHON: PYTHON });
  beforeAll(async () => {
    await kernel.execute('import { python } from "stridelab"; python.run("import sys, time, threading, os")');
  });

  async function printed(code: string): Promise<string> {
    const { messages } = await kernel.execute(code);
    let last = '';
    let all = '';
    // Text of one stream may come in one message or several.
    for (const { content } of messages.filter(({ type }) => type === 'stream')) {
      const name = String(content['name']);
      all += (name === last ? '' : `${name}|`) + String(content['text']);
      last = name;
    }
    return all;
  }

  test("is interleaved with JavaScript's output, stderr apart", async () => {
    const code =
      'console.log("one"); python.run("print(\'two\'); print(\'three\', file=sys.stderr)"); console.log("four")';
    expect(await printed(code)).toBe('stdout|one\ntwo\nstderr|three\nstdout|four\n');
  });

  test('is shown before the call ends', async () => {
    const id = kernel.startExecution(
      cell('print("early")\nwhile not os.path.exists("go"): time.sleep(0.01)\nprint("late")')
    );
    await kernel.published(({ parentId, content }) => parentId === id && content['text'] === 'early\n');
    const late = kernel.iopub.filter(
      ({ parentId, content }) => parentId === id && content['text'] === 'late\n'
    );
    expect(late).toEqual([]);
    writeFileSync(join(kernel.folder, 'go'), '');
    expect((await kernel.finish(id)).reply).toMatchObject({ status: 'ok' });
  });

  test('of other threads, C and programs belongs to the cell', async () => {
    const code = cell(
      'thread = threading.Thread(target=lambda: print("thread")); thread.start(); thread.join()\n' +
        'os.write(1, b"bytes\\n"); import subprocess; print(subprocess.run(["echo", "program"]))\n' +
        'import ctypes; libc = ctypes.CDLL(None); libc.puts(b"native"); libc.fflush(None);'
    );
    const text = await printed(code);
    for (const part of ['thread\n', 'bytes\n', 'program\n', 'native\n']) expect(text).toContain(part);
  });

  test('is not a terminal, and flushes', async () => {
    const code = cell('print(sys.stdout.isatty(), sys.stderr.isatty(), sys.stdout.encoding, flush=True)');
    expect(await printed(code)).toBe('stdout|False False utf-8\n');
  });

  test('that overwrites itself, as progress bars do, keeps its last state', async () => {
    const code = cell('for i in range(300):\n  print(f"\\r{i}", end="")\nprint()');
    expect(await printed(code)).toMatch(/[|\r]299\n$/);
  });
});

withPython('questions of Python', () => {
  withKernel('ipc', { STRIDELAB_PYTHON: PYTHON });
  beforeAll(async () => {
    await kernel.execute('import { python } from "stridelab"');
  });

  test('input and getpass ask the client', async () => {
    const id = kernel.startExecution(
      cell('import getpass\nname = input("Name? ")\nkey = getpass.getpass("Key? ")\n(name, key)'),
      { allow_stdin: true }
    );
    const first = await kernel.question();
    expect(first.content).toEqual({ prompt: 'Name? ', password: false });
    kernel.answer('Ada');
    const second = await kernel.question(1);
    expect(second.content).toEqual({ prompt: 'Key? ', password: true });
    kernel.answer('secret');
    expect((await kernel.finish(id)).result).toBe("('Ada', 'secret')");
  });

  test('are an error if the client cannot answer', async () => {
    const { reply } = await kernel.execute(cell('input()'), { allow_stdin: false });
    expect(reply).toMatchObject({ ename: 'StdinNotImplementedError' });
  });

  test('end with KeyboardInterrupt after an interrupt, which Python may catch', async () => {
    const ask = async (code: string): Promise<Content> => {
      const count = kernel.questions.length;
      const id = kernel.startExecution(code, { allow_stdin: true });
      await kernel.question(count);
      await kernel.request('interrupt_request', {}, 'control');
      const { reply, result } = await kernel.finish(id);
      return { ...reply, result };
    };
    expect(await ask(cell('input()'))).toMatchObject({ ename: 'KeyboardInterrupt' });
    const caught = cell('try:\n  input()\nexcept KeyboardInterrupt:\n  got = "caught"\ngot');
    expect(await ask(caught)).toMatchObject({ status: 'ok', result: "'caught'" });
    expect((await kernel.execute(cell('1 + 1'))).result).toBe('2');
  });
});
