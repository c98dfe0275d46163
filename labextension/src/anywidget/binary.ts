/** Copies of values for the kernel that preserve binary data. */

/** Copies exactly the bytes of a view: sending a view would send the whole buffer behind it. */
export function ownBuffer(bytes: ArrayBuffer | ArrayBufferView): ArrayBuffer {
  if (bytes instanceof ArrayBuffer) return bytes;
  const copy = new Uint8Array(bytes.byteLength);
  copy.set(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  return copy.buffer;
}

/** Copies a value deeply, as JSON would, except that binary data is kept. */
export function cloneState(value: unknown): unknown {
  if (ArrayBuffer.isView(value)) return new DataView(ownBuffer(value));
  if (value instanceof ArrayBuffer) return value.slice(0);
  if (Array.isArray(value)) return value.map(cloneState);
  if (typeof value !== 'object' || value === null) return value;
  if ('toJSON' in value) return JSON.parse(JSON.stringify(value)) as unknown;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, cloneState(item)]));
}
