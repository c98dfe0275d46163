/** Programs written by hand for the tests of the simulated machine. */

import type {
  ArrayReference,
  AtomicName,
  BarrierName,
  BinaryOperation,
  Expression,
  Memory,
  Parameter,
  Place,
  Program,
  Special,
  Statement,
  Table,
  UnaryOperation,
  Variable,
  WarpName
} from '../../../../src/kernels/program/program.ts';
import { ELEMENTS, type ElementType, type ValueType } from '../../../../src/kernels/program/types.ts';

let place: Place = { line: 1, column: 0, length: 1, file: 0 };
/** What is built from now on is at this line. */
export function atLine(line: number): void {
  place = { line, column: 2, length: 3, file: 0 };
}

type Operand = Expression | number;
const whole = (value: Operand): Expression => (typeof value === 'number' ? constant('i32', value) : value);

export const constant = (type: ValueType, value: number | bigint | boolean): Expression => ({
  kind: 'constant',
  type,
  place,
  value
});
export const f32 = (value: number): Expression => constant('f32', value);
export const use = (variable: Variable): Expression => ({
  kind: 'variable',
  type: variable.type,
  place,
  variable
});
export const special = (name: Special): Expression => ({ kind: 'special', type: 'i32', place, name });
export const unary = (operation: UnaryOperation, operand: Expression, type = operand.type): Expression => ({
  kind: 'unary',
  type,
  place,
  operation,
  operand
});
const COMPARISONS: readonly BinaryOperation[] = [
  'equal',
  'notEqual',
  'less',
  'lessEqual',
  'greater',
  'greaterEqual'
];
export function binary(operation: BinaryOperation, first: Operand, second: Operand): Expression {
  const [left, right] = [whole(first), whole(second)];
  const type = COMPARISONS.includes(operation) ? 'bool' : left.type;
  return { kind: 'binary', type, place, operation, left, right };
}
export const add = (left: Operand, right: Operand): Expression => binary('add', left, right);
export const multiply = (left: Operand, right: Operand): Expression => binary('multiply', left, right);
export const less = (left: Operand, right: Operand): Expression => binary('less', left, right);
export const equal = (left: Operand, right: Operand): Expression => binary('equal', left, right);
export const convert = (type: ValueType, operand: Expression): Expression => ({
  kind: 'convert',
  type,
  place,
  operand
});
export const select = (condition: Expression, then: Expression, otherwise: Expression): Expression => ({
  kind: 'select',
  type: then.type,
  place,
  condition,
  then,
  otherwise
});
export const logical = (operation: 'and' | 'or', left: Expression, right: Expression): Expression => ({
  kind: 'logical',
  type: 'bool',
  place,
  operation,
  left,
  right
});
export const fma = (a: Expression, b: Expression, c: Expression): Expression => ({
  kind: 'fma',
  type: a.type,
  place,
  operands: [a, b, c]
});
export const narrow = (element: ElementType, operand: Expression): Expression => ({
  kind: 'narrow',
  type: ELEMENTS[element].value,
  place,
  element,
  operand
});
export const extent = (array: BuiltArray, axis = 0): Expression => ({
  kind: 'extent',
  type: 'i32',
  place,
  array: array.reference,
  axis
});
export const load = (array: BuiltArray, ...index: readonly Operand[]): Expression => ({
  kind: 'load',
  type: ELEMENTS[array.element].value,
  place,
  array: array.reference,
  index: index.map(whole)
});

export const tid: Expression = special('threadIdx.x');
/** The thread's number in a grid of one axis. */
export const globalId: Expression = add(
  multiply(special('blockIdx.x'), special('blockDim.x')),
  special('threadIdx.x')
);

