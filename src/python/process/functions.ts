/** Numbers the JavaScript functions that another process holds. */

import type { CallableFromPython } from '../../native/python-binding.ts';

export class RemoteFunctions {
  readonly #functions = new Map<number, CallableFromPython>();
  readonly #free: number[] = [];

  add(function_: CallableFromPython): number {
    const number = this.#free.pop() ?? this.#functions.size + 1;
    this.#functions.set(number, function_);
    return number;
  }

  find(number: number): CallableFromPython {
    return this.#functions.get(number) as CallableFromPython;
  }

  delete(number: number): void {
    if (this.#functions.delete(number)) this.#free.push(number);
  }
}
