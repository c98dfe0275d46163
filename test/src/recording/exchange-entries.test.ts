/**
 * Every public way to exchange an array is recorded, once for each call. Python's array interface and buffer protocol are not
 * included: imports through them use neither of the two protocols.
 */

import * as library from '../../../src/index.ts';
import {
  arange,
  asCudaArray,
  DLPackCapsule,
  exchanges,
  exportCudaArrayInterface,
  fromCudaArrayInterface,
  fromDlpack,
  NDArray,
  python,
  Stream,
  zeros,
  type PyObject
} from '../../../src/index.ts';
import { CAI_SYMBOL } from '../../../src/protocols/cai.ts';
import { DLPACK, DLPACK_DEVICE } from '../../../src/protocols/dlpack.ts';
import { descriptorOf, sim } from '../conformance/cai-support.ts';
import { recordExchanges, wrapped } from './exchange-records.ts';
import { describeWith, pythonOfTests } from '../python/environment.ts';

recordExchanges();

type Use = (array: NDArray, stream: Stream) => unknown;

/** A producer of another library over memory of ours. */
const producer = (array: NDArray): object => ({
  __dlpack__: (options: object) => array.__dlpack__(options),
  __dlpack_device__: () => array.__dlpack_device__()
});

/** Uses of exported functions, by name; several if arguments lead to different code. */
const FUNCTIONS: Readonly<Record<string, readonly Use[]>> = {
  asCudaArray: [
    (array, stream) => asCudaArray(wrapped(array), { stream }),
    (array, stream) => asCudaArray(array, { stream }),
    array => asCudaArray(array)
  ],
  fromCudaArrayInterface: [
    (array, stream) => fromCudaArrayInterface(descriptorOf(array), { owner: array, stream })
  ],
  exportCudaArrayInterface: [
    array => exportCudaArrayInterface(array),
    array => exportCudaArrayInterface(array, { version: 2 }),
    array => exportCudaArrayInterface(array, { event: true })
  ],
  fromDlpack: [
    (array, stream) => fromDlpack(producer(array), { stream }),
    (array, stream) => fromDlpack(array, { stream }),
    array => fromDlpack(array),
    array => fromDlpack(array, { copy: true }),
    array => fromDlpack(array.__dlpack__())
  ]
};

/** Uses of an array's members, by name. */
const MEMBERS: Readonly<Record<string, Use>> = {
  __cuda_array_interface__: array => array.__cuda_array_interface__,
  [String(CAI_SYMBOL)]: array => array[CAI_SYMBOL],
  __dlpack__: array => array.__dlpack__(),
  [String(DLPACK)]: array => array[DLPACK](),
  // Belongs to the request that follows.
  __dlpack_device__: array => {
    array.__dlpack_device__();
    return array.__dlpack__();
  },
  [String(DLPACK_DEVICE)]: array => {
    array[DLPACK_DEVICE]();
    return array.__dlpack__();
  }
};

const EXCHANGES = /dlpack|cudaarray|cuda_array/i;
/** Exports that neither take nor return an array. */
const NO_ENTRY = ['DLPackCapsule', 'dlpackCrossing'];

test('the tables name every entry of the library', () => {
  const functions = Object.keys(library).filter(name => EXCHANGES.test(name) && !NO_ENTRY.includes(name));
  expect(functions.sort()).toEqual(Object.keys(FUNCTIONS).sort());
  const { prototype } = NDArray;
  const members = [...Object.getOwnPropertyNames(prototype), ...Object.getOwnPropertySymbols(prototype)];
  const named = members.map(String).filter(name => EXCHANGES.test(name) && !name.includes('exchange'));
  expect(named.sort()).toEqual(Object.keys(MEMBERS).sort());
});

const uses = [
  ...Object.entries(FUNCTIONS).flatMap(([name, all]) =>
    all.map((use, index) => [`${name}, form ${index + 1}`, use] as const)
  ),
  ...Object.entries(MEMBERS)
];

test.each(uses)('%s', (_, use) => {
  using stream = new Stream(sim);
  using array = zeros(16, { ...sim, stream });
  using other = new Stream(sim);
  const made = use(array, other);
  expect(exchanges.read().events).toHaveLength(1);
  if (made instanceof NDArray || made instanceof DLPackCapsule) made.dispose();
});

describeWith(['numpy'], 'Python', () => {
  beforeAll(() => {
    python.start({ python: pythonOfTests });
    python.run('import numpy as np');
  });

  const call = (name: string, ...values: unknown[]): unknown =>
    (python.evaluate(name) as unknown as (...all: unknown[]) => unknown)(...values);

  const BOTH: Readonly<Record<string, (array: NDArray) => unknown>> = {
    'python.asArray': () => python.asArray(call('np.arange', 4) as PyObject),
    'an array as an argument': array => call('id', array),
    'np.from_dlpack': array => call('np.from_dlpack', array),
    'np.from_dlpack with a copy': array => call('np.from_dlpack', array, python.kw({ copy: true })),
    'np.asarray': array => call('np.asarray', array)
  };

  test.each(Object.entries(BOTH))('%s', (_, use) => {
    using array = arange(16, sim);
    const made = use(array);
    expect(exchanges.read().events).toHaveLength(1);
    if (made instanceof NDArray) made.dispose();
  });
});
