/** Statements that print, check, or hold the user's CUDA C++. Pure. */

import type { Statement, Variable } from '../program/program.ts';
import { deviceTable, type ValueType } from '../program/types.ts';
import { typed, type Emission } from './emission.ts';
import type { Output } from './output.ts';
import { inside, LEVEL, prefix, primary, quoted, type Text } from './text.ts';
import { TYPES } from './types.ts';

type Of<K extends Statement['kind']> = Extract<Statement, { readonly kind: K }>;

interface Target {
  readonly emission: Emission;
  readonly out: Output;
}

/** Writes a call, whose value is declared as the result. */
export function putResult({ emission, out }: Target, result: Variable | null, { text }: Text): void {
  out.put(
    result === null ? `${text};` : `${TYPES[result.type]} ${emission.names.variable(result)} = ${text};`
  );
}

const FORMATS = deviceTable<ValueType, string>({
  bool: '%s',
  i32: '%d',
  u32: '%u',
  i64: '%lld',
  u64: '%llu',
  f32: '%.9g',
  f64: '%.17g'
});

export function printLine({ emission, out }: Target, { parts }: Of<'print'>): void {
  const format = parts.map(each =>
    typeof each === 'string' ? each.replaceAll('%', '%%') : FORMATS[each.type]
  );
  const values = parts
    .filter(each => typeof each !== 'string')
    .map(each => {
      const value = typed(emission, each);
      return each.type === 'bool' ? `${inside(value, LEVEL.logicalOr)} ? "true" : "false"` : value.text;
    });
  out.put(`printf(${[quoted(`${format.join('')}\n`), ...values].join(', ')});`);
}

const INDICES = ['blockIdx', 'threadIdx']
  .flatMap(name => ['x', 'y', 'z'].map(axis => `${name}.${axis}`))
  .join(', ');

export function assertion({ emission, out }: Target, { condition, message, place }: Of<'assert'>): void {
  const file = emission.program.files[place.file]!.name;
  const told = `${file}, line ${place.line}: assertion failed${message === '' ? '' : `: ${message}`}`;
  const format = `${told.replaceAll('%', '%%')} in block (%u, %u, %u), thread (%u, %u, %u)\n`;
  out.put(`if (${prefix('!', emission.write(condition)).text}) {`);
  out.indented(() => {
    out.put(`printf(${quoted(format)}, ${INDICES});`);
    out.put('__trap();');
  });
  out.put('}');
}

export function native(target: Target, { text, operands, result }: Of<'native'>): void {
  const filled = text.replace(/\$(\d+)/g, (whole, number: string) => {
    const operand = operands[Number(number)];
    return operand === undefined ? whole : inside(typed(target.emission, operand), LEVEL.primary);
  });
  if (result === null) target.out.put(/[;}]\s*$/.test(filled) ? filled : `${filled};`);
  else putResult(target, result, primary(filled));
}
