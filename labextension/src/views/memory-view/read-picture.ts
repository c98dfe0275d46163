/** Reads a picture that came from a file or a kernel: the whole of it has the schema's form, or a sentence says what is wrong. */

import { MEMORY_PICTURE_VERSION } from '../../../../src/description/memory-schema.ts';
import type { MemoryDevice, MemoryPicture } from '../../../../src/description/memory-schema.ts';
import type { Phrases } from '../phrases.ts';

type Fields = Readonly<Record<string, unknown>>;

const isRecord = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isNumber = (value: unknown): boolean => Number.isFinite(value);
const numbersIn = (value: Fields, ...names: string[]): boolean => names.every(name => isNumber(value[name]));
const textsIn = (value: Fields, ...names: string[]): boolean =>
  names.every(name => typeof value[name] === 'string');
const isListOf = (value: unknown, accepts: (item: unknown) => boolean): boolean =>
  Array.isArray(value) && value.every(accepts);
const isText = (value: unknown): boolean => typeof value === 'string';

/** A sentence to show in place of a picture that cannot be shown. Never throws. */
export function readPicture(data: unknown, phrases: Phrases): MemoryPicture | string {
  if (data === null || data === undefined)
    return phrases.__('The kernel has not described the memory yet.');
  const version = isRecord(data) ? data['version'] : undefined;
  if (typeof version === 'number' && version !== MEMORY_PICTURE_VERSION)
    return phrases.__(
      'This picture has version %1, and this page reads version %2: install the same version of Stridelab for the kernel and for JupyterLab.',
      version,
      MEMORY_PICTURE_VERSION
    );
  return isPicture(data) ? data : phrases.__('This is not a picture of memory: parts are missing or malformed.');
}

function isPicture(data: unknown): data is MemoryPicture {
  if (!isRecord(data) || !isRecord(data['rows'])) return false;
  const { rows } = data;
  return (
    textsIn(data, 'state') &&
    numbersIn(data, 'start', 'now', 'first', 'next', 'dropped', 'omitted') &&
    isListOf(data['devices'], isDevice) &&
    isListOf(rows['texts'], isText) &&
    ['allocations', 'segments', 'failures'].every(name => isListOf(rows[name], isNumber))
  );
}

function isDevice(value: unknown): value is MemoryDevice {
  return (
    isRecord(value) &&
    textsIn(value, 'label', 'name') &&
    numbersIn(value, 'total', 'free', 'used', 'kept') &&
    isListOf(value['history'], isNumber) &&
    isListOf(value['managers'], isText)
  );
}
