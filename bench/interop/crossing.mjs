/** Tests one protocol in one direction: which arrays are exchanged, and how. */

import { arange, NDArray, python, PythonError, recordDType, zeros } from 'stridelab';
import { dtypes, reason, RECORD } from './facts.mjs';
import { orderIn, orderOut } from './order.mjs';
import { median } from './timing.mjs';

/**
 * @typedef {import('./facts.mjs').Crossing} Crossing
 * @typedef {import('./facts.mjs').Protocol} Protocol
 * @typedef {import('stridelab').Device} Device
 * @typedef {import('stridelab').PyObject} PyObject
 * @typedef {{ library: PyObject, common: PyObject, device: Device, crashed: Record<string, string>, step: (name: string) => void }} Subject
 * `step` records which step begins; `crashed` lists the steps that ended an earlier process, and how.
 */

/** The steps in addition to layouts and types. */
const [ANY, READ_ONLY, ORDER, TIME] = ['any array', 'read-only arrays', 'order of work', 'time'];

/**
 * Returns the result of the call, or the reason of its failure; undefined if the library lacks the feature.
 * @template T @param {() => T} call @returns {T | string | undefined}
 */
function attempt(call) {
  try {
    return call();
  } catch (error) {
    return error instanceof PythonError && error.type.endsWith('Missing') ? undefined : reason(error);
  }
}

/**
 * Returns the result of one step, or how it ended an earlier process.
 * @template T @param {Subject} subject @param {string} name @param {() => T} call @returns {T | string | undefined}
 */
function step({ crashed, step: tell }, name, call) {
  if (crashed[name] !== undefined) return crashed[name];
  tell(name);
  return attempt(call);
}

/**
 * Returns the outcome for each name that the library has.
 * @param {Subject} subject @param {Iterable<string>} names @param {(name: string) => string | undefined} look
 */
function each(subject, names, look) {
  /** @type {Record<string, string>} */
  const found = {};
  for (const name of names) {
    const outcome = step(subject, name, () => look(name));
    if (outcome !== undefined) found[name] = outcome;
  }
  return found;
}

/** Compares values that were read with the expected ones; both can be unreadable. @param {unknown} got @param {unknown} expected */
function compared(got, expected) {
  if (got === undefined || expected === undefined) return 'same';
  return JSON.stringify(got) === JSON.stringify(expected) ? 'same' : `other values: ${JSON.stringify(got)}`;
}

/** Returns the name of the array's dtype; `record` for every structured dtype. @param {NDArray} array */
const nameOf = ({ dtype: { name } }) => (name.startsWith('record') ? 'record' : name);

/** Imports an object of the library. @param {PyObject} object @param {Protocol} via */
const incoming = (object, via) => python.asArray(object, { via });

/** Tests the direction from the library to TypeScript. @param {Subject} subject @param {Protocol} protocol @returns {Crossing} */
export function inward(subject, protocol) {
  const { library, common } = subject;
  /** @type {Crossing} */
  const crossing = { protocol, direction: 'in', outcome: 'absent' };
  const object = attempt(() => library.make());
  if (object === undefined) return crossing; // the library makes no arrays
  if (typeof object === 'string') return { ...crossing, outcome: 'refused', why: object };
  if (!python.toJS(common.offers(object)).includes(protocol)) return crossing;
  const ours = step(subject, ANY, () => incoming(object, protocol));
  if (!(ours instanceof NDArray)) return withoutArray(crossing, ours);
  crossing.outcome = ours.pointer === BigInt(library.address(object)) ? 'zero-copy' : 'copy';
  crossing.shared = writesSeen(subject, object, ours);
  crossing.readOnly =
    step(subject, READ_ONLY, () => {
      const object = library.read_only();
      return incoming(object, protocol).readOnly ? 'kept' : 'lost';
    }) ?? '';
  const views = library.views();
  crossing.layouts = each(subject, [...views.keys()], name => {
    const view = python.item(views, name);
    const got = incoming(view, protocol);
    if (got.size > 0 && got.pointer !== BigInt(library.address(view))) return 'copied';
    const expected = attempt(() => python.toJS(library.values(view)));
    return compared(got.toNested(), expected);
  });
  crossing.dtypes = each(subject, dtypes, dtype => {
    const made = attempt(() => library.make(dtype));
    if (!python.isObject(made)) return undefined; // the library cannot make such arrays
    const name = nameOf(incoming(made, protocol));
    return name === dtype ? 'same' : `as ${name}`;
  });
  if (!subject.device.simulated)
    crossing.order = step(subject, ORDER, () => orderIn(subject, protocol)) ?? '';
  crossing.microseconds = timed(subject, () => incoming(object, protocol).dispose());
  return crossing;
}

