/** Expressions of programs as JavaScript: 64-bit integers are bigints, truth values booleans, all others numbers. Pure. */

import type {
  ArrayReference,
  BinaryOperation,
  Expression,
  Program,
  UnaryOperation,
  Variable
} from '../program/program.ts';
import { deviceTable, isFloat, isWide, type ElementType, type ValueType } from '../program/types.ts';

/** What the text of expressions depends on. */
export interface Context {
  readonly program: Program;
  readonly names: ReadonlyMap<Variable, string>;
  /** Returns the number of a place. */
  place(expression: { readonly place: Expression['place'] }): number;
}

/** The name of the object with the operations and the memory of a thread, which the debugger hides. */
export const OWN = '__stridelab';

/** An array's number counts parameters, then memories, then tables. */
export function arrayNumber({ parameters, memories }: Program, { from, index }: ArrayReference): number {
  if (from === 'parameter') return index;
  return parameters.length + index + (from === 'table' ? memories.length : 0);
}

export function literal(type: ValueType, value: number | bigint | boolean): string {
  if (type === 'bool') return String(Boolean(value));
  if (isWide(type)) return `${BigInt(value)}n`;
  return Object.is(value, -0) ? '-0' : String(Number(value));
}

/** Rounds or wraps a result. */
const FITTED = deviceTable<ValueType, (text: string) => string>({
  bool: text => `(${text})`,
  i32: text => `(${text} | 0)`,
  u32: text => `((${text}) >>> 0)`,
  i64: text => `BigInt.asIntN(64, ${text})`,
  u64: text => `BigInt.asUintN(64, ${text})`,
  f32: text => `Math.fround(${text})`,
  f64: text => `(${text})`
});

const SIGNS: Partial<Readonly<Record<BinaryOperation, string>>> = {
  add: '+',
  subtract: '-',
  and: '&',
  or: '|',
  xor: '^',
  equal: '===',
  notEqual: '!==',
  less: '<',
  lessEqual: '<=',
  greater: '>',
  greaterEqual: '>='
};
const COMPARES = /equal|less|greater/i;

function binaryText(operation: BinaryOperation, type: ValueType, a: string, b: string): string {
  if (COMPARES.test(operation)) return `(${a} ${SIGNS[operation]!} ${b})`;
  if (type === 'bool')
    return operation === 'xor' ? `(${a} !== ${b})` : `(${a} ${operation === 'and' ? '&&' : '||'} ${b})`;
  const sign = SIGNS[operation];
  if (sign !== undefined) return FITTED[type](`${a} ${sign} ${b}`);
  if (operation === 'multiply')
    return FITTED[type](isFloat(type) || isWide(type) ? `${a} * ${b}` : `Math.imul(${a}, ${b})`);
  if (operation === 'divide' && isFloat(type)) return FITTED[type](`${a} / ${b}`);
  if (operation === 'remainder' && isFloat(type)) return `(${a} % ${b})`;
  if ((operation === 'min' || operation === 'max') && !isWide(type)) return `Math.${operation}(${a}, ${b})`;
  return `${OWN}.of.binary('${operation}', '${type}', ${a}, ${b})`;
}

/** Functions of JavaScript that are exact, on floats. */
const EXACT: Partial<Readonly<Record<UnaryOperation, string>>> = {
  abs: 'Math.abs',
  sign: 'Math.sign',
  floor: 'Math.floor',
  ceil: 'Math.ceil',
  trunc: 'Math.trunc',
  sqrt: 'Math.sqrt',
  isnan: 'Number.isNaN',
  isfinite: 'Number.isFinite'
};

function unaryText(operation: UnaryOperation, type: ValueType, result: ValueType, operand: string): string {
  if (operation === 'negate') return isFloat(type) ? `(-${operand})` : FITTED[type](`-${operand}`);
  if (operation === 'not') return `(!${operand})`;
  if (operation === 'invert') return FITTED[type](`~${operand}`);
  const exact = isFloat(type) ? EXACT[operation] : undefined;
  if (exact === undefined) return `${OWN}.of.unary('${operation}', '${type}', '${result}', ${operand})`;
  return operation === 'sqrt' ? FITTED[type](`${exact}(${operand})`) : `${exact}(${operand})`;
}

const NARROWED: Partial<Readonly<Record<ElementType, (text: string) => string>>> = {
  i8: text => `(${text} << 24 >> 24)`,
  u8: text => `(${text} & 255)`,
  i16: text => `(${text} << 16 >> 16)`,
  u16: text => `(${text} & 65535)`,
  f16: text => `${OWN}.of.float16(${text})`,
  bf16: text => `${OWN}.of.bfloat16(${text})`
};

type Kind = Expression['kind'];
type Of<K extends Kind> = Extract<Expression, { kind: K }>;
type Write = { readonly [K in Kind]: (context: Context, expression: Of<K>) => string };

const write: Write = {
  constant: (_, { type, value }) => `(${literal(type, value)})`,
  variable: ({ names }, { variable }) => names.get(variable)!,
  parameter: (_, { index }) => `${OWN}.scalars[${index}]`,
  special: (_, { name }) => `${OWN}.specials['${name}']`,
  extent: ({ program }, { array, axis, type }) => {
    const length = `${OWN}.extent(${arrayNumber(program, array)}, ${axis})`;
    return isWide(type) ? `BigInt(${length})` : length;
  },
  load: (context, expression) => {
    const { array, index } = expression;
    const texts = [
      arrayNumber(context.program, array),
      context.place(expression),
      ...textsOf(context, index)
    ];
    return `${OWN}.load(${texts.join(', ')})`;
  },
  unary: (context, { operation, operand, type }) =>
    unaryText(operation, operand.type, type, expressionText(context, operand)),
  binary: (context, { operation, left, right }) =>
    binaryText(operation, left.type, expressionText(context, left), expressionText(context, right)),
  fma: (context, { operands, type }) => `${OWN}.of.fma('${type}', ${textsOf(context, operands).join(', ')})`,
  convert: (context, { type, operand }) => {
    const text = expressionText(context, operand);
    return operand.type === type ? text : `${OWN}.of.convert('${operand.type}', '${type}', ${text})`;
  },
  narrow: (context, { element, operand }) => {
    const text = expressionText(context, operand);
    return NARROWED[element]?.(text) ?? text;
  },
  select: (context, { condition, then, otherwise }) => {
    const [test, one, other] = textsOf(context, [condition, then, otherwise]);
    return `(${test!} ? ${one!} : ${other!})`;
  },
  logical: (context, { operation, left, right }) =>
    `(${textsOf(context, [left, right]).join(operation === 'and' ? ' && ' : ' || ')})`
};

export function expressionText(context: Context, expression: Expression): string {
  return (write[expression.kind] as (context: Context, expression: Expression) => string)(
    context,
    expression
  );
}

export const textsOf = (context: Context, expressions: readonly Expression[]): string[] =>
  expressions.map(each => expressionText(context, each));