export const declare = (variable: Variable, value: Operand | null = null): Statement => ({
  kind: 'declare',
  variable,
  value: value === null ? null : whole(value),
  place
});
export const assign = (variable: Variable, value: Operand): Statement => ({
  kind: 'assign',
  variable,
  value: whole(value),
  place
});
export const store = (array: BuiltArray, index: Operand | readonly Operand[], value: Operand): Statement => ({
  kind: 'store',
  array: array.reference,
  index: (Array.isArray(index) ? (index as readonly Operand[]) : [index as Operand]).map(whole),
  value: whole(value),
  place
});
export const atomic = (
  name: AtomicName,
  array: BuiltArray,
  index: Operand,
  values: readonly Operand[],
  result: Variable | null = null
): Statement => ({
  kind: 'atomic',
  name,
  array: array.reference,
  index: [whole(index)],
  arguments: values.map(whole),
  result,
  place
});
export const warp = (
  name: WarpName,
  values: readonly Expression[],
  result: Variable | null = null
): Statement => ({ kind: 'warp', name, arguments: values, result, place });
export const ALL = constant('u32', 0xffffffff);
export const barrier = (
  name: BarrierName = 'syncThreads',
  values: readonly Expression[] = [],
  result: Variable | null = null
): Statement => ({ kind: 'barrier', name, arguments: values, result, place });
export const when = (
  condition: Expression,
  then: readonly Statement[],
  otherwise: readonly Statement[] = []
): Statement => ({ kind: 'if', condition, then, otherwise, place });
export const loop = (
  id: number,
  condition: Expression | null,
  body: readonly Statement[],
  update: readonly Statement[] = [],
  more: { readonly testLast?: boolean; readonly before?: readonly Statement[] } = {}
): Statement => ({ kind: 'loop', id, before: [], condition, body, update, testLast: false, place, ...more });
export const block = (id: number, body: readonly Statement[]): Statement => ({
  kind: 'block',
  id,
  body,
  place
});
export const leave = (target: number, to: 'end' | 'next' = 'end'): Statement => ({
  kind: 'leave',
  target,
  to,
  place
});
export const print = (...parts: readonly (string | Expression)[]): Statement => ({
  kind: 'print',
  parts,
  place
});
export const assertion = (condition: Expression, message: string): Statement => ({
  kind: 'assert',
  condition,
  message,
  place
});

export interface BuiltArray {
  readonly reference: ArrayReference;
  readonly element: ElementType;
}

/** Collects the parameters, memories, tables and variables of a program. */
export function builder(name = 'kernel') {
  atLine(1);
  const parameters: Parameter[] = [];
  const memories: Memory[] = [];
  const tables: Table[] = [];
  const variables: Variable[] = [];
  const memory = (
    space: Memory['space'],
    arrayName: string,
    element: ElementType,
    shape: readonly number[]
  ): BuiltArray => {
    const dynamic = shape.length === 0;
    memories.push({ space, name: arrayName, element, shape: dynamic ? [0] : shape, dynamic, place });
    return { reference: { from: 'memory', index: memories.length - 1 }, element };
  };
  return {
    array(
      arrayName: string,
      element: ElementType,
      more: {
        readonly rank?: number;
        readonly contiguous?: boolean;
        readonly wide?: boolean;
        readonly readOnly?: boolean;
      } = {}
    ): BuiltArray {
      const facts = { rank: 1, contiguous: true, wide: false, readOnly: false, ...more };
      parameters.push({ kind: 'array', name: arrayName, element, restrict: false, ...facts });
      return { reference: { from: 'parameter', index: parameters.length - 1 }, element };
    },
    scalar(scalarName: string, type: ValueType): Expression {
      parameters.push({ kind: 'scalar', name: scalarName, type });
      return { kind: 'parameter', type, place, index: parameters.length - 1 };
    },
    /** Without lengths: dynamic. */
    shared: (arrayName: string, element: ElementType, ...shape: readonly number[]) =>
      memory('shared', arrayName, element, shape),
    local: (arrayName: string, element: ElementType, ...shape: readonly number[]) =>
      memory('local', arrayName, element, shape),
    table(
      element: ElementType,
      values: Table['values'],
      shape: readonly number[] = [values.length]
    ): BuiltArray {
      tables.push({ name: 'table', element, shape, values });
      return { reference: { from: 'table', index: tables.length - 1 }, element };
    },
    variable(type: ValueType): Variable {
      const made: Variable = { id: variables.length, name: `v${variables.length}`, type };
      variables.push(made);
      return made;
    },
    program(body: readonly Statement[]): Program {
      const cooperative = JSON.stringify(body, (_, value: unknown) =>
        typeof value === 'bigint' ? String(value) : value
      ).includes('"gridSync"');
      return {
        name,
        parameters,
        variables,
        memories,
        tables,
        body,
        files: [{ name: 'cell 5' }],
        cooperative
      };
    }
  };
}
