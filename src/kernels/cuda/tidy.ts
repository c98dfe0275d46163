/** Makes a program's statements simpler to read: temporaries that are read once, results that nobody reads. Pure. */

import type { Expression, Leave, Program, Statement, Variable } from '../program/program.ts';
import { visit } from '../program/visit.ts';

interface Usage {
  /** How often each variable is read, by id. */
  readonly reads: ReadonlyMap<number, number>;
  /** Variables that are assigned after their declaration. */
  readonly assigned: ReadonlySet<number>;
}

function usageOf(body: readonly Statement[]): Usage {
  const reads = new Map<number, number>();
  const assigned = new Set<number>();
  visit(body, node => {
    if (node.kind === 'variable') reads.set(node.variable.id, (reads.get(node.variable.id) ?? 0) + 1);
    if (node.kind === 'assign') assigned.add(node.variable.id);
  });
  return { reads, assigned };
}

export interface Tidied {
  readonly body: readonly Statement[];
  /** Values that stand in place of variables, by id. */
  readonly inlined: ReadonlyMap<number, Expression>;
}

/** Returns the program's statements without what only the front needs. */
export function tidy({ body }: Program): Tidied {
  const usage = usageOf(body);
  const inlined = new Map<number, Expression>();
  return { body: tidyList(body, { usage, inlined }), inlined };
}

interface Tidying {
  readonly usage: Usage;
  readonly inlined: Map<number, Expression>;
}

function tidyList(statements: readonly Statement[], tidying: Tidying): Statement[] {
  const made: Statement[] = [];
  for (const each of statements) {
    const last = made.at(-1);
    const named = last === undefined ? undefined : withResultNamed(last, each, tidying);
    if (named !== undefined) made[made.length - 1] = named;
    else if (each.kind !== 'declare' || !inlines(each.variable, each.value, tidying))
      made.push(tidyOne(each, tidying));
  }
  return made;
}

/** Notes that a declaration is not needed, if its value may stand where the variable is read. */
function inlines(variable: Variable, value: Expression | null, { usage, inlined }: Tidying): boolean {
  if (value === null || usage.assigned.has(variable.id)) return false;
  const count = usage.reads.get(variable.id) ?? 0;
  const temporary = variable.name === '' && (count === 0 || (count === 1 && isStable(value, usage)));
  if (value.kind !== 'parameter' && !temporary) return false;
  inlined.set(variable.id, value);
  return true;
}

/** Returns true if the expression has the same value everywhere in its scope. */
function isStable(expression: Expression, { assigned }: Usage): boolean {
  let stable = true;
  visit(expression, node => {
    if (node.kind === 'load' || (node.kind === 'variable' && assigned.has(node.variable.id))) stable = false;
  });
  return stable;
}

/** Joins a statement, whose result is a temporary, with the declaration behind it of a variable with this value. */
function withResultNamed(last: Statement, next: Statement, { usage }: Tidying): Statement | undefined {
  if (next.kind !== 'declare' || next.value?.kind !== 'variable') return undefined;
  const { variable } = next;
  const from = next.value.variable;
  if (from.name !== '' || from.type !== variable.type || usage.reads.get(from.id) !== 1) return undefined;
  if (last.kind === 'loadVector' && last.results.includes(from))
    return { ...last, results: last.results.map(each => (each === from ? variable : each)) };
  return 'result' in last && last.result?.id === from.id ? { ...last, result: variable } : undefined;
}

function tidyOne(statement: Statement, tidying: Tidying): Statement {
  switch (statement.kind) {
    case 'atomic':
    case 'warp':
    case 'barrier': {
      const { result } = statement;
      return result !== null && tidying.usage.reads.has(result.id)
        ? statement
        : { ...statement, result: null };
    }
    case 'if':
      return {
        ...statement,
        then: tidyList(statement.then, tidying),
        otherwise: tidyList(statement.otherwise, tidying)
      };
    case 'loop':
      return {
        ...statement,
        before: tidyList(statement.before, tidying),
        body: withoutLast(tidyList(statement.body, tidying), { target: statement.id, to: 'next' }),
        update: tidyList(statement.update, tidying)
      };
    case 'block':
      return {
        ...statement,
        body: withoutLast(tidyList(statement.body, tidying), { target: statement.id, to: 'end' })
      };
    default:
      return statement;
  }
}

/** Drops jumps at the end of a list to where it leads anyway, also in branches. */
function withoutLast(
  statements: readonly Statement[],
  jump: Pick<Leave, 'target' | 'to'>
): readonly Statement[] {
  const last = statements.at(-1);
  const others = statements.slice(0, -1);
  if (last?.kind === 'leave' && last.target === jump.target && last.to === jump.to) return others;
  if (last?.kind !== 'if') return statements;
  const then = withoutLast(last.then, jump);
  const otherwise = withoutLast(last.otherwise, jump);
  return [...others, { ...last, then, otherwise }];
}
