/** Equality of widget values: JSON-like values, dates and bytes by content, everything else by identity. */

export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Returns the bytes of a buffer or a view of one, without a copy; undefined for other values. */
export function asBytes(value: unknown): Uint8Array | undefined {
  if (value instanceof ArrayBuffer || value instanceof SharedArrayBuffer) return new Uint8Array(value);
  if (!ArrayBuffer.isView(value)) return undefined;
  return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
}

export function sameValue(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a))
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => sameValue(item, b[index]));
  if (a instanceof Date) return b instanceof Date && a.getTime() === b.getTime();
  const bytes = asBytes(a);
  if (bytes !== undefined) {
    const others = asBytes(b);
    return others !== undefined && Buffer.compare(bytes, others) === 0;
  }
  if (!isPlainObject(a) || !isPlainObject(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every(key => Object.hasOwn(b, key) && sameValue(a[key], b[key]))
  );
}
