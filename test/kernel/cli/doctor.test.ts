import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { root } from '../../setup/repository.ts';
import { stridelab, type Run } from './command.ts';
import { temporaryFolder } from '../../setup/temporary-folder.ts';

interface Check {
  readonly area: string;
  readonly status: string;
  readonly message: string;
  readonly fix?: string;
}
interface Report {
  readonly ok: boolean;
  readonly checks: readonly Check[];
}

const REAL = {
  paths: null,
  library: null,
  libraryFolder: null,
  prefix: '/env',
  executable: '/env/bin/python'
};

let folder: string;
let data: string;
beforeEach(() => {
  folder = temporaryFolder();
  data = join(folder, 'share', 'jupyter');
  mkdirSync(data, { recursive: true });
});

/** A Python that gives this answer to the doctor's query. */
function pretender(answer: object): Record<string, string> {
  const python = join(folder, 'python');
  writeFileSync(join(folder, 'answer.json'), JSON.stringify({ ...REAL, version: '3.12.1', ...answer }));
  writeFileSync(python, `#!/bin/sh\ncat '${join(folder, 'answer.json')}'\n`);
  chmodSync(python, 0o755);
  return { STRIDELAB_PYTHON: python };
}

const versions = {
  jupyter_client: '8.9.1',
  jupyterlab: '4.6.4',
  jupyterlab_widgets: '3.0.17',
  notebook: null,
  nbclient: '0.11.0',
  papermill: null
};

async function report(env: Record<string, string>, ...args: string[]): Promise<Report & Pick<Run, 'status'>> {
  const { status, stdout } = await stridelab(['doctor', '--json', ...args], { env });
  return { ...(JSON.parse(stdout) as Report), status };
}

const kernelChecks = ({ checks }: Report): Check[] => checks.filter(({ area }) => area === 'Kernel');

test('a registered kernel with a complete Jupyter has no failures', async () => {
  const env = pretender({ paths: [data], versions });
  await stridelab(['install', '--prefix', folder, '--node', process.execPath]);
  const found = await report(env);
  expect(found.checks.filter(({ status }) => status === 'fail')).toEqual([]);
  expect(found).toMatchObject({ ok: true, status: 0 });
  expect(kernelChecks(found).map(({ message }) => message)).toEqual([
    expect.stringMatching(/^it starts in \d+ ms and runs a cell \(TypeScript 7/) as string,
    `registered as "stridelab" at ${join(data, 'kernels', 'stridelab')}`
  ]);
  for (const area of ['Node', 'Jupyter', 'CUDA', 'Python'])
    expect(found.checks.some(check => check.area === area)).toBe(true);
  expect(found.checks.find(({ area }) => area === 'CUDA')!.message).toMatch(/simulated|driver for CUDA/);
  const { stdout } = await stridelab(['doctor'], { env });
  expect(stdout).toMatch(/^ok {4}Jupyter JupyterLab 4\.6\.4$/m);
}, 60_000);

test('another Node on PATH, which programs of cells do not use, and a missing npm are reported', async () => {
  const bare = join(folder, 'bin');
  mkdirSync(bare);
  writeFileSync(join(bare, 'node'), '#!/bin/sh\necho v20.0.0\n');
  chmodSync(join(bare, 'node'), 0o755);
  const env = { ...pretender({ paths: [data], versions }), PATH: bare, STRIDELAB_NODE: process.execPath };
  const { checks } = await report(env);
  const message = `programs that cells start run on the kernel's Node, not on v20.0.0 at ${join(bare, 'node')}`;
  expect(checks).toContainEqual({ area: 'Node', status: 'ok', message });
  expect(checks.filter(({ message: text }) => text.startsWith('npm was not found'))).toHaveLength(
    existsSync(join(dirname(process.execPath), 'npm')) ? 0 : 1
  );
}, 60_000);

test('a stale kernelspec fails with a fix, and --fix writes it again with its name and variables', async () => {
  const env = pretender({ paths: [data], versions });
  const kept = ['--display-name', 'Mine', '--env', 'A=1'];
  await stridelab(['install', '--prefix', folder, '--node', process.execPath, ...kept]);
  const file = join(data, 'kernels', 'stridelab', 'kernel.json');
  writeFileSync(file, readFileSync(file, 'utf8').replace(process.execPath, '/gone/bin/node'));
  const stale = await report(env);
  expect(stale).toMatchObject({ ok: false, status: 1 });
  expect(kernelChecks(stale)[1]).toMatchObject({
    status: 'fail',
    message: expect.stringContaining('is stale: /gone/bin/node does not exist') as string,
    fix: expect.stringContaining('doctor --fix') as string
  });
  expect(await report(env, '--fix')).toMatchObject({ ok: true, status: 0 });
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ display_name: 'Mine', env: { A: '1' } });
}, 60_000);

