/** Lowers statements. */

import type * as acorn from 'acorn';
import { KernelError } from '../../base/errors.ts';
import type { Expression, Statement, Variable } from '../program/program.ts';
import { declaredBy, visit } from '../program/visit.ts';
import { leavesOf } from './aliases.ts';
import { lowerAssignment, lowerDeclaration, assignTo, declareValue, lowerUpdate } from './assignments.ts';
import { annotationOf } from './annotations.ts';
import { operate } from './arithmetic.ts';
import { lowerCondition } from './expressions.ts';
import { Unknowable, requireScalar, type Lowering, type Target } from './lowering.ts';
import { Scope } from './scope.ts';
import type { Node, Scalar, Value } from './values.ts';

type Kind<T extends string> = Extract<Node, { type: T }>;
type Rules = { readonly [T in Node['type']]?: (lowering: Lowering, node: Kind<T>) => void };

const RULES: Rules = {
  ExpressionStatement: (lowering, { expression }) => lowerEffects(lowering, expression),
  VariableDeclaration: lowerDeclaration,
  BlockStatement: (lowering, { body }) =>
    lowering.within(new Scope(lowering.scope), () => lowering.parts.statements(body)),
  EmptyStatement: () => undefined,
  IfStatement: lowerIf,
  ForStatement: (lowering, node) => lowerFor(lowering, node, null),
  WhileStatement: (lowering, node) => lowerWhile(lowering, node, null),
  DoWhileStatement: (lowering, node) => lowerWhile(lowering, node, null),
  SwitchStatement: (lowering, node) => lowerSwitch(lowering, node),
  LabeledStatement: lowerLabelled,
  BreakStatement: (lowering, node) => lowerJump(lowering, node, 'end'),
  ContinueStatement: (lowering, node) => lowerJump(lowering, node, 'next'),
  ReturnStatement: lowerReturn,
  FunctionDeclaration: (lowering, node) => {
    const name = node.id?.name ?? '';
    const source = lowering.frame.source;
    lowering.scope.declare(name, { kind: 'function', node, source, scope: lowering.scope, name });
  }
};

const REFUSED: Readonly<Record<string, string>> = {
  ForOfStatement: "'for … of' does not work in kernels: count with for (let i = 0; i < n; i++)",
  ForInStatement: "'for … in' does not work in kernels",
  TryStatement: "'try' does not work in kernels: nothing throws there",
  ThrowStatement: "'throw' does not work in kernels: use cuda.assert(condition, message)",
  ClassDeclaration: 'a class does not work in kernels'
};

/** Nodes of TypeScript that say nothing at run time. */
const TYPE_ONLY = new Set(['TSTypeAliasDeclaration', 'TSInterfaceDeclaration']);

export function lowerStatements(lowering: Lowering, nodes: readonly Node[]): void {
  for (const node of nodes) if (node.type === 'FunctionDeclaration') lowerStatement(lowering, node);
  for (const node of nodes) if (node.type !== 'FunctionDeclaration') lowerStatement(lowering, node);
}

function lowerStatement(lowering: Lowering, node: Node): void {
  const rule = RULES[node.type] as ((lowering: Lowering, node: Node) => void) | undefined;
  if (TYPE_ONLY.has(node.type)) return;
  if (rule === undefined)
    return lowering.fail(REFUSED[node.type] ?? 'this statement does not work in kernels', node);
  try {
    rule(lowering, node);
  } catch (error) {
    // What follows may show that a variable holds another type, or have faults of its own.
    if (error instanceof KernelError) lowering.errors.push(error);
    else if (!(error instanceof Unknowable)) throw error;
    if (node.type === 'VariableDeclaration') for (const { id } of node.declarations) forget(lowering, id);
  }
}

function forget(lowering: Lowering, pattern: acorn.Pattern): void {
  if (pattern.type === 'Identifier') lowering.scope.declare(pattern.name, { kind: 'unknown' });
  if (pattern.type === 'ArrayPattern')
    for (const each of pattern.elements) if (each !== null) forget(lowering, each);
  if (pattern.type === 'ObjectPattern')
    for (const each of pattern.properties)
      forget(lowering, each.type === 'Property' ? each.value : each.argument);
}

