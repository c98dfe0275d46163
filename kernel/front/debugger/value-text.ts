/** Formats the inspector's descriptions of values as one line of text. */

import type { Runtime } from 'node:inspector';
import { inspect } from 'node:util';

const MAX_STRING = 10_000;

export function typeOf({ type, subtype, className, description }: Runtime.RemoteObject): string {
  if (subtype === 'null') return 'null';
  if (type === 'function') return description?.startsWith('class') === true ? 'class' : 'function';
  if (type !== 'object') return type;
  if (subtype === 'error' || description === undefined) return className ?? 'Object';
  // `Array(3)`, `Map(2)`; other objects are described by their text.
  return /^[\w$#.]+(\(\d+\))?$/.test(description) ? description : (className ?? 'Object');
}

/** Returns the text of a value. `own` is the line with which an object describes itself. */
export function textOf(value: Runtime.RemoteObject, own?: string | null): string {
  const { type, subtype, description = '', preview } = value;
  if (own !== undefined && own !== null) return own;
  if (type === 'string') return quoted(value.value as string);
  if (type === 'undefined') return 'undefined';
  if (subtype === 'null') return 'null';
  if (type === 'function') return functionText(description);
  if (type !== 'object')
    return value.unserializableValue ?? (description === '' ? String(value.value) : description);
  if (subtype === 'error') return description.split('\n')[0]!;
  if (subtype === 'date' || subtype === 'regexp' || preview === undefined) return description;
  return previewText(preview);
}

function quoted(text: string): string {
  return inspect(text, { maxStringLength: MAX_STRING, breakLength: Infinity });
}

function functionText(source: string): string {
  const head = source.split('\n')[0]!;
  if (head.startsWith('class')) return /^class[^{]*/.exec(head)![0].trim();
  const signature = /^(?:async\s*)?(?:function\s*)?(\*?\s*[\w$#]*\s*\([^)]*\))/.exec(head);
  return signature === null ? `ƒ ${head.split('=>')[0]!.trim()}` : `ƒ ${signature[1]!}`;
}

function previewText(preview: Runtime.ObjectPreview): string {
  const { subtype, description = 'Object', entries, overflow, properties } = preview;
  const isArray = subtype === 'array' || subtype === 'typedarray';
  const shown = (entries ?? []).map(({ key, value }) =>
    key === undefined ? partText(value) : `${partText(key)} => ${partText(value)}`
  );
  if (entries === undefined) {
    for (const property of properties) {
      const isIndex = /^\d+$/.test(property.name);
      if (isArray && !isIndex) continue;
      const text = propertyText(property);
      shown.push(isIndex && isArray ? text : `${property.name}: ${text}`);
    }
  }
  if (overflow) shown.push('…');
  const name = description === 'Object' ? '' : `${description} `;
  const inner = shown.join(', ');
  return isArray ? `${name}[${inner}]` : `${name}{${inner}}`;
}

function propertyText({ type, subtype, value = '', valuePreview }: Runtime.PropertyPreview): string {
  if (valuePreview !== undefined) return previewText(valuePreview);
  if (type === 'string') return quoted(value);
  if (type === 'accessor') return '(…)';
  if (type === 'function') return 'ƒ';
  return type === 'object' && subtype !== 'null' && value === 'Object' ? '{…}' : value;
}

function partText(preview: Runtime.ObjectPreview): string {
  const { type, description = '' } = preview;
  return type === 'string' ? quoted(description) : description;
}
