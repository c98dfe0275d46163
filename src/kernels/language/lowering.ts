/** The state of lowering one kernel: what it has made so far, and where it is. */

import type {
  Expression,
  Memory,
  Parameter,
  Place,
  SourceFile,
  Statement,
  Table,
  Variable
} from '../program/program.ts';
import type { ValueType } from '../program/types.ts';
import type { KernelError } from '../../base/errors.ts';
import { textOf } from '../../base/value-text.ts';
import type { FunctionSource } from '../source/function-source.ts';
import { Aliases } from './aliases.ts';
import { scalar } from './numbers.ts';
import type { Scope } from './scope.ts';
import { SourceText, type Spot } from './source-text.ts';
import type { Binding, FunctionValue, HostValue, Node, Scalar, Value, Weak } from './values.ts';

/** Thrown by what depends on an unknown value: in an editor, or behind a statement with a fault. */
export class Unknowable extends Error {}

/** The inferred type of a variable or result, kept from one attempt to the next. */
export interface Inferred {
  readonly type: ValueType;
  readonly weak: Weak;
}

/** A value that was read from outside the kernel, and how to read it again. */
export interface Capture {
  readonly read: () => unknown;
  readonly value: unknown;
}

/** The length of an axis of an array parameter. */
export interface CountedLength {
  readonly parameter: number;
  readonly axis: number;
}

/** Where `break` and `continue` lead. */
export interface Target {
  readonly id: number;
  readonly kind: 'loop' | 'switch';
  readonly label: string | null;
}

/** The function that is being lowered: the kernel, or a helper at one call. */
export interface Frame {
  readonly source: SourceText;
  /** Unique for each call, so that types are inferred for each. */
  readonly path: string;
  readonly block: number;
  /** Bindings that hold the result; null before the first return, and for none. */
  result: Binding | null;
  /** Declarations of the result, which stand before the helper's block. */
  readonly declared: Statement[];
  /** The annotation of the result, if any. */
  readonly returns: object | undefined;
  /** How many variables there were before it: those end with it that come later. */
  readonly variables: number;
  /** Nodes of the functions around it, to refuse recursion. */
  readonly functions: readonly object[];
  targets: readonly Target[];
}

/** The parts that call each other in circles. */
export interface Parts {
  expression(node: Node): Value;
  statements(nodes: readonly Node[]): void;
  call(callee: FunctionValue, given: readonly Value[], node: Node): Value;
}

export class Lowering {
  readonly variables: Variable[] = [];
  readonly parameters: Parameter[] = [];
  /** Where each parameter is among the arguments of a launch. */
  readonly paths: (readonly (string | number)[])[] = [];
  /** Indices of the scalar parameters that the source gives no type. */
  readonly open = new Set<number>();
  /** Indices of the array parameters with accesses to several elements at once. */
  readonly vectors = new Set<number>();
  /** Lengths of wide arrays up to which a loop counts with 32 bits. */
  readonly counted: CountedLength[] = [];
  readonly memories: Memory[] = [];
  readonly tables: Table[] = [];
  readonly files: SourceFile[] = [];
  /** The functions that were lowered, the kernel first. */
  readonly sources = new Set<FunctionSource>();
  readonly captures: Capture[] = [];
  /** Indices of the array parameters that the kernel writes. */
  readonly written = new Set<number>();
  /** True once the kernel waits for the whole grid. */
  cooperative = false;
  /** The fault of the first complex number; devices do not have them. */
  complex: KernelError | undefined;
  /** True in an editor, where captured values are not known. */
  readonly lenient: boolean;
  readonly inferred: Map<string, Inferred>;
  readonly aliases: Aliases;
  /** The faults of statements so far. */
  readonly errors: KernelError[] = [];
  /** True once an inferred type changed, so that the kernel has to be lowered again. */
  changed = false;
  /** Declarations of the scalar parameters. */
  readonly preamble: Statement[] = [];
  out: Statement[] = [];
  frame!: Frame;
  scope!: Scope;
  parts!: Parts;
  #ids = 0;
  readonly #known = new Map<object, Binding>();

  /** `inferred` and `copying` are kept from one attempt to the next. */
  constructor(inferred: Map<string, Inferred>, copying: Set<string>, lenient: boolean) {
    this.inferred = inferred;
    this.aliases = new Aliases(copying);
    this.lenient = lenient;
  }

  /** Returns a number for a loop or block; the kernel's body has 0. */
  nextId(): number {
    return this.#ids++;
  }

  sourceOf(source: FunctionSource): SourceText {
    this.sources.add(source);
    let file = this.files.findIndex(({ name }) => name === source.file);
    if (file < 0) file = this.files.push({ name: source.file }) - 1;
    return new SourceText(source, file);
  }

  place(node: Spot): Place {
    return this.frame.source.place(node);
  }

  /** Throws the error of a node. */
  fail(message: string, node: Spot, hint = ''): never {
    throw this.frame.source.error(message, node, hint);
  }

  /** Notes a complex number, which a kernel must not have. */
  noteComplex(node: Spot): void {
    this.complex ??= this.frame.source.error(
      'complex numbers work in cuda.map, not in kernels',
      node,
      'use cuda.map, or compute with the real and the imaginary parts'
    );
  }

  emit(statement: Statement): void {
    this.out.push(statement);
  }

