/** Recognises external values by their members. */

/** Returns a method by its name, bound to the value; undefined if the value has none. */
export function methodOf(value: object, name: PropertyKey): ((...given: unknown[]) => unknown) | undefined {
  if (!(name in value)) return undefined;
  const method = (value as Readonly<Record<PropertyKey, unknown>>)[name];
  return typeof method === 'function' ? (...given) => method.apply(value, given) as unknown : undefined;
}

export function isPromiseLike<Result>(value: Result | PromiseLike<Result>): value is PromiseLike<Result> {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false;
  return typeof (value as { then?: unknown }).then === 'function';
}

export function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
