/** Copies of values that go to the kernel, in which bytes keep to themselves. */

/** A view's own bytes: what goes out is the whole buffer behind a view, however little of it the view shows. */
export function ownBuffer(bytes: ArrayBuffer | ArrayBufferView): ArrayBuffer {
  if (bytes instanceof ArrayBuffer) return bytes;
  const copy = new Uint8Array(bytes.byteLength);
  copy.set(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  return copy.buffer;
}

/** A deep copy as JSON makes it, except that bytes stay bytes. */
export function cloneState(value: unknown): unknown {
  if (ArrayBuffer.isView(value)) return new DataView(ownBuffer(value));
  if (value instanceof ArrayBuffer) return value.slice(0);
  if (Array.isArray(value)) return value.map(cloneState);
  if (typeof value !== 'object' || value === null) return value;
  if ('toJSON' in value) return JSON.parse(JSON.stringify(value)) as unknown;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, cloneState(item)]));
}
