import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../setup/free-ports.ts';
import { root, run } from '../setup/repository.ts';
import { codeCells, readNotebook, tourPath, writeNotebook } from './notebook-files.ts';

const start = join(root, 'scripts', 'start.mjs');
const results = join(root, 'build', 'start-test', 'results');

describe('npm start -- --headless', () => {
  beforeAll(() => rmSync(results, { recursive: true, force: true }));

  test('runs every cell of the tour, and writes the notebook and the page', async () => {
    const home = join(results, 'home');
    const { status, output } = await run(process.execPath, [start, '--headless', '--output-dir', results], {
      HOME: home,
      STRIDELAB_CACHE_DIR: undefined
    });
    expect({ status, output }).toMatchObject({ status: 0 });
    expect(existsSync(home)).toBe(false);

    const count = codeCells(readNotebook(tourPath)).length;
    const lines = output.split('\n').filter(line => /^\[\d+\] +\d+\.\d ms {2}ok/.test(line));
    expect(lines).toHaveLength(count);

    const executed = codeCells(readNotebook(join(results, '00-tour.ipynb')));
    expect(
      executed.flatMap(cell => cell.outputs).filter(({ output_type }) => output_type === 'error')
    ).toEqual([]);
    expect(executed.every(cell => cell.source.length > 0)).toBe(true);
    const page = readFileSync(join(results, '00-tour.html'), 'utf8');
    expect(page).toContain('__cuda_array_interface__');
  }, 180_000);

  test('names the cell that failed, runs none after it and exits 1', async () => {
    const broken = writeNotebook('start-test', 'broken.ipynb', [
      'const one = 1;',
      'throw new RangeError("broken on purpose");',
      'console.log("never");'
    ]);
    const { status, output } = await run(process.execPath, [
      start,
      '--headless',
      broken,
      '--output-dir',
      results
    ]);
    expect(status).toBe(1);
    expect(output).toMatch(/^\[1\] .* ok .*const one = 1;$/m);
    expect(output).toMatch(/^\[2\] .* FAILED .*throw new RangeError/m);
    expect(output).toContain('RangeError: broken on purpose');
    expect(output).toContain('cell 2 of 3 failed; cells not run: 1');
    expect(existsSync(join(results, 'broken.ipynb'))).toBe(true);
  }, 180_000);

  test('reports in one sentence that a file is not a notebook', async () => {
    const { status, output } = await run(process.execPath, [start, '--headless', join(root, 'package.json')]);
    expect(status).toBe(1);
    expect(output.trim()).toMatch(/package\.json is not a notebook of format 4: .*\.$/);
    expect(output).not.toContain('    at ');
  }, 60_000);
});

describe('npm start', () => {
  test('prints the address and how to stop, writes nothing into the home folder, and Ctrl-C stops the server', async () => {
    const port = await freePort();
    const folder = mkdtempSync(join(tmpdir(), 'stridelab-start-'));
    const home = join(folder, 'home');
    const child = spawn(process.execPath, [start, '--no-browser', '--port', String(port)], {
      cwd: root,
      env: { ...process.env, HOME: home, STRIDELAB_CACHE_DIR: undefined },
      stdio: ['ignore', 'pipe', 'pipe']
    });
    const closed = once(child, 'close');
    try {
      let output = '';
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
      await new Promise<void>((resolve, reject) => {
        child.stdout.on('data', () => output.includes('Ctrl-C') && resolve());
        child.once('close', () => reject(new Error(output)));
      });
      const [, address = '', path = ''] = /(http:\S+?)(\/lab\/\S+)/.exec(output) ?? [];
      expect(path).toMatch(/^\/lab\/tree\/notebooks\/00-tour\.ipynb\?token=\w+$/);
      const page = await fetch(`${address}${path}`);
      expect(page.status).toBe(200);
      await page.text();

      child.kill('SIGINT');
      expect(await closed).toEqual([0, null]);
      expect(output.replace(/[0-9a-f]{48}/, 'TOKEN').split('\n')).toEqual([
        'starting JupyterLab',
        '',
        `JupyterLab runs at http://127.0.0.1:${port}/lab/tree/notebooks/00-tour.ipynb?token=TOKEN`,
        `Press Ctrl-C to stop it and its kernels. Its log is build/logs/jupyterlab-${port}.log.`,
        '',
        'stopping JupyterLab and its kernels',
        ''
      ]);
      await expect(fetch(address)).rejects.toThrow('fetch failed');
      expect(readFileSync(join(root, 'build', 'logs', `jupyterlab-${port}.log`), 'utf8')).not.toContain(
        'yarn'
      );
      expect(readdirSync(folder)).toEqual([]);
    } finally {
      child.kill('SIGKILL');
      await closed;
      rmSync(folder, { recursive: true });
    }
  }, 120_000);

  test('reports a port in use before it builds anything', async () => {
    const blocker = createServer();
    await new Promise<void>(resolve => blocker.listen(0, '127.0.0.1', resolve));
    const { port } = blocker.address() as AddressInfo;
    try {
      const { status, output } = await run(process.execPath, [start, '--port', String(port)]);
      expect(status).toBe(1);
      expect(output.trim()).toBe(
        `Port ${port} is in use: stop the program that listens on it, or give another --port.`
      );
    } finally {
      blocker.close();
    }
  }, 60_000);

  test.each([['--port', '0'], ['--port', 'eight'], ['--prot']])(
    'refuses %s %s',
    async (...args) => {
      const { status, output } = await run(process.execPath, [start, ...args]);
      expect(status).toBe(1);
      expect(output.trim().split('\n')).toHaveLength(1);
      expect(output).not.toContain('    at ');
    },
    60_000
  );
});
