/** What a row stands for, as commands and requests name it. */

import type { ArrayEntry, Place } from '../../../src/pictures/arrays/schema.ts';
import type { Row } from './arrange.ts';
import { nameOf } from './entry-name.ts';

export interface ArraySubject {
  readonly kind: 'array';
  readonly entry: ArrayEntry;
}

/** A device or a stream. */
export interface PlaceSubject {
  readonly kind: 'device' | 'stream';
  readonly place: Place;
  readonly label: string;
  /** Code that leads there. */
  readonly code: string;
}

export type Subject = ArraySubject | PlaceSubject;

/** Undefined for a heading that is neither a device nor a stream. */
export function subjectOf(row: Row): Subject | undefined {
  if (row.kind === 'array') return { kind: 'array', entry: row.entry };
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

export function captionOf(subject: Subject): string {
  return subject.kind === 'array' ? nameOf(subject.entry) : subject.label;
}

/** What `inspect` is asked with, and what tells one tab from another. */
export function askedBy(subject: Subject): { readonly id: number } | Place {
  return subject.kind === 'array' ? { id: subject.entry.id } : subject.place;
}

/** Code of a cell that shows it. */
export function inspectCode(subject: Subject): string {
  const names = subject.kind === 'device' ? 'devices, inspect' : 'inspect';
  const code = subject.kind === 'array' ? nameOf(subject.entry) : subject.code;
  return `import { ${names} } from 'stridelab';\ninspect(${code});`;
}