function inScope(lowering: Lowering, node: Node): Statement[] {
  return lowering.apart(() =>
    lowering.within(new Scope(lowering.scope), () => lowering.parts.statements([node]))
  ).statements;
}

function lowerIf(lowering: Lowering, node: acorn.IfStatement): void {
  const condition = lowerCondition(lowering, node.test);
  if (condition.kind === 'constant') {
    const taken = condition.value === true ? node.consequent : node.alternate;
    if (taken) lowering.out.push(...inScope(lowering, taken));
    return;
  }
  const then = inScope(lowering, node.consequent);
  const otherwise = !node.alternate ? [] : inScope(lowering, node.alternate);
  lowering.emit({ kind: 'if', condition, then, otherwise, place: lowering.place(node.test) });
}

function withTarget(lowering: Lowering, target: Target, work: () => void): void {
  const before = lowering.frame.targets;
  lowering.frame.targets = [...before, target];
  try {
    work();
  } finally {
    lowering.frame.targets = before;
  }
}

/** Lowers the condition of a loop with the statements before it; a condition that is always true is null. */
function loopTest(
  lowering: Lowering,
  test: Node | null | undefined
): { before: Statement[]; condition: Expression | null } {
  if (!test) return { before: [], condition: null };
  const { result, statements } = lowering.apart(() => lowerCondition(lowering, test));
  return {
    before: statements,
    condition: result.kind === 'constant' && result.value === true ? null : result
  };
}

function lowerFor(lowering: Lowering, node: acorn.ForStatement, label: string | null): void {
  lowering.within(new Scope(lowering.scope), () => {
    if (node.init?.type === 'VariableDeclaration') lowerDeclaration(lowering, node.init);
    else if (node.init) lowering.parts.expression(node.init);
    const id = lowering.nextId();
    lowering.aliases.inLoop(id, () => {
      const { before, condition } = loopTest(lowering, node.test);
      let body: Statement[] = [];
      withTarget(lowering, { id, kind: 'loop', label }, () => (body = inScope(lowering, node.body)));
      const update = lowering.apart(() => {
        if (node.update) lowerEffects(lowering, node.update);
      }).statements;
      noteCounted(lowering, condition, [...before, ...body, ...update]);
      const place = lowering.place(node.test ?? node);
      lowering.emit({ kind: 'loop', id, before, condition, body, update, testLast: false, place });
    });
  });
}

/** Notes the lengths of wide arrays with which the condition compares a variable of 32 bits that the loop changes. */
function noteCounted(lowering: Lowering, condition: Expression | null, changing: readonly Statement[]): void {
  if (condition === null) return;
  const changed = new Set<Variable>();
  visit(changing, node => {
    if (node.kind === 'assign') changed.add(node.variable);
  });
  const extents: Extract<Expression, { kind: 'extent' }>[] = [];
  let counts = false;
  visit(condition, node => {
    if (node.kind === 'extent' && node.type === 'i64') extents.push(node);
    if (node.kind !== 'convert' || node.type !== 'i64') return;
    visit(node.operand, each => {
      if (each.kind === 'variable' && changed.has(each.variable)) counts = true;
    });
  });
  if (!counts) return;
  for (const { array, axis } of extents)
    if (array.from === 'parameter') lowering.counted.push({ parameter: array.index, axis });
}

/** Lowers an expression for its effects alone. */
function lowerEffects(lowering: Lowering, node: acorn.Expression): void {
  if (node.type === 'SequenceExpression') for (const each of node.expressions) lowerEffects(lowering, each);
  else if (node.type === 'UpdateExpression') lowerUpdate(lowering, node, false);
  else if (node.type === 'AssignmentExpression') lowerAssignment(lowering, node, false);
  else lowering.parts.expression(node);
}

