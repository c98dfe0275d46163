/** Which Python can run in a process, and the errors for those that cannot: each with its cause and a fix. */

import {
  chmodSync,
  copyFileSync,
  existsSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync
} from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

import { examinePython, type PythonInstallation } from '../../../src/python/interpreter/discover.ts';
import { isSanitized } from '../../setup/sanitized.ts';
import { describeWith, obstacle, pythonOfTests } from './environment.ts';
import { imitate, makeEnvironment, pretend } from './layouts.ts';
import { runProgram } from './program.ts';
import { temporaryFolder } from '../../setup/temporary-folder.ts';

const TIME = 60_000;
const here = examinePython(pythonOfTests) as PythonInstallation;
const base =
  obstacle === null
    ? join(here.basePrefix, 'bin', `python${here.version.split('.').slice(0, 2).join('.')}`)
    : '';
/** Debian spreads its installation over the system's folders. */
const describeApart = existsSync(
  join(here.basePrefix, 'lib', `libpython${here.version.split('.').slice(0, 2).join('.')}.so.1.0`)
)
  ? describeWith
  : (_: never[], title: string, body: () => void) =>
      describe.skip(`${title} (skipped: this Python has no folder of its own)`, body);

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

const ANSWER = {
  executable: '/opt/p/bin/python',
  version: '3.12.4',
  implementation: 'cpython',
  prefix: '/opt/p',
  basePrefix: '/opt/p',
  bits: 64,
  freeThreaded: false,
  libraryFolder: '/opt/p/lib',
  name: '3.12',
  libraryFile: 'libpython3.12.so.1.0',
  multiarch: ''
};

/** Starts `executable`, which must fail with a typed error, and leave the program usable. */
async function failure(executable: string, environment: Record<string, string> = {}): Promise<string> {
  const { stdout, stderr, code } = await runProgram(
    `let said;
     try { python.start({ python: ${JSON.stringify(executable)} }); said = 'started'; }
     catch (error) { said = error instanceof PythonUnavailableError ? error.message : String(error); }
     await new Promise(resolve => setImmediate(resolve));
     console.log(said);`,
    { python: null, environment }
  );
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
  return stdout;
}

describe('an interpreter that cannot run in this process', () => {
  test.each([
    ['is PyPy', { implementation: 'pypy' }, /is pypy: only CPython can run/],
    ['is too old', { version: '3.8.18' }, /\(Python 3\.8\.18\) is older than 3\.9/],
    ['has 32 bits', { bits: 32 }, /has 32 bits, but this process has 64/],
    ['is free-threaded', { freeThreaded: true }, /free-threaded build.*use the regular build/],
    [
      'is static',
      { libraryFile: 'libpython3.12.a' },
      /has no shared library libpython3\.12\.so in \/opt\/p\/lib: install it .*apt-get install libpython3\.12.*--enable-shared/
    ]
  ])('because it %s', (_, answer, said) => {
    const executable = pretend(join(folder, 'python'), { ...ANSWER, ...answer });
    expect(examinePython(executable).obstacle).toMatch(said);
  });

  test('because it does not exist, or only its environment does', () => {
    expect(examinePython(join(folder, 'no/bin/python')).obstacle).toMatch(
      /does not exist: create the environment/
    );
    writeFileSync(join(folder, 'pyvenv.cfg'), '');
    expect(examinePython(join(folder, 'bin/python')).obstacle).toMatch(
      /does not exist, although .* create it again/
    );
  });

  test('because it is a link to one that was deleted', () => {
    symlinkSync('/nowhere/python3.12', join(folder, 'python'));
    expect(examinePython(join(folder, 'python')).obstacle).toMatch(
      /is a link to \/nowhere\/python3\.12, which does not exist.*create the environment again/
    );
  });

  test('because it is not executable, is another program, or fails', () => {
    const file = join(folder, 'python');
    writeFileSync(file, '#!/bin/sh\necho hello\n');
    expect(examinePython(file).obstacle).toMatch(/is not executable/);
    chmodSync(file, 0o755);
    expect(examinePython(file).obstacle).toMatch(/is not a Python interpreter: it printed "hello\\n"/);
    writeFileSync(file, `#!/bin/sh\necho "ModuleNotFoundError: No module named 'encodings'" >&2\nexit 1\n`);
    expect(examinePython(file).obstacle).toMatch(/does not find its modules.*create the environment again/);
    writeFileSync(file, '#!/bin/sh\necho broken >&2\nexit 3\n');
    expect(examinePython(file).obstacle).toMatch(/cannot be examined: broken/);
  });

  for (const version of ['2.7.18', '3.6.15', '3.7.16', '3.8.18']) {
    const executable = join(
      process.env['PYENV_ROOT'] ?? join(homedir(), '.pyenv'),
      'versions',
      version,
      'bin/python'
    );
    const title = `because it is Python ${version}`;
    if (!existsSync(executable)) test.skip(`${title} (skipped: not here)`, () => undefined);
    else
      test(title, () => {
        expect(examinePython(executable).obstacle).toMatch(/\(Python \d\.\d\.\d+\) is older than 3\.9/);
      });
  }
});

