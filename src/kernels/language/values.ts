/** What an expression of a kernel evaluates to while it is lowered. Pure. */

import type { AnyNode, Function as FunctionNode } from 'acorn';
import type { ArrayReference, Expression, Variable } from '../program/program.ts';
import type { ElementType, ValueType } from '../program/types.ts';
import type { Scope } from './scope.ts';
import type { SourceText } from './source-text.ts';

/**
 * A number that takes the type of whatever it meets: a literal, a captured number, a variable that starts with one. 'int' alone becomes
 * i32 (of a bigint i64), 'float' f32; null for a value whose type is settled.
 */
export type Weak = 'int' | 'float' | null;

export interface Scalar {
  readonly kind: 'scalar';
  readonly expression: Expression;
  readonly weak: Weak;
}

/** An array, or what is left of it behind some of its indices. */
export interface ArrayValue {
  readonly kind: 'array';
  readonly reference: ArrayReference;
  readonly name: string;
  readonly element: ElementType;
  readonly rank: number;
  /** Indices so far, outermost first. */
  readonly index: readonly Expression[];
  readonly readOnly: boolean;
  readonly wide: boolean;
}

/** A plain object or a list of values, taken apart: a list has the keys '0', '1'… */
export interface ObjectValue {
  readonly kind: 'object';
  readonly list: boolean;
  readonly fields: ReadonlyMap<string, Binding>;
  /** True if its name is constant. */
  readonly constant?: boolean;
  /** The key of its declaration. */
  readonly key?: string;
}

/** A function of the kernel's source, which is inlined where it is called. */
export interface FunctionValue {
  readonly kind: 'function';
  readonly node: FunctionNode;
  readonly source: SourceText;
  readonly scope: Scope;
  readonly name: string;
}

/** A captured value that is no number: a namespace, a function of JavaScript, a string. */
export interface HostValue {
  readonly kind: 'host';
  readonly value: unknown;
  readonly name: string;
}

/** A captured value that nothing is known of, in an editor. */
interface UnknownValue {
  readonly kind: 'unknown';
}

interface VoidValue {
  readonly kind: 'void';
}

export type Value = Scalar | ArrayValue | ObjectValue | FunctionValue | HostValue | UnknownValue | VoidValue;

/** A scalar variable as a name sees it. */
export interface VariableBinding {
  readonly kind: 'variable';
  readonly variable: Variable;
  readonly weak: Weak;
  /** True if the source gives its type, which then never changes. */
  readonly typed: boolean;
  readonly constant: boolean;
  /** The key of its inferred type. */
  readonly key: string;
}

/** What a name or a field stands for: a variable, or a value that never changes. */
export type Binding = VariableBinding | Value;

/** The type that an annotation gives. */
export type Annotation =
  | { readonly kind: 'scalar'; readonly type: ValueType; readonly element: ElementType }
  | {
      readonly kind: 'array';
      readonly element: ElementType | null;
      readonly rank: number;
      readonly readOnly: boolean;
    }
  | { readonly kind: 'object'; readonly fields: ReadonlyMap<string, Annotation> }
  | { readonly kind: 'open' };

export type Node = AnyNode;

export const VOID: Value = { kind: 'void' };
export const UNKNOWN: Value = { kind: 'unknown' };
