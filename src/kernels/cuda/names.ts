/** C++ names of a program's variables and arrays: the user's own, made unique. Pure. */

import type { ArrayReference, Program, Variable } from '../program/program.ts';
import { PIECE_NAMES } from './prelude.ts';

/** Words of C++, and names of CUDA that the emitted text uses; `NULL` is a macro. */
const TAKEN =
  `alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl const const_cast constexpr continue decltype
  default delete do double dynamic_cast else enum explicit export extern false float for friend goto if inline int long mutable namespace
  new noexcept not not_eq nullptr operator or or_eq private protected public register reinterpret_cast return short signed sizeof static
  static_assert static_cast struct switch template this thread_local throw true try typedef typeid typename union unsigned using virtual
  void volatile wchar_t while xor xor_eq NULL threadIdx blockIdx blockDim gridDim warpSize printf dynamicMemory min max abs isnan isinf
  isfinite signbit atomicAdd atomicSub atomicMin atomicMax atomicExch atomicCAS atomicAnd atomicOr atomicXor atomicInc atomicDec`.split(
    /\s+/
  );

/** Functions of Math: each has a form for float, which ends in f. */
const MATH =
  `floor ceil trunc rint sqrt rsqrt cbrt exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh
  erf erfc tgamma lgamma fabs fma fmod pow atan2 hypot copysign`.split(/\s+/);

const RESERVED: ReadonlySet<string> = new Set([
  ...TAKEN,
  ...MATH,
  ...MATH.map(each => `${each}f`),
  ...PIECE_NAMES
]);

/** More functions of CUDA that have a form for float. The emitted text does not use them, so that variables may have their names. */
const MORE_MATH =
  `cospi cyl_bessel_i0 cyl_bessel_i1 erfcinv erfcx erfinv exp10 fdim fdivide fmax fmin frexp ilogb j0 j1 jn ldexp llrint llround logb lrint
  lround modf nan nearbyint nextafter norm norm3d norm4d normcdf normcdfinv rcbrt remainder remquo rhypot rnorm rnorm3d rnorm4d round
  scalbln scalbn sincos sincospi sinpi y0 y1 yn`.split(/\s+/);

/** Names that CUDA declares outside all namespaces: a kernel cannot have them. */
const DECLARED: ReadonlySet<string> = new Set([
  ...MORE_MATH,
  ...MORE_MATH.map(each => `${each}f`),
  ...`labs llabs clock64 malloc free assert umin llmin ullmin umax llmax ullmax main dim3 size_t ptrdiff_t std char16_t char32_t`.split(
    ' '
  )
]);

/** Returns a name for a kernel that C++ accepts and CUDA does not have. */
export function kernelName(wanted: string): string {
  const plain = wanted.replace(/\W/g, '_').replace(/^(?=\d|$)/, '_');
  return RESERVED.has(plain) || DECLARED.has(plain) ? `${plain}_kernel` : plain;
}

export interface Names {
  variable(variable: Variable): string;
  /** The name of a scalar parameter. */
  parameter(index: number): string;
  /** A name of its own for something that is no variable of the program. */
  fresh(wanted: string): string;
  array(reference: ArrayReference): string;
  /** The name of the length (or stride) of an axis of an array parameter. */
  extent(parameter: number, axis: number): string;
  stride(parameter: number, axis: number): string;
  /** Runs `work`; names that it gives to variables are free again afterwards, because their scope ends. */
  scoped(work: () => void): void;
}

export function createNames({ name, parameters, memories, tables }: Program): Names {
  const used = new Set([...RESERVED, name]);
  const variables = new Map<number, string>();
  /** Names of variables whose scope is open. */
  let open: string[] = [];

  const unique = (wanted: string): string => {
    // Names that start so belong to the compiler.
    const plain = wanted.replace(/\W/g, '_').replace(/^(?=_[_A-Z]|_*$)/, 'v');
    let found = plain;
    for (let number = 2; used.has(found); number++) found = `${plain}_${number}`;
    used.add(found);
    return found;
  };
  const scalarsAndArrays = parameters.map(each => unique(each.name));
  const axes = (form: string): readonly (readonly string[])[] =>
    parameters.map((each, index) => {
      if (each.kind === 'scalar') return [];
      return Array.from({ length: each.rank }, (_, axis) => {
        const number = each.rank === 1 ? '' : `${axis}`;
        return unique(`${scalarsAndArrays[index]!}_${form}${number}`);
      });
    });
  const extents = axes('length');
  const strides = axes('stride');
  const arrays = {
    parameter: scalarsAndArrays,
    memory: memories.map(each => unique(each.name)),
    table: tables.map(each => unique(each.name))
  };

  const fresh = (wanted: string): string => {
    const made = unique(wanted);
    open.push(made);
    return made;
  };

  return {
    variable({ id, name: own }) {
      let known = variables.get(id);
      if (known === undefined) {
        known = fresh(own === '' ? `t${id}` : own);
        variables.set(id, known);
      }
      return known;
    },
    fresh,
    parameter: index => scalarsAndArrays[index]!,
    array: ({ from, index }) => arrays[from][index]!,
    extent: (parameter, axis) => extents[parameter]![axis]!,
    stride: (parameter, axis) => strides[parameter]![axis]!,
    scoped(work) {
      const outer = open;
      open = [];
      work();
      for (const each of open) used.delete(each);
      open = outer;
    }
  };
}
