/** The functions of a float that have one name in JavaScript's Math, in programs and in array operations. Pure. */

/** By name: whether they take complex numbers too. */
const COMPLEX = {
  sqrt: true,
  cbrt: false,
  exp: true,
  expm1: false,
  log: true,
  log2: false,
  log10: true,
  log1p: false,
  sin: true,
  cos: true,
  tan: true,
  asin: true,
  acos: true,
  atan: true,
  sinh: true,
  cosh: true,
  tanh: true,
  asinh: true,
  acosh: true,
  atanh: true
};

export type MathFunction = keyof typeof COMPLEX;

export const MATH_FUNCTIONS = Object.keys(COMPLEX) as readonly MathFunction[];

export const isMathFunction = (name: string): name is MathFunction => Object.hasOwn(COMPLEX, name);

/** Returns true for a function that is defined for complex numbers. */
export const takesComplex = (name: string): boolean => isMathFunction(name) && COMPLEX[name];
