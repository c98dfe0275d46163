import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { traceback, WITHOUT_TYPES, type Content, type Execution } from './client.ts';
import { kernel, withKernel } from './one-kernel.ts';
import { Peer } from './peer.ts';

withKernel('tcp', WITHOUT_TYPES);

const ALLOWED = { allow_stdin: true };
const start = (code: string): string => kernel.startExecution(code, ALLOWED);
/** The next question. */
const nextQuestion = () => kernel.question(kernel.questions.length);

/** Runs a cell and answers its questions in order. */
async function converse(code: string, ...answers: string[]): Promise<Execution> {
  const asked = kernel.questions.length;
  const id = start(code);
  for (const [index, answer] of answers.entries()) {
    const { header } = await kernel.question(asked + index);
    kernel.answer(answer, header);
  }
  return kernel.finish(id);
}

test('a cell asks, and continues with the answer; the question names its cell', async () => {
  const asked = nextQuestion();
  const id = start("console.log('before'); const name = await input('Name? '); name.length");
  const { content, parentId, header } = await asked;
  expect(content).toEqual({ prompt: 'Name? ', password: false });
  expect(parentId).toBe(id);
  // Output printed before has already arrived.
  await kernel.published(({ type, parentId }) => type === 'stream' && parentId === id);
  kernel.answer('Ödön 😀', header);
  expect((await kernel.finish(id)).result).toBe('7');
  expect((await converse("await password('Key: ')", 'secret')).result).toBe("'secret'");
  expect(kernel.questions.at(-1)!.content).toEqual({ prompt: 'Key: ', password: true });
});

test('an answer without a parent is accepted, one to an earlier question is not', async () => {
  const first = nextQuestion();
  const id = start("[await input('1'), await input('2')].join()");
  const { header } = await first;
  const second = nextQuestion();
  kernel.answer('one');
  await second;
  kernel.answer('late', header);
  kernel.answer('two');
  kernel.answer('nobody asked');
  expect((await kernel.finish(id)).result).toBe("'one,two'");
  expect((await converse("await input('3')", 'three')).result).toBe("'three'");
});

test('simultaneous questions are asked one after the other', async () => {
  const asked = kernel.questions.length;
  const id = start("(await Promise.all(['a', 'b', 'c'].map(name => input(name)))).join()");
  for (const [index, prompt] of ['a', 'b', 'c'].entries()) {
    const { content } = await kernel.question(asked + index);
    expect(content['prompt']).toBe(prompt);
    expect(kernel.questions).toHaveLength(asked + index + 1);
    kernel.answer(prompt.toUpperCase());
  }
  expect((await kernel.finish(id)).result).toBe("'A,B,C'");
});

test('prompt, confirm and alert block everything until they are answered', async () => {
  const code = `
    let ticks = 0;
    const timer = setInterval(() => ticks += 1, 1);
    const answers = [prompt('Who?'), prompt('Who?', 'me'), confirm('Sure?'), confirm('Sure?'), alert('Done')];
    clearInterval(timer);
    [ticks, ...answers].join('|')`;
  const { result } = await converse(code, 'you', '', 'Yes', 'no', '');
  expect(result).toBe("'0|you|me|true|false|'");
  expect(kernel.questions.slice(-5).map(({ content }) => content['prompt'])).toEqual([
    'Who? ',
    'Who? [me] ',
    'Sure? [y/N] ',
    'Sure? [y/N] ',
    'Done [Enter] '
  ]);
});

test('they can be replaced, as libraries do', async () => {
  const code = `const original = alert;
    globalThis.alert = text => 'mine: ' + text;
    const shown = alert('x');
    globalThis.alert = original;
    shown`;
  expect((await kernel.execute(code)).result).toBe("'mine: x'");
});

test('a long answer reaches a blocked cell', async () => {
  const { result } = await converse('prompt().length', 'é'.repeat(300_000));
  expect(result).toBe('300000');
});

test.each([
  ['awaits', "await input('?')"],
  ['stands still', "prompt('?')"]
])('an interrupt ends a cell that %s for an answer, and the answer is too late', async (_, code) => {
  await kernel.execute('const kept = 42');
  const asked = nextQuestion();
  const id = start(code);
  const { header } = await asked;
  await kernel.request('interrupt_request', {}, 'control');
  expect((await kernel.finish(id)).reply).toMatchObject({ status: 'error', ename: 'Interrupted' });
  kernel.answer('late', header);
  expect((await converse(`${code} + kept`, 'in time ')).result).toBe("'in time 42'");
});

