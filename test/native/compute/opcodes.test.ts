/** The two lists of names and numbers, one in C++ and one in TypeScript, say the same. */

import { readFileSync } from 'node:fs';

import { dtypes } from '../../../src/dtype/dtype.ts';
import { ELEMENT_TYPES, OPCODES } from '../../../src/compute/program/opcodes.ts';

/** The names in an enumeration of a header, without their k. */
function namesIn(header: string, enumeration: string): string[] {
  const text = readFileSync(new URL(`../../../native/compute/${header}`, import.meta.url), 'utf8');
  const body = new RegExp(`enum class ${enumeration}[^{]*\\{([^}]*)\\}`).exec(text)?.[1] ?? '';
  return [...body.matchAll(/\bk(\w+),/g)].map(([, name]) => String(name).toLowerCase());
}

const flat = (names: readonly string[]): string[] => names.map(name => name.replaceAll('_', ''));

test('of element types', () => {
  expect(namesIn('types.h', 'Type')).toEqual(flat(ELEMENT_TYPES));
});

test('of opcodes', () => {
  expect(namesIn('opcodes.h', 'Opcode')).toEqual(flat(OPCODES));
});

test('of sizes in memory', () => {
  const text = readFileSync(new URL('../../../native/compute/types.h', import.meta.url), 'utf8');
  const sizes = /kSizes\[kTypeCount\] = \{([^}]*)\}/.exec(text)?.[1] ?? '';
  expect(sizes.split(',').map(Number)).toEqual(ELEMENT_TYPES.map(name => dtypes[name].itemsize));
});
