/** Arrays between notebooks: this kernel and an ordinary ipykernel, both ways, and two of this kernel. */

import { join } from 'node:path';

import { PythonPeer } from '../gpu/python-peer.ts';
import { KernelClient, WITHOUT_TYPES } from '../kernel/client.ts';
import { root } from '../setup/repository.ts';

/** An ipykernel, controlled by a client in a Python process. */
class IPythonNotebook {
  readonly #client: PythonPeer;

  private constructor(client: PythonPeer) {
    this.#client = client;
  }

  static async start(): Promise<IPythonNotebook> {
    const client = await PythonPeer.start(join(root, '.venv', 'bin', 'python'));
    await client.run(`
      from jupyter_client.manager import start_new_kernel
      manager, client = start_new_kernel(kernel_name="python3")
      def cell(code):
          seen = []
          def note(message):
              content = message["content"]
              if message["msg_type"] == "stream":
                  seen.append(content["text"])
              elif message["msg_type"] == "error":
                  seen.append(content["ename"] + ": " + content["evalue"])
          client.execute_interactive(code, output_hook=note, timeout=15)
          return "".join(seen).strip()`);
    return new IPythonNotebook(client);
  }

  /** The output of a cell, or its error. */
  cell(code: string): Promise<string> {
    return this.#client.run('result = cell(argument)', code);
  }

  async kill(): Promise<void> {
    await this.#client.run(
      'import os, signal; os.kill(argument, signal.SIGKILL)',
      Number(await this.cell('import os; print(os.getpid())'))
    );
  }

  async close(): Promise<void> {
    await this.#client.run('client.stop_channels(); manager.shutdown_kernel(now=True)');
    await this.#client.exit();
  }
}

let first: KernelClient;
let second: KernelClient;
let python: IPythonNotebook;
beforeAll(async () => {
  [first, second, python] = await Promise.all([
    KernelClient.start('tcp', WITHOUT_TYPES),
    KernelClient.start('tcp', WITHOUT_TYPES),
    IPythonNotebook.start()
  ]);
  for (const kernel of [first, second])
    await cell(
      kernel,
      `import { PeerLostError } from 'stridelab';
      import { emptyShared, openShared, share } from 'stridelab/sharing'; let seen: unknown;`
    );
}, 60_000);
afterAll(async () => {
  await Promise.all([first.close(), second.close(), python.close()]);
});

/** The output of a cell; throws if the cell fails. */
async function cell(kernel: KernelClient, code: string): Promise<string> {
  const { stdout, reply } = await kernel.execute(code);
  if (reply['status'] !== 'ok') throw new Error(`${String(reply['ename'])}: ${String(reply['evalue'])}`);
  return stdout.trim();
}

const SHARE = `
  const source = emptyShared(4, { dtype: 'float32' }).fill(3);
  const lease = await share(source);
  console.log(String(lease));`;

test('a token printed in a TypeScript notebook is opened in a Python one, and both see the same memory', async () => {
  const token = await cell(first, SHARE);
  expect(token).toMatch(/^stridelab-share:1:/);
  const opened = `
import stridelab
a = stridelab.open("${token}")
view = a.memoryview()
print(view.tolist())
view[1] = 9`;
  expect(await python.cell(opened)).toBe('[3.0, 3.0, 3.0, 3.0]');
  expect(await cell(first, 'console.log(source.toNested().join(), lease.openers)')).toBe('3,9,3,3 1');
  await python.cell('del view; a.close()');
  expect(await cell(first, 'lease.release(); await lease.drained(); console.log(lease.openers)')).toBe('0');
}, 30_000);

test('a token printed in a Python notebook is opened in a TypeScript one, and both see the same memory', async () => {
  const token = await python.cell(`
import stridelab
x = stridelab.shared_empty((2, 2), "float32")
x[1, 1] = 5
lease = stridelab.share(x)
print(lease)`);
  await cell(first, `const opened = await openShared('${token}');`);
  expect(await cell(first, 'console.log(opened.toNested().flat().join()); opened.fill(7);')).toBe('0,0,0,5');
  await cell(first, 'opened.stream.synchronize(); opened.dispose();');
  expect(await python.cell('lease.release(); print(lease.drained(10), memoryview(x).tolist())')).toBe(
    'True [[7.0, 7.0], [7.0, 7.0]]'
  );
}, 30_000);

test('two TypeScript notebooks share', async () => {
  const token = await cell(first, SHARE);
  await cell(
    second,
    `const opened = await openShared('${token}'); console.log(opened.item(0)); opened.fill(8);`
  );
  await cell(second, 'opened.stream.synchronize(); opened.dispose();');
  expect(
    await cell(first, 'console.log(source.toNested().join()); lease.release(); await lease.drained();')
  ).toBe('8,8,8,8');
}, 30_000);

test('killing a TypeScript notebook that opened an array does not affect the Python owner', async () => {
  const token = await python.cell('import stridelab; lease = stridelab.share(b"abcd"); print(lease)');
  const pid = await cell(second, `const held = await openShared('${token}'); console.log(process.pid);`);
  expect(await python.cell('print(lease.openers)')).toBe('1');
  process.kill(Number(pid), 'SIGKILL');
  expect(await python.cell('lease.release(); print(lease.drained(10))')).toBe('True');
}, 30_000);

test('killing a TypeScript notebook that shares is reported once in Python, and its memory stays', async () => {
  const token = await cell(first, SHARE);
  const pid = await cell(first, 'console.log(process.pid)');
  await python.cell(`a = stridelab.open("${token}")`);
  process.kill(Number(pid), 'SIGKILL');
  const told = `
import time
limit = time.monotonic() + 5
while time.monotonic() < limit:
    try:
        a.memoryview()
    except stridelab.PeerLostError as error:
        print(error)
        break`;
  expect(await python.cell(told)).toMatch(/has exited/);
  expect(await python.cell('print(a.memoryview().tolist())')).toBe('[3.0, 3.0, 3.0, 3.0]');
}, 30_000);

test('killing a Python notebook that shares is reported once in TypeScript, and its memory stays', async () => {
  const other = await IPythonNotebook.start();
  const token = await other.cell('import stridelab; lease = stridelab.share(b"abcd"); print(lease)');
  const third = await KernelClient.start('tcp', WITHOUT_TYPES);
  try {
    await cell(
      third,
      `import { PeerLostError } from 'stridelab';
      import { openShared } from 'stridelab/sharing'; const opened = await openShared('${token}');`
    );
    await other.kill();
    const told = await cell(
      third,
      `for (let limit = Date.now() + 15_000; Date.now() < limit; ) {
         try { opened.item(0); } catch (error) { console.log(error instanceof PeerLostError); break; }
       }
       console.log(opened.toNested().join());`
    );
    expect(told).toBe('true\n97,98,99,100');
  } finally {
    await third.close();
    await other.close();
  }
}, 60_000);