describeApart([] as never[], 'installations as packagers lay them out', () => {
  const started = async (executable: string): Promise<string> => {
    const { stdout, stderr } = await runProgram(
      `python.run('import sys, json, math'); console.log(python.evaluate('sys.prefix'), python.evaluate('math.sqrt(4)'));`,
      { python: executable }
    );
    expect(stderr).toBe('');
    return stdout.trim();
  };

  test(
    "conda's: reported as static, with the shared library next to it",
    async () => {
      const executable = imitate(folder, here, {
        shared: true,
        variables: {
          Py_ENABLE_SHARED: 0,
          LIBDIR: join(folder, 'lib'),
          INSTSONAME: `libpython${here.version}.a`,
          MULTIARCH: ''
        }
      });
      expect(examinePython(executable)).toMatchObject({
        obstacle: null,
        library: expect.stringContaining(folder) as string
      });
      expect(await started(executable)).toBe(`${folder} 2`);
    },
    TIME
  );

  test(
    "uv's: built for a folder that does not exist",
    async () => {
      const executable = imitate(folder, here, {
        shared: true,
        variables: { LIBDIR: '/install/lib', MULTIARCH: '' }
      });
      expect(examinePython(executable)).toMatchObject({
        obstacle: null,
        library: expect.stringContaining(folder) as string
      });
      expect(await started(executable)).toBe(`${folder} 2`);
      // uv makes environments with a link to it.
      const environment = makeEnvironment(join(folder, 'venv'), executable);
      expect(await started(environment)).toBe(`${join(folder, 'venv')} 2`);
    },
    TIME
  );

  test(
    "pyenv's default: no shared library at all",
    async () => {
      const executable = imitate(folder, here, {
        shared: false,
        variables: { LIBDIR: join(folder, 'lib'), INSTSONAME: 'libpython.a', MULTIARCH: '' }
      });
      expect(await failure(executable)).toMatch(/has no shared library libpython3\.\d+\.so/);
    },
    TIME
  );

  test(
    'a shared library that is truncated, invalid, or for another processor does not end the process',
    async () => {
      const executable = imitate(folder, here, {
        shared: false,
        variables: { LIBDIR: join(folder, 'lib'), MULTIARCH: '' }
      });
      const library = join(folder, 'lib', (here.library as string).split('/').at(-1) as string);
      copyFileSync(here.library as string, library);
      truncateSync(library, 2 ** 20);
      expect(await failure(executable)).toMatch(/is truncated: reinstall this Python/);
      truncateSync(library, 10);
      expect(await failure(executable)).toMatch(/is truncated/);
      writeFileSync(library, 'a script, perhaps'.repeat(100));
      expect(await failure(executable)).toMatch(/is not a shared library/);
      const other = readFileSync(here.library as string);
      other.writeUInt16LE(0xf3, 18);
      writeFileSync(library, other);
      expect(await failure(executable)).toMatch(/another processor architecture/);
    },
    TIME
  );
});

describeWith([], 'environments', () => {
  test(
    'whose settings name a deleted home start where the interpreter itself does, with the same modules',
    async () => {
      const executable = makeEnvironment(join(folder, 'venv'), base);
      const settings = join(folder, 'venv/pyvenv.cfg');
      writeFileSync(settings, readFileSync(settings, 'utf8').replace(/^home = .*$/m, 'home = /nowhere/bin'));
      const { stdout } = await runProgram(
        `python.run('import sys'); console.log(python.evaluate('[sys.prefix, sys.base_prefix]').toString());`,
        { python: executable }
      );
      const { prefix, basePrefix } = examinePython(executable) as PythonInstallation;
      expect(stdout).toBe(`['${prefix}', '${basePrefix}']\n`);
    },
    TIME
  );

  test(
    'with a wrong PYTHONHOME are refused before they can fail half-way, and start without it',
    async () => {
      expect(await failure(pythonOfTests, { PYTHONHOME: '/nowhere' })).toMatch(
        /would look for its modules in PYTHONHOME, \/nowhere, .*: unset it, or set it to/
      );
      const { stdout } = await runProgram(
        `process.env.PYTHONHOME = '/nowhere';
       try { python.start({ python: process.env.PYTHON }); } catch { console.log('refused'); }
       delete process.env.PYTHONHOME;
       python.start({ python: process.env.PYTHON }); console.log(python.evaluate('6 * 7'));`,
        { python: null, environment: { PYTHON: pythonOfTests } }
      );
      expect(stdout).toBe('refused\n42\n');
    },
    TIME
  );

  test(
    'a process has one Python, whatever the name of its path',
    async () => {
      const other = makeEnvironment(join(folder, 'venv'), base);
      const { stdout } = await runProgram(
        `console.log(python.start({ python: pythonPath.replace(/python$/, 'python3') }).executable === pythonPath);
       try { python.start({ python: ${JSON.stringify(other)} }); } catch (error) { console.log(error.name, error.message); }
       console.log(python.evaluate('6 * 7'));`
      );
      expect(stdout).toMatch(/^true\nPythonUnavailableError .*a process can run only one Python\n42\n$/);
    },
    TIME
  );
});

