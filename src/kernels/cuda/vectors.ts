/** Accesses to several elements at once as CUDA C++: one instruction of 2 to 16 bytes. Pure. */

import type { ArrayReference, Expression, Program, Statement } from '../program/program.ts';
import type { ElementType } from '../program/types.ts';
import { visit } from '../program/visit.ts';
import { elementOf, elementText } from './arrays.ts';
import { typed, type Emission } from './emission.ts';
import { fromStored, toStored } from './expressions.ts';
import type { Output } from './output.ts';
import { cast, primary } from './text.ts';
import { STORED, TYPES } from './types.ts';

type Of<K extends Statement['kind']> = Extract<Statement, { readonly kind: K }>;

interface Target {
  readonly emission: Emission;
  readonly out: Output;
}

function vectorType(emission: Emission, element: ElementType, count: number): string {
  emission.use('Vector');
  return `Vector<${STORED[element]}, ${count}>`;
}

export function loadVector({ emission, out }: Target, { array, index, results }: Of<'loadVector'>): void {
  const element = elementOf(emission.program, array);
  const type = vectorType(emission, element, results.length);
  const name = emission.names.fresh('vector');
  out.put(`const ${type} ${name} = *(const ${type}*)&${elementText(emission, array, index).text};`);
  for (const [at, result] of results.entries()) {
    const value = fromStored(emission, element, primary(`${name}.at[${at}]`));
    out.put(`${TYPES[result.type]} ${emission.names.variable(result)} = ${value.text};`);
  }
}

export function storeVector({ emission, out }: Target, { array, index, values }: Of<'storeVector'>): void {
  const element = elementOf(emission.program, array);
  const type = vectorType(emission, element, values.length);
  const parts = values.map(each => storedText(emission, element, each));
  out.put(`*(${type}*)&${elementText(emission, array, index).text} = ${type}{${parts.join(', ')}};`);
}

/** Writes a value with exactly the type of the element, since C++ narrows none in braces. */
function storedText(emission: Emission, element: ElementType, value: Expression): string {
  if (element === value.type) return typed(emission, value).text;
  const text = toStored(emission, element, value);
  return (element === 'f16' || element === 'bf16' ? text : cast(STORED[element], text)).text;
}

/** Returns the indices of the memories that are accessed so: they need an alignment of their own. */
export function vectorMemories({ body }: Program): ReadonlySet<number> {
  const found = new Set<number>();
  const note = ({ from, index }: ArrayReference): void => {
    if (from === 'memory') found.add(index);
  };
  visit(body, node => {
    if (node.kind === 'loadVector' || node.kind === 'storeVector') note(node.array);
  });
  return found;
}
