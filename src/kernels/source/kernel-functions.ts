/** Finds the functions of a file that are kernels, or that kernels call. Pure. */

import type { AnyNode, Function as FunctionNode, Program, Statement } from 'acorn';
import { analyze, type Scope, type ScopeManager, type Variable } from 'eslint-scope';
import { declaredTypes, typesOf, type DeclaredType } from './declared-types.ts';
import { CUDA, kernelCalls, mayHaveKernelCalls } from './kernel-calls.ts';
import { isFunction, valueKeys, walk, withoutTypes } from './nodes.ts';

/** A function whose source is needed at run time. */
export interface KernelFunction {
  readonly node: FunctionNode;
  /** The name of the variable that gets it, if it has none of its own. */
  readonly name: string | undefined;
  /** Names that it uses and does not declare. */
  readonly captured: readonly string[];
  /** Texts of the declared types that it names. */
  readonly types: ReadonlyMap<string, string>;
  /** For a declaration: the start of the first statement of its block. */
  readonly blockStart: number | undefined;
}

/** What was found so far. */
interface Search {
  readonly text: string;
  readonly types: readonly DeclaredType[];
  readonly scopes: ScopeManager;
  readonly found: Map<FunctionNode, KernelFunction>;
  readonly kernels: Set<FunctionNode>;
}

/** Only values refer to variables. */
const OPTIONS = { ecmaVersion: 2024, sourceType: 'module', fallback: valueKeys };

const NUMBER = String.raw`(?:b?f16|f32|f64|c64|c128|[iu](?:8|16|32|64))\b`;
const NUMBER_TYPE = new RegExp(
  String.raw`(?::|\btype\s+\w+\s*=)\s*(?:(?:Readonly|DeviceArray)\s*<\s*|readonly\s+|\[\s*)*${NUMBER}`
);
const NUMBER_NAME = new RegExp(String.raw`\b${NUMBER}`);

/** Returns whether a text can have such functions. Decides by words, since most texts have none. */
export function mayHaveKernelFunctions(text: string, names = CUDA): boolean {
  return mayHaveKernelCalls(text, names) || NUMBER_TYPE.test(text);
}

/**
 * Finds the functions that are passed to `cuda.kernel` and the like, and those of the top level with parameters or results
 * that are numbers of kernels, since kernels of other files may call them; and the functions that these use. `names` are those of `cuda`
 * that the file does not import itself.
 */
export function kernelFunctions(program: Program, text: string, names = CUDA): KernelFunction[] {
  const search = searchIn(program, text);
  addKernels(search, program, names);
  for (const variable of search.scopes.scopes.find(({ type }) => type === 'module')?.variables ?? [])
    if (hasNumbers(search, variable)) addVariable(search, variable);
  return [...search.found.values()];
}

/** Returns the functions that start at an offset or later, in order. */
export function functionsFrom(program: Program, offset: number): FunctionNode[] {
  const found: FunctionNode[] = [];
  walk(program, node => {
    if (node.start >= offset && isFunction(node)) found.push(node);
  });
  return found.sort((a, b) => a.start - b.start || b.end - a.end);
}

/** Returns the names that a function captures from the top level or from other files. */
export function capturedFromTop(program: Program, node: FunctionNode): string[] {
  const free = analyze(program as never, OPTIONS as never).acquire(node as never)?.through ?? [];
  const outer = free.filter(({ resolved }) => !resolved || resolved.scope.type === 'module');
  return [...new Set(outer.map(({ identifier }) => identifier.name))];
}

/** Returns the functions that are passed to `cuda.kernel` and the like, of those that the program itself has. */
export function kernelBodies(program: Program, text: string, names: ReadonlySet<string>): FunctionNode[] {
  const search = searchIn(program, text);
  addKernels(search, program, names);
  return [...search.kernels];
}

function searchIn(program: Program, text: string): Search {
  const scopes = analyze(program as never, OPTIONS as never);
  return { text, types: declaredTypes(program), scopes, found: new Map(), kernels: new Set() };
}

function addKernels(search: Search, program: Program, names: ReadonlySet<string>): void {
  const variables = new Map<object, Variable | null>();
  for (const { references } of search.scopes.scopes)
    for (const { identifier, resolved } of references) variables.set(identifier, resolved);
  for (const { body, name } of kernelCalls(program, names)) {
    const value = withoutTypes(body);
    const node =
      value.type === 'Identifier'
        ? addVariable(search, variables.get(value))
        : addExpression(search, value, name);
    if (node !== undefined) search.kernels.add(node);
  }
}

/** Adds the function that is the only definition of a variable, and returns it. */
function addVariable(search: Search, variable: Variable | null | undefined): FunctionNode | undefined {
  const [definition, another] = variable?.defs ?? [];
  if (!variable || definition === undefined || another !== undefined || definition.type === 'Parameter')
    return undefined;
  const node = definition.node as AnyNode;
  if (node.type === 'VariableDeclarator' && node.id.type === 'Identifier' && node.init)
    return addExpression(search, withoutTypes(node.init), variable.name);
  if (node.type !== 'FunctionDeclaration') return undefined;
  const blockStart = startOfBlock(variable.scope);
  return blockStart === undefined ? undefined : add(search, { node, name: undefined, blockStart });
}

function addExpression(search: Search, node: AnyNode, name: string | undefined): FunctionNode | undefined {
  if (!isFunction(node)) return undefined;
  return add(search, { node, name: node.id ? undefined : name, blockStart: undefined });
}

function add(search: Search, { node, ...place }: Omit<KernelFunction, 'captured' | 'types'>): FunctionNode {
  if (search.found.has(node)) return node;
  const free = search.scopes.acquire(node as never)?.through ?? [];
  const names = free.map(({ identifier }) => identifier.name).filter(name => name !== 'arguments');
  const types = typesOf(search.types, node, search.text);
  search.found.set(node, { node, ...place, captured: [...new Set(names)], types });
  for (const { resolved } of free) addVariable(search, resolved);
  return node;
}

/** Returns whether a variable is a function with a parameter or a result that is a number of kernels, or a declared type of them. */
function hasNumbers({ text, types }: Search, { defs }: Variable): boolean {
  return defs.some(definition => {
    const node = definition.node as AnyNode;
    const value = node.type === 'VariableDeclarator' && node.init ? withoutTypes(node.init) : node;
    if (!isFunction(value)) return false;
    const signature = { start: value.start, end: value.body.start };
    return (
      NUMBER_TYPE.test(text.slice(signature.start, signature.end)) ||
      [...typesOf(types, signature, text).values()].some(each => NUMBER_NAME.test(each))
    );
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
