/** From the source of a function and the types of its arguments to a program. */

import type * as acorn from 'acorn';
import { formatCounted } from '../../base/count-text.ts';
import { KernelError } from '../../base/errors.ts';
import type { ArrayParameter, Parameter, Program } from '../program/program.ts';
import { ELEMENTS, isComplex, type ElementType, type ValueType } from '../program/types.ts';
import type { FunctionSource } from '../source/function-source.ts';
import { annotationOf } from './annotations.ts';
import { inline } from './calls.ts';
import { lowerExpression } from './expressions.ts';
import { functionOf } from './host-values.ts';
import { Lowering, Unknowable, type Capture, type CountedLength, type Inferred } from './lowering.ts';
import { Scope } from './scope.ts';
import type { SourceText } from './source-text.ts';
import { lowerStatements } from './statements.ts';
import type { Annotation, Binding, FunctionValue } from './values.ts';
import './math.ts';
import './synchronization.ts';
import './vectors.ts';

/** What is known of an argument of a launch. */
export type ArgumentType =
  | {
      readonly kind: 'array';
      readonly element: ElementType;
      readonly rank: number;
      readonly contiguous: boolean;
      readonly wide: boolean;
      /** The array must not be written. */
      readonly readOnly: boolean;
    }
  | { readonly kind: 'scalar'; readonly type: ValueType | null }
  | { readonly kind: 'object'; readonly fields: ReadonlyMap<string, ArgumentType> };

export interface Lowered {
  readonly program: Program;
  /** The functions that the program was made of, the kernel first. */
  readonly sources: readonly FunctionSource[];
  /** Where each parameter of the program is among the arguments: the index of one, then fields. */
  readonly paths: readonly (readonly (string | number)[])[];
  /** Indices of the scalar parameters whose type is that of the argument, because the source gives none. */
  readonly open: ReadonlySet<number>;
  /** Indices of the array parameters that are accessed by several elements at once, so that the last axis must have no gaps. */
  readonly vectors: ReadonlySet<number>;
  /** Lengths of wide arrays up to which a loop counts with 32 bits: they must have fewer elements than 2^31. */
  readonly counted: readonly CountedLength[];
  /** The values from outside that the program depends on. */
  readonly captures: readonly Capture[];
  /** The fault of the first complex number, for kernels: only array operations compute them. */
  readonly complex: KernelError | undefined;
}

/** More attempts than types can grow: each variable has three steps at most, and one attempt settles many. */
const MOST_ATTEMPTS = 50;

/** Lowers a kernel. @throws KernelError for the first fault */
export function lowerKernel(
  source: FunctionSource,
  name: string,
  given: readonly (ArgumentType | undefined)[]
): Lowered {
  const { program, lowering } = attempt(source, name, given, false);
  const [fault] = lowering.errors;
  if (fault !== undefined) throw fault;
  const { sources, paths, open, vectors, counted, captures, complex } = lowering;
  return { program, sources: [...sources], paths, open, vectors, counted, captures, complex };
}

/** Returns the faults of a kernel that an editor shows, where captured values and arguments are not known. */
export function kernelFaults(source: FunctionSource): readonly KernelError[] {
  try {
    return attempt(source, 'kernel', [], true).lowering.errors;
  } catch (error) {
    if (error instanceof KernelError) return [error];
    if (error instanceof Unknowable) return [];
    throw error;
  }
}

/** Lowers a kernel until the types of its variables have settled; its faults are those of the last attempt. */
function attempt(
  source: FunctionSource,
  name: string,
  given: readonly (ArgumentType | undefined)[],
  lenient: boolean
): { readonly program: Program; readonly lowering: Lowering } {
  const inferred = new Map<string, Inferred>();
  const copying = new Set<string>();
  for (let count = 1; ; count++) {
    const lowering = new Lowering(inferred, copying, lenient);
    const program = lowerOnce(lowering, source, name, given);
    if (!lowering.changed || count === MOST_ATTEMPTS) return { program, lowering };
  }
}

