/**
 * Names of variables in JavaScript: those of the source wherever scopes allow it. Helpers that are an expression are inlined, and the
 * variables of a `for` stand before their loop, so that a name may be declared several times in one list of statements. Pure.
 */

import type { Statement, Variable } from '../program/program.ts';
import { declaredBy, visit } from '../program/visit.ts';

type Of<K extends Statement['kind']> = Extract<Statement, { kind: K }>;

/** The id of blocks of JavaScript that are no blocks of the program. */
export const SCOPE_ONLY = -1;

/** Returns the variables that statements use or declare, with the lists inside. */
export function usedIn(statements: Statement | readonly Statement[]): Set<Variable> {
  const found = new Set<Variable>();
  visit(statements, node => {
    if ('variable' in node) found.add(node.variable);
    if ('result' in node && node.result !== null) found.add(node.result);
    if ('results' in node) for (const each of node.results) found.add(each);
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
    const own = declaredBy(list[start]!).filter(({ name }) => name !== '');
    const isAgain = (each: Variable): boolean => own.some(({ name }) => name === each.name);
    const again = list.findIndex((each, at) => at > start && declaredBy(each).some(isAgain));
    let end = start;
    for (let at = start; again > 0 && at <= end; at++) {
      for (const declared of declaredBy(list[at]!))
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

/** A helper function, as the debugger calls it. */
export interface HelperCall {
  readonly name: string;
  /** The declarations of its parameters, with the values that they get. */
  readonly given: readonly Of<'declare'>[];
  readonly body: readonly Statement[];
}

/** Returns the helper whose body a statement is; undefined for other statements. */
export function helperCall(statement: Statement): HelperCall | undefined {
  if (statement.kind !== 'block' || statement.helper === undefined) return undefined;
  const { name, parameters } = statement.helper;
  const isGiven = (each: Statement): boolean => each.kind === 'declare' && parameters.includes(each.variable);
  const given = statement.body.filter(isGiven) as Of<'declare'>[];
  return { name, given, body: statement.body.filter(each => !isGiven(each)) };
}

/** Moves the parameters of helpers, which are declared before their blocks, into these. */
function withParameters(list: readonly Statement[]): Statement[] {
  let made: Statement[] = [];
  for (const statement of list) {
    const parameters = (statement.kind === 'block' && statement.helper?.parameters) || [];
    const isParameter = (each: Statement): boolean =>
      each.kind === 'declare' && parameters.includes(each.variable);
    const own = made.filter(isParameter);
    if (own.length === 0) made.push(statement);
    else {
      const { body, ...rest } = statement as Of<'block'>;
      made = [...made.filter(each => !isParameter(each)), { ...rest, body: [...own, ...body] }];
    }
  }
  return made;
}

/** Returns the statements with the parameters of helpers in these, and with blocks that separate variables of one name. */
export function withScopes(list: readonly Statement[]): Statement[] {
  return separated(withParameters(merged(list))).map(statement => {
    const call = helperCall(statement);
    if (call !== undefined)
      return { ...(statement as Of<'block'>), body: [...call.given, ...withScopes(call.body)] };
    const lists = listsIn(statement).map(([name, inner]) => [name, withScopes(inner)]);
    return { ...statement, ...Object.fromEntries(lists) } as Statement;
  });
}

/** Returns the name of each variable, outside of helpers none of those that are taken. Temporaries get names that the debugger hides. */
export function namesOf(
  list: readonly Statement[],
  taken: ReadonlySet<string>
): ReadonlyMap<Variable, string> {
  const names = new Map<Variable, string>();
  const within = (
    statements: readonly Statement[],
    around: ReadonlyMap<string, Variable>,
    refused: ReadonlySet<string>,
    given: readonly Statement[] = []
  ): void => {
    const used = usedIn(statements);
    const own = new Map<string, Variable>();
    // A variable of the lists around may be hidden by one of its name only where it is not used.
    const isFree = (name: string): boolean =>
      !refused.has(name) && !own.has(name) && !(around.has(name) && used.has(around.get(name)!));
    for (const variable of [...given, ...statements].flatMap(declaredBy)) {
      let name = variable.name === '' ? `__stridelab_${variable.id}` : variable.name;
      for (let count = 2; !isFree(name); count++) name = `${variable.name}_${count}`;
      own.set(name, variable);
      names.set(variable, name);
    }
    const inside = new Map([...around, ...own]);
    for (const statement of statements) {
      const call = helperCall(statement);
      // A variable of a helper may hide an array, since code finds arrays by their numbers.
      if (call !== undefined) within(call.body, inside, new Set(), call.given);
      else for (const [, inner] of listsIn(statement)) within(inner, inside, refused);
    }
  };
  within(list, new Map(), taken);
  return names;
}

/** Returns all names that a program's variables may have. */
export const namesUsed = (list: readonly Statement[]): string[] => [...usedIn(list)].map(({ name }) => name);
