/** One protocol in one direction: what of an array comes over, and how. */

import { arange, python, PythonError, recordDType, zeros } from 'stridelab';
import { dtypes, reason, RECORD } from './facts.mjs';
import { orderIn, orderOut } from './order.mjs';
import { median } from './timing.mjs';

/**
 * @typedef {import('./facts.mjs').Crossing} Crossing
 * @typedef {import('./facts.mjs').Protocol} Protocol
 * @typedef {import('stridelab').NDArray} NDArray
 * @typedef {import('stridelab').Device} Device
 * @typedef {import('stridelab').PyObject} PyObject
 * @typedef {{ library: PyObject, common: PyObject, device: Device }} Subject
 */

/**
 * What the call gives, or why it does not; undefined where the library has no word for what was asked.
 * @template T @param {() => T} call @returns {T | string | undefined}
 */
function attempt(call) {
  try {
    return call();
  } catch (error) {
    return error instanceof PythonError && error.type.endsWith('Missing') ? undefined : reason(error);
  }
}

/** What becomes of each name; without those that the library has no word for. @param {Iterable<string>} names @param {(name: string) => string | undefined} look */
function each(names, look) {
  /** @type {Record<string, string>} */
  const found = {};
  for (const name of names) {
    const outcome = attempt(() => look(name));
    if (outcome !== undefined) found[name] = outcome;
  }
  return found;
}

/** Whether values that were read are those that were there; both can be unreadable. @param {unknown} got @param {unknown} expected */
function compared(got, expected) {
  if (got === undefined || expected === undefined) return 'same';
  return JSON.stringify(got) === JSON.stringify(expected) ? 'same' : `other values: ${JSON.stringify(got)}`;
}

/** Its name, a record's without its fields. @param {NDArray} array */
const nameOf = ({ dtype: { name } }) => (name.startsWith('record') ? 'record' : name);

/** Ours of what the library has. @param {Subject} subject @param {PyObject} object @param {Protocol} via */
const incoming = ({ device }, object, via) =>
  python.asArray(object, { via, ...(device.simulated ? {} : { device }) });

/** From the library to TypeScript. @param {Subject} subject @param {Protocol} protocol @returns {Crossing} */
export function inward(subject, protocol) {
  const { library, common } = subject;
  /** @type {Crossing} */
  const crossing = { protocol, direction: 'in', outcome: 'absent' };
  const object = library.make();
  if (!python.toJS(common.offers(object)).includes(protocol)) return crossing;
  /** @type {NDArray} */
  let ours;
  try {
    ours = incoming(subject, object, protocol);
  } catch (error) {
    return { ...crossing, outcome: 'refused', why: reason(error) };
  }
  crossing.outcome = ours.pointer === BigInt(library.address(object)) ? 'zero-copy' : 'copy';
  crossing.shared = writesSeen(subject, object, ours);
  crossing.readOnly =
    attempt(() => (incoming(subject, library.read_only(), protocol).readOnly ? 'kept' : 'lost')) ?? '';
  const views = library.views();
  crossing.layouts = each([...views.keys()], name => {
    const view = python.item(views, name);
    const got = incoming(subject, view, protocol);
    if (got.size > 0 && got.pointer !== BigInt(library.address(view))) return 'copied';
    return compared(
      got.toNested(),
      attempt(() => python.toJS(library.values(view)))
    );
  });
  crossing.dtypes = each(dtypes, dtype => {
    const made = attempt(() => library.make(dtype));
    if (!python.isObject(made)) return undefined; // it makes no such arrays, for whatever reason
    const name = nameOf(incoming(subject, made, protocol));
    return name === dtype ? 'same' : `as ${name}`;
  });
  if (!subject.device.simulated) crossing.order = attempt(() => orderIn(subject, protocol)) ?? '';
  crossing.microseconds = median(() => incoming(subject, object, protocol).dispose());
  return crossing;
}

/** Whose writes the other side sees. @param {Subject} subject @param {PyObject} theirs @param {NDArray} ours @returns {Crossing['shared']} */
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
  // What a side never does the other side need not see.
  const [ofOurs, ofTheirs] = [seesOurs, seesTheirs].map(seen => seen === true || seen === undefined);
  return ofOurs ? (ofTheirs ? 'both' : 'ours') : ofTheirs && seesTheirs !== undefined ? 'theirs' : 'neither';
}

/** @param {Subject} subject @param {PyObject} take @param {NDArray} ours */
function readOnlyOut({ library }, take, ours) {
  const taken = attempt(() => take(ours.asReadOnly()));
  if (typeof taken === 'string') return `refused: ${taken}`;
  return attempt(() => (library.is_read_only(taken) ? 'kept' : 'lost'));
}

/** The layouts that are looked at, of six float32 in two rows. @param {Device} device @returns {Record<string, NDArray>} */
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

/** From TypeScript to the library. @param {Subject} subject @param {Protocol} protocol @returns {Crossing} */
export function outward(subject, protocol) {
  const { library, common, device } = subject;
  /** @type {Crossing} */
  const crossing = { protocol, direction: 'out', outcome: 'absent' };
  const take = python.toJS(library.takes)[protocol];
  if (take === undefined) return crossing;
  const ours = arange(6, { dtype: library.basic, device }).reshape(2, 3);
  /** @type {PyObject} */
  let theirs;
  try {
    theirs = take(ours);
  } catch (error) {
    return { ...crossing, outcome: 'refused', why: reason(error) };
  }
  crossing.outcome = BigInt(library.address(theirs)) === ours.pointer ? 'zero-copy' : 'copy';
  crossing.shared = writesSeen(subject, theirs, ours);
  crossing.readOnly = readOnlyOut(subject, take, ours) ?? '';
  const views = layouts(device);
  crossing.layouts = each(Object.keys(views), name => {
    const view = /** @type {NDArray} */ (views[name]);
    const got = take(view);
    if (view.size > 0 && BigInt(library.address(got)) !== view.pointer) return 'copied';
    return compared(
      attempt(() => python.toJS(library.values(got))),
      view.toNested()
    );
  });
  crossing.dtypes = each(dtypes, dtype => {
    const type = dtype === 'record' ? recordDType(RECORD) : dtype;
    const name = library.dtype(take(zeros(4, { dtype: type, device })));
    return name === dtype ? 'same' : `as ${name}`;
  });
  if (!device.simulated) crossing.order = attempt(() => orderOut(subject, take)) ?? '';
  const timed = common.dropping(take);
  crossing.microseconds = median(() => timed(ours));
  return crossing;
}
