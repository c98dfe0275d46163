/** Random expressions of kernels, each of a known type. */

import type { Choices } from './random.ts';
import { both, join, type Both } from './pieces.ts';

export type Type = 'i32' | 'u32' | 'f32' | 'f64' | 'bool';
export const NUMBERS = ['i32', 'u32', 'f32', 'f64'] as const;

/** Variables and helpers in sight. */
export interface Sight {
  readonly variables: readonly { readonly name: string; readonly type: Type; readonly constant: boolean }[];
  readonly helpers: readonly {
    readonly name: string;
    readonly takes: readonly Type[];
    readonly gives: Type;
  }[];
}

/** Rounds a script's number to a type; the names are those of reference.ts. */
const ROUND = { i32: 'I', u32: 'U', f32: 'F', f64: 'D' } as const;
const LITERALS: Readonly<Record<Exclude<Type, 'bool'>, readonly string[]>> = {
  i32: ['0', '1', '-1', '7', '31', '255', '2147483647', '-2147483648', '65537'],
  u32: ['0', '1', '7', '33', '4294967295', '2147483648', '3000000000'],
  f32: ['0.0', '-0.0', '1.5', '-2.5', '0.1', '1e30', '-3e-40', '16777217.0', '2147483648.0'],
  f64: ['0.0', '-0.0', '0.5', '-0.1', '1e300', '1e-310', '4294967296.5']
};

export class Expressions {
  readonly #random: Choices;
  readonly #sight: Sight;

  constructor(random: Choices, sight: Sight) {
    this.#random = random;
    this.#sight = sight;
  }

