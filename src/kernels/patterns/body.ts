/** The function that a pattern applies, and what it gives for elements of given types. */

import { NDArray } from '../../array/array.ts';
import { formatCounted } from '../../base/count-text.ts';
import { ArgumentError, KernelError } from '../../base/errors.ts';
import type { DType } from '../../dtype/dtype.ts';
import { toDType } from '../../dtype/resolve.ts';
import { textOf } from '../../base/value-text.ts';
import { Expression } from '../../compute/program/expression.ts';
import type { ElementTypeName } from '../../compute/program/element-types.ts';
import { Computation } from '../../ops/evaluate.ts';
import { elementOfArray } from '../launch/arguments.ts';
import { Kernel, type Body } from '../launch/kernel.ts';
import { lowerKernel, type Lowered } from '../language/lower.ts';
import { synchronization } from '../language/synchronization.ts';
import { deviceFunctions } from '../language/device-functions.ts';
import { specials } from '../language/specials.ts';
import * as types from '../language/number-types.ts';
import { expressionOf } from './expression-of.ts';
import { ELEMENTS, ELEMENT_TYPES, isComplex, type ElementType } from '../program/types.ts';
import type { Place, Program, Variable } from '../program/program.ts';
import type { FunctionSource } from '../source/function-source.ts';

/** What the patterns' own source uses, beside the user's function. */
const OWN = { cuda: { ...deviceFunctions, ...synchronization, ...specials }, ...types, bool: Boolean };

/** Sums and products of patterns round one by one, so that a GPU and the simulated device agree. */
const SETTINGS = { contract: false };

/** Returns the dtype of arrays with such elements. */
export const dtypeOf = (element: ElementType): DType => toDType(ELEMENTS[element].dtype);

/** What a body gives for elements of some types. */
interface BodyResult {
  readonly lowered: Lowered;
  /** The type of the result's elements. */
  readonly element: ElementType;
  /** The body as an array operation; the place of a loop or whatever else array operations do not have. */
  readonly computation: Computation | Place;
}

/** The contiguous elements of an argument, to lower a body. */
const elementsOf = (element: ElementType) =>
  ({ kind: 'array', element, rank: 1, contiguous: true, wide: false, readOnly: true }) as const;

function computationOf(
  program: Program,
  result: Variable,
  elements: readonly ElementType[],
  element: ElementType
): Computation | Place {
  const expression = expressionOf(program, result);
  if (!(expression instanceof Expression)) return expression;
  const inputs = elements.map(each => ELEMENTS[each].dtype as ElementTypeName);
  const type = ELEMENTS[element].dtype as ElementTypeName;
  const stored = expression.type === type ? expression : Expression.operation('cast', type, expression);
  return new Computation(stored, inputs);
}

export class PatternBody {
  readonly name: string;
  readonly #body: Body;
  readonly #results = new Map<string, BodyResult>();
  readonly #kernels = new Map<string, Kernel<(...values: object[]) => void>>();

  /** @throws ArgumentError if `body` is no function of `parameters` (any number if left out) */
  constructor(name: string, body: Body, parameters?: number) {
    if (typeof body !== 'function')
      throw new ArgumentError(`${name}: expected a function, not ${textOf(body)}`);
    if (body.length === 0)
      throw new ArgumentError(`${name}: expected a function of elements, not one without parameters`);
    if (parameters !== undefined && body.length !== parameters)
      throw new ArgumentError(
        `${name}: expected a function of ${formatCounted(parameters, 'element')}, not of ${body.length}`
      );
    this.name = name;
    this.#body = body;
  }

  /** Returns the arrays among the arguments of a call, and the options behind them. @throws ArgumentError */
  split<O extends object>(
    values: readonly unknown[]
  ): { readonly arrays: NDArray[]; readonly options: Partial<O> } {
    const last = values.at(-1);
    const options = last instanceof NDArray || last === undefined ? {} : (last as O);
    const arrays = options === last ? values.slice(0, -1) : values;
    if (arrays.length !== this.#body.length)
      throw new ArgumentError(
        `${this.name}: expected ${formatCounted(this.#body.length, 'array')}, not ${arrays.length}`
      );
    for (const [index, array] of arrays.entries())
      if (!(array instanceof NDArray))
        throw new ArgumentError(
          `${this.name}: argument ${index + 1} is ${textOf(array)}, expected an array: capture numbers instead`
        );
    return { arrays: arrays as NDArray[], options };
  }

  /** Returns the element type of the array, one of `among`. @throws ArgumentError for another one */
  elementOf(array: NDArray, index: number, among = ELEMENT_TYPES): ElementType {
    return elementOfArray(array, `${this.name}: argument ${index + 1}`, among);
  }

  /** Returns what the body gives for elements of the given types. @throws KernelError */
  resultFor(elements: readonly ElementType[]): BodyResult {
    const key = elements.join();
    const known = this.#results.get(key);
    if (known?.lowered.captures.every(({ read, value }) => Object.is(read(), value)) === true) return known;
    const names = elements.map((_, index) => `a${index}`);
    const call = `body(${names.map(name => `${name}[0]`).join(', ')})`;
    const text = `(${names.join(', ')}) => { const result = ${call}; let kept = result; }`;
    const lowered = lowerKernel(this.#source(text), this.#identifier, elements.map(elementsOf));
    const kept = lowered.program.variables.findLast(({ name }) => name === 'kept');
    if (kept === undefined)
      throw new ArgumentError(`${this.name}: the function gives no number or boolean for an element`);
    const [first] = elements;
    // Narrow elements stay narrow, as in NumPy, where all are of one type.
    const narrow = elements.every(each => each === first) && ELEMENTS[first!].value === kept.type;
    const element = narrow ? first! : kept.type;
    const made = { lowered, element, computation: computationOf(lowered.program, kept, elements, element) };
    this.#results.set(key, made);
    return made;
  }

  /**
   * Requires that kernels can run the body, which array operations cannot: kernels have no complex numbers and no 8-bit floats.
   * @throws KernelError with the place of what array operations do not have
   */
  requireKernel({ lowered, element, computation }: BodyResult, elements: readonly ElementType[]): void {
    const lacking = [...elements, element].find(each => !ELEMENT_TYPES.includes(each));
    if (computation instanceof Computation || (lacking === undefined && lowered.complex === undefined))
      return;
    const { line, column, length, file } = computation;
    const what = lacking === undefined || isComplex(lacking) ? 'complex numbers' : ELEMENTS[lacking].dtype;
    throw new KernelError(
      `${this.name}: this does not work with ${what}, which array operations compute: they have no loops, no integer division and no shifts`,
      { file: lowered.program.files[file]!.name, line, column, length },
      lacking === undefined || isComplex(lacking)
        ? 'write it with operators, ? : and Math, or compute with the real and the imaginary parts'
        : "write it with operators, ? : and Math, or pass array.astype('float32')"
    );
  }

  /** Returns the kernel of a text that calls `body`; texts are the keys. */
  kernel(text: string, parameters: number): Kernel<(...values: object[]) => void> {
    let known = this.#kernels.get(text);
    if (known === undefined) {
      known = new Kernel({ source: this.#source(text), name: this.#identifier, parameters }, SETTINGS);
      this.#kernels.set(text, known);
    }
    return known;
  }

  get #identifier(): string {
    return this.#body.name === '' ? this.name.replace('cuda.', '') : this.#body.name;
  }

  #source(text: string): FunctionSource {
    return { text, file: this.name, line: 1, column: 0, captured: { ...OWN, body: this.#body } };
  }
}