function lowerWhile(
  lowering: Lowering,
  node: acorn.WhileStatement | acorn.DoWhileStatement,
  label: string | null
): void {
  const id = lowering.nextId();
  const testLast = node.type === 'DoWhileStatement';
  lowering.aliases.inLoop(id, () => {
    let body: Statement[] = [];
    withTarget(lowering, { id, kind: 'loop', label }, () => (body = inScope(lowering, node.body)));
    const { before, condition } = loopTest(lowering, node.test);
    noteCounted(lowering, condition, [...before, ...body]);
    const place = lowering.place(node.test);
    lowering.emit({ kind: 'loop', id, before, condition, body, update: [], testLast, place });
  });
}

function lowerLabelled(lowering: Lowering, node: acorn.LabeledStatement): void {
  const { body } = node;
  const label = node.label.name;
  if (body.type === 'ForStatement') lowerFor(lowering, body, label);
  else if (body.type === 'WhileStatement' || body.type === 'DoWhileStatement')
    lowerWhile(lowering, body, label);
  else lowering.fail('a label in a kernel names a loop', node);
}

function lowerJump(
  lowering: Lowering,
  node: acorn.BreakStatement | acorn.ContinueStatement,
  to: 'end' | 'next'
): void {
  const name = node.label?.name;
  const target = lowering.frame.targets.findLast(each =>
    name === undefined ? to === 'end' || each.kind === 'loop' : each.label === name
  );
  if (target === undefined) return lowering.fail('there is no loop around this', node);
  lowering.emit({ kind: 'leave', target: target.id, to, place: lowering.place(node) });
}

/** Lowers a switch: the first equal case and, as in JavaScript, all behind it until a break. */
function lowerSwitch(lowering: Lowering, node: acorn.SwitchStatement): void {
  const place = lowering.place(node);
  const chosen = lowering.keep(
    requireScalar(lowering, lowering.parts.expression(node.discriminant), node).expression
  );
  const id = lowering.nextId();
  const { statements } = lowering.apart(() =>
    withTarget(lowering, { id, kind: 'switch', label: null }, () =>
      lowering.within(new Scope(lowering.scope), () => lowerCases(lowering, node, chosen))
    )
  );
  lowering.emit({ kind: 'block', id, body: statements, place });
}

function lowerCases(lowering: Lowering, node: acorn.SwitchStatement, chosen: Expression): void {
  const place = lowering.place(node);
  const active = lowering.variable('', 'bool');
  lowering.emit({
    kind: 'declare',
    variable: active,
    value: { kind: 'constant', type: 'bool', value: false, place },
    place
  });
  const read: Expression = { kind: 'variable', variable: active, type: 'bool', place };
  const otherwise = node.cases.findIndex(({ test }) => !test);
  if (otherwise >= 0 && otherwise < node.cases.length - 1)
    return lowering.fail("'default' must be the last case in a kernel", node.cases[otherwise]!);
  const cases = node.cases.map(({ test, consequent }): Case => {
    const { statements: head } = lowering.apart(() => {
      if (test) lowerTest(lowering, test, chosen, active, place);
    });
    const { statements: body } = lowering.apart(() => lowering.parts.statements(consequent));
    return { test: test ?? null, head, body };
  });
  for (const [index, { test, head, body }] of cases.entries()) {
    lowering.out.push(...head);
    const later = cases.slice(index + 1).flatMap(each => [...each.head, ...each.body]);
    const then = withoutDeclarations(lowering, body, variablesIn(later));
    if (test === null) lowering.out.push(...then);
    else if (then.length > 0)
      lowering.emit({ kind: 'if', condition: read, then, otherwise: [], place: lowering.place(test) });
  }
}

/** A case of a switch, lowered. */
interface Case {
  /** Null for the default. */
  readonly test: Node | null;
  /** Finds out whether the case is reached. */
  readonly head: readonly Statement[];
  readonly body: readonly Statement[];
}

