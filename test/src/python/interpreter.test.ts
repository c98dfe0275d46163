/** CPython in this process: the tests' environment, whose interpreter has a shared library. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { python, PythonUnavailableError } from '../../../src/index.ts';
import { native } from '../../../src/native/load.ts';
import { describeCalls } from './contract-calls.ts';
import { describeValues } from './contract-values.ts';
import { obstacle, pythonOfTests as EXECUTABLE } from './environment.ts';

/** A plain program, compiled: `listener.mjs PYTHON before|later|`. */
const PROGRAM = join(import.meta.dirname, 'listener.mjs');

/** Some Pythons have no shared library: then there is nothing to test. */
const withPython = obstacle === null ? describe : describe.skip;
if (obstacle !== null) process.stderr.write(`Tests of Python are skipped: ${obstacle}\n`);
else python.start({ python: EXECUTABLE });

withPython('start', () => {
  test('uses the virtual environment of the interpreter', () => {
    const sys = python.import('sys');
    const { executable, prefix, version } = python.start();
    expect(sys['executable']).toBe(executable);
    expect(sys['prefix']).toBe(prefix);
    expect(`${sys['version']}`.startsWith(version)).toBe(true);
  });

  test('started again is the same interpreter, and another one is refused', () => {
    expect(python.start().executable).toBe(python.start({}).executable);
    expect(() => python.start({ python: '/nowhere/python' })).toThrow(PythonUnavailableError);
  });

  test.each([
    ['ends the program without a listener', '', 'null SIGINT'],
    ['reaches a listener from before', 'before', '0 heard'],
    ['reaches a listener from later', 'later', '0 heard']
  ])('an interrupt %s', async (_, listener, outcome) => {
    const child = spawn(process.execPath, [PROGRAM, EXECUTABLE, listener], {
      stdio: ['ignore', 'pipe', 'inherit']
    });
    let output = '';
    child.stdout.on('data', (text: Buffer) => {
      output += text.toString();
      if (output === 'ready\n') child.kill('SIGINT');
    });
    const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
    expect(`${code} ${signal ?? output.replace('ready\n', '').trim()}`).toBe(outcome);
  });

  test('lists its candidates, each with the reason why it cannot run', () => {
    const before = process.env['STRIDELAB_PYTHON'];
    process.env['STRIDELAB_PYTHON'] = '/nowhere/python';
    try {
      const [only] = python.discover();
      expect(only?.obstacle).toContain('/nowhere/python does not exist');
    } finally {
      if (before === undefined) delete process.env['STRIDELAB_PYTHON'];
      else process.env['STRIDELAB_PYTHON'] = before;
    }
  });
});

withPython('in this process', () => {
  describeValues(python, {
    functionType: 'builtin_function_or_method',
    countHandles: () => native().python.countHandles(),
    async collect() {
      native().drainReleases(true);
      await new Promise(resolve => setImmediate(resolve));
    }
  });
  describeCalls(python);
});
