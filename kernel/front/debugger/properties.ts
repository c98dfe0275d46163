/** The members of an object, as the inspector reports them. */

import type { Runtime } from 'node:inspector';
import type { InspectorClient } from './inspector-client.ts';

export interface NamedValue {
  readonly name: string;
  readonly value: Runtime.RemoteObject;
  readonly evaluateName?: string;
  readonly kind?: 'virtual';
}

/** A value that is there once somebody asks for it. */
export interface NamedGetter {
  readonly name: string;
  /** The object to ask. */
  readonly getterOf: string;
}

/** Classes whose inherited getters nobody wants to open. */
const PLAIN = new Set([
  'Object',
  'Array',
  'Map',
  'Set',
  'WeakMap',
  'WeakSet',
  'Promise',
  'Date',
  'RegExp',
  'Function'
]);

const SHOWN_INTERNALS = new Set([
  '[[PromiseState]]',
  '[[PromiseResult]]',
  '[[Target]]',
  '[[Handler]]',
  '[[TargetFunction]]',
  '[[BoundThis]]',
  '[[BoundArgs]]',
  '[[PrimitiveValue]]',
  '[[GeneratorState]]'
]);

type PropertyDescriptors = readonly Runtime.InternalPropertyDescriptor[];

/** Those that an object has itself, private ones and what V8 keeps inside with them. */
export async function ownProperties(
  inspector: InspectorClient,
  objectId: string
): Promise<(NamedValue | NamedGetter)[]> {
  const answer = await inspector.post('Runtime.getProperties', {
    objectId,
    ownProperties: true,
    generatePreview: true
  });
  const found: (NamedValue | NamedGetter)[] = [];
  for (const { name, value, isOwn, get } of answer.result) {
    if (value !== undefined && isOwn === true) found.push({ name, value, evaluateName: name });
    else if (value === undefined && get?.type === 'function') {
      found.push({ name, getterOf: objectId });
    }
  }
  // Newer than the types that Node publishes.
  const { privateProperties = [] } = answer as Partial<Record<'privateProperties', PropertyDescriptors>>;
  for (const { name, value } of privateProperties) if (value !== undefined) found.push({ name, value });
  for (const { name, value } of answer.internalProperties ?? []) {
    if (value !== undefined && SHOWN_INTERNALS.has(name)) found.push({ name, value, kind: 'virtual' });
  }
  return found;
}

/** Getters that an object inherits, called only where they are opened. */
export async function inheritedGetters(
  inspector: InspectorClient,
  value: Runtime.RemoteObject
): Promise<NamedGetter[]> {
  const { className = 'Object', type, objectId, subtype } = value;
  if (type !== 'object' || PLAIN.has(className) || (subtype !== undefined && subtype !== 'error')) return [];
  if (className === 'global') return [];
  const { result } = await inspector.post('Runtime.getProperties', {
    objectId: objectId!,
    accessorPropertiesOnly: true
  });
  const inherited = result.filter(
    ({ name, isOwn, get }) => isOwn !== true && get?.type === 'function' && name !== '__proto__'
  );
  return inherited.map(({ name }) => ({ name, getterOf: objectId! }));
}

/** Calls a getter. */
export async function readGetter(
  inspector: InspectorClient,
  { name, getterOf: objectId }: NamedGetter,
  objectGroup: string
): Promise<Runtime.RemoteObject> {
  const answer = await inspector.post('Runtime.callFunctionOn', {
    objectId,
    functionDeclaration: 'function (name) { return this[name]; }',
    arguments: [{ value: name }],
    silent: true,
    generatePreview: true,
    objectGroup
  });
  // What a getter throws is what there is to show.
  return answer.result;
}
