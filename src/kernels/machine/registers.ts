/** Registers, masks, constants and texts of a program while it is encoded. */

import type { Place, Program } from '../program/program.ts';
import type { ValueType } from '../program/types.ts';
import { ELEMENTS, VALUE_TYPES } from '../program/types.ts';
import { FILL_KINDS, type FillKind } from './codes.ts';
import { Bytes } from './bytes.ts';

/** The number of an instruction's operand that is not there. */
export const NONE = -1;

const VARIABLE_BIT = 256;

/** Registers: those of variables, which change in active lanes only, values from the start, and temporary ones. */
export class Registers {
  readonly types: number[] = [];
  readonly fills: number[] = [];
  readonly #filled = new Map<string, number>();
  readonly #variables = new Map<number, number>();
  readonly #free = new Map<ValueType, number[]>();
  readonly #temporary = new Map<number, ValueType>();

  #add(type: ValueType, variable: boolean): number {
    return this.types.push(VALUE_TYPES.indexOf(type) + (variable ? VARIABLE_BIT : 0)) - 1;
  }

  variable(id: number, type: ValueType): number {
    const known = this.#variables.get(id);
    if (known !== undefined) return known;
    const made = this.#add(type, true);
    this.#variables.set(id, made);
    return made;
  }

  /** A register that several arms assign to; it is not reused. */
  joined(type: ValueType): number {
    return this.#add(type, true);
  }

  temporary(type: ValueType): number {
    const made = this.#free.get(type)?.pop() ?? this.#add(type, false);
    this.#temporary.set(made, type);
    return made;
  }

  /** Lets later instructions reuse a register if it is a temporary one. */
  release(register: number): void {
    const type = this.#temporary.get(register);
    if (type === undefined) return;
    this.#temporary.delete(register);
    const free = this.#free.get(type);
    if (free === undefined) this.#free.set(type, [register]);
    else free.push(register);
  }

  filled(kind: FillKind, type: ValueType, first: number, second = 0): number {
    const key = `${kind} ${type} ${first} ${second}`;
    const known = this.#filled.get(key);
    if (known !== undefined) return known;
    const made = this.#add(type, false);
    this.fills.push(FILL_KINDS.indexOf(kind), made, first, second);
    this.#filled.set(key, made);
    return made;
  }
}

/** Constants, tables and texts, in one buffer. */
export class Data {
  readonly bytes = new Bytes();
  /** Offset and bytes of each text. */
  readonly texts: number[] = [];
  readonly #known = new Map<string, number>();

  text(text: string): number {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const index = this.ownText(text);
    this.#known.set(text, index);
    return index;
  }

  /** Adds a text that shares no number with an equal one. */
  ownText(text: string): number {
    const encoded = new TextEncoder().encode(text);
    return this.texts.push(this.bytes.add(encoded), encoded.length) / 2 - 1;
  }

  constant(type: ValueType, value: number | bigint | boolean): number {
    const at = this.bytes.align(8);
    this.bytes.elements(type, [value]);
    this.bytes.align(8);
    return at / 8;
  }

  table({ element, values }: Program['tables'][number]): number {
    const at = this.bytes.align(ELEMENTS[element].bytes);
    this.bytes.elements(element, values);
    return at;
  }
}

/** Places of instructions, each once. */
export class Places {
  readonly words: number[] = [];
  readonly #known = new Map<string, number>();

  of({ line, column, length, file }: Place): number {
    const key = `${line} ${column} ${length} ${file}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const index = this.words.push(line, column, length, file) / 4 - 1;
    this.#known.set(key, index);
    return index;
  }
}
