/**
 * Names of variables in JavaScript: those of the source wherever scopes allow it. Helpers are inlined, and the variables of a `for` stand
 * before their loop, so that a name may be declared several times in one list of statements. Pure.
 */

import { visit } from '../cuda/tidy.ts';
import type { Statement, Variable } from '../program/program.ts';

/** The id of blocks of JavaScript that are no blocks of the program. */
export const SCOPE_ONLY = -1;

const declaredBy = (statement: Statement): Variable | null => {
  if (statement.kind === 'declare') return statement.variable;
  return 'result' in statement ? statement.result : null;
};

/** Returns the variables that statements use or declare, with the lists inside. */
function usedIn(statements: Statement | readonly Statement[]): Set<Variable> {
  const found = new Set<Variable>();
  visit(statements, node => {
    if ('variable' in node) found.add(node.variable);
    if ('result' in node && node.result !== null) found.add(node.result);
  });
  return found;
}

/** Returns the lists of statements inside a statement, by the names of its fields. */
const listsIn = (statement: Statement): (readonly [string, readonly Statement[]])[] =>
  Object.entries(statement).filter(([name]) => /^(?:then|otherwise|before|body|update)$/.test(name));

/** Gives a temporary's value to the variable that takes it at once: V8 would go on with the temporary if the debugger changed the variable. */
function merged(list: readonly Statement[]): Statement[] {
  const made: Statement[] = [];
  for (const [at, statement] of list.entries()) {
    const last = made.at(-1);
    const taken =
      last?.kind === 'declare' &&
      last.variable.name === '' &&
      (statement.kind === 'declare' || statement.kind === 'assign') &&
      statement.value?.kind === 'variable' &&
      statement.value.variable === last.variable &&
      !usedIn(list.slice(at + 1)).has(last.variable);
    if (taken) made.splice(-1, 1, { ...statement, value: last.value! });
    else made.push(statement);
  }
  return made;
}

/** Puts a variable, whose name is declared again later in the list, into a block with all that uses it. */
function separated(list: readonly Statement[]): Statement[] {
  const uses = list.map(usedIn);
  const made: Statement[] = [];
  for (let start = 0; start < list.length; start++) {
    const name = declaredBy(list[start]!)?.name ?? '';
    const again = list.findIndex((each, at) => at > start && name !== '' && declaredBy(each)?.name === name);
    let end = start;
    for (let at = start; again > 0 && at <= end; at++) {
      const declared = declaredBy(list[at]!);
      if (declared !== null)
        end = Math.max(
          end,
          uses.findLastIndex(each => each.has(declared))
        );
    }
    const apart = again > 0 && end < again;
    const body = list.slice(start, end + 1);
    if (apart) made.push({ kind: 'block', id: SCOPE_ONLY, body, place: body[0]!.place });
    else made.push(list[start]!);
    if (apart) start = end;
  }
  return made;
}

/** Returns the statements with blocks that separate variables of one name. */
export function withScopes(list: readonly Statement[]): Statement[] {
  return separated(merged(list)).map(statement => {
    const lists = listsIn(statement).map(([name, inner]) => [name, withScopes(inner)]);
    return { ...statement, ...Object.fromEntries(lists) } as Statement;
  });
}

/** Returns the name of each variable, none of those that are taken. Temporaries get names that the debugger hides. */
export function namesOf(
  list: readonly Statement[],
  taken: ReadonlySet<string>
): ReadonlyMap<Variable, string> {
  const names = new Map<Variable, string>();
  const within = (statements: readonly Statement[], around: ReadonlyMap<string, Variable>): void => {
    const used = usedIn(statements);
    const own = new Map<string, Variable>();
    // A variable of the lists around may be hidden by one of its name only where it is not used.
    const isFree = (name: string): boolean =>
      !taken.has(name) && !own.has(name) && !(around.has(name) && used.has(around.get(name)!));
    for (const variable of statements.map(declaredBy)) {
      if (variable === null) continue;
      let name = variable.name === '' ? `__stridelab_${variable.id}` : variable.name;
      for (let count = 2; !isFree(name); count++) name = `${variable.name}_${count}`;
      own.set(name, variable);
      names.set(variable, name);
    }
    const inside = new Map([...around, ...own]);
    for (const [, inner] of statements.flatMap(listsIn)) within(inner, inside);
  };
  within(list, new Map());
  return names;
}

/** Returns all names that a program's variables may have. */
export const namesUsed = (list: readonly Statement[]): string[] => [...usedIn(list)].map(({ name }) => name);
