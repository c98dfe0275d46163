/** Members of an object, as the inspector reports them. */

import type { Runtime } from 'node:inspector';
import type { InspectorClient } from './inspector-client.ts';

export interface NamedValue {
  readonly name: string;
  readonly value: Runtime.RemoteObject;
  readonly evaluateName?: string;
  readonly kind?: 'virtual';
}

/** A getter whose value is read on demand. */
export interface NamedGetter {
  readonly name: string;
  /** Handle of the object to call the getter on. */
  readonly getterOf: string;
}

/** Built-in classes whose inherited getters are not shown. */
const PLAIN = /^(?:Object|Array|Map|Set|WeakMap|WeakSet|Promise|Date|RegExp|Function)$/;
/** Internal properties that are shown. */
const SHOWN =
  /^\[\[(?:PromiseState|PromiseResult|Target|Handler|TargetFunction|BoundThis|BoundArgs|PrimitiveValue|GeneratorState)\]\]$/;

type PropertyDescriptors = readonly Runtime.InternalPropertyDescriptor[];

/** Returns the object's own properties, with its private ones and V8's internal ones. */
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
    if (value !== undefined && SHOWN.test(name)) found.push({ name, value, kind: 'virtual' });
  }
  return found;
}

/** Returns the inherited getters of an object, which are called only when opened. */
export async function inheritedGetters(
  inspector: InspectorClient,
  value: Runtime.RemoteObject
): Promise<NamedGetter[]> {
  const { className = 'Object', type, objectId, subtype } = value;
  if (type !== 'object' || PLAIN.test(className) || (subtype !== undefined && subtype !== 'error')) return [];
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
  // If the getter throws, the thrown value is shown.
  return answer.result;
}
