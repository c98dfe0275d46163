/** Expressions over elements, from which programs are built. Pure. */

import { ArgumentError } from '../../base/errors.ts';
import type { Scalar } from '../../dtype/host-array.ts';
import type { NativeProgram } from '../../native/compute-binding.ts';
import type { ElementTypeName } from './element-types.ts';
import type { Opcode } from './instructions.ts';
import { makeProgram, type Instruction, type Program } from './program.ts';

type Node =
  | { readonly kind: 'input'; readonly index: number }
  | { readonly kind: 'value'; readonly value: Scalar }
  | { readonly kind: 'operation'; readonly opcode: Opcode; readonly operands: readonly Expression[] };

/** Methods that higher layers add to expressions by module augmentation, as `ops/method-types.ts` does. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type
export interface ExpressionMethods {}

/** An element that is not computed yet; `fuse` passes one for each array. Functions accept it like an array; operators throw. */
// eslint-disable-next-line @typescript-eslint/no-unsafe-declaration-merging, @typescript-eslint/no-empty-object-type
export interface Expression extends ExpressionMethods {}

// eslint-disable-next-line @typescript-eslint/no-unsafe-declaration-merging
export class Expression {
  /** The dtype of the element. */
  readonly type: ElementTypeName;
  /** The operation and its operands; internal. */
  readonly node: Node;

  constructor(type: ElementTypeName, node: Node) {
    this.type = type;
    this.node = node;
  }

  /** Makes the expression of an input array; internal. */
  static input(index: number, type: ElementTypeName): Expression {
    return new Expression(type, { kind: 'input', index });
  }

  /** Makes the expression of a constant; internal. */
  static value(value: Scalar, type: ElementTypeName): Expression {
    return new Expression(type, { kind: 'value', value });
  }

  /** Makes the expression of an operation on others; internal. */
  static operation(opcode: Opcode, type: ElementTypeName, ...operands: readonly Expression[]): Expression {
    return new Expression(type, { kind: 'operation', opcode, operands });
  }

  [Symbol.toPrimitive](): never {
    throw new ArgumentError(
      "JavaScript's operators and comparisons do not work on arrays: write a.add(b), less(a, b), where(condition, a, b)"
    );
  }
}

export interface BuiltProgram {
  readonly program: Program;
  /** The constants of the program. */
  readonly values: readonly Scalar[];
  /** The native program of the simulated device; null until the first run. */
  host: NativeProgram | null;
}

/** Builds the program that computes `outputs` from inputs of the given types; a repeated subexpression is computed once. */
export function buildProgram(
  inputs: readonly ElementTypeName[],
  outputs: readonly Expression[]
): BuiltProgram {
  const values: Expression[] = [];
  const operations: Expression[] = [];
  const seen = new Set<Expression>();
  const visit = (expression: Expression): void => {
    if (seen.has(expression)) return;
    seen.add(expression);
    const { node } = expression;
    if (node.kind === 'value') values.push(expression);
    if (node.kind !== 'operation') return;
    for (const operand of node.operands) visit(operand);
    operations.push(expression);
  };
  for (const output of outputs) visit(output);
  const registers = new Map<Expression, number>();
  for (const [index, value] of values.entries()) registers.set(value, inputs.length + index);
  const register = (expression: Expression): number =>
    expression.node.kind === 'input' ? expression.node.index : registers.get(expression)!;
  const instructions = operations.map((operation, index): Instruction => {
    registers.set(operation, inputs.length + values.length + index);
    const { opcode, operands } = operation.node as Extract<Node, { kind: 'operation' }>;
    return { opcode, type: operation.type, operands: operands.map(register) };
  });
  const program = makeProgram({
    inputs,
    values: values.map(({ type }) => type),
    instructions,
    outputs: outputs.map(register)
  });
  return {
    program,
    values: values.map(({ node }) => (node as Extract<Node, { kind: 'value' }>).value),
    host: null
  };
}
