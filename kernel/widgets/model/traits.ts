/** Traits of widget properties: initial value, accepted values and JSON form, each as in ipywidgets. */

import { inspect } from 'node:util';
import { packReferences, unpackReferences } from './references.ts';
import { asBytes } from './values.ts';

export interface Trait<Value> {
  initial(): Value;
  /** Returns the value to keep. Throws `TypeError` or `RangeError` naming `what` for a value that is not accepted. */
  check(value: unknown, what: string): Value;
  /** Returns the value for the page; bytes are left as they are. */
  toJson(value: Value): unknown;
  /** Reverses `toJson`, before `check`. */
  fromJson(json: unknown): unknown;
  /** Whether the property exists only in the kernel. */
  readonly local?: true;
  /** False if changes by the page are not sent to other views: large or write-only values. */
  readonly echo?: false;
  /** Whether only the page sets the property. */
  readonly readOnly?: true;
}

export type TraitOptions = Pick<Trait<unknown>, 'local' | 'echo' | 'readOnly'>;

const same = <Value>(value: Value): Value => value;

/** Returns a trait whose JSON form is the value itself. */
export function trait<Value>(initial: () => Value, check: Trait<Value>['check']): Trait<Value> {
  return { initial, check, toJson: same, fromJson: same };
}

function refused(what: string, wanted: string, value: unknown): TypeError {
  const found = inspect(value, { depth: 1, breakLength: Infinity, maxStringLength: 80, maxArrayLength: 6 });
  return new TypeError(`${what} must be ${wanted}, not ${found}`);
}

/** Returns the trait of the values for which `accept` returns what to keep; messages describe them as `wanted`. */
function accepted<Value>(
  initial: Value,
  wanted: string,
  accept: (value: unknown) => Value | undefined
): Trait<Value> {
  return trait(
    () => initial,
    (value, what) => {
      const kept = accept(value);
      if (kept === undefined) throw refused(what, wanted, value);
      return kept;
    }
  );
}

/** Returns NaN for a value that is not a number. */
function asNumber(value: unknown): number {
  if (typeof value === 'bigint') return Number(value);
  return typeof value === 'number' ? value : NaN;
}

/** Returns the trait of an integer; fractions are truncated towards zero. */
export function int(initial: number): Trait<number> {
  return accepted(initial, 'a whole number', value => {
    const number = asNumber(value);
    return Number.isFinite(number) ? Math.trunc(number) : undefined;
  });
}

export function float(initial: number): Trait<number> {
  return accepted(initial, 'a number', value => {
    const number = asNumber(value);
    return Number.isNaN(number) ? undefined : number;
  });
}

export function bool(initial: boolean): Trait<boolean> {
  return accepted(initial, 'true or false', value => (typeof value === 'boolean' ? value : undefined));
}

export function text(initial: string): Trait<string> {
  return accepted(initial, 'text', value => (typeof value === 'string' ? value : undefined));
}

/** Returns the trait of one of `options`, ignoring case. */
export function choice<const Option extends string>(
  options: readonly Option[],
  initial: NoInfer<Option>
): Trait<Option> {
  const wanted = `one of ${options.map(option => inspect(option)).join(', ')}`;
  return accepted(initial, wanted, value =>
    options.find(option => typeof value === 'string' && option.toLowerCase() === value.toLowerCase())
  );
}

/** Returns the trait of `item` or null; initially null by default. */
export function nullable<Value>(item: Trait<Value>, initial: Value | null = null): Trait<Value | null> {
  return {
    initial: () => initial,
    check: (value, what) => (value === null || value === undefined ? null : item.check(value, what)),
    toJson: value => (value === null ? null : item.toJson(value)),
    fromJson: json => (json === null ? null : item.fromJson(json))
  };
}

/** Returns the trait of values that `first` accepts, or else `second`. */
export function either<First, Second>(first: Trait<First>, second: Trait<Second>): Trait<First | Second> {
  return trait<First | Second>(first.initial, (value, what) => {
    try {
      return first.check(value, what);
    } catch {
      return second.check(value, what);
    }
  });
}

export function list<Item>(item: Trait<Item>, initial: readonly Item[] = []): Trait<readonly Item[]> {
  return {
    initial: () => initial,
    check: (value, what) => {
      if (typeof value !== 'object' || value === null || !(Symbol.iterator in value))
        throw refused(what, 'a list', value);
      return Object.freeze(
        Array.from(value as Iterable<unknown>, (entry, index) => item.check(entry, `${what}[${index}]`))
      );
    },
    toJson: value => value.map(item.toJson),
    fromJson: json => (Array.isArray(json) ? json.map(item.fromJson) : json)
  };
}

export function pair(
  item: Trait<number>,
  initial: readonly [number, number]
): Trait<readonly [number, number]> {
  const items = list(item);
  return trait<readonly [number, number]>(
    () => initial,
    (value, what) => {
      const [lower, upper, ...rest] = items.check(value, what);
      if (lower === undefined || upper === undefined || rest.length > 0)
        throw refused(what, 'a pair of numbers', value);
      return Object.freeze([lower, upper]);
    }
  );
}

/** Returns the trait of any JSON-like value; widgets in it are sent as references. */
export function anything<Value>(initial: Value): Trait<Value> {
  return {
    initial: () => initial,
    check: value => value as Value,
    toJson: packReferences,
    fromJson: unpackReferences
  };
}

/** Returns the trait of bytes: a buffer or a view of one, copied. */
export function bytes(): Trait<Uint8Array> {
  const wanted = 'bytes (a Uint8Array, a Buffer, an ArrayBuffer)';
  return accepted(new Uint8Array(), wanted, value => asBytes(value)?.slice());
}

/** Returns the trait with other options. */
export function withOptions<Value>(kind: Trait<Value>, options: TraitOptions): Trait<Value> {
  return { ...kind, ...options };
}
