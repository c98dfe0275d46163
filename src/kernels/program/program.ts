/**
 * A kernel as a program: what the language front makes of a function for given argument types, and what the emitter of CUDA C++ and
 * the simulated machine run. Helper functions are inlined and objects are taken apart, so a program is one body over scalars and
 * arrays. Expressions have no effects; everything with an effect is a statement, in the order in which JavaScript evaluates. Pure.
 */

import type { ElementType, ValueType } from './types.ts';

/** A position in the kernel's file or cell: line from 1, column from 0. */
export interface Place {
  readonly line: number;
  readonly column: number;
  /** The number of characters that it spans, on its first line. */
  readonly length: number;
  /** Index into `Program.files`. */
  readonly file: number;
}

/** A local scalar variable. */
export interface Variable {
  /** Unique in the program: its index in `Program.variables`. */
  readonly id: number;
  /** The name in the source; empty for a temporary value. */
  readonly name: string;
  readonly type: ValueType;
}

/** An array parameter. Its kernel arguments are a pointer, `rank` extents, and `rank` strides in elements unless it is contiguous. */
export interface ArrayParameter {
  readonly kind: 'array';
  readonly name: string;
  readonly element: ElementType;
  readonly rank: number;
  /** Row-major without gaps. */
  readonly contiguous: boolean;
  /** True if addresses need 64-bit arithmetic: the array spans 2^31 elements or more. Extents and strides are then i64, else i32. */
  readonly wide: boolean;
  /** The kernel never writes it: it is declared `Readonly`, or nothing in the program stores to it. */
  readonly readOnly: boolean;
  /** Declared `Readonly` by the user, who so promises that nothing else writes it during the launch. */
  readonly restrict: boolean;
}

/** A scalar parameter: one kernel argument of its type (bool: one byte). */
export interface ScalarParameter {
  readonly kind: 'scalar';
  readonly name: string;
  readonly type: ValueType;
}

export type Parameter = ArrayParameter | ScalarParameter;

/** An array in shared memory (one for each block) or local memory (one for each thread). */
export interface Memory {
  readonly space: 'shared' | 'local';
  readonly name: string;
  readonly element: ElementType;
  /** Lengths of the axes; of dynamic shared memory, [0]: it is as long as the launch's bytes allow. */
  readonly shape: readonly number[];
  readonly dynamic: boolean;
  readonly place: Place;
}

/** A captured table of numbers: constant memory. */
export interface Table {
  readonly name: string;
  readonly element: ElementType;
  readonly shape: readonly number[];
  /** Row-major. */
  readonly values: readonly (number | bigint | boolean)[];
}

/** An array of a program: its index in `parameters`, `memories` or `tables`. */
export interface ArrayReference {
  readonly from: 'parameter' | 'memory' | 'table';
  readonly index: number;
}

export type UnaryOperation =
  | 'negate' // integers wrap
  | 'not' // of a bool
  | 'invert' // bits of an integer
  | 'abs'
  | 'sign' // -1, 0 or 1, of a float also NaN and -0
  | 'floor'
  | 'ceil'
  | 'trunc'
  | 'rint' // half to even
  | 'sqrt'
  | 'rsqrt'
  | 'cbrt'
  | 'exp'
  | 'exp2'
  | 'expm1'
  | 'log'
  | 'log2'
  | 'log10'
  | 'log1p'
  | 'sin'
  | 'cos'
  | 'tan'
  | 'asin'
  | 'acos'
  | 'atan'
  | 'sinh'
  | 'cosh'
  | 'tanh'
  | 'asinh'
  | 'acosh'
  | 'atanh'
  | 'erf'
  | 'erfc'
  | 'tgamma'
  | 'lgamma'
  | 'isnan' // the result of these three is bool
  | 'isinf'
  | 'isfinite'
  | 'popc' // the result of these three is i32
  | 'clz'
  | 'ffs' // 1 + position of the lowest set bit; 0 for none
  | 'brev'
  | 'bits' // reinterprets: f32 as i32, i32 and u32 as f32, f64 as i64, i64 and u64 as f64
  | 'real' // these three are of complex numbers
  | 'imag'
  | 'conj';

/**
 * Both operands have one type, which is also that of the result but for comparisons (bool) and `complex`. Integers wrap. Division of integers
 * truncates; division by zero gives all bits set, as on a GPU, and the remainder by zero gives the dividend.
 */
