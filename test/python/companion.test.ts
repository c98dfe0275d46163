import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, run } from '../setup/repository.ts';
import { temporaryFolder } from '../setup/temporary-folder.ts';

const python = join(root, '.venv', 'bin', 'python');
const main = join(root, 'dist', 'kernel', 'cli', 'main.js');

function companion(args: readonly string[], environment: NodeJS.ProcessEnv = {}): ReturnType<typeof run> {
  return run(python, ['-B', '-m', 'stridelab', ...args], {
    PYTHONPATH: join(root, 'python'),
    ...environment
  });
}

describe('python -m stridelab', () => {
  let folder: string;
  beforeEach(() => {
    folder = temporaryFolder();
  });

  test('has the version of package.json', async () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    expect((await companion(['version'])).output.trim()).toBe(version);
    const own = await run(python, ['-B', '-c', 'import stridelab; print(stridelab.__version__)'], {
      PYTHONPATH: join(root, 'python')
    });
    expect(own.output.trim()).toBe(version);
  });

  test('runs the command: Jupyter finds what it installs', async () => {
    const { status } = await companion(['install', '--prefix', folder, '--node', process.execPath]);
    expect(status).toBe(0);
    const environment = { JUPYTER_PATH: join(folder, 'share', 'jupyter'), JUPYTER_CONFIG_DIR: folder };
    const kernels = await run(python, ['-m', 'jupyter_client.kernelspecapp', 'list', '--json'], environment);
    expect(kernels.output).toContain(join(folder, 'share', 'jupyter', 'kernels', 'stridelab'));
  }, 30_000);

  test('installs for its own environment by default', async () => {
    // A command that only prints its arguments.
    const recorder = join(folder, 'recorder.mjs');
    writeFileSync(
      recorder,
      'console.log(JSON.stringify([process.argv.slice(2), process.env.STRIDELAB_PYTHON]))'
    );
    const asked = async (...args: string[]): Promise<unknown> =>
      JSON.parse((await companion(args, { STRIDELAB_CLI: recorder })).output);
    expect(await asked('install', '--name', 'x')).toEqual([
      ['install', '--name', 'x', '--sys-prefix'],
      python
    ]);
    expect(await asked('install', '--prefix=/x')).toEqual([['install', '--prefix=/x'], python]);
    expect(await asked('uninstall', '--user')).toEqual([['uninstall', '--user'], python]);
    expect(await asked('doctor')).toEqual([['doctor'], python]);
  });

  test('returns the exit status of the command, and lists the paths that it tried', async () => {
    expect(await companion(['install', '--usr'])).toMatchObject({ status: 2 });
    const missing = await companion(['version'], { STRIDELAB_CLI: '/nowhere/main.js' });
    expect(missing).toMatchObject({
      status: 1,
      output: "/nowhere/main.js does not exist: set STRIDELAB_CLI to the kernel's dist/kernel/cli/main.js.\n"
    });
  });

  test('works without Node on PATH if a package contains one', async () => {
    const empty = join(folder, 'empty');
    mkdirSync(empty);
    const { status, output } = await companion(['version'], { PATH: empty, STRIDELAB_CLI: main });
    const packaged = existsSync(join(root, 'node_modules', `node-${process.platform}-${process.arch}`));
    expect(status).toBe(packaged ? 0 : 1);
    if (!packaged) expect(output).toContain('install Node 24');
  });
});
