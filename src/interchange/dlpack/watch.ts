/**
 * Follows the tensors of an array for its inspector: exported, consumed, deleted (rules 164 to 176), by JavaScript, Python or native code.
 * Native code logs them (native/dlpack/export_log.h); without an inspector this costs an export one check. Keeps neither capsules nor
 * memory alive.
 */

import type { Storage } from '../../memory/storage.ts';
import { look } from '../../core/look.ts';
import type { NativeExport } from '../../native/observation-binding.ts';
import { native } from '../../native/load.ts';

export type CapsuleState = 'exported' | 'consumed' | 'deleted';

/** The ways by which a consumer gets a tensor of its own. */
const TENSOR_WAYS = ['javascript', 'python', 'python-table', 'native-table'] as const;
type TensorWay = (typeof TENSOR_WAYS)[number];

export interface CapsuleReport {
  readonly id: number;
  /** As Python names it now; the struct's name where a tensor was handed over without a capsule. */
  readonly name: string;
  readonly state: CapsuleState;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** True for a tensor over a copy, which does not hold the storage. */
  readonly copied: boolean;
  /** By `__dlpack__` of JavaScript or Python, or by the exchange table of either. */
  readonly way: TensorWay;
  /** The Python module that asked; empty where none is known. */
  readonly asker: string;
}

export interface Capsules {
  /** The latest 32, oldest first. */
  readonly reports: readonly CapsuleReport[];
  /** Tensors that hold the memory and are not among the reports: from before the watch, or too many. */
  readonly others: number;
}

/** Tensors over one storage, those from before its construction as a number. It must be disposed. */
export class CapsuleWatch {
  readonly #id: number;
  #reported = '';
  #disposed = false;

  /** @throws FreedError */
  constructor(storage: Storage) {
    this.#id = native().exports.follow(look(() => storage.native));
  }

  report(): Capsules {
    const capsules = this.#read();
    this.#reported = summaryOf(capsules);
    return capsules;
  }

  /** Whether the last report is out of date. Must be polled, because consumers send no notification. */
  get changed(): boolean {
    return summaryOf(this.#read()) !== this.#reported;
  }

  [Symbol.dispose](): void {
    if (this.#disposed) return;
    this.#disposed = true;
    native().exports.unfollow(this.#id);
  }

  #read(): Capsules {
    if (this.#disposed) return { reports: [], others: 0 };
    const { exports } = native();
    const reports = exports.read(this.#id, 0).flatMap(reportOf);
    const holding = reports.filter(({ state, copied }) => state !== 'deleted' && !copied).length;
    return { reports, others: Math.max(exports.countOut(this.#id) - holding, 0) };
  }
}

function reportOf(exported: NativeExport): CapsuleReport[] {
  const { number: id, madeAt: at, copied, asker, taken, endNumber, refusal } = exported;
  const way = TENSOR_WAYS.find(known => known === exported.way);
  if (refusal !== '' || way === undefined) return [];
  const state = endNumber > 0 ? 'deleted' : taken ? 'consumed' : 'exported';
  return [{ id, name: nameOf(exported), state, at, copied, way, asker }];
}

function nameOf({ way, versioned, taken }: NativeExport): string {
  if (way === 'python-table' || way === 'native-table') return 'DLManagedTensorVersioned';
  return `${taken ? 'used_' : ''}${versioned ? 'dltensor_versioned' : 'dltensor'}`;
}

function summaryOf({ reports, others }: Capsules): string {
  return [others, ...reports.map(({ id, name, state }) => `${id} ${name} ${state}`)].join();
}
