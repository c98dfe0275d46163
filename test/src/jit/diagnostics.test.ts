/** The compiler's log as messages with locations. The logs are real output of NVRTC 12.9. */

import { formatDiagnostic, parseLog } from '../../../src/compiler/diagnostics.ts';
import { attachNotebookHost } from '../../../src/notebook/host.ts';

const SOURCE = `__device__ void f(float* p);
__device__ void f(int* p);
extern "C" __global__ void k(const float* x, int n) {
  int unused = 3;
  x[0] = nope;
  f(1, 2);
}
`;

const LOG = `kernel.cu(5): error: identifier "nope" is undefined
    x[0] = nope;
           ^

kernel.cu(6): error: no instance of overloaded function "f" matches the argument list
            argument types are: (int, int)
    f(1, 2);
    ^
kernel.cu(2): note #3322-D: number of parameters of function "f(int *)" does not match the call
  __device__ void f(int* p);
                  ^

kernel.cu(4): warning #177-D: variable "unused" was declared but never referenced
    int unused = 3;
        ^

Remark: The warnings can be suppressed with "-diag-suppress <warning-number>"

2 errors detected in the compilation of "kernel.cu".
`;

afterEach(() => attachNotebookHost(undefined));

function inCell(start: { cell: string; line: number } | null): void {
  attachNotebookHost({ display: () => undefined, inspect: () => undefined, locate: () => start });
}

test('messages, their severity, and their continuation lines are parsed', () => {
  expect(parseLog(LOG, 'kernel.cu', SOURCE)).toEqual([
    { severity: 'error', message: 'identifier "nope" is undefined', line: 5, place: null },
    {
      severity: 'error',
      message:
        'no instance of overloaded function "f" matches the argument list\nargument types are: (int, int)',
      line: 6,
      place: null
    },
    {
      severity: 'note',
      message: 'number of parameters of function "f(int *)" does not match the call',
      line: 2,
      place: null
    },
    {
      severity: 'warning',
      message: 'variable "unused" was declared but never referenced',
      line: 4,
      place: null
    }
  ]);
});

test('instantiations are listed below the line of source', () => {
  const log = `kernel.cu(1): error: expression must have class type but it has type "int"
  template <typename T> __device__ T g(T x) { return x.y; }
                                                     ^
          detected during instantiation of "T g(T) [with T=int]" at line 2

1 error detected in the compilation of "kernel.cu".
`;
  expect(parseLog(log, 'kernel.cu', '')[0]?.message).toBe(
    'expression must have class type but it has type "int"\ndetected during instantiation of "T g(T) [with T=int]" at line 2'
  );
});

test('an unexpected end of the source is reported at its last line', () => {
  const log = 'At end of source: error: expected a "}"\nkernel.cu(1): note #3196-D: to match this "{"\n';
  const found = parseLog(log, 'kernel.cu', '__global__ void k() {\n  int n;\n\n');
  expect(found.map(({ line, severity }) => [line, severity])).toEqual([
    [2, 'error'],
    [1, 'note']
  ]);
});

test('catastrophic errors are errors, and messages of headers and other files stay in the log', () => {
  const log = `kernel.cu(1): catastrophic error: cannot open source file "missing.h"
  #include "missing.h"
                      ^

/usr/include/mine.h(1): error: identifier "nope" is undefined
__nv_name_map(3): error: identifier "nothing" is undefined
nvrtc: error: unrecognized option --wrong found
`;
  expect(parseLog(log, 'kernel.cu', '').map(({ message }) => message)).toEqual([
    'cannot open source file "missing.h"'
  ]);
  expect(parseLog(log, 'mine.h', '')).toEqual([]);
});

test('names of files can have brackets and colons', () => {
  const name = 'a(1): b.cu';
  expect(parseLog(`${name}(7): error: wrong`, name, '')).toMatchObject([{ line: 7, message: 'wrong' }]);
});

test('an empty log gives no messages', () => {
  for (const log of ['', '\n', 'some words', 'kernel.cu(x): error: no'])
    expect(parseLog(log, 'kernel.cu', SOURCE)).toEqual([]);
});

test('lines are those of the cell that contains the source', () => {
  inCell({ cell: 'Cell [3]', line: 10 });
  const [first] = parseLog(LOG, 'kernel.cu', SOURCE);
  expect(first?.place).toEqual({ cell: 'Cell [3]', line: 14 });
  expect(formatDiagnostic(first!, SOURCE)).toBe(
    'Cell [3], line 14: error: identifier "nope" is undefined\n  14 |   x[0] = nope;'
  );
});

test('without a cell they are those of the source, with further lines below', () => {
  inCell(null);
  const [, second] = parseLog(LOG, 'kernel.cu', SOURCE);
  expect(formatDiagnostic(second!, SOURCE)).toBe(
    'line 6: error: no instance of overloaded function "f" matches the argument list\n    argument types are: (int, int)\n  6 |   f(1, 2);'
  );
  expect(formatDiagnostic({ ...second!, line: 99, message: 'far' }, SOURCE)).toBe(
    'line 99: error: far\n  99 | '
  );
});
