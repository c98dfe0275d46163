/** Expressions over elements, from which programs are built. Pure. */

import type { Scalar } from '../../dtype/host-array.ts';
import type { NativeProgram } from '../../native/compute-binding.ts';
import type { KeyedObject } from '../../native/keyed-object.ts';
import type { ElementTypeName } from './element-types.ts';
import type { Opcode } from './instructions.ts';
import { makeProgram, type Instruction, type Program } from './program.ts';

type Node =
  | { readonly kind: 'input'; readonly index: number }
  | { readonly kind: 'value'; readonly value: Scalar }
  | { readonly kind: 'operation'; readonly opcode: Opcode; readonly operands: readonly Expression[] };

/** An element that is not computed yet: what array operations and bodies of `cuda.map` become. */
export class Expression {
  /** The dtype of the element. */
  readonly type: ElementTypeName;
  /** The operation and its operands. */
  readonly node: Node;

  constructor(type: ElementTypeName, node: Node) {
    this.type = type;
    this.node = node;
  }

  /** Makes the expression of an input array. */
  static input(index: number, type: ElementTypeName): Expression {
    return new Expression(type, { kind: 'input', index });
  }

  /** Makes the expression of a constant. */
  static value(value: Scalar, type: ElementTypeName): Expression {
    return new Expression(type, { kind: 'value', value });
  }

  /** Makes the expression of an operation on others. */
  static operation(opcode: Opcode, type: ElementTypeName, ...operands: readonly Expression[]): Expression {
    return new Expression(type, { kind: 'operation', opcode, operands });
  }
}

export interface BuiltProgram {
  readonly program: Program;
  /** The constants of the program. */
  readonly values: readonly Scalar[];
  /** The native program of the simulated device; null until the first run. */
  host: KeyedObject<NativeProgram> | null;
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
