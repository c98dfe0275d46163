/** A program as CUDA C++: one kernel, without headers. Pure. */

import { argumentSlots, type ArgumentSlot } from '../program/parameters.ts';
import type { Memory, Program, Table } from '../program/program.ts';
import { ELEMENTS } from '../program/types.ts';
import type { Emission } from './emission.ts';
import { expression } from './expressions.ts';
import { createNames } from './names.ts';
import { createOutput } from './output.ts';
import { preludeText, type PieceName } from './prelude.ts';
import { list } from './statements.ts';
import { tidy } from './tidy.ts';
import { stored, STORED, TYPES } from './types.ts';
import { vectorMemories } from './vectors.ts';

/** Returns the text of the kernel. `lines` adds `#line`, so that compilers and profilers name the lines of the source. */
export function emitCuda(program: Program, { lines }: { readonly lines: boolean }): string {
  const used = new Set<PieceName>();
  const { body, inlined } = tidy(program);
  const emission: Emission = {
    program,
    inlined,
    names: createNames(program),
    use: name => void used.add(name),
    write: node => expression(emission, node)
  };
  const out = createOutput(program.files, lines);
  declareMemories(emission, out.put);
  list({ emission, out, loops: [], labels: new Set() }, body);
  const tables = program.tables.map((table, index) => tableText(emission, table, index)).join('');
  const head = `extern "C" __global__ void ${program.name}(${parameters(emission)}) {`;
  return `${preludeText(used)}${tables}${head}\n${out.toString()}}\n`;
}

function parameters({ program, names }: Emission): string {
  const parts = argumentSlots(program.parameters).map(slot => parameterText(program, names, slot));
  const line = parts.join(', ');
  return line.length < 90 ? line : `\n    ${parts.join(',\n    ')}`;
}

function parameterText(
  { parameters: all }: Program,
  names: Emission['names'],
  { parameter, role, axis, type }: ArgumentSlot
): string {
  const declared = all[parameter]!;
  if (declared.kind === 'scalar') return `${TYPES[declared.type]} ${names.parameter(parameter)}`;
  if (role === 'extent') return `${TYPES[type!]} ${names.extent(parameter, axis)}`;
  if (role === 'stride') return `${TYPES[type!]} ${names.stride(parameter, axis)}`;
  const { element, readOnly, restrict } = declared;
  return `${readOnly ? 'const ' : ''}${STORED[element]}*${restrict ? ' __restrict__' : ''} ${names.array({ from: 'parameter', index: parameter })}`;
}

/** Writes the lengths of an array's axes; C++ knows no empty arrays. */
const lengths = (shape: readonly number[]): string =>
  shape.map(length => `[${Math.max(length, 1)}]`).join('');

function declareMemories({ program, names }: Emission, put: (line: string) => void): void {
  const { memories } = program;
  const aligned = vectorMemories(program);
  if (memories.some(({ dynamic }) => dynamic))
    put('extern __shared__ __align__(16) unsigned char dynamicMemory[];');
  for (const [index, memory] of memories.entries())
    put(memoryText(memory, names.array({ from: 'memory', index }), aligned.has(index)));
}

function memoryText({ space, element, shape, dynamic }: Memory, name: string, aligned: boolean): string {
  const type = STORED[element];
  if (dynamic) return `${type}* ${name} = (${type}*)dynamicMemory;`;
  const words = `${space === 'shared' ? '__shared__ ' : ''}${aligned ? '__align__(16) ' : ''}`;
  return `${words}${type} ${name}${lengths(shape)};`;
}

/** The bytes that all constant memory has. */
const CONSTANT_BYTES = 65_536;

function tableText({ program, names }: Emission, { element, shape, values }: Table, index: number): string {
  const bytes = program.tables.reduce(
    (sum, each) => sum + each.values.length * ELEMENTS[each.element].bytes,
    0
  );
  const memory = bytes > CONSTANT_BYTES ? '__device__' : '__constant__';
  const name = names.array({ from: 'table', index });
  const content = values.map(each => stored(element, each)).join(', ');
  return `static ${memory} const ${STORED[element]} ${name}${lengths(shape)} = {${content}};\n\n`;
}
