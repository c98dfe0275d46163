import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { paths } from './paths.mjs';

const folder = join(paths.build, 'native', 'generated');
/** The headers that are generated from the tables in TypeScript. */
export const nativeTables = ['instructions.h', 'words.h', 'kernel_codes.h'].map(name => join(folder, name));

/** `float8_e4m3` becomes `kFloat8E4m3`, and `sharedBytes` `kSharedBytes`. @param {string} name */
const constant = name =>
  `k${name
    .split('_')
    .map(part => part.charAt(0).toUpperCase() + part.slice(1))
    .join('')}`;

/** @param {string} type @param {string} name @param {readonly (string | number)[]} values */
const list = (type, name, values) => `inline constexpr ${type} ${name}[] = {${values.join(', ')}};\n`;

/** @param {string} name @param {readonly string[]} members */
const enumeration = (name, members) =>
  `enum class ${name} : std::uint8_t {\n${members.map(member => `  ${constant(member)},\n`).join('')}};\n`;

/** An enumeration with the names of its members in JavaScript. @param {string} name @param {readonly string[]} members */
const named = (name, members) =>
  enumeration(name, members) +
  list(
    'const char*',
    `k${name}Names`,
    members.map(member => `"${member}"`)
  );

/** @param {string} name @param {Readonly<Record<string, number>>} places */
const places = (name, places) =>
  `enum ${name} : std::size_t {\n${Object.entries(places)
    .map(([member, place]) => `  ${constant(member)} = ${place},\n`)
    .join('')}};\n`;

/** @param {string} namespace @param {readonly string[]} parts */
const header = (namespace, parts) => `// Generated from src/ by scripts/setup/native-tables.mjs.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ${namespace} {

${parts.join('\n')}
}  // namespace ${namespace}
`;

async function instructions() {
  const { ELEMENT_TYPES } = await import('../../src/compute/program/element-types.ts');
  const { INSTRUCTIONS } = await import('../../src/compute/program/instructions.ts');
  const { dtypes } = await import('../../src/dtype/dtype.ts');
  const rows = Object.values(INSTRUCTIONS);
  const sizes = ELEMENT_TYPES.map(name => dtypes[name].itemsize);
  const results = rows.map(({ result }) => `ResultType::${constant(result)}`);
  return header('stridelab::compute', [
    enumeration('Type', ELEMENT_TYPES),
    `inline constexpr int kTypeCount = ${ELEMENT_TYPES.length};\n`,
    `/** Bytes of one element in memory. */\n${list('std::uint8_t', 'kTypeSizes', sizes)}`,
    enumeration('Opcode', Object.keys(INSTRUCTIONS)),
    `inline constexpr int kOpcodeCount = ${rows.length};\n`,
    list(
      'std::uint8_t',
      'kOperandCounts',
      rows.map(({ operands }) => operands)
    ),
    `/** The type of an instruction's result: that of its operands, bool, that of a complex number's parts, or the complex type of parts. */
${enumeration('ResultType', ['same', 'bool', 'part', 'whole'])}`,
    list('ResultType', 'kResultTypes', results)
  ]);
}

async function words() {
  const { ACCESSES, DRIVER_KINDS, LAUNCH_WORD, LOCATION_SHIFT, MEMORY_KINDS } =
    await import('../../src/native/words.ts');
  const { FIELD } = await import('../../src/interchange/dlpack/fields.ts');
  return header('stridelab', [
    named('DriverKind', DRIVER_KINDS),
    named('MemoryKind', MEMORY_KINDS),
    named('Access', ACCESSES),
    `namespace launch_word {\n${places('LaunchWord', LAUNCH_WORD)}}\n`,
    `namespace location_shift {\n${places('LocationShift', LOCATION_SHIFT)}}\n`,
    `namespace field {\n${places('Field', FIELD)}}\n`
  ]);
}

async function kernelCodes() {
  const codes = await import('../../src/kernels/machine/codes.ts');
  const { ELEMENT_TYPES, VALUE_TYPES } = await import('../../src/kernels/program/types.ts');
  const plain = (/** @type {readonly string[]} */ names) => names.map(name => name.replace('.', '_'));
  return header('stridelab::kernels', [
    enumeration('ValueType', VALUE_TYPES),
    enumeration('Element', ELEMENT_TYPES),
    enumeration('InstructionKind', codes.INSTRUCTION_KINDS),
    enumeration('UnaryOperation', codes.UNARY_OPERATIONS),
    enumeration('BinaryOperation', codes.BINARY_OPERATIONS),
    enumeration('AtomicOperation', codes.ATOMIC_NAMES),
    enumeration('WarpOperation', codes.WARP_NAMES),
    enumeration('BarrierOperation', codes.BARRIER_NAMES),
    enumeration('Special', plain(codes.SPECIALS)),
    enumeration('FillKind', codes.FILL_KINDS)
  ]);
}

/** Writes the headers that have changed. Needs a Node that runs TypeScript. */
export async function writeNativeTables() {
  const texts = [await instructions(), await words(), await kernelCodes()];
  mkdirSync(folder, { recursive: true });
  for (const [index, path] of nativeTables.entries()) {
    const text = /** @type {string} */ (texts[index]);
    if (!existsSync(path) || readFileSync(path, 'utf8') !== text) writeFileSync(path, text);
  }
}
