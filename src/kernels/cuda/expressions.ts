/** Expressions as CUDA C++. Pure. */

import type { Expression } from '../program/program.ts';
import { ELEMENTS, isFloat, isSigned, type ElementType, type ValueType } from '../program/types.ts';
import { elementOf, elementText, extent } from './arrays.ts';
import { callPiece, typed, type Emission } from './emission.ts';
import { binary, unary } from './operations.ts';
import type { PieceName } from './prelude.ts';
import { call, cast, infix, inside, LEVEL, primary, type Text } from './text.ts';
import { constant, STORED, TYPES } from './types.ts';

/** Writes an expression. Where C++ converts to its type anyway, the text may be unsigned in place of signed. */
export function expression(emission: Emission, node: Expression): Text {
  switch (node.kind) {
    case 'constant':
      return constant(node.type, node.value);
    case 'variable': {
      const value = emission.inlined.get(node.variable.id);
      return value === undefined ? primary(emission.names.variable(node.variable)) : emission.write(value);
    }
    case 'parameter':
      return primary(emission.names.parameter(node.index));
    case 'special':
      return node.name === 'laneId'
        ? callPiece(emission, 'laneId')
        : { ...primary(node.name), unsigned: true };
    case 'extent':
      return extent(emission, node.array, node.axis);
    case 'load':
      return fromStored(
        emission,
        elementOf(emission.program, node.array),
        elementText(emission, node.array, node.index)
      );
    case 'unary':
      return unary(emission, node);
    case 'binary':
      return binary(emission, node);
    case 'fma':
      return call(node.type === 'f32' ? 'fmaf' : 'fma', ...node.operands.map(each => typed(emission, each)));
    case 'convert':
      return convert(emission, node.operand, node.type);
    case 'narrow':
      return narrow(emission, node.element, node.operand);
    case 'select':
      return select(emission, node);
    case 'logical': {
      const [operator, level] = node.operation === 'and' ? ['&&', LEVEL.logicalAnd] : ['||', LEVEL.logicalOr];
      return infix(emission.write(node.left), operator, emission.write(node.right), level);
    }
  }
}

function select(
  emission: Emission,
  { condition, then, otherwise }: Extract<Expression, { kind: 'select' }>
): Text {
  const test = inside(emission.write(condition), LEVEL.select + 1);
  const [left, right] = [typed(emission, then), typed(emission, otherwise)];
  return { ...primary(`${test} ? ${left.text} : ${right.text}`), level: LEVEL.select };
}

/** Converts a stored element to its value type. */
export function fromStored(emission: Emission, element: ElementType, code: Text): Text {
  if (element === 'f16') return callPiece(emission, 'fromF16', code);
  if (element === 'bf16') return callPiece(emission, 'fromBf16', code);
  if (element === 'bool') return infix(code, '!=', primary('0'), LEVEL.equality);
  const { value } = ELEMENTS[element];
  return value === element ? code : cast(TYPES[value], code);
}

/** Converts a value to what is stored of it, where an assignment drops the high bits. */
export function toStored(emission: Emission, element: ElementType, value: Expression): Text {
  const text = emission.write(value);
  if (element === 'f16') return callPiece(emission, 'toF16', text);
  return element === 'bf16' ? callPiece(emission, 'toBf16', text) : text;
}

function narrow(emission: Emission, element: ElementType, operand: Expression): Text {
  const text = convert(emission, operand, ELEMENTS[element].value);
  if (element === 'f16') return fromStored(emission, element, callPiece(emission, 'toF16', text));
  if (element === 'bf16') return fromStored(emission, element, callPiece(emission, 'toBf16', text));
  if (element === 'bool' || ELEMENTS[element].value === element) return text;
  return fromStored(emission, element, cast(STORED[element], text));
}

/** Conversions of floats to integers, which saturate and make 0 of NaN. */
const ROUNDED: Readonly<Record<string, string | undefined>> = {
  'f32 i32': '__float2int_rz',
  'f32 u32': '__float2uint_rz'
};
const GUARDED: Readonly<Record<string, PieceName | undefined>> = {
  i32: 'toInt',
  u32: 'toUnsigned',
  i64: 'toLong',
  u64: 'toUnsignedLong'
};

function convert(emission: Emission, operand: Expression, to: ValueType): Text {
  const from = operand.type;
  const text = emission.write(operand);
  if (from === to) return text;
  if (to === 'bool') return infix(text, '!=', constant(from, 0), LEVEL.equality);
  const guarded = isFloat(from) ? GUARDED[to] : undefined;
  if (guarded !== undefined) {
    const rounded = ROUNDED[`${from} ${to}`];
    return rounded === undefined ? callPiece(emission, guarded, text) : call(rounded, text);
  }
  // The bits of an unsigned text are right already.
  const unsigned = text.unsigned || from === 'u32' || from === 'u64';
  if (unsigned && !isFloat(to) && ELEMENTS[to].bytes === ELEMENTS[from].bytes)
    return { ...text, unsigned: isSigned(to) };
  return cast(TYPES[to], text.unsigned ? cast(TYPES[from], text) : text);
}