function lowerOnce(
  lowering: Lowering,
  source: FunctionSource,
  name: string,
  given: readonly (ArgumentType | undefined)[]
): Program {
  lowering.parts = {
    expression: node => lowerExpression(lowering, node),
    statements: nodes => lowerStatements(lowering, nodes),
    call: (callee, values, node) => inline(lowering, callee, values, node)
  };
  const kernel = openFrame(lowering, source, name);
  const { node } = kernel;
  if (node.async || node.generator)
    throw lowering.frame.source.error(
      'a kernel cannot be async or a generator',
      node,
      'write a plain function: a launch returns without waiting'
    );
  lowering.scope = new Scope(kernel.scope);
  for (const [index, parameter] of node.params.entries())
    declareParameter(lowering, parameter, index, given[index]);
  const { statements } = lowering.apart(() => {
    if (node.body.type === 'BlockStatement') lowering.parts.statements(node.body.body);
    else lowering.parts.expression(node.body);
  });
  const last = statements.at(-1);
  if (last?.kind === 'leave' && last.target === 0) statements.pop();
  const body = [
    {
      kind: 'block',
      id: 0,
      body: [...lowering.preamble, ...statements],
      place: lowering.place(node)
    } as const
  ];
  const { variables, memories, tables, files, cooperative } = lowering;
  const parameters = lowering.parameters.map((parameter, index): Parameter =>
    parameter.kind === 'array' ? { ...parameter, readOnly: !lowering.written.has(index) } : parameter
  );
  return { name, parameters, variables, memories, tables, body, files, cooperative };
}

function openFrame(lowering: Lowering, source: FunctionSource, name: string): FunctionValue {
  const block = lowering.nextId();
  const text = lowering.sourceOf(source);
  const opened = {
    source: text,
    path: '',
    block,
    result: null,
    declared: [],
    returns: undefined,
    variables: 0,
    targets: []
  };
  lowering.frame = { ...opened, functions: [] };
  const kernel = functionOf(lowering, source, name);
  lowering.frame = { ...opened, functions: [kernel.node] };
  return kernel;
}

function declareParameter(
  lowering: Lowering,
  parameter: acorn.Pattern,
  index: number,
  given: ArgumentType | undefined
): void {
  requirePlain(lowering.frame.source, parameter);
  const annotation = annotationOf(lowering.frame.source, parameter) ?? { kind: 'open' };
  const { name } = parameter;
  lowering.scope.declare(
    name,
    bindParameter(lowering, { node: parameter, name, path: [index] }, annotation, given)
  );
}

/** Fails if the parameters of a kernel are not plain names, and therefore cannot be counted. @throws KernelError */
export function requirePlainParameters(source: FunctionSource, name: string): void {
  const lowering = new Lowering(new Map(), new Set(), true);
  const { node } = openFrame(lowering, source, name);
  for (const parameter of node.params) requirePlain(lowering.frame.source, parameter);
}

function requirePlain(source: SourceText, parameter: acorn.Pattern): asserts parameter is acorn.Identifier {
  if (parameter.type === 'Identifier') return;
  const hint =
    parameter.type === 'AssignmentPattern'
      ? 'a launch passes all arguments, so write no default'
      : parameter.type === 'RestElement'
        ? 'name each parameter'
        : 'take objects apart in the body';
  throw source.error('a parameter of a kernel is a plain name', parameter, hint);
}

/** A parameter, or a field of one. */
interface Declared {
  readonly node: acorn.Identifier;
  /** Its name in the program. */
  readonly name: string;
  /** Where it is among the arguments. */
  readonly path: readonly (string | number)[];
}

function bindParameter(
  lowering: Lowering,
  declared: Declared,
  annotation: Annotation,
  given: ArgumentType | undefined
): Binding {
  const kind = annotation.kind === 'open' ? given?.kind : annotation.kind;
  if (given !== undefined && given.kind !== kind)
    return lowering.fail(
      `${declared.name}: expected ${KINDS[kind!]}, the launch passes ${KINDS[given.kind]}`,
      declared.node,
      kind === 'array' && given.kind === 'object' ? 'make an array of the device first: array(values)' : ''
    );
  if (kind === 'object') return bindObject(lowering, declared, annotation, given);
  if (kind === 'array') return bindArray(lowering, declared, annotation, given);
  return bindScalar(lowering, declared, annotation, given?.kind === 'scalar' ? given.type : null);
}

