/** CUDA C++ in cells: where its errors are displayed. */

import { join } from 'node:path';

import { traceback } from './client.ts';
import { kernel, withKernel } from './one-kernel.ts';

withKernel();

const SOURCE = `extern "C" __global__ void k(float* x) {
  x[0] = nope;
}`;

test("the compiler's messages have the lines of the cell that contains the source", async () => {
  // The log is real output of NVRTC; the cell parses it as cuda.compile does, which needs no compiler here.
  const parser = join(import.meta.dirname, '../../dist/src/compiler/diagnostics.js');
  const { result } = await kernel.execute(`
    const { parseLog, formatDiagnostic } = await import(${JSON.stringify(parser)});
    const source = \`${SOURCE}\`;
    const log = 'kernel.cu(2): error: identifier "nope" is undefined\\n    x[0] = nope;\\n           ^\\n';
    const [message] = parseLog(log, 'kernel.cu', source);
    formatDiagnostic(message, source)`);
  expect(result).toMatch(
    /Cell \[\d+\], line 4: error: identifier "nope" is undefined\\n {2}4 \| {3}x\[0\] = nope;/
  );
});

test('a cell that uses source of an earlier cell reports the line of that one', async () => {
  const { reply } = await kernel.execute(`let shared = \`\n${SOURCE}\`;`);
  const { result } = await kernel.execute(
    `parseLog('kernel.cu(3): error: wrong', 'kernel.cu', shared)[0].place`
  );
  expect(result).toBe(`{ cell: 'Cell [${String(reply['execution_count'])}]', line: 3 }`);
});

test('a concatenated source has lines of its own', async () => {
  const { result } = await kernel.execute(
    `parseLog('kernel.cu(1): error: wrong', 'kernel.cu', ['a', 'b'].join(' + '))[0].place`
  );
  expect(result).toBe('null');
});

test('a cell with a compile error, or without a compiler, ends in an error that says so', async () => {
  const { reply } = await kernel.execute(
    `import { cuda } from 'stridelab';\n\ncuda.compile(\`${SOURCE}\`, { device: 'rec', options: ['--gpu-architecture=sm_90'] });`
  );
  expect(['CompileError', 'DriverUnavailableError']).toContain(reply['ename']);
  expect(traceback(reply)).toMatch(/Cell \[\d+\]:3:6/);
  expect(reply['evalue']).toMatch(
    reply['ename'] === 'CompileError'
      ? /kernel\.cu does not compile\nCell \[\d+\], line 4: error: identifier "nope" is undefined\n {2}4 \| {3}x\[0\] = nope;/
      : /Install it with `pip install nvidia-cuda-nvrtc`/
  );
});