  /** Makes an expression of the type; `depth` limits its size. */
  of(type: Type, depth: number): Both {
    if (depth <= 0) return this.#leaf(type);
    if (type === 'bool') return this.#condition(depth - 1);
    const effect = this.#random.chance(0.12) ? this.#effect(type, depth - 1) : undefined;
    if (effect !== undefined) return effect;
    if (this.#random.chance(0.12))
      return join`(${this.of('bool', depth - 1)} ? ${this.of(type, depth - 1)} : ${this.of(type, depth - 1)})`;
    if (this.#random.chance(0.15)) return this.#converted(type, depth - 1);
    const call = this.#random.chance(0.2) ? this.#call(type, depth - 1) : undefined;
    return (
      call ??
      (type === 'i32' || type === 'u32' ? this.#integer(type, depth - 1) : this.#float(type, depth - 1))
    );
  }

  /** An index below `length`, a power of two. */
  index(length: number, depth: number): Both {
    return join`(${this.of('i32', depth)} & ${length - 1})`;
  }

  literal(type: Exclude<Type, 'bool'>): Both {
    const digits = this.#random.pick(LITERALS[type]);
    return both(`${type}(${digits})`, `${ROUND[type]}(${digits})`);
  }

  #leaf(type: Type): Both {
    const known = this.#sight.variables.filter(each => each.type === type);
    if (known.length > 0 && this.#random.chance(0.7)) return both(this.#random.pick(known).name);
    if (type === 'bool') return both(this.#random.pick(['true', 'false', '(t > 20)', '(t < 40)']));
    if (type === 'i32' && this.#random.chance(0.6))
      return this.#random.pick([both('t'), both('g'), both('b'), both('xi[g]')]);
    if (type === 'f32' && this.#random.chance(0.6)) return both('xf[g]');
    return this.literal(type);
  }

  #condition(depth: number): Both {
    const type = this.#random.pick(NUMBERS);
    switch (this.#random.below(6)) {
      case 0:
        return join`(${this.of('bool', depth)} ${this.#random.pick(['&&', '||'])} ${this.of('bool', depth)})`;
      case 1:
        return join`(!${this.of('bool', depth)})`;
      case 2: {
        const float = this.#random.pick(['f32', 'f64'] as const);
        return join`Number.${this.#random.pick(['isNaN', 'isFinite'])}(${this.of(float, depth)})`;
      }
      default: {
        const operator = this.#random.pick(['<', '<=', '>', '>=', '===', '!==']);
        return join`(${this.of(type, depth)} ${operator} ${this.of(type, depth)})`;
      }
    }
  }

  /** An assignment or a count as a value. */
  #effect(type: Exclude<Type, 'bool'>, depth: number): Both | undefined {
    const known = this.#sight.variables.filter(each => each.type === type && !each.constant);
    if (known.length === 0) return undefined;
    const { name } = this.#random.pick(known);
    const round = ROUND[type];
    const value = this.of(type, depth);
    switch (this.#random.below(type === 'i32' ? 6 : 3)) {
      case 0:
        return join`(${name} = ${value})`;
      case 1: {
        const operator = this.#random.pick(['+', '-']);
        return both(
          `(${name} ${operator}= ${value.kernel})`,
          `(${name} = ${round}(${name} ${operator} ${value.script}))`
        );
      }
      case 2:
        return both(`(++${name})`, `(${name} = ${round}(${name} + 1))`);
      case 3:
        return both(`(${name}--)`, `I((${name} = I(${name} - 1)) + 1)`);
      case 4: {
        const at = this.index(8, depth);
        return join`(own[${at}] = ${value})`;
      }
      default: {
        const at = this.index(8, depth);
        return both(
          `(own[${at.kernel}] += ${value.kernel})`,
          `change(own, ${at.script}, old => I(old + ${value.script}))`
        );
      }
    }
  }

  #call(type: Type, depth: number): Both | undefined {
    const known = this.#sight.helpers.filter(each => each.gives === type);
    if (known.length === 0) return undefined;
    const { name, takes } = this.#random.pick(known);
    const values = takes.map(each => this.of(each, Math.min(depth, 1)));
    return both(
      `${name}(${values.map(each => each.kernel).join(', ')})`,
      `${name}(${values.map(each => each.script).join(', ')})`
    );
  }

  #converted(type: Exclude<Type, 'bool'>, depth: number): Both {
    const from = this.#random.pick(NUMBERS.filter(each => each !== type));
    const value = this.of(from, depth);
    if (type === 'f32' && this.#random.chance(0.3))
      return join`${this.#random.pick(['f16', 'bf16'])}(${this.of('f32', depth)})`;
    const saturates = from.startsWith('f') && !type.startsWith('f');
    return both(`${type}(${value.kernel})`, `${saturates ? 'saturated' : ''}${ROUND[type]}(${value.script})`);
  }

  #integer(type: 'i32' | 'u32', depth: number): Both {
    const a = this.of(type, depth);
    const b = this.of(type, depth);
    const round = ROUND[type];
    const one = type === 'i32' ? '1' : 'u32(1)';
    const divisor = both(
      `((${b.kernel} & ${type === 'i32' ? '15' : 'u32(15)'}) + ${one})`,
      `((${b.script} & 15) + 1)`
    );
    const wrapped = (operator: string): Both =>
      both(`(${a.kernel} ${operator} ${b.kernel})`, `${round}(${a.script} ${operator} ${b.script})`);
    switch (this.#random.below(12)) {
      case 0:
        return both(`(${a.kernel} * ${b.kernel})`, `${round}(Math.imul(${a.script}, ${b.script}))`);
      case 1:
        return both(
          `Math.trunc(${a.kernel} / ${divisor.kernel})`,
          `${round}(Math.trunc(${a.script} / ${divisor.script}))`
        );
      case 2:
        return both(
          `Math.floor(${a.kernel} / ${divisor.kernel})`,
          `${round}(Math.floor(${a.script} / ${divisor.script}))`
        );
      case 3:
        return both(`(${a.kernel} % ${divisor.kernel})`, `${round}(${a.script} % ${divisor.script})`);
      case 4:
        return type === 'u32'
          ? both(`(${a.kernel} >> ${b.kernel})`, `(${a.script} >>> ${b.script})`)
          : wrapped('>>');
      case 5:
        return type === 'u32' ? join`(${this.of('i32', depth)} >>> ${this.of('i32', depth)})` : wrapped('<<');
      case 6:
        return both(`(~${a.kernel})`, `${round}(~${a.script})`);
      case 7:
        return both(`(-${a.kernel})`, `${round}(-${a.script})`);
      case 8:
        return join`Math.${this.#random.pick(['min', 'max'])}(${a}, ${b})`;
      case 9:
        return both(`cuda.brev(${a.kernel})`, `${round}(brev(${a.script}))`);
      case 10:
        if (type === 'u32')
          return both(`cuda.multiplyHigh(${a.kernel}, ${b.kernel})`, `high(${a.script}, ${b.script})`);
        return this.#random.pick([
          both(`cuda.popc(${a.kernel})`, `popc(${a.script})`),
          join`Math.clz32(${a})`,
          both(`Math.abs(${a.kernel})`, `I(Math.abs(${a.script}))`),
          both(`Math.sign(${a.kernel})`, `I(Math.sign(${a.script}))`),
          join`own[${this.index(8, depth)}]`,
          join`xi[${this.index(64, depth)}]`
        ]);
      default:
        return wrapped(this.#random.pick(['+', '-', '&', '|', '^']));
    }
  }

  #float(type: 'f32' | 'f64', depth: number): Both {
    const a = this.of(type, depth);
    const b = this.of(type, depth);
    const round = ROUND[type];
    switch (this.#random.below(8)) {
      case 0:
        return both(`Math.sqrt(${a.kernel})`, `${round}(Math.sqrt(${a.script}))`);
      case 1:
        return join`Math.${this.#random.pick(['floor', 'ceil', 'trunc', 'abs', 'sign', 'round'])}(${a})`;
      case 2:
        return join`Math.${this.#random.pick(['min', 'max'])}(${a}, ${b})`;
      case 3:
        return join`(-${a})`;
      case 4: {
        const digits = this.#random.pick(LITERALS[type]);
        return both(`(${a.kernel} * (${digits}))`, `${round}(${a.script} * ${round}(${digits}))`);
      }
      case 5:
        return both(`(${a.kernel} % ${b.kernel})`, `${round}(${a.script} % ${b.script})`);
      default: {
        const operator = this.#random.pick(['+', '-', '*', '/']);
        return both(`(${a.kernel} ${operator} ${b.kernel})`, `${round}(${a.script} ${operator} ${b.script})`);
      }
    }
  }
}
