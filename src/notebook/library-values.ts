/** Recognises values of known libraries by their members, and returns them as their users think of them. No library is imported. */

import { methodOf } from './duck-types.ts';

/** A collection of a library. `values` are entries `[key, value]` for a `map` and a `record`. */
export interface LibraryCollection {
  /** Its name, such as `Immutable.List`. */
  readonly name: string;
  readonly kind: 'list' | 'map' | 'set' | 'record';
  /** The number of values; undefined if only reading all of them would tell. */
  readonly size: number | undefined;
  readonly values: Iterable<unknown>;
}

/** The text of a value, or its collection. */
export type LibraryView = string | LibraryCollection;

type Members = Readonly<Record<string, unknown>>;

/** Returns the view of an instance of a known class; undefined for others. Errors of the value's methods are thrown. */
export function libraryView(value: object): LibraryView | undefined {
  const members = value as Members;
  return (
    immutable(members) ??
    tensor(members) ??
    mathematics(members) ??
    date(members) ??
    databaseValue(members) ??
    stridedArray(members) ??
    arrow(members)
  );
}

/** The maximum number of elements read on an axis of an array. */
const AXIS = 100;

const call = (value: Members, method: string, ...given: unknown[]): unknown =>
  methodOf(value, method)?.(...given);
const asText = (value: Members): string => String(call(value, 'toString'));

/** The marks by which Immutable's own functions, such as `isMap`, recognise its collections. */
const marked = (value: Members, mark: string): boolean => value[`@@__IMMUTABLE_${mark}__@@`] === true;

/** Immutable.js 4 and 5. */
function immutable(value: Members): LibraryView | undefined {
  if (marked(value, 'RECORD')) {
    const name = typeof value['_name'] === 'string' ? value['_name'] : 'Record';
    const values = call(value, 'toSeq') as Iterable<unknown> & { readonly size: number };
    return { name: `Immutable.${name}`, kind: 'record', size: values.size, values };
  }
  if (!('@@__IMMUTABLE_ITERABLE__@@' in value)) return undefined;
  const found = ['Map', 'Set', 'List', 'Stack', 'Seq'].find(name => marked(value, name.toUpperCase()));
  const isOrdered = marked(value, 'ORDERED') && (found === 'Map' || found === 'Set');
  const { size } = value;
  return {
    name: `Immutable.${isOrdered ? 'Ordered' : ''}${found ?? 'Collection'}`,
    kind: '@@__IMMUTABLE_KEYED__@@' in value ? 'map' : found === 'Set' ? 'set' : 'list',
    size: typeof size === 'number' ? size : undefined,
    values: value as unknown as Iterable<unknown>
  };
}

/** Tensors and variables of TensorFlow.js; its text has at most six values of an axis. */
function tensor(value: Members): LibraryView | undefined {
  if (!('dataId' in value && 'rankType' in value && 'dtype' in value)) return undefined;
  return String(call(value, 'toString', true));
}

/** mathjs, complex.js, fraction.js and bignumber.js. */
function mathematics(value: Members): LibraryView | undefined {
  if (value['isDenseMatrix'] === true) return list('DenseMatrix', call(value, 'valueOf'));
  if (value['isSparseMatrix'] === true) return sparseMatrix(value);
  if (value['isResultSet'] === true) return list('ResultSet', value['entries']);
  if (methodOf(value, 'toFraction') !== undefined && typeof value['n'] === 'bigint')
    return String(call(value, 'toFraction'));
  const isKnown =
    ['isUnit', 'isComplex', 'isFraction', 'isNode', '_isBigNumber'].some(mark => value[mark] === true) ||
    (typeof value['re'] === 'number' && typeof value['im'] === 'number' && nameOf(value) === 'Complex');
  return isKnown ? asText(value) : undefined;
}

/** The text of a sparse matrix has all of its values. */
function sparseMatrix(value: Members): string {
  const values = value['_values'];
  if (Array.isArray(values) && values.length <= AXIS) return String(call(value, 'format'));
  const count = Array.isArray(values) ? `, ${values.length.toLocaleString('en')} values` : '';
  return `[SparseMatrix, ${String(value['_size']).replaceAll(',', ' × ')}${count}]`;
}

/** Day.js, and durations of Moment; Luxon and the dates of Moment have an inspect method. */
function date(value: Members): LibraryView | undefined {
  if (value['$isDayjsObject'] === true) return `Dayjs<${String(call(value, 'format'))}>`;
  if (typeof value['_milliseconds'] === 'number' && methodOf(value, 'humanize') !== undefined)
    return `Duration<${String(call(value, 'toISOString'))}>`;
  return undefined;
}

/** Values of DuckDB: dates, decimals, lists, structs, and others. */
function databaseValue(value: Members): LibraryView | undefined {
  return /^DuckDB\w*Value$/.test(nameOf(value)) ? asText(value) : undefined;
}

/** scijs/ndarray. */
function stridedArray(value: Members): LibraryView | undefined {
  const { shape, stride, dtype } = value;
  if (!/^View(\d+d|_nil)/.test(nameOf(value)) || !Array.isArray(shape) || !Array.isArray(stride))
    return undefined;
  const sizes = shape as readonly number[];
  const nested = (index: readonly number[]): unknown => {
    const size = sizes[index.length];
    if (size === undefined) return call(value, 'get', ...index);
    const axis = Array.from({ length: Math.min(size, AXIS) }, (_, at) => nested([...index, at]));
    // The length states how many elements were not read.
    axis.length = size;
    return axis;
  };
  return list(`ndarray ${String(dtype)}`, sizes.length === 0 ? [nested([])] : nested([]));
}

/** Vectors of Apache Arrow, and its tables inside other values. */
function arrow(value: Members): LibraryView | undefined {
  const { numRows, numCols, length, type } = value;
  if ('schema' in value && 'batches' in value && typeof numRows === 'number')
    return `[Table, ${numRows.toLocaleString('en')} rows × ${String(numCols)} columns]`;
  if (nameOf(value) !== 'Vector' || !('nullCount' in value) || typeof length !== 'number') return undefined;
  return {
    name: `Vector<${String(type)}>`,
    kind: 'list',
    size: length,
    values: value as unknown as Iterable<unknown>
  };
}

/** Returns the text of a timer of Node, whose own inspect method lists other timers; undefined for other values. */
export function timerText(timer: object): string | undefined {
  const value = timer as Members;
  if (methodOf(value, 'hasRef') === undefined || methodOf(value, 'unref') === undefined) return undefined;
  if (nameOf(value) === 'Immediate') return 'Immediate';
  if (nameOf(value) !== 'Timeout') return undefined;
  const delay = Number(value['_idleTimeout']);
  if (delay < 0) return 'Timeout (over)';
  return `Timeout (${value['_repeat'] === null ? '' : 'every '}${delay} ms)`;
}

function list(name: string, values: unknown): LibraryView | undefined {
  return Array.isArray(values) ? { name, kind: 'list', size: values.length, values } : undefined;
}

function nameOf(value: object): string {
  const { constructor } = value as { constructor?: { name?: unknown } };
  return typeof constructor?.name === 'string' ? constructor.name : '';
}
