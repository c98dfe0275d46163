/** Structured dtypes: parses `descr`, with titles, nesting, sub-arrays and padding (rules 45 to 48). Pure. */

import { DTypeError } from '../base/errors.ts';
import type { Descr, DescrEntry, DType, Field, FieldName } from './dtype.ts';
import { intern, MAX_ITEMSIZE } from './parametric.ts';
import { parseAnyOrder, type Parsed, type Swap } from './typestr.ts';

/** Limits on nesting and on the number of entries, because an imported `descr` may contain itself. */
const MAX_DEPTH = 32;
const MAX_ENTRIES = 65_536;
/** Limit on the byte runs to reverse in one structured dtype. */
const MAX_SWAPS = 65_536;

class Builder {
  readonly fields: Field[] = [];
  readonly descr: DescrEntry[] = [];
  readonly swaps: Swap[] = [];
  offset = 0;

  advance(bytes: number): void {
    this.offset += bytes;
    if (this.offset > MAX_ITEMSIZE) fail('an element has more than 2^31 - 1 bytes');
  }
}

function fail(reason: string): never {
  throw new DTypeError(`descr: ${reason}`);
}

function namesOf(value: unknown): readonly [title: string | null, name: string] {
  if (typeof value === 'string') return [null, value];
  if (Array.isArray(value) && value.length === 2 && value.every(part => typeof part === 'string'))
    return value as unknown as readonly [string, string];
  return fail('expected a field name as text or [title, name] (rule 46: entries)');
}

function subShapeOf(value: unknown): readonly number[] {
  const dimensions: readonly unknown[] = Array.isArray(value) ? value : [value];
  for (const dimension of dimensions) {
    if (typeof dimension !== 'number' || !Number.isSafeInteger(dimension) || dimension < 0)
      fail('expected the shape of a sub-array as non-negative integers (rule 46: entries)');
  }
  return Object.freeze([...dimensions]) as readonly number[];
}

interface Budget {
  entries: number;
}

/** Returns the dtype of a `descr`; its size is the sum of its entries. */
export const parseDescr = (descr: unknown): Parsed => parseEntries(descr, 0, { entries: MAX_ENTRIES });

function parseEntries(descr: unknown, depth: number, budget: Budget): Parsed {
  if (!Array.isArray(descr) || descr.length === 0)
    return fail('expected a list of fields (rule 46: entries)');
  if (depth > MAX_DEPTH) return fail(`more than ${MAX_DEPTH} levels of nesting`);
  const builder = new Builder();
  for (const [index, entry] of (descr as readonly unknown[]).entries()) {
    if (budget.entries-- <= 0) fail(`more than ${MAX_ENTRIES} fields`);
    addEntry(builder, entry, index, depth, budget);
  }
  const names = new Set(builder.fields.map(field => field.name));
  if (names.size !== builder.fields.length) fail('two fields have the same name (rule 46: entries)');
  return { dtype: recordOf(builder), swaps: builder.swaps };
}

function addEntry(builder: Builder, entry: unknown, index: number, depth: number, budget: Budget): void {
  if (!Array.isArray(entry) || entry.length < 2 || entry.length > 3)
    fail('expected a field as [name, typestr] or [name, typestr, shape] (rule 46: entries)');
  const [nameEntry, type, shapeEntry] = entry as readonly unknown[];
  const [title, name] = namesOf(nameEntry);
  const shape = shapeEntry === undefined || shapeEntry === null ? [] : subShapeOf(shapeEntry);
  const { dtype, swaps } =
    typeof type === 'string' ? parseAnyOrder(type) : parseEntries(type, depth + 1, budget);
  const count = shape.reduce((product, dimension) => product * dimension, 1);
  const bytes = count * dtype.itemsize;
  const start = builder.offset;
  builder.advance(bytes);
  if (name === '' && dtype.kind === 'V' && dtype.fields === null) {
    builder.descr.push(Object.freeze(['', `|V${bytes}`] as const)); // padding
    return;
  }
  const known = name === '' ? `f${index}` : name; // NumPy's default names
  builder.fields.push(Object.freeze({ name: known, title, dtype, offset: start, shape }));
  const label: FieldName = title === null ? known : Object.freeze<[string, string]>([title, known]);
  const kind = dtype.descr ?? dtype.typestr!;
  builder.descr.push(Object.freeze(shape.length === 0 ? [label, kind] : [label, kind, shape]));
  addSwaps(builder, swaps, start, dtype.itemsize, count);
}

function addSwaps(
  builder: Builder,
  swaps: readonly Swap[],
  start: number,
  itemsize: number,
  count: number
): void {
  const [only] = swaps;
  if (only === undefined) return;
  if (swaps.length === 1 && only.bytes === itemsize) {
    builder.swaps.push({ offset: start, bytes: itemsize * count, width: only.width });
  } else {
    if (builder.swaps.length + swaps.length * count > MAX_SWAPS)
      fail(`more than ${MAX_SWAPS} big-endian fields`);
    for (let i = 0; i < count; i++)
      for (const swap of swaps) builder.swaps.push({ ...swap, offset: start + i * itemsize + swap.offset });
  }
}

/** Returns the alignment of the widest field if every field lies where a C compiler would place it, otherwise 1 for a packed struct. */
function alignmentOf(builder: Builder): number {
  const widest = builder.fields.reduce((most, field) => Math.max(most, field.dtype.alignment), 1);
  const aligned =
    builder.offset % widest === 0 &&
    builder.fields.every(field => field.offset % field.dtype.alignment === 0);
  return aligned ? widest : 1;
}

function recordOf(builder: Builder): DType {
  if (builder.offset === 0) fail('the fields have 0 bytes in total, expected at least 1');
  const descr: Descr = Object.freeze(builder.descr);
  return intern(JSON.stringify(descr), () => ({
    name: `record{${builder.fields
      .map(
        ({ name, dtype, shape }) => `${name}:${dtype.name}${shape.length > 0 ? `(${shape.join(',')})` : ''}`
      )
      .join(',')}}` as const,
    kind: 'V',
    itemsize: builder.offset,
    bits: builder.offset * 8,
    alignment: alignmentOf(builder),
    lanes: 1,
    typestr: `|V${builder.offset}`,
    dlpack: null,
    unit: null,
    fields: Object.freeze(builder.fields),
    descr
  }));
}