export type BinaryOperation =
  | 'add'
  | 'subtract'
  | 'multiply'
  | 'divide'
  | 'floorDivide' // integers only
  | 'remainder' // the sign of the dividend, as in JavaScript and C
  | 'and' // bits; also of bools
  | 'or'
  | 'xor'
  | 'shiftLeft' // counts are taken modulo the bits of the type
  | 'shiftRight' // arithmetic for signed types
  | 'min' // NaN if either is NaN, and -0 below 0, as Math.min
  | 'max'
  | 'pow'
  | 'atan2'
  | 'hypot'
  | 'copysign'
  | 'complex' // a complex number of its parts
  | 'multiplyHigh' // the upper half of the product of integers
  | 'equal'
  | 'notEqual'
  | 'less'
  | 'lessEqual'
  | 'greater'
  | 'greaterEqual';

/** Values that threads have without computing them; all are i32. `laneId` is the thread's lane in its warp. */
export type Special = `${'threadIdx' | 'blockIdx' | 'blockDim' | 'gridDim'}.${'x' | 'y' | 'z'}` | 'laneId';

export type Expression = { readonly type: ValueType; readonly place: Place } & (
  | { readonly kind: 'constant'; readonly value: number | bigint | boolean }
  | { readonly kind: 'variable'; readonly variable: Variable }
  | { readonly kind: 'parameter'; readonly index: number }
  | { readonly kind: 'special'; readonly name: Special }
  /** The length of an axis, i32 (i64 of a wide parameter). Of dynamic shared memory: the launch's bytes over the element's. */
  | { readonly kind: 'extent'; readonly array: ArrayReference; readonly axis: number }
  /** An element. A narrow one has its value type. Index expressions are i32 or i64, one for each axis. */
  | { readonly kind: 'load'; readonly array: ArrayReference; readonly index: readonly Expression[] }
  | { readonly kind: 'unary'; readonly operation: UnaryOperation; readonly operand: Expression }
  | {
      readonly kind: 'binary';
      readonly operation: BinaryOperation;
      readonly left: Expression;
      readonly right: Expression;
    }
  /** a * b + c, rounded once. */
  | { readonly kind: 'fma'; readonly operands: readonly [Expression, Expression, Expression] }
  /** From any type to any other. Float to integer truncates and saturates, NaN gives 0; to bool compares with 0; integers wrap. */
  | { readonly kind: 'convert'; readonly operand: Expression }
  /** Rounds a value to a narrow element type and back (`f16(x)`): its type is the element's value type. */
  | { readonly kind: 'narrow'; readonly element: ElementType; readonly operand: Expression }
  /** Evaluates one of two; the other has no effect and must not fault. */
  | {
      readonly kind: 'select';
      readonly condition: Expression;
      readonly then: Expression;
      readonly otherwise: Expression;
    }
  /** Bools; the right one is evaluated only if it decides. */
  | {
      readonly kind: 'logical';
      readonly operation: 'and' | 'or';
      readonly left: Expression;
      readonly right: Expression;
    }
);

/** Atomics on an element: arguments are the value, or the expected value and the new one for `cas`. All return the old value. */
export type AtomicName =
  | 'atomicAdd' // i32, u32, u64, f32, f64; u64 also for i64 by bits
  | 'atomicSub'
  | 'atomicMin' // integers and floats
  | 'atomicMax'
  | 'atomicExch'
  | 'atomicCas'
  | 'atomicAnd'
  | 'atomicOr'
  | 'atomicXor'
  | 'atomicInc' // u32: old >= limit ? 0 : old + 1
  | 'atomicDec'; // u32: old == 0 || old > limit ? limit : old - 1

/**
 * Operations of a warp. The first argument is always the mask of lanes, u32. `shfl*`: value, then lane, delta or lane mask (i32), then
 * width (i32); the result has the value's type. Votes: a bool; `ballot` u32, `any` and `all` bool. `matchAny`: a value, the lanes with
 * the same one (u32). `matchAll`: a value, results: the mask if all are equal, else 0 (u32). `activeMask`: no argument, u32.
 */
export type WarpName =
  | 'shfl'
  | 'shflUp'
  | 'shflDown'
  | 'shflXor'
  | 'ballot'
  | 'any'
  | 'all'
  | 'matchAny'
  | 'matchAll'
  | 'activeMask'
  | 'syncWarp';

/** Barriers of a block; the last three take a bool and return how many (i32), whether all, whether any thread passed true (bool). */
export type BarrierName =
  'syncThreads' | 'syncThreadsCount' | 'syncThreadsAnd' | 'syncThreadsOr' | 'gridSync';

export type FenceName = 'fenceBlock' | 'fenceDevice' | 'fenceSystem';

