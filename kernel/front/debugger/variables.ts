/** Scopes and objects as trees that clients expand step by step; references live until the thread continues. */

import type { Debugger, Runtime } from 'node:inspector';
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { ValueAnswer } from '../../protocol/debugger-messages.ts';
import { isIdentifier } from '../../protocol/syntax.ts';
import type { Debuggee } from './debuggee.ts';
import { InspectorError } from './inspector-client.ts';
import { asArgument, resultOf } from './notebook-client.ts';
import {
  inheritedGetters,
  ownProperties,
  readGetter,
  type NamedGetter,
  type NamedValue
} from './properties.ts';
import { textOf, typeOf } from './value-text.ts';

type Node =
  | { readonly kind: 'notebook' }
  | {
      readonly kind: 'scope';
      readonly objectId: string;
      readonly callFrameId: string;
      readonly scopeNumber: number;
    }
  | { readonly kind: 'object'; readonly value: Runtime.RemoteObject }
  /** A range of the elements of an array, or of the entries of a collection. */
  | {
      readonly kind: 'part';
      readonly value: Runtime.RemoteObject;
      readonly start: number;
      readonly count: number;
    }
  | ({ readonly kind: 'getter' } & NamedGetter);

type Paging = Pick<DebugProtocol.VariablesArguments, 'filter' | 'start' | 'count'>;

/** Elements returned for an array if the client asks for no range; longer arrays are divided into parts. */
const PART = 100;
/** The first reference of an object, above any client's own numbering of frames and scopes. */
const FIRST_OBJECT = 1_000_000;
/** Names that belong to a function of the kernel, or that it passes to each cell. */
const HIDDEN = /^__stridelab(?:_\w+)?$|^__using_\d+$|^require$|^arguments$|^this$/;
/** Error for a request with a reference of an earlier stop. */
export class StaleReferenceError extends Error {
  override readonly name = 'StaleReferenceError';
}

const stale = (): StaleReferenceError =>
  new StaleReferenceError('The variable belongs to an earlier stop: request the scopes again');

export class Variables {
  readonly #debuggee: Debuggee;
  /** Name of the handles to objects in the executor, which `release` frees. */
  readonly group: string;
  /** Whether clients get types. JupyterLab's panel shows the value only of variables without a type. */
  readonly #withTypes: boolean;
  readonly #nodes = new Map<number, Node>();
  #lastReference = 0;

  constructor(debuggee: Debuggee, group: string, withTypes: boolean) {
    this.#debuggee = debuggee;
    this.group = group;
    this.#withTypes = withTypes;
  }

  has(reference: number): boolean {
    return this.#nodes.has(reference);
  }

  release(): void {
    this.#nodes.clear();
    this.#debuggee.inspector
      .post('Runtime.releaseObjectGroup', { objectGroup: this.group })
      .catch(() => undefined);
  }

  /** Returns the scopes of a frame, innermost first. `isCell`: the frame's variables are the notebook's. */
  scopes({ callFrameId, scopeChain }: Debugger.CallFrame, isCell: boolean): DebugProtocol.Scope[] {
    const scopes: DebugProtocol.Scope[] = [];
    const counts = new Map<string, number>();
    const add = (name: string, node: Node, expensive: boolean): void => {
      const count = (counts.get(name) ?? 0) + 1;
      counts.set(name, count);
      scopes.push({
        name: count === 1 ? name : `${name} ${count}`,
        variablesReference: this.#reference(node),
        expensive
      });
    };
    let globalId: string | undefined;
    for (const [scopeNumber, { type, object }] of scopeChain.entries()) {
      const { objectId } = object;
      if (objectId === undefined) continue;
      if (type === 'global') globalId = objectId;
      else if (type !== 'script' && !(isCell && type === 'local')) {
        add(
          type.charAt(0).toUpperCase() + type.slice(1),
          { kind: 'scope', objectId, callFrameId, scopeNumber },
          false
        );
      }
    }
    add('Cell', { kind: 'notebook' }, false);
    if (globalId !== undefined) {
      const value = { type: 'object', className: 'global', objectId: globalId } as const;
      add('Global', { kind: 'object', value }, true);
    }
    return scopes;
  }

