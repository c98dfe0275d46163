/** Reads of our arrays by Python code through an array interface or the buffer protocol (PEP 3118), answered and logged by native code. */

import type { FactContent } from './facts.ts';
import type { Device } from '../../core/device.ts';
import type { Storage } from '../../memory/storage.ts';
import type { NativeExport } from '../../native/observation-binding.ts';
import { nameOfHandle, streamNamed, writtenHandle } from './arguments.ts';
import type { RecordedExchange } from './recorded-exchange.ts';
import type { Wait } from './waits.ts';

const READS = ['python-cuda-interface', 'python-array-interface', 'python-buffer'] as const;
export type ReadWay = (typeof READS)[number];

/** One read, whose memory is known if the array was passed on while exchanges were recorded. */
export interface NativeRead {
  readonly question: NativeExport & { readonly way: ReadWay };
  readonly device: Device | null;
  readonly storage: Storage | undefined;
  /** Microseconds since the recording started. */
  readonly began: number;
  readonly answered: number;
  readonly waits: readonly Wait[];
}

export function isRead(question: NativeExport): question is NativeRead['question'] {
  return READS.some(way => way === question.way);
}

/** PyBUF_ flags; flags that include others come first. */
const BUFFER_FLAGS: readonly (readonly [mask: number, name: string])[] = [
  [0x118, 'INDIRECT'],
  [0x098, 'ANY_CONTIGUOUS'],
  [0x058, 'F_CONTIGUOUS'],
  [0x038, 'C_CONTIGUOUS'],
  [0x018, 'STRIDES'],
  [0x008, 'ND'],
  [0x004, 'FORMAT'],
  [0x001, 'WRITABLE']
];

/** Formats flags as Python's `inspect.BufferFlags` names them. */
export function writtenFlags(flags: number): string {
  let left = flags;
  const names = BUFFER_FLAGS.flatMap(([mask, name]) => {
    if ((flags & mask) !== mask || (left & mask) === 0) return [];
    left &= ~mask;
    return [name];
  });
  return names.length === 0 ? 'SIMPLE' : names.join(' | ');
}

export function tellRead(exchange: RecordedExchange, read: NativeRead): void {
  const { question, began, answered } = read;
  exchange.add(questionOf(question), began);
  if (question.way === 'python-cuda-interface') tellJoins(exchange, read);
  else tellHostWaits(exchange, read);
  exchange.add(answerOf(exchange, read), answered);
}

function questionOf({ way, flags }: NativeRead['question']): FactContent {
  if (way === 'python-buffer') return { kind: 'ask-buffer', asks: writtenFlags(flags) };
  const name = way === 'python-cuda-interface' ? '__cuda_array_interface__' : '__array_interface__';
  return { kind: 'read', name };
}

function tellJoins(exchange: RecordedExchange, { question, device, waits }: NativeRead): void {
  if (device === null) return void exchange.ordered(waits);
  // If the descriptor names another stream, only consumers that ignore it rely on the legacy stream.
  const otherwise = question.stream > 1n ? 'unread' : 'several';
  for (const wait of waits) exchange.joined(device, question.version, wait, otherwise);
}

function tellHostWaits(exchange: RecordedExchange, { question, waits, answered }: NativeRead): void {
  if (exchange.ordered(waits) || question.refusal !== '') return;
  exchange.add({ kind: 'no-wait', reason: exchange.has('work') ? 'ordered' : 'nothing-pending' }, answered);
}

function answerOf(exchange: RecordedExchange, { question, storage }: NativeRead): FactContent {
  const { way, refusal, version, readOnly } = question;
  if (refusal !== '') return { kind: 'failed', side: 'producer', message: refusal };
  if (way === 'python-array-interface') return { kind: 'ready', version };
  if (way === 'python-buffer') return { kind: 'buffer', access: readOnly ? 'read-only' : 'writable' };
  const handle = question.stream === 0n ? null : question.stream === 1n ? 1 : question.stream;
  const named = storage === undefined ? null : streamNamed(handle, storage);
  if (named !== null) exchange.works('producer', named);
  const stream = writtenHandle(handle);
  const names = named?.toString() ?? (handle === null ? null : nameOfHandle(handle));
  return { kind: 'descriptor', version, stream, names, event: false };
}