test('if only npm start has a Jupyter and the kernel, nothing fails', async () => {
  const bare = join(folder, 'bin');
  mkdirSync(bare);
  const nothing = {
    paths: null,
    versions: Object.fromEntries(Object.keys(versions).map(name => [name, null]))
  };
  symlinkSync(pretender(nothing)['STRIDELAB_PYTHON']!, join(bare, 'python3'));
  const environment = { STRIDELAB_PYTHON: '', PATH: `${bare}${delimiter}/usr/bin${delimiter}/bin` };
  const found = await report(environment);
  expect(found).toMatchObject({ ok: true, status: 0 });
  expect(found.checks).toContainEqual(
    expect.objectContaining({
      status: 'ok',
      message: `registered as "stridelab" at ${join(root, '.venv', 'share', 'jupyter', 'kernels', 'stridelab')}`
    })
  );
}, 60_000);

test('another Jupyter without the kernel gets the command that installs it, and does not fail if npm start has the kernel', async () => {
  const found = await report(pretender({ paths: [data], versions }));
  expect(found).toMatchObject({ ok: true, status: 0 });
  expect(kernelChecks(found).slice(1)).toEqual([
    expect.objectContaining({ status: 'ok', message: expect.stringContaining('.venv') as string }),
    {
      area: 'Kernel',
      status: 'warn',
      message: 'registered only in the Jupyter of npm start',
      fix: 'to register it in your own too: npm run stridelab -- install'
    }
  ]);
}, 60_000);

test('no registration, an old JupyterLab, no widget manager and no extension are each reported with a fix', async () => {
  const old = { ...versions, jupyterlab: '3.6.1', jupyterlab_widgets: null };
  const { checks, ok } = await report(pretender({ paths: [data], versions: old }));
  expect(ok).toBe(false);
  const bad = checks.filter(({ status }) => status !== 'ok');
  expect(bad.map(({ status, message }) => [status, message])).toEqual([
    ['warn', 'registered only in the Jupyter of npm start'],
    ['fail', 'JupyterLab 3.6.1 is too old'],
    ['warn', 'the widget manager is not installed: live widgets stay empty'],
    ['warn', 'the extension is not installed: arrays show as text']
  ]);
  for (const { fix } of bad) expect(fix).toMatch(/install/);
}, 60_000);

test('without Python the other checks still run', async () => {
  const env = { STRIDELAB_PYTHON: join(folder, 'nowhere'), JUPYTER_PATH: data, JUPYTER_DATA_DIR: data };
  await stridelab(['install', '--prefix', folder, '--node', process.execPath]);
  const { checks, status } = await report(env);
  expect(status).toBe(1);
  expect(checks.filter(check => check.status === 'fail').map(({ message }) => message)).toEqual([
    'no Python was found'
  ]);
  expect(checks.filter(({ area }) => area === 'Kernel').map(check => check.status)).toEqual(['ok', 'ok']);
}, 60_000);