  notebook(): Promise<DebugProtocol.Variable[]> {
    return this.#children({ kind: 'notebook' }, {});
  }

  /** Returns the children of a reference. Throws `StaleReferenceError` for a reference of an earlier stop. */
  async variables(reference: number, paging: Paging): Promise<DebugProtocol.Variable[]> {
    const node = this.#node(reference);
    try {
      return await this.#children(node, paging);
    } catch (error) {
      // The stop ended before the request arrived.
      if (error instanceof InspectorError && /Could not find object/.test(error.message)) throw stale();
      throw error;
    }
  }

  /** Describes a single value, for the responses to `evaluate` and `setVariable`. */
  async result(value: Runtime.RemoteObject): Promise<DebugProtocol.EvaluateResponse['body']> {
    const [variable] = await this.#describe([{ name: '', value }]);
    const { name: _, value: result, ...rest } = variable!;
    return { result, ...rest };
  }

  /** Assigns a new value to a variable, property or element. Throws `InspectorError` if that fails. */
  async set(reference: number, name: string, value: Runtime.RemoteObject): Promise<void> {
    const node = this.#node(reference);
    if (node.kind === 'notebook') await this.#debuggee.notebook.assign(name, value);
    else if (node.kind === 'scope') {
      const { callFrameId, scopeNumber } = node;
      const newValue = asArgument(value);
      await this.#debuggee.inspector.post('Debugger.setVariableValue', {
        callFrameId,
        scopeNumber,
        variableName: name,
        newValue
      });
    } else {
      const objectId = node.kind === 'getter' ? node.getterOf : node.value.objectId!;
      const answer = await this.#debuggee.inspector.post('Runtime.callFunctionOn', {
        objectId,
        functionDeclaration: `function (name, value) {
          'use strict';
          if (this instanceof Map || this instanceof Set) throw new TypeError('Entries of a Map or Set cannot be set');
          this[name] = value;
        }`,
        arguments: [{ value: name }, asArgument(value)],
        silent: true
      });
      resultOf(answer);
    }
  }

  #node(reference: number): Node {
    const node = this.#nodes.get(reference);
    if (node === undefined) throw stale();
    return node;
  }

  #reference(node: Node): number {
    this.#lastReference += 1;
    this.#nodes.set(this.#lastReference, node);
    return this.#lastReference;
  }

  async #children(node: Node, paging: Paging): Promise<DebugProtocol.Variable[]> {
    switch (node.kind) {
      case 'notebook': {
        const objectId = await this.#debuggee.notebook.variables(this.group);
        return this.#describe(await ownProperties(this.#debuggee.inspector, objectId));
      }
      case 'scope': {
        const found = await ownProperties(this.#debuggee.inspector, node.objectId);
        return this.#describe(found.filter(({ name }) => !HIDDEN.test(name)));
      }
      case 'getter': {
        const value = await readGetter(this.#debuggee.inspector, node, this.group);
        return this.#describe([{ name: node.name, value }]);
      }
      case 'part':
        return node.count > PART
          ? this.#parts(node.value, node.start, node.start + node.count)
          : this.#part(node.value, node.start, node.count);
      case 'object':
        return this.#object(node.value, paging);
    }
  }

  async #object(
    value: Runtime.RemoteObject,
    { filter, start = 0, count }: Paging
  ): Promise<DebugProtocol.Variable[]> {
    const length = lengthOf(value);
    const children: DebugProtocol.Variable[] = [];
    if (filter !== 'named' && length > 0) {
      const isPart = filter === 'indexed' && count !== undefined && count > 0;
      if (isPart || length <= PART) {
        children.push(...(await this.#part(value, start, Math.min(isPart ? count : length, length - start))));
      } else children.push(...this.#parts(value, 0, length));
    }
    if (filter === 'indexed') return children;
    const named = isArray(value) ? [] : await ownProperties(this.#debuggee.inspector, value.objectId!);
    return [
      ...children,
      ...(await this.#describe(named)),
      ...(await this.#describe(await inheritedGetters(this.#debuggee.inspector, value)))
    ];
  }

  /** Divides a range into parts of at most 100 children each, nested as deep as its length requires. */
  #parts(value: Runtime.RemoteObject, start: number, end: number): DebugProtocol.Variable[] {
    let size = PART;
    while ((end - start) / size > PART) size *= PART;
    const parts: DebugProtocol.Variable[] = [];
    for (let first = start; first < end; first += size) {
      const count = Math.min(size, end - first);
      parts.push({
        name: `[${first} … ${first + count - 1}]`,
        value: `${count} values`,
        variablesReference: this.#reference({ kind: 'part', value, start: first, count }),
        presentationHint: { kind: 'virtual' }
      });
    }
    return parts;
  }

  async #part(value: Runtime.RemoteObject, start: number, count: number): Promise<DebugProtocol.Variable[]> {
    const { inspector, notebook } = this.#debuggee;
    const objectId = await notebook.members(value.objectId!, start, count, this.group);
    const members = await ownProperties(inspector, objectId);
    const indexed = members.filter(entry => 'value' in entry && /^\d+$/.test(entry.name)) as NamedValue[];
    if (value.subtype !== 'map') {
      return this.#describe(indexed.map(entry => ({ ...entry, name: String(start + Number(entry.name)) })));
    }
    return (await Promise.all(indexed.map(entry => this.#mapEntry(entry.value)))).flat();
  }

  async #mapEntry(entry: Runtime.RemoteObject): Promise<DebugProtocol.Variable[]> {
    const parts = await ownProperties(this.#debuggee.inspector, entry.objectId!);
    const part = (wanted: string): Runtime.RemoteObject =>
      (parts.find(({ name }) => name === wanted) as NamedValue).value;
    return this.#describe([{ name: textOf(part('key')), value: part('value') }]);
  }

  async #describe(values: readonly (NamedValue | NamedGetter)[]): Promise<DebugProtocol.Variable[]> {
    const objects = values.flatMap(named =>
      'value' in named && named.value.objectId !== undefined ? [named.value] : []
    );
    const answers = objects.length === 0 ? [] : await this.#debuggee.notebook.describe(objects);
    const known = new Map(objects.map((object, index) => [object, answers[index]!]));
    return values.map(named =>
      'value' in named ? this.#variable(named, known.get(named.value)) : this.#getter(named)
    );
  }

  #variable(
    { name, value, evaluateName, kind }: NamedValue,
    answer: ValueAnswer | undefined
  ): DebugProtocol.Variable {
    // Symbols have handles too, but no members.
    const reference = answer === undefined || answer.id === 0 ? 0 : FIRST_OBJECT + answer.id;
    if (reference !== 0) this.#nodes.set(reference, { kind: 'object', value });
    const length = reference === 0 ? 0 : lengthOf(value);
    return {
      name,
      value: textOf(value, answer?.text),
      variablesReference: reference,
      ...(this.#withTypes ? { type: typeOf(value) } : {}),
      ...(evaluateName !== undefined && isIdentifier(evaluateName) ? { evaluateName } : {}),
      ...(length > PART ? { indexedVariables: length, namedVariables: 1 } : {}),
      ...(kind === undefined ? {} : { presentationHint: { kind } })
    };
  }

  #getter(getter: NamedGetter): DebugProtocol.Variable {
    return {
      name: getter.name,
      value: '(…)',
      variablesReference: this.#reference({ kind: 'getter', ...getter }),
      presentationHint: { lazy: true }
    };
  }
}

function isArray({ subtype }: Runtime.RemoteObject): boolean {
  return subtype === 'array' || subtype === 'typedarray';
}

/** Returns the number of elements or entries, from the inspector's description: `Array(3)`. */
function lengthOf(value: Runtime.RemoteObject): number {
  if (!isArray(value) && value.subtype !== 'map' && value.subtype !== 'set') return 0;
  return Number(/\((\d+)\)$/.exec(value.description ?? '')?.[1] ?? 0);
}