  variable(name: string, type: ValueType): Variable {
    const made: Variable = { id: this.variables.length, name, type };
    this.variables.push(made);
    return made;
  }

  /** Declares a temporary with the value and returns it: it never changes. */
  keep(value: Expression): Expression {
    const variable = this.variable('', value.type);
    this.emit({ kind: 'declare', variable, value, place: value.place });
    return { kind: 'variable', variable, type: value.type, place: value.place };
  }

  keepUnlessStable(value: Expression): Expression {
    return isStable(value) ? value : this.keep(value);
  }

  /** Runs `work` with the statements that it makes kept apart. */
  apart<T>(work: () => T): { readonly result: T; readonly statements: Statement[] } {
    const before = this.out;
    const statements: Statement[] = [];
    this.out = statements;
    try {
      return { result: work(), statements };
    } finally {
      this.out = before;
    }
  }

  /** Runs `work` in a scope of its own. */
  within<T>(scope: Scope, work: () => T): T {
    const before = this.scope;
    this.scope = scope;
    try {
      return this.aliases.within(work);
    } finally {
      this.scope = before;
    }
  }

  /**
   * Evaluates operands in order. If a later one makes statements, the earlier ones that these could change are kept in temporaries
   * before them.
   */
  inOrder(nodes: readonly Node[]): Value[] {
    const values: Value[] = [];
    for (const node of nodes) {
      const before = this.out.length;
      const value = this.parts.expression(node);
      if (this.out.length > before) this.#settle(values, before);
      values.push(value);
    }
    return values;
  }

  #settle(values: Value[], end: number): void {
    const later = this.out.splice(end);
    for (const [which, value] of values.entries()) values[which] = this.settled(value);
    this.out.push(...later);
  }

  /**
   * Returns a value that no later statement changes: what could change is kept in temporaries. An object that exists is not copied,
   * because it shows changes in JavaScript too, unless a place is given where its present fields are read.
   */
  settled(value: Value, copied: Place | null = null): Value {
    switch (value.kind) {
      case 'scalar':
        return scalar(this.keepUnlessStable(value.expression), value.weak);
      case 'array':
        return { ...value, index: value.index.map(each => this.keepUnlessStable(each)) };
      case 'object': {
        const fields = [...value.fields].map(([name, field]): [string, Binding] => {
          if (field.kind !== 'variable') return [name, this.settled(field, copied)];
          return [name, copied === null ? field : this.settled(readBinding(field, copied))];
        });
        return { ...value, fields: new Map(fields) };
      }
      default:
        return value;
    }
  }

  /** Returns the inferred type of a key, which starts as given and may have grown in an earlier attempt. */
  typeFor(key: string, start: Inferred): Inferred {
    const known = this.inferred.get(key);
    if (known !== undefined) return known;
    this.inferred.set(key, start);
    return start;
  }

  /** Notes that a variable has to hold more than its type: the kernel is lowered again. */
  grow(key: string, inferred: Inferred): void {
    this.inferred.set(key, inferred);
    this.changed = true;
  }

  /** Reads a value from outside the kernel and notes it, so that a launch sees when it changes. */
  capture(read: () => unknown): unknown {
    const value = read();
    this.captures.push({ read, value });
    return value;
  }

  /** Returns what was made for an object of the host before, or makes it. */
  once(key: object, make: () => Binding): Binding {
    let known = this.#known.get(key);
    if (known === undefined) this.#known.set(key, (known = make()));
    return known;
  }
}

/** Returns true for an expression that no statement changes. */
function isStable(expression: Expression): boolean {
  switch (expression.kind) {
    case 'constant':
    case 'parameter':
    case 'special':
    case 'extent':
      return true;
    case 'variable':
      return expression.variable.name === '';
    case 'load':
      return false;
    case 'unary':
    case 'convert':
    case 'narrow':
      return isStable(expression.operand);
    case 'binary':
    case 'logical':
      return isStable(expression.left) && isStable(expression.right);
    case 'fma':
      return expression.operands.every(isStable);
    case 'select':
      return isStable(expression.condition) && isStable(expression.then) && isStable(expression.otherwise);
  }
}

/** Reads a binding: a variable's present value, or the value that never changes. */
export function readBinding(binding: Binding, place: Place): Value {
  if (binding.kind !== 'variable') return binding;
  const { variable, weak } = binding;
  return scalar({ kind: 'variable', variable, type: variable.type, place }, weak);
}

function hostText({ value, name }: HostValue): string {
  if (typeof value === 'string')
    return `the text ${textOf(value)}: text works only in console.log and cuda.assert`;
  if (typeof value === 'function') return `the function ${name}: call it`;
  return `${name}, which has no value in a kernel`;
}

/** Returns the scalar of a value, or fails with what it is instead. */
export function requireScalar(lowering: Lowering, value: Value, node: Node, what = 'a number'): Scalar {
  if (value.kind === 'scalar') return value;
  if (value.kind === 'unknown') throw new Unknowable();
  const found = {
    array: 'an array: give an index for each axis',
    object: 'an object: use one of its fields',
    function: 'a function: call it',
    host: value.kind === 'host' ? hostText(value) : '',
    void: 'a call without a result'
  }[value.kind];
  return lowering.fail(`expected ${what}, found ${found}`, node);
}
