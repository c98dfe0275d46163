/** The functions that kernels know, by their identity: renamed imports and aliases work. */

import type * as acorn from 'acorn';
import { formatCounted } from '../../base/count-text.ts';
import type { Lowering } from './lowering.ts';
import type { Node, Value } from './values.ts';

/** A call of a known function. */
export interface Call {
  readonly lowering: Lowering;
  readonly node: acorn.CallExpression;
  /** The nodes of the arguments, not lowered yet. */
  readonly nodes: readonly Node[];
  /** As the source names the function. */
  readonly name: string;
}

/** Lowers a call. */
export type Rule = (call: Call) => Value;

const rules = new Map<unknown, Rule>();

/** Tells the compiler of kernels what a function means there. */
export function know(value: unknown, rule: Rule): void {
  rules.set(value, rule);
}

export function knownFunction(value: unknown): Rule | undefined {
  return rules.get(value);
}

/** Lowers the arguments, of which there must be `least` to `most`. */
export function argumentsOf({ lowering, node, nodes, name }: Call, least: number, most = least): Value[] {
  if (nodes.length < least || nodes.length > most) {
    const from = least === most ? '' : `${least} ${most === Infinity ? 'or more' : 'to '}`;
    const count = most === Infinity ? `${from} arguments` : `${from}${formatCounted(most, 'argument')}`;
    lowering.fail(`${name} takes ${count}, found ${nodes.length}`, node);
  }
  return lowering.inOrder(nodes);
}