describeWith([], 'a Python that was started', () => {
  /** Runs statements and returns values of expressions, in a separate program. */
  const values = async (
    statements: string,
    expressions: string[],
    environment: Record<string, string | undefined> = {}
  ): Promise<unknown> => {
    const { stdout, stderr } = await runProgram(
      `python.run(${JSON.stringify(statements)});
       console.log(JSON.stringify(${JSON.stringify(expressions)}.map(text => python.toJS(python.evaluate(text)))));`,
      { environment }
    );
    expect(stderr).toBe('');
    return JSON.parse(stdout) as unknown;
  };

  test(
    'releases the GIL after a tenth of a millisecond, and finds the companion package last',
    async () => {
      const [interval, last, count] = (await values('import sys', [
        'sys.getswitchinterval()',
        'sys.path[-1]',
        'len(sys.path)'
      ])) as [number, string, number];
      expect(interval).toBeCloseTo(0.0001, 9);
      expect([last, count > 2]).toEqual([join(import.meta.dirname, '../../../python'), true]);
    },
    TIME
  );

  test(
    'is prepared in the same way if the environment names the companion package, which it finds once',
    async () => {
      const folder = join(import.meta.dirname, '../../../python');
      const [interval, places, start] = (await values(
        'import multiprocessing, sys',
        [
          'sys.getswitchinterval()',
          `sys.path.count(${JSON.stringify(folder)})`,
          'multiprocessing.get_start_method()'
        ],
        { PYTHONPATH: folder }
      )) as [number, number, string];
      expect(interval).toBeCloseTo(0.0001, 9);
      expect([places, start]).toEqual([1, 'forkserver']);
    },
    TIME
  );

  test(
    'releases the GIL while one of its threads computes',
    async () => {
      const { stdout, code } = await runProgram(`
        python.run('import threading\\nstop = False\\ndef spin():\\n  while not stop: pass\\nt = threading.Thread(target=spin); t.start()\\ndef f(x): return x');
        const f = python.evaluate('f'), times = [];
        for (let call = 0; call < 300; call += 1) {
          for (const until = performance.now() + 0.2; performance.now() < until; );
          const begin = performance.now();
          f(1);
          times.push(performance.now() - begin);
        }
        python.run('stop = True; t.join()');
        console.log(times.sort((a, b) => a - b)[150]);`);
      // The interval is tested above; the machine runs other work too, but no call waits until the loop ends.
      expect(Number(stdout)).toBeLessThan(20);
      expect(code).toBe(0);
    },
    TIME
  );

  // AddressSanitizer does not support libraries that are loaded with RTLD_DEEPBIND.
  (isSanitized ? test.skip : test)(
    'has its TLS and its compression from the system, not from Node, unless that is disabled',
    async () => {
      const expressions = [
        'ssl.OPENSSL_VERSION',
        'ssl._ssl.__loader__.__class__.__name__',
        'sys.getdlopenflags() & os.RTLD_DEEPBIND'
      ];
      const own = (await values('import ssl, sys, os', expressions)) as string[];
      const off = (await values('import ssl, sys, os', expressions, {
        STRIDELAB_PYTHON_DEEPBIND: '0'
      })) as string[];
      expect(own[0]).not.toContain(process.versions.openssl.split('+')[0]);
      expect(off[0]).toContain(process.versions.openssl.split('+')[0]);
      expect([own.slice(1), off.slice(1)]).toEqual([
        ['ExtensionFileLoader', 0],
        ['ExtensionFileLoader', 0]
      ]);
    },
    TIME
  );

  test(
    'starts new processes with sys.executable',
    async () => {
      const [method, doubled, chosen] = (await values(
        'import multiprocessing, sys, operator\nwith multiprocessing.Pool(2) as pool: doubled = pool.map(operator.neg, [1, 2])\nspawned = multiprocessing.get_context("spawn").Pool(1)\ndoubled += spawned.map(operator.neg, [3])\nspawned.close()',
        [
          'multiprocessing.get_start_method()',
          'doubled',
          'multiprocessing.set_start_method("fork", force=True) or multiprocessing.get_start_method()'
        ]
      )) as [string, number[], string];
      expect([method, doubled, chosen]).toEqual(['forkserver', [-1, -2, -3], 'fork']);
    },
    TIME
  );

  test(
    'warns on stderr, and faulthandler reports where a crash was',
    async () => {
      const { stderr, signal } = await runProgram(
        `python.run('import warnings, faulthandler, ctypes\\nwarnings.warn("careful")\\nfaulthandler.enable()', 'mine.py');
       python.run('ctypes.string_at(0)', 'mine.py');`
      );
      expect(stderr).toMatch(
        /mine\.py:2: UserWarning: careful[^]*Segmentation fault[^]*File "mine\.py", line 1 in <module>/
      );
      expect(signal).toBe('SIGSEGV');
    },
    TIME
  );
});