/** Notes in `active` whether the value of the switch is that of a case. */
function lowerTest(
  lowering: Lowering,
  test: Node,
  chosen: Expression,
  active: Variable,
  place: Expression['place']
): void {
  const value: Scalar = { kind: 'scalar', expression: chosen, weak: null };
  const equal = operate(lowering, '===', value, lowering.parts.expression(test), test);
  const right = requireScalar(lowering, equal, test).expression;
  const left: Expression = { kind: 'variable', variable: active, type: 'bool', place };
  const reached: Expression = { kind: 'logical', operation: 'or', left, right, type: 'bool', place };
  lowering.emit({ kind: 'assign', variable: active, value: reached, place: lowering.place(test) });
}

function variablesIn(statements: readonly Statement[]): ReadonlySet<Variable> {
  const found = new Set<Variable>();
  visit(statements, node => {
    if (node.kind === 'variable' || node.kind === 'assign') found.add(node.variable);
  });
  return found;
}

/** Declares the variables of a case that later cases use before it. Statements assign to those that they declared. */
function withoutDeclarations(
  lowering: Lowering,
  statements: readonly Statement[],
  used: ReadonlySet<Variable>
): Statement[] {
  return statements.flatMap((statement): Statement[] => {
    const { place } = statement;
    const found = declaredBy(statement).filter(variable => used.has(variable));
    if (found.length === 0) return [statement];
    for (const variable of found) lowering.emit({ kind: 'declare', variable, value: null, place });
    if (statement.kind === 'declare') {
      const { variable, value } = statement;
      return value === null ? [] : [{ kind: 'assign', variable, value, place }];
    }
    const own = new Map(found.map(each => [each, lowering.variable('', each.type)]));
    return [
      renamed(statement, own),
      ...found.map((variable): Statement => {
        const { type } = variable;
        const value: Expression = { kind: 'variable', variable: own.get(variable)!, type, place };
        return { kind: 'assign', variable, value, place };
      })
    ];
  });
}

/** Gives the results of a statement to other variables. */
function renamed(statement: Statement, names: ReadonlyMap<Variable, Variable>): Statement {
  if (statement.kind === 'loadVector')
    return { ...statement, results: statement.results.map(each => names.get(each) ?? each) };
  if ('result' in statement && statement.result !== null)
    return { ...statement, result: names.get(statement.result) ?? statement.result };
  return statement;
}

function lowerReturn(lowering: Lowering, node: acorn.ReturnStatement): void {
  const { frame } = lowering;
  if (node.argument) {
    const value = lowering.parts.expression(node.argument);
    if (frame.block === 0)
      return lowering.fail('a kernel returns nothing', node, 'write the result to an array');
    if (value.kind !== 'void') returnValue(lowering, value, node.argument);
  }
  lowering.emit({ kind: 'leave', target: frame.block, to: 'end', place: lowering.place(node) });
}

/** Assigns the result of a helper; the first return decides where it is kept. */
function returnValue(lowering: Lowering, value: Value, node: Node): void {
  const { frame } = lowering;
  // Of an object that ends with the helper, the result is the only name.
  const named = new Set(leavesOf(value).filter(variable => lowering.aliases.isCopied(variable)));
  const outlives = (variable: Variable): boolean => variable.id < frame.variables || named.has(variable);
  if (frame.result === null) {
    if (value.kind === 'array' || value.kind === 'function' || value.kind === 'host')
      return lowering.fail('a helper returns numbers or objects of numbers', node);
    const annotation =
      frame.returns === undefined ? undefined : annotationOf(frame.source, { typeAnnotation: frame.returns });
    // Declared before the block of the helper, so that the value outlives it.
    const { result, statements } = lowering.apart(() =>
      declareValue(
        lowering,
        'result',
        value,
        { constant: false, copies: true, annotation, key: `${frame.path}:return` },
        node
      )
    );
    frame.result = result;
    lowering.aliases.assign(result, value, outlives);
    for (const statement of statements) {
      if (statement.kind !== 'declare') lowering.emit(statement);
      else {
        frame.declared.push({ ...statement, value: null });
        lowering.emit({
          kind: 'assign',
          variable: statement.variable,
          value: statement.value!,
          place: statement.place
        });
      }
    }
    return;
  }
  lowering.aliases.assign(frame.result, value, outlives);
  assignTo(lowering, frame.result, value, node);
}
