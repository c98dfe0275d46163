/** Lowers calls: of helper functions, which are inlined, and of functions that kernels know. */

import type * as acorn from 'acorn';
import { formatCounted } from '../../base/count-text.ts';
import { textOf } from '../../base/value-text.ts';
import { annotationOf } from './annotations.ts';
import { declareValue } from './assignments.ts';
import { hostFunction } from './host-values.ts';
import { Unknowable, readBinding, type Frame, type Lowering } from './lowering.ts';
import { requireElement } from './requirements.ts';
import type { Helper, Place } from '../program/program.ts';
import { Scope } from './scope.ts';
import { knownFunction } from './known-functions.ts';
import {
  VOID,
  type ArrayValue,
  type Annotation,
  type FunctionValue,
  type Node,
  type Value
} from './values.ts';

export function lowerCall(lowering: Lowering, node: acorn.CallExpression): Value {
  if (node.callee.type === 'Super') return lowering.fail("'super' does not work in kernels", node);
  const callee = lowering.parts.expression(node.callee);
  if (callee.kind === 'unknown') throw new Unknowable();
  const nodes = node.arguments.map(each =>
    each.type === 'SpreadElement' ? lowering.fail("'...' does not work in kernels", each) : each
  );
  if (callee.kind === 'function') return lowering.parts.call(callee, lowering.inOrder(nodes), node);
  if (callee.kind !== 'host' || typeof callee.value !== 'function') {
    const found = callee.kind === 'host' ? `${callee.name} is ${textOf(callee.value)}` : 'this';
    return lowering.fail(`${found}${callee.kind === 'host' ? ', not a' : ' is no'} function`, node.callee);
  }
  const known = knownFunction(callee.value);
  if (known !== undefined) return known({ lowering, node, nodes, name: callee.name });
  return lowering.parts.call(
    hostFunction(lowering, callee.value, callee.name, node.callee),
    lowering.inOrder(nodes),
    node
  );
}

/** Inlines a helper function. */
export function inline(
  lowering: Lowering,
  callee: FunctionValue,
  given: readonly Value[],
  node: Node
): Value {
  const { node: declared, source, name } = callee;
  if (declared.async || declared.generator)
    return lowering.fail(
      `${name || 'the function'} is async or a generator, which kernels cannot call`,
      node
    );
  const outer = lowering.frame;
  if (outer.functions.includes(declared))
    return lowering.fail(`${name || 'the function'} calls itself`, node, 'write a loop');
  const { params, body } = declared;
  const needed = params.findLastIndex(each => each.type !== 'AssignmentPattern') + 1;
  if (given.length < needed || given.length > params.length)
    return lowering.fail(
      `${name || 'the function'} takes ${needed < params.length ? `${needed} to ` : ''}${formatCounted(params.length, 'argument')}, found ${given.length}`,
      node
    );
  const path = `${outer.path}/${node.start}`;
  const block = lowering.nextId();
  const { returnType } = declared as { readonly returnType?: object };
  const frame: Frame = {
    source,
    path,
    block,
    result: null,
    declared: [],
    returns: returnType,
    variables: lowering.variables.length,
    functions: [...outer.functions, declared],
    targets: []
  };
  const scope = new Scope(callee.scope);
  const place = lowering.place(node);
  try {
    lowering.frame = frame;
    return lowering.within(scope, () => {
      const first = lowering.variables.length;
      for (const [index, parameter] of params.entries())
        bindParameter(lowering, scope, parameter, given[index]);
      if (body.type !== 'BlockStatement') return lowering.parts.expression(body);
      const helper = { name: name || 'helper', parameters: lowering.variables.slice(first) };
      return inlineBody(lowering, frame, body, place, helper);
    });
  } finally {
    lowering.frame = outer;
  }
}

function inlineBody(
  lowering: Lowering,
  frame: Frame,
  body: acorn.BlockStatement,
  place: Place,
  helper: Helper
): Value {
  const { statements } = lowering.apart(() => lowering.parts.statements(body.body));
  const last = statements.at(-1);
  if (last?.kind === 'leave' && last.target === frame.block) statements.pop();
  for (const each of frame.declared) lowering.emit(each);
  lowering.emit({ kind: 'block', id: frame.block, body: statements, place, helper });
  return frame.result === null ? VOID : readBinding(frame.result, place);
}

/** Declares a parameter of a helper; without a value it gets its default. */
function bindParameter(
  lowering: Lowering,
  scope: Scope,
  parameter: acorn.Pattern,
  given: Value | undefined
): void {
  if (parameter.type === 'AssignmentPattern')
    return bindParameter(
      lowering,
      scope,
      parameter.left,
      given ?? lowering.parts.expression(parameter.right)
    );
  if (parameter.type !== 'Identifier')
    return lowering.fail(
      'a parameter of a helper is a plain name',
      parameter,
      'take objects apart in the body'
    );
  const value = given!;
  const annotation = annotationOf(lowering.frame.source, parameter);
  if (annotation?.kind === 'array') requireArray(lowering, value, annotation, parameter);
  const shape = annotation?.kind === 'array' ? undefined : annotation;
  const key = `${lowering.frame.path}:${parameter.start}`;
  const options = { constant: value.kind === 'array', annotation: shape, key };
  scope.declare(
    parameter.name,
    bound(lowering, parameter, value, annotation, () =>
      declareValue(lowering, parameter.name, value, options, parameter)
    )
  );
}

/** Constants and functions stay what they are; arrays lose the right to be written; numbers get a variable. */
function bound(
  lowering: Lowering,
  parameter: acorn.Identifier,
  value: Value,
  annotation: Annotation | undefined,
  declare: () => ReturnType<typeof declareValue>
): ReturnType<typeof declareValue> {
  if (value.kind === 'array' && annotation?.kind === 'array' && annotation.readOnly)
    return { ...value, readOnly: true };
  if (value.kind === 'void') return lowering.fail(`${parameter.name} gets no value`, parameter);
  return declare();
}

function requireArray(
  lowering: Lowering,
  value: Value,
  { element, rank }: { readonly element: ArrayValue['element'] | null; readonly rank: number },
  node: Node
): void {
  if (value.kind === 'unknown') throw new Unknowable();
  if (value.kind !== 'array') return lowering.fail('expected an array here', node);
  if (value.rank - value.index.length !== rank)
    lowering.fail(`${value.name} has ${value.rank - value.index.length} axes here, expected ${rank}`, node);
  if (element !== null) requireElement(lowering, value, [element], node);
}
