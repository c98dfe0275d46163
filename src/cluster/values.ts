/** Values that travel to tasks and back: containers with arrays, results of other tasks and Python objects at any depth. */

import { NDArray } from '../array/array.ts';
import type { FromPython } from '../native/python-binding.ts';
import { PythonModule } from '../python/interpreter/helpers.ts';
import type { Interpreter } from '../python/interpreter/interpreter.ts';
import { handleOf } from '../python/interpreter/object.ts';

function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Copies arrays, plain objects, maps and sets; `replace` returns what takes the place of any other object or function. */
export function mapObjects(value: unknown, replace: (value: object) => unknown): unknown {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return value;
  const map = (item: unknown): unknown => mapObjects(item, replace);
  if (Array.isArray(value)) return value.map(map);
  if (value instanceof Map) return new Map([...value].map(([key, item]) => [key, map(item)] as const));
  if (value instanceof Set) return new Set([...value].map(map));
  if (typeof value === 'object' && handleOf(value) === undefined && isPlainObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, map(item)] as const));
  return replace(value);
}

/** Converts values of an interpreter: containers are copied, and each object in them that supports an array protocol becomes an array. */
export class PythonValues {
  readonly #python: Interpreter;
  readonly #classify: PythonModule<'is_array'>;

  constructor(python: Interpreter) {
    this.#python = python;
    this.#classify = PythonModule.imported(python.native, 'stridelab.cluster.values');
  }

  /**
   * Converts a value, and releases its handle, which would keep the value until JavaScript collects garbage. `opened` is called with each
   * array over Python's memory.
   */
  take(value: FromPython, opened: (array: NDArray) => void = () => undefined): unknown {
    const { host, native } = this.#python;
    if (typeof value !== 'object' || value instanceof NDArray) return this.#python.fromPython(value);
    try {
      return host.copy(value, item => this.#takeItem(item, opened));
    } finally {
      native.release(value);
    }
  }

  #takeItem(item: FromPython, opened: (array: NDArray) => void): unknown {
    if (typeof item !== 'object' || item instanceof NDArray) return this.#python.fromPython(item);
    if (this.#classify.call('is_array', item) !== true) return this.#python.fromPython(item);
    try {
      const array = this.#python.arrays.fromPython(item, {});
      opened(array);
      return array;
    } finally {
      this.#python.native.release(item);
    }
  }
}