const KINDS = { array: 'an array', scalar: 'a number', object: 'an object' } as const;

function bindObject(
  lowering: Lowering,
  { node, name, path }: Declared,
  annotation: Annotation,
  given: ArgumentType | undefined
): Binding {
  const types = annotation.kind === 'object' ? annotation.fields : undefined;
  const passed = given?.kind === 'object' ? given.fields : undefined;
  const fields = [...(types ?? passed!).keys()].map((field): [string, Binding] => {
    if (passed?.has(field) === false)
      return lowering.fail(`${name}: the launch passes no field '${field}'`, node);
    const inner = { node, name: `${name}_${field}`, path: [...path, field] };
    return [field, bindParameter(lowering, inner, types?.get(field) ?? { kind: 'open' }, passed?.get(field))];
  });
  return { kind: 'object', list: fields[0]?.[0] === '0', fields: new Map(fields) };
}

function bindArray(
  lowering: Lowering,
  { node, name, path }: Declared,
  annotation: Annotation,
  given: ArgumentType | undefined
): Binding {
  const declared = annotation.kind === 'array' ? annotation : undefined;
  const passed = given?.kind === 'array' ? given : undefined;
  const element = declared?.element ?? passed?.element;
  if (element === undefined) {
    if (lowering.lenient) return { kind: 'unknown' };
    const hint = lowering.frame.source.hint || 'write DeviceArray<f32>';
    return lowering.fail(`${name}: the type of the elements is unknown`, node, hint);
  }
  const rank = declared?.rank ?? passed!.rank;
  if (passed !== undefined) requireDeclared(lowering, node, name, { element, rank }, passed);
  const { contiguous = true, wide = false } = passed ?? {};
  const restrict = declared?.readOnly === true;
  const readOnly = restrict || passed?.readOnly === true;
  const parameter: ArrayParameter = {
    kind: 'array',
    name,
    element,
    rank,
    contiguous,
    wide,
    readOnly,
    restrict
  };
  const index = lowering.parameters.push(parameter) - 1;
  lowering.paths.push(path);
  const reference = { from: 'parameter', index } as const;
  return { kind: 'array', reference, name, element, rank, index: [], readOnly, wide };
}

function requireDeclared(
  lowering: Lowering,
  node: acorn.Identifier,
  name: string,
  { element, rank }: { readonly element: ElementType; readonly rank: number },
  passed: { readonly element: ElementType; readonly rank: number }
): void {
  if (passed.element !== element)
    lowering.fail(
      `${name} is declared with elements of ${element}, the launch passes ${ELEMENTS[passed.element].dtype}`,
      node,
      `pass array.astype('${ELEMENTS[element].dtype}')`
    );
  if (passed.rank !== rank)
    lowering.fail(
      `${name} is declared with ${formatCounted(rank, 'axis', 'axes')}, the launch passes ${passed.rank}`,
      node,
      `write DeviceArray<${element}${passed.rank === 1 ? '' : `, ${passed.rank}`}>, or pass array.reshape(…)`
    );
}

function bindScalar(
  lowering: Lowering,
  { node, name, path }: Declared,
  annotation: Annotation,
  passed: ValueType | null
): Binding {
  const type = annotation.kind === 'scalar' ? annotation.type : passed;
  if (type === null) {
    if (lowering.lenient) return { kind: 'unknown' };
    const hint = lowering.frame.source.hint || `write ${name}: f32, i32, f64…`;
    return lowering.fail(`${name}: the type of the number is unknown`, node, hint);
  }
  if (isComplex(type)) lowering.noteComplex(node);
  const index = lowering.parameters.push({ kind: 'scalar', name, type }) - 1;
  if (annotation.kind !== 'scalar') lowering.open.add(index);
  lowering.paths.push(path);
  const place = lowering.place(node);
  // A variable, because the source may assign to its parameter.
  const variable = lowering.variable(name, type);
  lowering.preamble.push({
    kind: 'declare',
    variable,
    value: { kind: 'parameter', index, type, place },
    place
  });
  return { kind: 'variable', variable, weak: null, typed: true, constant: false, key: name };
}
