/** Two descriptions side by side: which rows differ, and whether the arrays share memory. */

import 'stridelab-panels-style';
import type { ArrayDescription } from '../../../../src/pictures/array/schema.ts';
import { type Layout, sharing } from '../../../../src/layout/byte-map.ts';
import { createTable, element, part, setText, type Part } from '../kit/dom.ts';
import { __ } from '../kit/phrases.ts';

export type Difference = Part<[one: ArrayDescription, other: ArrayDescription]>;

export function createDifference(): Difference {
  const memory = element('p');
  const body = element('tbody');
  const headings = [__('Key'), __('This array'), __('Same?'), __('Other array')];
  return {
    element: element(
      'div',
      {},
      memory,
      createTable('', __('Both descriptors; the other is a snapshot from when it was chosen'), headings, body)
    ),
    update(one, other) {
      setText(memory, memorySentence(one, other));
      const [mine, theirs] = [valuesOf(one), valuesOf(other)];
      body.replaceChildren(
        ...[...new Set([...mine.keys(), ...theirs.keys()])].map(key => {
          const same = mine.get(key) === theirs.get(key);
          return element(
            'tr',
            same ? {} : { 'data-differs': '' },
            element('th', { scope: 'row', class: 'key' }, key),
            part('td', 'value', mine.get(key) ?? '–'),
            element('td', {}, same ? __('= same') : __('≠ differs')),
            part('td', 'value', theirs.get(key) ?? '–')
          );
        })
      );
    }
  };
}

function valuesOf({ dtype, descriptor }: ArrayDescription): Map<string, string> {
  return new Map([['dtype', dtype], ...descriptor.map(({ key, value }) => [key, value] as const)]);
}

/** Lays out bytes by address, so that arrays in different blocks can be compared too. */
function layoutAt({ shape, strides, itemsize, storage }: ArrayDescription, base: bigint): Layout | null {
  if (storage === null || !/^0x[0-9a-f]+$/.test(storage.address)) return null;
  return { shape, strides, itemsize, offset: Number(BigInt(storage.address) - base) + storage.offset };
}

function memorySentence(one: ArrayDescription, other: ArrayDescription): string {
  const base = BigInt(/^0x[0-9a-f]+$/.test(one.storage?.address ?? '') ? (one.storage?.address ?? 0) : 0);
  const [mine, theirs] = [layoutAt(one, base), layoutAt(other, base)];
  if (mine === null || theirs === null) return __('Overlap is unknown: one array was freed.');
  if (one.device.label !== other.device.label) return __('The arrays are on different devices.');
  const block =
    one.storage?.address === other.storage?.address ? __('Same memory block') : __('Different memory blocks');
  const words = {
    apart: __('no overlap.'),
    interleaved: __('interleaved without overlap.'),
    shared: __('they overlap: writing one changes the other.'),
    unknown: __('their ranges overlap; shared elements were not computed.')
  };
  return `${block}, ${words[sharing(mine, theirs)]}`;
}