/** @param {Subject} subject @param {() => void} exchange */
function timed(subject, exchange) {
  const microseconds = step(subject, TIME, () => median(exchange));
  return typeof microseconds === 'number' ? microseconds : NaN;
}

/** @param {Crossing} crossing @param {unknown} why @returns {Crossing} */
const withoutArray = (crossing, why) => ({
  ...crossing,
  outcome: String(why).startsWith('the process') ? 'crashed' : 'refused',
  why: String(why)
});

/** Returns whose writes the other side sees. @param {Subject} subject @param {PyObject} theirs @param {NDArray} ours @returns {Crossing['shared']} */
function writesSeen({ library }, theirs, ours) {
  const seesOurs = attempt(() => {
    if (ours.readOnly) return undefined;
    ours.fill(7);
    ours.synchronize();
    return library.first(theirs) === 7;
  });
  const seesTheirs = attempt(() => {
    library.set_first(theirs, 42);
    library.finish();
    return Number(ours.item(...ours.shape.map(() => 0))) === 42;
  });
  // If a side cannot write, there is nothing for the other side to see.
  const [ofOurs, ofTheirs] = [seesOurs, seesTheirs].map(seen => seen === true || seen === undefined);
  return ofOurs ? (ofTheirs ? 'both' : 'ours') : ofTheirs && seesTheirs !== undefined ? 'theirs' : 'neither';
}

/** @param {Subject} subject @param {PyObject} take @param {NDArray} ours */
function readOnlyOut({ library }, take, ours) {
  const taken = attempt(() => take(ours.asReadOnly()));
  if (typeof taken === 'string') return `refused: ${taken}`;
  return attempt(() => (library.is_read_only(taken) ? 'kept' : 'lost'));
}

/** Returns the tested layouts of six float32 elements in two rows. @param {Device} device @returns {Record<string, NDArray>} */
function layouts(device) {
  const a = arange(6, { dtype: 'float32', device }).reshape(2, 3);
  return {
    'negative strides': a.slice('::-1', '::-2'),
    'column-major': a.T,
    offset: a.slice('1:'),
    gaps: a.slice(null, '::2'),
    '0-d': a.slice(1, 2),
    broadcast: a.slice(':1').broadcastTo([4, 3]),
    empty: zeros([0, 3], { dtype: 'float32', device })
  };
}

/** Tests the direction from TypeScript to the library. @param {Subject} subject @param {Protocol} protocol @returns {Crossing} */
export function outward(subject, protocol) {
  const { library, common, device } = subject;
  /** @type {Crossing} */
  const crossing = { protocol, direction: 'out', outcome: 'absent' };
  const take = python.toJS(library.takes)[protocol];
  if (take === undefined) return crossing;
  const ours = arange(6, { dtype: library.basic, device }).reshape(2, 3);
  const theirs = step(subject, ANY, () => take(ours));
  if (!python.isObject(theirs)) return withoutArray(crossing, theirs);
  crossing.outcome = BigInt(library.address(theirs)) === ours.pointer ? 'zero-copy' : 'copy';
  crossing.shared = writesSeen(subject, theirs, ours);
  crossing.readOnly = step(subject, READ_ONLY, () => readOnlyOut(subject, take, ours)) ?? '';
  const views = layouts(device);
  crossing.layouts = each(subject, Object.keys(views), name => {
    const view = /** @type {NDArray} */ (views[name]);
    const got = take(view);
    if (view.size > 0 && BigInt(library.address(got)) !== view.pointer) return 'copied';
    const values = attempt(() => python.toJS(library.values(got)));
    return compared(values, view.toNested());
  });
  crossing.dtypes = each(subject, dtypes, dtype => {
    const type = dtype === 'record' ? recordDType(RECORD) : dtype;
    const name = library.dtype(take(zeros(4, { dtype: type, device })));
    return name === dtype ? 'same' : `as ${name}`;
  });
  if (!device.simulated) crossing.order = step(subject, ORDER, () => orderOut(subject, take)) ?? '';
  const dropping = common.dropping(take);
  crossing.microseconds = timed(subject, () => void dropping(ours));
  return crossing;
}