/** A structured jump: to behind a block, or to the end or the next round of a loop that encloses the statement. */
export interface Leave {
  readonly kind: 'leave';
  readonly target: number;
  /** For a loop: 'next' starts the next round. */
  readonly to: 'end' | 'next';
  readonly place: Place;
}

export type Statement =
  | {
      readonly kind: 'declare';
      readonly variable: Variable;
      readonly value: Expression | null;
      readonly place: Place;
    }
  | {
      readonly kind: 'assign';
      readonly variable: Variable;
      readonly value: Expression;
      readonly place: Place;
    }
  | {
      readonly kind: 'store';
      readonly array: ArrayReference;
      readonly index: readonly Expression[];
      /** Of the element's value type. */
      readonly value: Expression;
      readonly place: Place;
    }
  /** Reads elements that follow each other on the last axis, from the index on. Their address is a multiple of their bytes together. */
  | {
      readonly kind: 'loadVector';
      readonly array: ArrayReference;
      readonly index: readonly Expression[];
      /** Of the element's value type, declared by this statement: 2, 4, 8 or 16 of at most 16 bytes together. */
      readonly results: readonly Variable[];
      readonly place: Place;
    }
  /** Writes elements that follow each other, as `loadVector` reads them. */
  | {
      readonly kind: 'storeVector';
      readonly array: ArrayReference;
      readonly index: readonly Expression[];
      readonly values: readonly Expression[];
      readonly place: Place;
    }
  | {
      readonly kind: 'atomic';
      readonly name: AtomicName;
      readonly array: ArrayReference;
      readonly index: readonly Expression[];
      readonly arguments: readonly Expression[];
      /** Declared by this statement. */
      readonly result: Variable | null;
      readonly place: Place;
    }
  | {
      readonly kind: 'warp';
      readonly name: WarpName;
      readonly arguments: readonly Expression[];
      readonly result: Variable | null;
      readonly place: Place;
    }
  | {
      readonly kind: 'barrier';
      readonly name: BarrierName;
      readonly arguments: readonly Expression[];
      readonly result: Variable | null;
      readonly place: Place;
    }
  | { readonly kind: 'fence'; readonly name: FenceName; readonly place: Place }
  /** Prints one line: texts and values in turn. */
  | { readonly kind: 'print'; readonly parts: readonly (string | Expression)[]; readonly place: Place }
  /** Stops the kernel with a fault unless the condition holds. */
  | {
      readonly kind: 'assert';
      readonly condition: Expression;
      readonly message: string;
      readonly place: Place;
    }
  /** CUDA C++ on a GPU: `text` with $0, $1… for the operands. On the simulated device `host` runs instead, assigned to the result. */
  | {
      readonly kind: 'native';
      readonly text: string;
      readonly operands: readonly Expression[];
      readonly result: Variable | null;
      readonly host: Expression | null;
      readonly place: Place;
    }
  | {
      readonly kind: 'if';
      readonly condition: Expression;
      readonly then: readonly Statement[];
      readonly otherwise: readonly Statement[];
      readonly place: Place;
    }
  /**
   * Each round: `before`, then, unless `condition` is null or true, the end; `body`; `update`. A leave to 'next' goes to `update`. With
   * `testLast` the condition, with `before`, comes after `body` and before `update` (do … while), and 'next' goes there.
   */
  | {
      readonly kind: 'loop';
      readonly id: number;
      readonly before: readonly Statement[];
      readonly condition: Expression | null;
      readonly body: readonly Statement[];
      readonly update: readonly Statement[];
      readonly testLast: boolean;
      readonly place: Place;
    }
  /** Runs its body once; a leave to it jumps behind it. An inlined helper is one; the kernel's body has the id 0. */
  | {
      readonly kind: 'block';
      readonly id: number;
      readonly body: readonly Statement[];
      readonly place: Place;
      readonly helper?: Helper;
    }
  | Leave;

/** A helper function that was inlined, for the debugger. */
export interface Helper {
  readonly name: string;
  /** The variables of its parameters, which are declared before the block. */
  readonly parameters: readonly Variable[];
}

/** A file or cell with source of the kernel. */
export interface SourceFile {
  /** As it is named in messages: `cell 5` or a file's name. */
  readonly name: string;
}

export interface Program {
  /** A C++ identifier. */
  readonly name: string;
  readonly parameters: readonly Parameter[];
  readonly variables: readonly Variable[];
  readonly memories: readonly Memory[];
  readonly tables: readonly Table[];
  readonly body: readonly Statement[];
  readonly files: readonly SourceFile[];
  /** True if the program waits for the whole grid, so that it needs a cooperative launch. */
  readonly cooperative: boolean;
}
