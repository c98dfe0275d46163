import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { paths } from './paths.mjs';

/** The header of native code that the tables of the TypeScript sources become. */
export const tablesHeader = join(paths.build, 'native', 'generated', 'tables.h');

/** `float8_e4m3` becomes `kFloat8E4m3`. @param {string} name */
const constant = name =>
  `k${name
    .split('_')
    .map(part => part.charAt(0).toUpperCase() + part.slice(1))
    .join('')}`;

/** @param {string} name @param {string} type @param {readonly (string | number)[]} values */
const list = (name, type, values) => `inline constexpr ${type} ${name}[] = {${values.join(', ')}};`;

/** @param {string} name @param {readonly string[]} members */
const enumeration = (name, members) =>
  `enum class ${name} : std::uint8_t {\n${members.map(member => `  ${constant(member)},\n`).join('')}};`;

/** Writes what C++ must know of the tables in src/, where it changed. Needs a Node that runs TypeScript. */
export async function writeNativeTables() {
  const { ELEMENT_TYPES } = await import('../../src/compute/program/element-types.ts');
  const { INSTRUCTIONS } = await import('../../src/compute/program/instructions.ts');
  const { dtypes } = await import('../../src/dtype/dtype.ts');
  const rows = Object.values(INSTRUCTIONS);
  const text = `// Generated from src/compute/program/element-types.ts and src/compute/program/instructions.ts by scripts/setup/native-tables.mjs.
#pragma once

#include <cstdint>

namespace stridelab::compute {

${enumeration('Type', ELEMENT_TYPES)}
inline constexpr int kTypeCount = ${ELEMENT_TYPES.length};
/** Bytes of one element in memory. */
${list(
  'kTypeSizes',
  'std::uint8_t',
  ELEMENT_TYPES.map(name => dtypes[name].itemsize)
)}

${enumeration('Opcode', Object.keys(INSTRUCTIONS))}
inline constexpr int kOpcodeCount = ${rows.length};
${list(
  'kOperandCounts',
  'std::uint8_t',
  rows.map(row => row.operands)
)}
/** The type of an instruction's result: that of its operands, bool, or that of the parts of a complex number. */
${enumeration('ResultType', ['same', 'bool', 'part'])}
${list(
  'kResultTypes',
  'ResultType',
  rows.map(row => `ResultType::${constant(row.result)}`)
)}

}  // namespace stridelab::compute
`;
  if (existsSync(tablesHeader) && readFileSync(tablesHeader, 'utf8') === text) return;
  mkdirSync(dirname(tablesHeader), { recursive: true });
  writeFileSync(tablesHeader, text);
}
