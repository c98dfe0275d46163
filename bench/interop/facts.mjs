/**
 * The stored results for one library.
 *
 * @typedef {'exchange-table' | 'dlpack' | 'cuda-array-interface' | 'array-interface' | 'buffer'} Protocol
 * @typedef {'in' | 'out'} Direction in: from the library to TypeScript
 * @typedef {{
 *   protocol: Protocol,
 *   direction: Direction,
 *   outcome: 'zero-copy' | 'copy' | 'refused' | 'absent' | 'crashed',
 *   why?: string,
 *   shared?: 'both' | 'theirs' | 'ours' | 'neither',
 *   readOnly?: string,
 *   layouts?: Record<string, string>,
 *   dtypes?: Record<string, string>,
 *   order?: 'device' | 'host' | 'lost' | 'unproven' | string,
 *   microseconds?: number | null | undefined
 * }} Crossing
 * shared: whose writes the other side sees. layouts and dtypes: 'same' if they are exchanged unchanged, otherwise what happens.
 * order: whether the device, the host or neither waits for pending work.
 *
 * @typedef {{
 *   library: string,
 *   outcome: 'ran' | 'absent' | 'failed',
 *   why?: string,
 *   version?: string,
 *   crossings: Crossing[]
 * }} Report
 *
 * @typedef {{ cpu: string, gpu: string | null, driver: string | null, node: string, python: string, date: string }} Machine
 * @typedef {{ where: 'host' | 'cuda', machine: Machine, reports: Report[] }} Run
 */

/** @type {readonly Protocol[]} */
export const protocols = ['exchange-table', 'dlpack', 'cuda-array-interface', 'array-interface', 'buffer'];

export const dtypes = [
  'bool',
  'int8',
  'int16',
  'int32',
  'int64',
  'uint8',
  'uint16',
  'uint32',
  'uint64',
  'float16',
  'float32',
  'float64',
  'complex64',
  'complex128',
  'bfloat16',
  'float8_e4m3fn',
  'float8_e5m2',
  'datetime64[ns]',
  'bytes3',
  'str3',
  'record'
];

export const RECORD = /** @type {const} */ ([
  ['a', '<i4'],
  ['b', '<f8']
]);

/** Returns the first line of an error, shortened for a table. @param {unknown} error */
export function reason(error) {
  const text = error instanceof Error ? error.message : String(error);
  const line = text.split('\n')[0] ?? '';
  return line.length > 160 ? `${line.slice(0, 157)}...` : line;
}