test('without allow_stdin input throws, and dialogs return what browsers return', async () => {
  const asked = kernel.questions.length;
  const { reply } = await kernel.execute("await input('?')");
  expect(reply).toMatchObject({
    ename: 'StdinNotImplementedError',
    evalue: expect.stringContaining('allow_stdin is false') as unknown
  });
  expect(traceback(reply)).toMatch(/Cell \[\d+\]:1/);
  const typed = 'await input().catch(error => [error.name, error.code].join())';
  expect((await kernel.execute(typed)).result).toBe("'StdinNotImplementedError,ERR_STDIN_NOT_IMPLEMENTED'");
  expect((await kernel.execute("[prompt('?'), confirm('?'), alert('?')]")).result).toContain(
    'null, false, undefined'
  );
  expect(kernel.questions).toHaveLength(asked);
});

test('code of an earlier cell asks on behalf of the running cell; if none runs it is refused', async () => {
  const tell = "console.log(await input('earlier').catch(error => error.message))";
  await kernel.execute(`
    const opened = new Promise(resolve => { globalThis.open = resolve });
    void opened.then(async () => ${tell});`);
  const asked = nextQuestion();
  const id = start('open(); await new Promise(resolve => { globalThis.go = resolve })');
  const { parentId } = await asked;
  expect(parentId).toBe(id);
  kernel.answer('hello');
  await kernel.published(({ type, content }) => type === 'stream' && content['text'] === 'hello\n');
  await kernel.request('interrupt_request', {}, 'control');
  await kernel.finish(id);

  await kernel.execute(`setTimeout(async () => ${tell}, 300); 0`, ALLOWED);
  await kernel.published(
    ({ type, content }) => type === 'stream' && String(content['text']).includes('No cell is running')
  );
});

test('a cell that ends without the answer withdraws the question', async () => {
  const asked = nextQuestion();
  const id = start("void input('left').catch(error => console.log(error.name)); 1");
  await asked;
  await kernel.finish(id);
  await kernel.published(
    ({ type, content }) => type === 'stream' && content['text'] === 'StdinClosedError\n'
  );
  expect((await converse("await input('next')", 'x')).result).toBe("'x'");
});

test('the client that runs the cell is asked, and no other can answer', async () => {
  const peer = new Peer(kernel, true);
  const asked = kernel.questions.length;
  const question = peer.question();
  const ask = (): string =>
    peer.send('execute_request', { code: "await input('peer?')", ...ALLOWED, user_expressions: {} });
  let id = ask();
  let reply = peer.reply();
  // Until the stdin channel is connected, the kernel cannot ask questions.
  while ((await Promise.race([question.then(() => 'asked'), reply.then(() => 'refused')])) === 'refused') {
    id = ask();
    reply = peer.reply();
  }
  expect(await question).toMatchObject({ parentId: id, content: { prompt: 'peer?' } });
  kernel.answer('from another client');
  peer.answer('mine');
  expect((await reply).content).toMatchObject({ status: 'ok' });
  const shown = await kernel.published(({ type, parentId }) => type === 'execute_result' && parentId === id);
  expect((shown.content['data'] as Content)['text/plain']).toContain('mine');
  expect(kernel.questions).toHaveLength(asked);
  peer.close();
});

test('a client without a stdin channel is an immediate error', async () => {
  const peer = new Peer(kernel);
  peer.send('execute_request', { code: "await input('?')", ...ALLOWED });
  expect((await peer.reply()).content).toMatchObject({
    ename: 'StdinNotImplementedError',
    evalue: expect.stringContaining('no stdin channel') as unknown
  });
  peer.close();
});

test('a process that exits while it asks leaves no question open', async () => {
  const asked = nextQuestion();
  const id = start("void input('?'); setTimeout(() => process.exit(3), 20); await new Promise(() => {})");
  await asked;
  expect((await kernel.finish(id)).reply).toMatchObject({ ename: 'ExecutorDied' });
  kernel.answer('to nobody');
  expect((await converse("prompt('?')", 'again')).result).toBe("'again'");
});

describe('in a plain program', () => {
  const library = join(import.meta.dirname, '../../dist/src/notebook/index.js');
  const run = (code: string, input: string): string => {
    const program = `import { input, password, prompt, confirm } from ${JSON.stringify(library)};\n${code}`;
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
      input,
      encoding: 'utf8',
      timeout: 20_000
    });
    return stdout + stderr;
  };

  test('lines are read from the standard input', () => {
    const code = "console.log(JSON.stringify([await input('a? '), await password(), await input()]))";
    expect(run(code, 'x y\nkey\nlast')).toBe('a? Password: \n["x y","key","last"]\n');
  });

  test('end of file is an error, and dialogs need a terminal', () => {
    const code = `await input('one');
      await Promise.all([input(), input()]).catch(error => console.log(error.name));
      console.log(prompt('?'), confirm('?'))`;
    expect(run(code, '1\n')).toBe('oneStdinClosedError\nnull false\n');
  });
});
