/** Subjects of rows, for commands and requests. */

import type { ArrayEntry, Place } from '../../../src/pictures/arrays/schema.ts';
import { nameOf, type Row } from './arrange.ts';

interface Named {
  readonly label: string;
  /** Expression that evaluates to the subject. */
  readonly code: string;
}

export interface ArraySubject extends Named {
  readonly kind: 'array';
  readonly entry: ArrayEntry;
  /** Argument of the request `inspect`, which also identifies a tab. */
  readonly place: { readonly id: number };
}

export interface PlaceSubject extends Named {
  readonly kind: 'device' | 'stream';
  readonly place: Place;
}

export type Subject = ArraySubject | PlaceSubject;

/** Returns the subject of a row; undefined for a heading that is neither a device nor a stream. */
export function subjectOf(row: Row): Subject | undefined {
  if (row.kind === 'array') return arraySubject(row.entry);
  const first = row.entries.find(({ state }) => state !== 'freed') ?? row.entries[0];
  if (first === undefined) return undefined;
  if (row.grouping === 'device') return deviceSubject(first.device);
  if (row.grouping !== 'stream') return undefined;
  return {
    kind: 'stream',
    place: { stream: first.stream },
    label: row.label,
    code: `${nameOf(first)}.stream`
  };
}

export function deviceSubject(label: string): PlaceSubject {
  return {
    kind: 'device',
    place: { device: label },
    label,
    code: `devices().find(({ label }) => label === '${label}')!`
  };
}

export function arraySubject(entry: ArrayEntry): ArraySubject {
  const name = nameOf(entry);
  return { kind: 'array', entry, place: { id: entry.id }, label: name, code: name };
}

export function inspectCode(subject: Subject): string {
  const names = subject.kind === 'device' ? 'devices, inspect' : 'inspect';
  return `import { ${names} } from 'stridelab';\ninspect(${subject.code});`;
}
