/** The numbers of the messages between a JavaScript process and its Python, which python/stridelab/worker repeats. */

/** Messages to Python. Each has the number of a request, or of the call that is answered. */
export const ToChild = {
  return: 0,
  throw: 1,
  end: 2,
  release: 3,
  async: 4,
  /** A message about a shared array. */
  array: 5,
  /** JavaScript was interrupted: the main thread must stop waiting for answers. */
  unwind: 6,
  firstOperation: 7
} as const;

/** Messages to JavaScript. */
export const FromChild = {
  hello: 0,
  value: 1,
  raised: 2,
  nothing: 3,
  call: 4,
  output: 5,
  drop: 6,
  done: 7,
  array: 8,
  /** A value with file descriptors. */
  granted: 9
} as const;

/** The thread that calls a JavaScript function: one that JavaScript does not wait for, the main thread, or one that does not wait. */
export const CallOrigin = { elsewhere: 0, main: 1, told: 2 } as const;

/** The requests to Python in the order of their numbers: members of PythonCalls, and those for arrays. */
export const OPERATIONS = [
  'execute',
  'module',
  'import',
  'getAttribute',
  'setAttribute',
  'getItem',
  'setItem',
  'call',
  'callKeywords',
  'iterate',
  'next',
  'truth',
  'isCallable',
  'makeObject',
  'makeInt',
  'makeFloat',
  'makeList',
  'makeTuple',
  'makeSet',
  'makeDict',
  'makeSlice',
  'makeFunction',
  'bytesOf',
  'copy',
  'countHandles',
  'openGrant',
  'makeGrant'
] as const;

export type Operation = (typeof OPERATIONS)[number];

export const operationNumbers = Object.freeze(
  Object.fromEntries(OPERATIONS.map((name, index) => [name, ToChild.firstOperation + index]))
) as Readonly<Record<Operation, number>>;
