/** Finds the functions of a file that are kernels, or that kernels call. Pure. */

import type { AnyNode, Function as FunctionNode, Program, Statement } from 'acorn';
import { analyze, type Scope, type ScopeManager, type Variable } from 'eslint-scope';
import { kernelCalls, mayHaveKernelCalls } from './kernel-calls.ts';
import { isFunction, valueKeys, withoutTypes } from './nodes.ts';

/** A function whose source is needed at run time. */
export interface KernelFunction {
  readonly node: FunctionNode;
  /** The name of the variable that gets it, if it has none of its own. */
  readonly name: string | undefined;
  /** Names that it uses and does not declare. */
  readonly captured: readonly string[];
  /** For a declaration: the start of the first statement of its block. */
  readonly blockStart: number | undefined;
}

/** What was found so far. */
interface Search {
  readonly scopes: ScopeManager;
  readonly found: Map<FunctionNode, KernelFunction>;
}

/** Only values refer to variables. */
const OPTIONS = { ecmaVersion: 2024, sourceType: 'module', fallback: valueKeys };

const NUMBER = String.raw`(?:b?f16|f32|f64|c64|c128|[iu](?:8|16|32|64))\b`;
const NUMBER_TYPE = new RegExp(String.raw`:\s*(?:(?:Readonly|DeviceArray)\s*<\s*)*${NUMBER}`);

/** Returns whether a text can have such functions. Decides by words, since most texts have none. */
export function mayHaveKernelFunctions(text: string): boolean {
  return mayHaveKernelCalls(text) || NUMBER_TYPE.test(text);
}

/**
 * Finds the functions that are passed to `cuda.kernel` and the like, and those of the top level with parameters or results
 * that are numbers of kernels, since kernels of other files may call them; and the functions that these use.
 */
export function kernelFunctions(program: Program, text: string): KernelFunction[] {
  const scopes = analyze(program as never, OPTIONS as never);
  const search: Search = { scopes, found: new Map() };
  const variables = new Map<object, Variable | null>();
  for (const { references } of scopes.scopes)
    for (const { identifier, resolved } of references) variables.set(identifier, resolved);
  for (const { body, name } of kernelCalls(program)) {
    const value = withoutTypes(body);
    if (value.type === 'Identifier') addVariable(search, variables.get(value));
    else addExpression(search, value, name);
  }
  for (const variable of scopes.scopes.find(({ type }) => type === 'module')?.variables ?? [])
    if (hasNumbers(variable, text)) addVariable(search, variable);
  return [...search.found.values()];
}

/** Adds the function that is the only definition of a variable. */
function addVariable(search: Search, variable: Variable | null | undefined): void {
  const [definition, another] = variable?.defs ?? [];
  if (!variable || definition === undefined || another !== undefined || definition.type === 'Parameter')
    return;
  const node = definition.node as AnyNode;
  if (node.type === 'VariableDeclarator' && node.id.type === 'Identifier' && node.init)
    addExpression(search, withoutTypes(node.init), variable.name);
  if (node.type !== 'FunctionDeclaration') return;
  const blockStart = startOfBlock(variable.scope);
  if (blockStart !== undefined) add(search, { node, name: undefined, blockStart });
}

function addExpression(search: Search, node: AnyNode, name: string | undefined): void {
  if (isFunction(node)) add(search, { node, name: node.id ? undefined : name, blockStart: undefined });
}

function add(search: Search, { node, ...place }: Omit<KernelFunction, 'captured'>): void {
  if (search.found.has(node)) return;
  const free = search.scopes.acquire(node as never)?.through ?? [];
  const names = free.map(({ identifier }) => identifier.name).filter(name => name !== 'arguments');
  search.found.set(node, { node, ...place, captured: [...new Set(names)] });
  for (const { resolved } of free) addVariable(search, resolved);
}

/** Returns whether a variable is a function with a parameter or a result that is a number of kernels. */
function hasNumbers({ defs }: Variable, text: string): boolean {
  return defs.some(definition => {
    const node = definition.node as AnyNode;
    const value = node.type === 'VariableDeclarator' && node.init ? withoutTypes(node.init) : node;
    return isFunction(value) && NUMBER_TYPE.test(text.slice(value.start, value.body.start));
  });
}

/** Returns the start of the first statement that is no directive; undefined if declarations have no block of their own there. */
function startOfBlock({ block }: Scope): number | undefined {
  const node = block as AnyNode;
  const body = isFunction(node) ? node.body : node;
  if (body.type !== 'Program' && body.type !== 'BlockStatement' && body.type !== 'StaticBlock')
    return undefined;
  const first = body.body.find(statement => !('directive' in statement));
  return first && Math.min(first.start, ...decoratorsOf(first as Statement).map(({ start }) => start));
}

/** The parser starts a decorated class at its keyword. */
function decoratorsOf(statement: object): readonly { readonly start: number }[] {
  const { decorators, declaration } = statement as {
    readonly decorators?: [];
    readonly declaration?: object | null;
  };
  return decorators ?? (declaration ? decoratorsOf(declaration) : []);
}
