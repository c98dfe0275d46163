/**
 * Encodes a program for the simulated machine (native/kernels/program.cc reads it). Pure.
 *
 * `words`: the counts of registers, masks, parameters, memories, tables, fills, places, texts and instructions; then
 * - a register: its type (index in VALUE_TYPES), plus 256 for a variable, which changes in active lanes only
 * - a parameter: 1, element, rank, contiguous, wide, written, name (a text); a scalar: 0, type
 * - a memory: 1 for local, element, dynamic, name, rank, lengths
 * - a table: element, offset in the constants, name, rank, lengths
 * - a fill, which is what a register holds from the start: kind, register and two numbers
 * - a place: line, column, length, file; a text: offset and bytes in the constants. The first texts are the program's name and its files
 * - an instruction: kind + 256 * words, place, and the words that statements.ts and expressions.ts give it
 *
 * An array's number counts parameters, then memories, then tables. Jumps name the instruction's number. Mask 0 is that of threads that ended.
 */

import type { Program } from '../program/program.ts';
import { ELEMENT_TYPES, VALUE_TYPES } from '../program/types.ts';
import { INSTRUCTION_KINDS, type InstructionKind } from './codes.ts';
import { Data, Places, Registers } from './registers.ts';
import { encodeBody } from './statements.ts';

export interface EncodedProgram {
  readonly words: Int32Array;
  /** Constants of 8 bytes each, tables and texts. */
  readonly constants: Uint8Array;
}

/** The state of an encoding. */
export class Encoder {
  readonly program: Program;
  readonly registers = new Registers();
  readonly data = new Data();
  readonly places = new Places();
  readonly instructions: number[][] = [];
  #masks = 1;

  constructor(program: Program) {
    this.program = program;
  }

  /** Adds an instruction; returns its number. */
  add(
    kind: InstructionKind,
    place: Program['memories'][number]['place'],
    ...fields: readonly number[]
  ): number {
    const head = INSTRUCTION_KINDS.indexOf(kind) + 256 * (fields.length + 2);
    return this.instructions.push([head, this.places.of(place), ...fields]) - 1;
  }

  /** Makes an instruction, whose last word is a jump, jump behind the last instruction so far. */
  land(instruction: number): void {
    const words = this.instructions[instruction] as number[];
    words[words.length - 1] = this.instructions.length;
  }

  mask(): number {
    return this.#masks++;
  }

  get masks(): number {
    return this.#masks;
  }

  arrayNumber({
    from,
    index
  }: {
    readonly from: 'parameter' | 'memory' | 'table';
    readonly index: number;
  }): number {
    if (from === 'parameter') return index;
    const { parameters, memories } = this.program;
    return parameters.length + index + (from === 'table' ? memories.length : 0);
  }
}

function parameterWords(encoder: Encoder): number[] {
  return encoder.program.parameters.flatMap(parameter => {
    if (parameter.kind === 'scalar') return [0, VALUE_TYPES.indexOf(parameter.type)];
    const { element, rank, contiguous, wide, readOnly, name } = parameter;
    const facts = [Number(contiguous), Number(wide), Number(!readOnly)];
    return [1, ELEMENT_TYPES.indexOf(element), rank, ...facts, encoder.data.text(name)];
  });
}

function memoryWords(encoder: Encoder): number[] {
  return encoder.program.memories.flatMap(({ space, element, dynamic, name, shape }) => [
    Number(space === 'local'),
    ELEMENT_TYPES.indexOf(element),
    Number(dynamic),
    encoder.data.text(name),
    shape.length,
    ...shape
  ]);
}

function tableWords(encoder: Encoder): number[] {
  return encoder.program.tables.flatMap(table => [
    ELEMENT_TYPES.indexOf(table.element),
    encoder.data.table(table),
    encoder.data.text(table.name),
    table.shape.length,
    ...table.shape
  ]);
}

/** Encodes a program, once for all its launches. */
export function encodeProgram(program: Program): EncodedProgram {
  const encoder = new Encoder(program);
  const { data, registers, places, instructions } = encoder;
  data.ownText(program.name);
  for (const { name } of program.files) data.ownText(name);
  encodeBody(encoder);
  const sections = [
    registers.types,
    parameterWords(encoder),
    memoryWords(encoder),
    tableWords(encoder),
    registers.fills,
    places.words,
    data.texts,
    instructions.flat()
  ];
  const { parameters, memories, tables } = program;
  const counts = [
    registers.types.length,
    encoder.masks,
    parameters.length,
    memories.length,
    tables.length,
    registers.fills.length / 4,
    places.words.length / 4,
    data.texts.length / 2,
    instructions.length
  ];
  return { words: Int32Array.from([...counts, ...sections.flat()]), constants: data.bytes.finish() };
}
